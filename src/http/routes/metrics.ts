import { type PublicOperation, publicOperation } from "../operation.ts";

export type MetricsSource = { contentType: string; text(): Promise<string> };

/** Prometheus asks without a credential; it reaches the administrators' listener, and partners do not. */
export function metricsOperation(metrics: MetricsSource): PublicOperation {
  return publicOperation({
    id: "getMetrics",
    method: "GET",
    path: "/metrics",
    summary: "Measurements in Prometheus's text format",
    handle: async () => ({
      raw: await metrics.text(),
      headers: { "content-type": metrics.contentType, "cache-control": "no-store" },
    }),
  });
}
