import { Counter, Histogram, Registry } from "prom-client";
import type { Sender } from "../webhooks/sender.ts";
import { defineGauges, type GaugeSources } from "./gauges.ts";

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const ATTEMPT_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 8, 15, 30, 60];
const GROUP_SIZES = [1, 2, 4, 8, 16, 32, 64];

/** A client may send any word as the method; each would be a series of its own. */
const METHODS = new Set(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]);

/** What the service counts as it works, and what it looks up when it is asked, in Prometheus's text format. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: "mainstay_http_requests_total",
    help: "Requests answered, by route pattern, method and status.",
    labelNames: ["route", "method", "status"],
    registers: [this.#registry],
  });
  readonly #requestSeconds = new Histogram({
    name: "mainstay_http_request_duration_seconds",
    help: "Time from a request's arrival to its answer, by route pattern and method.",
    labelNames: ["route", "method"],
    buckets: REQUEST_SECONDS,
    registers: [this.#registry],
  });
  readonly #groupSize = new Histogram({
    name: "mainstay_write_group_size",
    help: "Writes committed together.",
    buckets: GROUP_SIZES,
    registers: [this.#registry],
  });
  readonly #commitSeconds = new Histogram({
    name: "mainstay_write_group_duration_seconds",
    help: "Time that a group of writes held the writer, its commit to the disk included.",
    buckets: COMMIT_SECONDS,
    registers: [this.#registry],
  });
  readonly #attempts = new Counter({
    name: "mainstay_webhook_attempts_total",
    help: "Attempts to deliver a webhook, by whether the receiver took it (ok) or not (failed).",
    labelNames: ["result"],
    registers: [this.#registry],
  });
  readonly #attemptSeconds = new Histogram({
    name: "mainstay_webhook_attempt_duration_seconds",
    help: "Time of an attempt to deliver a webhook, from its start to the receiver's whole answer.",
    labelNames: ["result"],
    buckets: ATTEMPT_SECONDS,
    registers: [this.#registry],
  });
  readonly #embedViews = new Counter({
    name: "mainstay_embed_views_total",
    help: "Views of properties' embedded pages.",
    registers: [this.#registry],
  });
  #refresh = async () => {};

  /** From now on gauges are answered from here. */
  observe(sources: GaugeSources): void {
    this.#refresh = defineGauges(this.#registry, sources);
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
    // the machine's clock may have been set back meanwhile
    this.#commitSeconds.observe(Math.max(0, durationMs) / 1000);
  }

  /** The same sender, each of whose attempts is counted. */
  measured(sender: Sender): Sender {
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
