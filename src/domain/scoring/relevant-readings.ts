import type { Knowledge } from "../knowledge.ts";
import type { Instant } from "../time.ts";
import { dayOfReading, sensorKey } from "./smart.ts";
import type { SmartEvidence } from "./types.ts";

/**
 * Of however many readings of one appliance, which are taken in the newest first, those that its scores on some days
 * rest on. Of the warnings of one type and severity on one component only the newest that stands on a day can count
 * then, so as many are kept as there are days, each with the normal reading that ends it.
 */
export class RelevantReadings {
  readonly #kept = new Set<SmartEvidence>();
  /** By type, severity and component, the days on which a kept one stands. */
  readonly #stood = new Map<string, Set<number>>();
  /** By sensor, the first normal reading after the moment that is being read. */
  readonly #clearing = new Map<string, SmartEvidence>();
  /** Those of the moment itself: they clear what came before it alone. */
  #normals = new Map<string, SmartEvidence>();
  #moment: Instant = Number.POSITIVE_INFINITY;
  /** Of the days, the first that is not before the moment. */
  #first: number;

  /** `days`: as numbers, in their order. */
  constructor(
    private readonly knowledge: Knowledge,
    private readonly days: readonly number[],
  ) {
    this.#first = days.length;
  }

  get kept(): SmartEvidence[] {
    return [...this.#kept];
  }

  add(reading: SmartEvidence): void {
    const type = this.knowledge.smartEvent(reading.eventType);
    if (!type) return;
    if (reading.recordedAt < this.#moment) this.#goBackTo(reading.recordedAt);
    if (type.ratios === null) this.#normals.set(sensorKey(reading), reading);
    else this.#warn(reading);
  }

  #goBackTo(moment: Instant): void {
    this.#moment = moment;
    for (const [sensor, normal] of this.#normals) this.#clearing.set(sensor, normal);
    this.#normals = new Map();
  }

  #warn(warning: SmartEvidence): void {
    const { spanDays } = this.knowledge.model.evidence.smartEvent;
    const day = dayOfReading(warning);
    while (this.#first > 0 && this.days[this.#first - 1]! >= day) this.#first--;
    const clearing = this.#clearing.get(sensorKey(warning));
    const end = Math.min(day + spanDays, clearing ? dayOfReading(clearing) : Number.POSITIVE_INFINITY);
    const kind = `${warning.eventType} ${warning.severity} ${warning.componentId ?? ""}`;
    const stood = this.#stood.get(kind) ?? new Set();
    this.#stood.set(kind, stood);
    for (let at = this.#first; at < this.days.length && this.days[at]! < end; at++) {
      if (stood.has(at)) continue;
      stood.add(at);
      this.#kept.add(warning);
      if (clearing) this.#kept.add(clearing);
    }
  }
}
