import type { FactGroup, Knowledge, Provenance } from "../domain-knowledge.ts";
import { cascadeEffectShare } from "../scoring/failure-cascade.ts";
import type { Evidence } from "../scoring/scoring-types.ts";
import type { Condition } from "../service-event.ts";
import { DAYS_PER_MONTH, DAYS_PER_YEAR, type Day, dayFromNumber, dayNumber } from "../time.ts";

/** A piece of evidence with its calculation: ratio = (1 + (base − 1) · remaining)^weight, factor = ratio^(strength·times). */
export type ExplainedEvidence = Evidence & {
  /** A description in words. */
  label: string;
  baseRatio: number;
  /** The share that has not faded, 0 to 1; for a cascade, the share of the rule's effect. */
  remaining: number;
  weight: number;
  strength: number;
  /** The number of events that say the same. */
  times: number;
  /** The factor on the hazard; 1 for a sensor warning, which adds a hazard instead. */
  factor: number;
  /** The first day on which it has faded completely; null for evidence that does not fade. */
  endsOn: Day | null;
  provenance: Provenance;
};

/** Returns a piece of evidence with its calculation. `downstream` is the definition of the scored component. */
export function explainEvidence(
  knowledge: Knowledge,
  downstream: string,
  evidence: Evidence,
  today: number,
): ExplainedEvidence {
  const { kind, on, ratio, weight = 1, strength = 1, times = 1 } = evidence;
  const spanDays = spanOf(knowledge, kind);
  const remaining =
    kind === "cascade"
      ? cascadeEffectShare(evidence.upstreamScore!, knowledge.model)
      : spanDays === null
        ? 1
        : Math.max(0, 1 - (today - dayNumber(on!)) / spanDays);
  return {
    ...evidence,
    ...originOf(knowledge, downstream, evidence),
    remaining,
    weight,
    strength,
    times,
    factor: kind === "smart_event" ? 1 : strength * times === 1 ? ratio : ratio ** (strength * times),
    endsOn: spanDays === null ? null : dayFromNumber(Math.ceil(dayNumber(on!) + spanDays)),
  };
}

/** Returns the days over which a kind of evidence fades; null if it does not. */
function spanOf({ model }: Knowledge, kind: Evidence["kind"]): number | null {
  const { emergencyRepair, repair, condition, inspection, keywords, claims, smartEvent } = model.evidence;
  switch (kind) {
    case "emergency_repair":
      return emergencyRepair.spanMonths * DAYS_PER_MONTH;
    case "repair":
      return repair.spanMonths * DAYS_PER_MONTH;
    case "condition":
      return condition.spanMonths * DAYS_PER_MONTH;
    case "inspection":
      return inspection.spanMonths * DAYS_PER_MONTH;
    case "keyword":
      return keywords.spanMonths * DAYS_PER_MONTH;
    case "claim":
      return claims.spanYears * DAYS_PER_YEAR;
    case "smart_event":
      return smartEvent.spanDays;
    case "hazard_brand":
    case "era":
    case "cascade":
      return null;
  }
}

type Origin = Pick<ExplainedEvidence, "label" | "baseRatio" | "provenance">;

function originOf(knowledge: Knowledge, downstream: string, evidence: Evidence): Origin {
  const { kind, subject, severity } = evidence;
  const ofModel = knowledge.model.evidence;
  const origin = (label: string, baseRatio: number, group: FactGroup = "model"): Origin => ({
    label,
    baseRatio,
    provenance: knowledge.provenance[group],
  });
  switch (kind) {
    case "emergency_repair":
      return origin(subject, ofModel.emergencyRepair.ratio);
    case "repair":
      return origin(subject, ofModel.repair.ratio);
    case "inspection":
      return origin("Inspection without a condition", ofModel.inspection.ratio);
    case "condition":
      return origin(`Condition ${subject}`, ofModel.condition[subject as Condition]);
    case "hazard_brand":
      return origin(`Brand or model on a hazard list: ${subject}`, ofModel.hazardBrand.ratio);
    case "era": {
      const era = knowledge.erasOf(downstream).find(({ id }) => id === subject)!;
      return origin(era.label, era.ratio, "eras");
    }
    case "keyword": {
      const group = knowledge.keywords.groups.find(({ id }) => id === subject)!;
      return origin(
        `Technician note mentions “${subject.replaceAll("_", " ")}” or similar`,
        group.ratio,
        "keywords",
      );
    }
    case "claim": {
      const type = knowledge.claimType(subject)!;
      return origin(`Claim: ${type.label}`, type.ratio, "claimTypes");
    }
    case "smart_event": {
      const base = knowledge.smartEvent(subject)!.ratios![severity!];
      return origin(`Sensor: ${subject.replaceAll("_", " ")}, ${severity}`, base, "smartEvents");
    }
    case "cascade": {
      const rule = knowledge.cascadesTo(downstream).find(({ upstream }) => upstream === subject)!;
      return origin(`${knowledge.component(subject).name}: ${rule.reason}`, rule.ratio, "cascades");
    }
  }
}
