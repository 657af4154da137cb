import type { Knowledge, System } from "../domain-knowledge.ts";
import { claimHazardRatio, strongestClaimsInSteps } from "../scoring/claim-evidence.ts";
import type { ClaimEvidence } from "../scoring/scoring-types.ts";
import { mapInSteps, type Steps, sortInSteps } from "../steps/computation-steps.ts";
import { DAYS_PER_YEAR, type Day, dayNumber, daysBetween } from "../time.ts";

export type ClaimScoringStatus = "active_scoring" | "expired_no_impact";

/** The cause of a claim's lack of effect. */
export const UNSCORED_REASONS = ["expired", "denied", "type_not_scored", "property_retired"] as const;
export type UnscoredReason = (typeof UNSCORED_REASONS)[number];

/** The effect of a claim on the scores of its property's components. */
export type ClaimImpact<C> = {
  claim: C;
  label: string;
  /** Years since the date of loss. */
  ageYears: number;
  /** Hazard ratio at the date of loss; 1 for an unknown type. */
  baseRatio: number;
  /** Hazard ratio today; 1 for a denied claim, and for any of a retired property. */
  effectiveRatio: number;
  /** Years until the ratio has faded to 1; 0 if it has. */
  remainingYears: number;
  status: ClaimScoringStatus;
  /** Null for a claim with an effect. */
  reason: UnscoredReason | null;
  /** True for one of the strongest claims, which alone enter scores. */
  scored: boolean;
  systems: readonly System[];
  /** Components of the property that its type affects. */
  affectedComponents: number;
};

type PropertyClaim = ClaimEvidence & { id: string };

const UNKNOWN_TYPE = { label: "Other", ratio: 1, systems: [], componentIds: new Set<string>() };

/**
 * Returns the impact of a property's claims on a day, the newest date of loss first (docs/model/figures.md#claims-impact).
 * `present` counts the property's components by definition; those of a retired property have no scores to affect.
 */
export function* claimImpactsInSteps<C extends PropertyClaim>(
  knowledge: Knowledge,
  claims: readonly C[],
  present: ReadonlyMap<string, number>,
  today: Day,
  isRetired = false,
): Steps<ClaimImpact<C>[]> {
  const { spanYears } = knowledge.model.evidence.claims;
  const scored = new Set(
    isRetired ? [] : (yield* strongestClaimsInSteps(knowledge, claims, dayNumber(today))).map(({ id }) => id),
  );
  return yield* mapInSteps(yield* sortInSteps(claims, newestFirst), (claim) => {
    const type = knowledge.claimType(claim.claimType) ?? UNKNOWN_TYPE;
    const ageYears = Math.max(0, daysBetween(claim.dateOfLoss, today)) / DAYS_PER_YEAR;
    const effectiveRatio = isRetired ? 1 : claimHazardRatio(knowledge, claim, dayNumber(today));
    const isActive = effectiveRatio > 1;
    let affectedComponents = 0;
    for (const defId of type.componentIds) affectedComponents += present.get(defId) ?? 0;
    return {
      claim,
      label: type.label,
      ageYears,
      baseRatio: type.ratio,
      effectiveRatio,
      remainingYears: isActive ? spanYears - ageYears : 0,
      status: isActive ? "active_scoring" : "expired_no_impact",
      reason: isActive ? null : isRetired ? "property_retired" : unscoredReason(claim, type.ratio),
      scored: scored.has(claim.id),
      systems: type.systems,
      affectedComponents,
    };
  });
}

function unscoredReason({ status }: ClaimEvidence, baseRatio: number): UnscoredReason {
  if (status === "denied") return "denied";
  return baseRatio === 1 ? "type_not_scored" : "expired";
}

function newestFirst(a: PropertyClaim, b: PropertyClaim): number {
  if (a.dateOfLoss !== b.dateOfLoss) return a.dateOfLoss < b.dateOfLoss ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}
