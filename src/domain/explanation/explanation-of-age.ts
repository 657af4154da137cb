import type { ComponentDef, ScoringModel } from "../domain-knowledge.ts";
import type { DatedEvents } from "../scoring/dated-events.ts";
import type { AgedLife } from "../scoring/scoring-types.ts";
import {
  createUnknownPast,
  failureProbabilitySinceRecordBegan,
  probabilityStillOriginal,
} from "../scoring/unknown-past.ts";
import { type Restored, virtualAge } from "../scoring/virtual-age.ts";
import { cumulativeHazard, cumulativeProbability } from "../statistics/weibull-distribution.ts";
import { DAYS_PER_YEAR, type Day, dayFromNumber } from "../time.ts";

/** The calculation of a component's age, from its birth to the prior. */
export type AgeParts = {
  /** The event or assumption that decides the age. */
  reason: "replacement" | "installation" | "unknown_past";
  bornOn: Day;
  ageYears: number;
  /** The day from which virtual age accrues: the birth, or the start of the record. */
  countedFrom: Day;
  countedDays: number;
  restorations: readonly (Restored & { removedYears: number })[];
  /** V, or d with an unknown past. */
  virtualAgeYears: number;
  unknownPast: UnknownPastParts | null;
  /** p0 before its limit. */
  priorUnlimited: number;
  highestPrior: number;
  prior: number;
  effectiveAgeYears: number;
};

type UnknownPastParts = {
  recordsSince: Day;
  /** t: the virtual age of the original when the record began. */
  nominalYears: number;
  /** Probability of being the original when the record began: S(t). */
  originalThen: number;
  /** Probability of being the original today. */
  originalNow: number;
};

/** Recomputes a component's age with its inputs. `recordsSince` and `today` are day numbers. */
export function explainAge(
  def: ComponentDef,
  componentId: string,
  life: AgedLife,
  events: DatedEvents,
  recordsSince: number,
  today: number,
  model: ScoringModel,
): AgeParts {
  const { scaleYears, rate, bornOn, unknownPastYears, virtualAgeYears } = life;
  const shape = def.weibullShape;
  const from = unknownPastYears === undefined ? bornOn : recordsSince;
  const restored: Restored[] = [];
  virtualAge(def, componentId, events, { from, today, rate }, model, restored);
  const past =
    unknownPastYears === undefined ? undefined : createUnknownPast(shape, unknownPastYears / scaleYears);
  const since = virtualAgeYears / scaleYears;
  return {
    reason:
      unknownPastYears !== undefined
        ? "unknown_past"
        : life.replacedOn === undefined
          ? "installation"
          : "replacement",
    bornOn: dayFromNumber(bornOn),
    ageYears: Math.max(0, today - bornOn) / DAYS_PER_YEAR,
    countedFrom: dayFromNumber(from),
    countedDays: Math.max(0, today - from),
    restorations: restored.map((restored) => ({
      ...restored,
      removedYears: (rate * restored.share * restored.accruedDays) / DAYS_PER_YEAR,
    })),
    virtualAgeYears,
    unknownPast: past
      ? {
          recordsSince: dayFromNumber(recordsSince),
          nominalYears: unknownPastYears!,
          originalThen: Math.exp(-cumulativeHazard(unknownPastYears!, scaleYears, shape)),
          originalNow: probabilityStillOriginal(past, since),
        }
      : null,
    priorUnlimited: past
      ? failureProbabilitySinceRecordBegan(past, since)
      : cumulativeProbability(virtualAgeYears, scaleYears, shape),
    highestPrior: model.highestPrior,
    prior: life.prior,
    effectiveAgeYears: life.effectiveAgeYears,
  };
}
