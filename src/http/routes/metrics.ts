import { adminOperation, type Operation, publicOperation, type Reply } from "../operation.ts";

export type MetricsSource = { contentType: string; text(): Promise<string> };

/**
 * Prometheus asks without a credential where partners do not come; on a listener that they reach it needs an
 * administrator's key, since the metrics name partners and their budgets.
 */
export function metricsOperation(metrics: MetricsSource, { partnersReachIt = false } = {}): Operation {
  const operation = {
    id: "getMetrics",
    method: "GET",
    path: "/metrics",
    summary: "Measurements in Prometheus's text format",
    handle: async (): Promise<Reply<never>> => ({
      raw: await metrics.text(),
      headers: { "content-type": metrics.contentType, "cache-control": "no-store" },
    }),
  } as const;
  return partnersReachIt ? adminOperation(operation) : publicOperation(operation);
}
