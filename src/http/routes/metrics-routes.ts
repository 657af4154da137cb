import { adminOperation, type Operation, publicOperation, type Reply } from "../http-operation.ts";

type MetricsSource = { contentType: string; text(): Promise<string> };

/**
 * Serves Prometheus without credentials on a listener that partners cannot reach. On one that they can, the operation
 * requires an administrator's key, since the metrics name partners and their daily call limits.
 */
export function metricsOperation(metrics: MetricsSource, { partnersReachIt = false } = {}): Operation {
  const operation = {
    id: "getMetrics",
    method: "GET",
    path: "/metrics",
    summary: "Metrics in the Prometheus text format",
    handle: async (): Promise<Reply<never>> => ({
      raw: await metrics.text(),
      headers: { "content-type": metrics.contentType, "cache-control": "no-store" },
    }),
  } as const;
  return partnersReachIt ? adminOperation(operation) : publicOperation(operation);
}
