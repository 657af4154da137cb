import type { Delivery } from "../local-receiver.ts";

/** Lines shown of each event while deliveries come on each other's heels; a first snapshot sends hundreds. */
const SHOWN_OF_A_BURST = 3;
const COUNT_EVERY_MS = 1_000;

/** A line for each delivery that comes by itself; of a burst the first few, and then how many more every second. */
export class DeliveryReport {
  /** Deliveries of the burst by their event. */
  #burst = new Map<string, number>();
  /** Of the last second: all, and those without a line. */
  #seen = 0;
  #unshown = 0;
  #timer: Timer | undefined;

  constructor(private readonly write: (line: string) => void) {}

  add(delivery: Delivery): void {
    const nth = (this.#burst.get(delivery.event) ?? 0) + 1;
    this.#burst.set(delivery.event, nth);
    this.#seen++;
    if (nth <= SHOWN_OF_A_BURST || !delivery.verified) this.write(lineOf(delivery));
    else this.#unshown++;
    this.#timer ??= setTimeout(() => this.#count(), COUNT_EVERY_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#writeCount();
  }

  /** A second without a delivery ends the burst. */
  #count(): void {
    this.#writeCount();
    this.#timer = this.#seen > 0 ? setTimeout(() => this.#count(), COUNT_EVERY_MS) : undefined;
    if (this.#seen === 0) this.#burst.clear();
    this.#seen = 0;
  }

  #writeCount(): void {
    const inAll = this.#burst.values().reduce((sum, count) => sum + count, 0);
    if (this.#unshown > 0)
      this.write(`webhook  ${this.#unshown} more (${inAll} in all), every signature verified\n`);
    this.#unshown = 0;
  }
}

function lineOf({ event, data, verified }: Delivery): string {
  const what = data.component_name ?? data.event_type ?? data.type_id ?? data.address ?? data.metric;
  const score = typeof data.risk_score === "number" ? data.risk_score.toFixed(2) : undefined;
  const subject = [what, data.property_name, score].filter((part) => part !== undefined).join(", ");
  return `webhook  ${event.padEnd(21)}  ${subject}  ${verified ? "signature verified" : "SIGNATURE WRONG"}\n`;
}
