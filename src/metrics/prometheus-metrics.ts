import { Counter, Histogram, Registry } from "prom-client";
import type { HttpSender } from "../webhooks/webhook-http-sender.ts";
import {
  definePrometheusServerMetrics,
  type PrometheusServerMetricSources,
} from "./prometheus-server-metrics.ts";

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const ATTEMPT_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 8, 15, 30, 60];
const GROUP_SIZES = [1, 2, 4, 8, 16, 32, 64];

/** Clients can send any method. Each other one would create a series of its own. */
const METHODS = new Set(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]);

/** The metrics of the server in the text format of Prometheus. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: "mainstay_http_requests_total",
    help: "Requests by route pattern, method and status.",
    labelNames: ["route", "method", "status"],
    registers: [this.#registry],
  });
  readonly #requestSeconds = new Histogram({
    name: "mainstay_http_request_duration_seconds",
    help: "Time from the arrival of a request to its response, by route pattern and method.",
    labelNames: ["route", "method"],
    buckets: REQUEST_SECONDS,
    registers: [this.#registry],
  });
  readonly #groupSize = new Histogram({
    name: "mainstay_write_group_size",
    help: "Writes per commit group.",
    buckets: GROUP_SIZES,
    registers: [this.#registry],
  });
  readonly #commitSeconds = new Histogram({
    name: "mainstay_write_group_duration_seconds",
    help: "Time that the writer took for a group, including its commit to disk.",
    buckets: COMMIT_SECONDS,
    registers: [this.#registry],
  });
  readonly #attempts = new Counter({
    name: "mainstay_webhook_attempts_total",
    help: "Webhook delivery attempts by result: ok or failed.",
    labelNames: ["result"],
    registers: [this.#registry],
  });
  readonly #attemptSeconds = new Histogram({
    name: "mainstay_webhook_attempt_duration_seconds",
    help: "Time from the start of a webhook delivery attempt to its complete response.",
    labelNames: ["result"],
    buckets: ATTEMPT_SECONDS,
    registers: [this.#registry],
  });
  readonly #embedViews = new Counter({
    name: "mainstay_embed_views_total",
    help: "Views of embedded property pages.",
    registers: [this.#registry],
  });
  #refresh = async () => {};

  /** Adds the gauges that are read from these sources. */
  observe(sources: PrometheusServerMetricSources): void {
    this.#refresh = definePrometheusServerMetrics(this.#registry, sources);
  }

  requestAnswered(route: string, method: string, status: number, durationMs: number): void {
    const known = METHODS.has(method) ? method : "other";
    this.#requests.inc({ route, method: known, status });
    this.#requestSeconds.observe({ route, method: known }, durationMs / 1000);
  }

  embedViewed(): void {
    this.#embedViews.inc();
  }

  groupCommitted(jobs: number, durationMs: number): void {
    this.#groupSize.observe(jobs);
    // The system clock may have been set back in the meantime.
    this.#commitSeconds.observe(Math.max(0, durationMs) / 1000);
  }

  /** Returns the sender with metrics for each of its attempts. */
  measured(sender: HttpSender): HttpSender {
    return {
      ...sender,
      send: async (request) => {
        const sent = await sender.send(request);
        const result = sent.ok ? "ok" : "failed";
        this.#attempts.inc({ result });
        this.#attemptSeconds.observe({ result }, sent.durationMs / 1000);
        return sent;
      },
    };
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async text(): Promise<string> {
    await this.#refresh();
    return await this.#registry.metrics();
  }
}
