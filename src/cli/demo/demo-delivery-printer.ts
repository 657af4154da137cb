import type { ReceivedDelivery } from "../command-webhook-receiver.ts";

/** The maximum number of lines per event during a burst; a first snapshot sends hundreds of deliveries. */
const MAX_LINES_PER_BURST = 3;
const COUNT_INTERVAL_MS = 1_000;

/** Prints a line for each delivery; in a burst, only the first few and then a count every second. */
export class DemoDeliveryPrinter {
  /** The deliveries of the current burst, by event. */
  #burst = new Map<string, number>();
  /** The deliveries of the last second: all, and those without a line. */
  #seen = 0;
  #unshown = 0;
  #timer: Timer | undefined;

  constructor(private readonly write: (line: string) => void) {}

  add(delivery: ReceivedDelivery): void {
    const nth = (this.#burst.get(delivery.event) ?? 0) + 1;
    this.#burst.set(delivery.event, nth);
    this.#seen++;
    if (nth <= MAX_LINES_PER_BURST || !delivery.verified) this.write(lineOf(delivery));
    else this.#unshown++;
    this.#timer ??= setTimeout(() => this.#count(), COUNT_INTERVAL_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#writeCount();
  }

  /** Ends the burst after a second without a delivery. */
  #count(): void {
    this.#writeCount();
    this.#timer = this.#seen > 0 ? setTimeout(() => this.#count(), COUNT_INTERVAL_MS) : undefined;
    if (this.#seen === 0) this.#burst.clear();
    this.#seen = 0;
  }

  #writeCount(): void {
    const total = this.#burst.values().reduce((sum, count) => sum + count, 0);
    if (this.#unshown > 0)
      this.write(`webhook  ${this.#unshown} more (${total} total), all signatures verified\n`);
    this.#unshown = 0;
  }
}

function lineOf({ event, data, verified }: ReceivedDelivery): string {
  const what = data.component_name ?? data.event_type ?? data.type_id ?? data.address ?? data.metric;
  const score = typeof data.risk_score === "number" ? data.risk_score.toFixed(2) : undefined;
  const subject = [what, data.property_name, score].filter((part) => part !== undefined).join(", ");
  return `webhook  ${event.padEnd(21)}  ${subject}  ${verified ? "signature verified" : "INVALID SIGNATURE"}\n`;
}
