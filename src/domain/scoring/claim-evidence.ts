import type { ClaimType, Knowledge } from "../domain-knowledge.ts";
import type { Steps } from "../steps/computation-steps.ts";
import { DAYS_PER_YEAR, dayNumber } from "../time.ts";
import { fadedRatio } from "./hazard-ratios.ts";
import { appendScoreEvidence, type EvidenceSubject, type EvidenceTrail } from "./score-evidence.ts";
import type { ClaimEvidence } from "./scoring-types.ts";

/** A claim whose ratio has not faded to 1, with that ratio. */
export type WeightedClaim<C extends ClaimEvidence = ClaimEvidence> = C & {
  type: ClaimType;
  day: number;
  ratio: number;
};

/** Returns a claim's hazard ratio on a day number, faded since the date of loss; 1 for a denied claim or an unknown type. */
export function claimHazardRatio(knowledge: Knowledge, claim: ClaimEvidence, today: number): number {
  const ageYears = (today - dayNumber(claim.dateOfLoss)) / DAYS_PER_YEAR;
  if (claim.status === "denied" || ageYears < 0) return 1;
  return fadedRatio(
    knowledge.claimType(claim.claimType)?.ratio ?? 1,
    ageYears,
    knowledge.model.evidence.claims.spanYears,
  );
}

/** Returns the claims that count in scores: the strongest on that day number; of equals, the newer. */
export function strongestClaims<C extends ClaimEvidence>(
  knowledge: Knowledge,
  claims: readonly C[],
  today: number,
): WeightedClaim<C>[] {
  const live: WeightedClaim<C>[] = [];
  for (const claim of claims) {
    const type = knowledge.claimType(claim.claimType);
    const ratio = claimHazardRatio(knowledge, claim, today);
    if (type && ratio > 1) live.push({ ...claim, type, day: dayNumber(claim.dateOfLoss), ratio });
  }
  live.sort((a, b) => b.ratio - a.ratio || b.day - a.day || (a.claimType < b.claimType ? -1 : 1));
  return live.slice(0, knowledge.model.evidence.claims.counted);
}

/** Claims that are compared in one step. */
const CLAIMS_PER_STEP = 1000;

/** Returns the claims that `strongestClaims` does, in steps, for properties with many. */
export function* strongestClaimsInSteps<C extends ClaimEvidence>(
  knowledge: Knowledge,
  claims: readonly C[],
  today: number,
): Steps<WeightedClaim<C>[]> {
  let strongest: WeightedClaim<C>[] = [];
  for (let from = 0; from < claims.length; from += CLAIMS_PER_STEP) {
    strongest = strongestClaims(
      knowledge,
      [...strongest, ...claims.slice(from, from + CLAIMS_PER_STEP)],
      today,
    );
    yield;
  }
  return strongest;
}

/** Returns the product of the ratios of claims that affect the component and came after its last Replacement. */
export function claimsHazardRatio(
  subject: EvidenceSubject,
  claims: readonly WeightedClaim[],
  trail: EvidenceTrail,
): number {
  let product = 1;
  for (const claim of claims)
    if (claim.day > subject.since && claim.type.componentIds.has(subject.def.id))
      product *= appendScoreEvidence(trail, "claim", claim.claimType, claim.dateOfLoss, claim.ratio);
  return product;
}
