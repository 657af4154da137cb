import type { ClaimType, Knowledge } from "../knowledge.ts";
import type { Steps } from "../steps.ts";
import { DAYS_PER_YEAR, dayNumber } from "../time.ts";
import { enter, type Subject, type Trail } from "./evidence.ts";
import { fadedRatio } from "./ratios.ts";
import type { ClaimEvidence } from "./types.ts";

/** A claim that still weighs. */
export type WeightedClaim<C extends ClaimEvidence = ClaimEvidence> = C & {
  type: ClaimType;
  day: number;
  ratio: number;
};

/** A claim's hazard ratio on that day: its type's, fading from the date of loss; 1 for a denied or unknown one. */
export function claimRatio(knowledge: Knowledge, claim: ClaimEvidence, today: number): number {
  const ageYears = (today - dayNumber(claim.dateOfLoss)) / DAYS_PER_YEAR;
  if (claim.status === "denied" || ageYears < 0) return 1;
  return fadedRatio(
    knowledge.claimType(claim.claimType)?.ratio ?? 1,
    ageYears,
    knowledge.model.evidence.claims.spanYears,
  );
}

/** The property's strongest claims today, as many as count; of equals the newer. */
export function strongestClaims<C extends ClaimEvidence>(
  knowledge: Knowledge,
  claims: readonly C[],
  today: number,
): WeightedClaim<C>[] {
  const live: WeightedClaim<C>[] = [];
  for (const claim of claims) {
    const type = knowledge.claimType(claim.claimType);
    const ratio = claimRatio(knowledge, claim, today);
    if (type && ratio > 1) live.push({ ...claim, type, day: dayNumber(claim.dateOfLoss), ratio });
  }
  live.sort((a, b) => b.ratio - a.ratio || b.day - a.day || (a.claimType < b.claimType ? -1 : 1));
  return live.slice(0, knowledge.model.evidence.claims.counted);
}

/** Claims that are looked at in one step. */
const STEP = 1000;

/** The same of however many, in steps. */
export function* strongestClaimsInSteps<C extends ClaimEvidence>(
  knowledge: Knowledge,
  claims: readonly C[],
  today: number,
): Steps<WeightedClaim<C>[]> {
  let strongest: WeightedClaim<C>[] = [];
  for (let from = 0; from < claims.length; from += STEP) {
    strongest = strongestClaims(knowledge, [...strongest, ...claims.slice(from, from + STEP)], today);
    yield;
  }
  return strongest;
}

/** Product of the claims that concern the component's kind and came after its last Replacement. */
export function claimsRatio(subject: Subject, claims: readonly WeightedClaim[], trail: Trail): number {
  let product = 1;
  for (const claim of claims)
    if (claim.day > subject.since && claim.type.componentIds.has(subject.def.id))
      product *= enter(trail, "claim", claim.claimType, claim.dateOfLoss, claim.ratio);
  return product;
}
