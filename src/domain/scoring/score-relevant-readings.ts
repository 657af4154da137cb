import type { Knowledge } from "../domain-knowledge.ts";
import type { Instant } from "../time.ts";
import type { SmartEvidence } from "./scoring-types.ts";
import { dayOfReading, sensorKey } from "./sensor-warnings.ts";

/**
 * Selects, of any number of readings of one appliance, those that its scores on some days depend on. Readings are added
 * newest first. Of the warnings of one type and severity on one component, only the newest active one counts on a day,
 * so memory is bounded by the number of days.
 */
export class ScoreRelevantReadings {
  readonly #kept = new Set<SmartEvidence>();
  /** By type, severity and component, the indexes of the days on which a kept warning is active. */
  readonly #activeOn = new Map<string, Set<number>>();
  /** By sensor, the first normal reading after the current instant. */
  readonly #clearing = new Map<string, SmartEvidence>();
  /** By sensor, normal readings of the current instant: they clear earlier warnings only. */
  #normals = new Map<string, SmartEvidence>();
  #instant: Instant = Number.POSITIVE_INFINITY;
  /** Index of the first day that is not before the current instant. */
  #firstDay: number;

  /** `days` are day numbers in ascending order. */
  constructor(
    private readonly knowledge: Knowledge,
    private readonly days: readonly number[],
  ) {
    this.#firstDay = days.length;
  }

  /** The readings to keep: warnings, and the normal readings that end them. */
  get kept(): SmartEvidence[] {
    return [...this.#kept];
  }

  /** Adds a reading that is not newer than the one before. */
  add(reading: SmartEvidence): void {
    const type = this.knowledge.smartEvent(reading.eventType);
    if (!type) return;
    if (reading.recordedAt < this.#instant) this.#moveTo(reading.recordedAt);
    if (type.ratios === null) this.#normals.set(sensorKey(reading), reading);
    else this.#addWarning(reading);
  }

  #moveTo(instant: Instant): void {
    this.#instant = instant;
    for (const [sensor, normal] of this.#normals) this.#clearing.set(sensor, normal);
    this.#normals = new Map();
  }

  #addWarning(warning: SmartEvidence): void {
    const { spanDays } = this.knowledge.model.evidence.smartEvent;
    const day = dayOfReading(warning);
    while (this.#firstDay > 0 && this.days[this.#firstDay - 1]! >= day) this.#firstDay--;
    const clearing = this.#clearing.get(sensorKey(warning));
    const end = Math.min(day + spanDays, clearing ? dayOfReading(clearing) : Number.POSITIVE_INFINITY);
    const kind = `${warning.eventType} ${warning.severity} ${warning.componentId ?? ""}`;
    const activeOn = this.#activeOn.get(kind) ?? new Set();
    this.#activeOn.set(kind, activeOn);
    for (let at = this.#firstDay; at < this.days.length && this.days[at]! < end; at++) {
      if (activeOn.has(at)) continue;
      activeOn.add(at);
      this.#kept.add(warning);
      if (clearing) this.#kept.add(clearing);
    }
  }
}
