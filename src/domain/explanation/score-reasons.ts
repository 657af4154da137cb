import type { EnvironmentFactor } from "../domain-knowledge.ts";
import { effectiveLifespan } from "../scoring/outlook.ts";
import type { Day } from "../time.ts";
import type { ScoreParts } from "./explanation.ts";
import type { ExplainedEvidence } from "./explanation-of-evidence.ts";

/** A reason for a score, in words. */
export type Reason = {
  /** The direction in which it moves the score from that of a component of middle age without evidence. */
  effect: "raises" | "lowers" | "neutral";
  text: string;
  /** The day of the latest event that the reason is based on; null if it is based on none. */
  on: Day | null;
};

/** The reasons that are given: the age, and the two that change the score most. */
const MOST_REASONS = 3;

/** The effective age as a share of the median life from which a component counts as old, aging, or of middle age. */
const OLD = 1;
const AGING = 0.7;
const MIDDLE = 0.35;

/** The rate of aging beyond which use or surroundings are a reason. */
const FAST = 1.15;
const SLOW = 1 / FAST;

/** Evidence that changes the hazard by less is no reason. */
const LEAST_EFFECT = 0.01;

/** Returns the main reasons for a score, its age first, then those that change it most. No weights. */
export function mainReasonsOf(parts: ScoreParts): Reason[] {
  const others = [
    ...evidenceReasons(parts),
    ...rateReasons(parts),
    ...(parts.record.events === 0
      ? [
          {
            effect: "neutral",
            text: "No service is on record, so the score rests on age and type",
            on: null,
          } as const,
        ]
      : []),
  ];
  return [ageReason(parts), ...others].slice(0, MOST_REASONS);
}

function ageReason({ age, life, outlook }: ScoreParts): Reason {
  const share = outlook.effectiveAgeYears / life.calibratedMedianYears;
  const lead =
    share >= OLD
      ? "Old for its type"
      : share >= AGING
        ? "Aging"
        : share >= MIDDLE
          ? "In the middle of its life"
          : "Early in its life";
  const begun = `${age.reason === "replacement" ? "replaced" : "installed"} ${ago(age.ageYears)}`;
  const past = age.reason === "unknown_past" ? ", and possibly renewed before the record begins" : "";
  const lasts = inYears(effectiveLifespan(outlook));
  const expected = life.isOverridden ? `it is expected to last ${lasts}` : `half of its kind last ${lasts}`;
  return {
    effect: share >= AGING ? "raises" : share < MIDDLE ? "lowers" : "neutral",
    text: `${lead}: ${begun}${past}; ${expected}`,
    on: null,
  };
}

/** Returns a reason for each kind of evidence, that with the greatest effect first. */
function evidenceReasons({ evidence, risk, product }: ScoreParts): Reason[] {
  const hazardByAge = product.hazardRatio * risk.hazardByAge;
  const effectOf = ({ kind, factor, hazard = 0 }: ExplainedEvidence) =>
    kind === "smart_event" ? Math.log1p((hazard * risk.acuteShare) / hazardByAge) : Math.log(factor);
  const kinds = Map.groupBy(evidence, ({ kind, subject }) => (isRepair(kind) ? kind : `${kind} ${subject}`));
  return [...kinds.values()]
    .map((some) => ({ some, effect: some.reduce((sum, one) => sum + effectOf(one), 0) }))
    .filter(({ effect }) => Math.abs(effect) >= LEAST_EFFECT)
    .sort(
      (a, b) => Math.abs(b.effect) - Math.abs(a.effect) || a.some[0]!.label.localeCompare(b.some[0]!.label),
    )
    .map(({ some, effect }) => ({
      effect: effect > 0 ? "raises" : "lowers",
      text: textOf(some),
      on: some.reduce<Day | null>(
        (latest, { on }) => (on !== null && (latest ?? "") < on ? on : latest),
        null,
      ),
    }));
}

const isRepair = (kind: ExplainedEvidence["kind"]) => kind === "repair" || kind === "emergency_repair";

function textOf(some: readonly ExplainedEvidence[]): string {
  const [{ kind, subject, label, severity }] = some as [ExplainedEvidence];
  const times = some.reduce((sum, one) => sum + one.times, 0);
  switch (kind) {
    case "emergency_repair":
      return times === 1 ? "Emergency repair" : `${times} emergency repairs`;
    case "repair":
      return times === 1 ? "Repair" : `${times} repairs`;
    case "condition":
      return `In ${subject} condition when last examined`;
    case "inspection":
      return "Inspected, without a note of its condition";
    case "keyword":
      return `A technician's note mentions “${subject.replaceAll("_", " ")}” or similar`;
    case "claim":
      return label.replace(
        /^Claim:/,
        times === 1 ? "Claim on the property:" : `${times} claims on the property:`,
      );
    case "smart_event":
      return `Sensor warning: ${subject.replaceAll("_", " ")}, ${severity}`;
    case "hazard_brand":
      return label;
    case "era":
      return label;
    case "cascade":
      return `Affected by another component. ${label}`;
  }
}

const SURROUNDINGS: Readonly<Record<EnvironmentFactor, string>> = {
  coastal: "salt air",
  freeze: "frost",
  hard_water: "hard water",
  heat: "heat",
  humidity: "humidity",
  hail: "hail",
  wind: "wind",
};

/** Returns use or surroundings as a reason if they make the component age faster or slower than usual. */
function rateReasons({ rate }: ScoreParts): Reason[] {
  if (rate.rate < FAST && rate.rate > SLOW) return [];
  if (rate.rate <= SLOW)
    return [{ effect: "lowers", text: "Ages more slowly than usual: light use", on: null }];
  const causes = [
    ...(rate.useFactor > 1 ? ["heavy use"] : []),
    ...rate.surroundings
      .filter(({ lifeFactor }) => lifeFactor < 1)
      .sort((a, b) => a.lifeFactor - b.lifeFactor)
      .map(({ factor }) => SURROUNDINGS[factor]),
  ];
  return [
    { effect: "raises", text: `Ages faster than usual: ${causes.slice(0, 2).join(" and ")}`, on: null },
  ];
}

/** Formats a number of years, whole from one year on. */
const inYears = (years: number) => {
  const whole = Math.max(1, Math.round(years));
  return whole === 1 ? "1 year" : `${whole} years`;
};
const ago = (years: number) => (years < 1 ? "less than a year ago" : `${inYears(years)} ago`);
