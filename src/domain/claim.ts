import type { Day, Instant } from "./time.ts";

export type ClaimStatus = "open" | "closed" | "denied";

export type Claim = {
  id: string;
  partnerId: string;
  propertyId: string;
  /** A claim type of the knowledge base, or any other snake_case text, which affects no score. */
  claimType: string;
  dateOfLoss: Day;
  claimNumber: string | null;
  carrier: string | null;
  amountCents: number;
  description: string | null;
  /** Denied claims are stored but affect no score. */
  status: ClaimStatus;
  /** The instant at which it was voided: since then it no longer counts; null for one that counts. */
  voidedAt: Instant | null;
  voidReason: string | null;
  createdAt: Instant;
} & LossFigures;

/** The figures of a claim in a loss run; null where unknown. None of them affects a score. */
type LossFigures = {
  paidCents: number | null;
  outstandingCents: number | null;
  deductibleCents: number | null;
  /** Allocated loss adjustment expenses. */
  alaeCents: number | null;
  catastropheCode: string | null;
  reportedOn: Day | null;
  closedOn: Day | null;
  /** The day of the amounts. */
  valuedAt: Day | null;
};

export const NO_LOSS_FIGURES: LossFigures = {
  paidCents: null,
  outstandingCents: null,
  deductibleCents: null,
  alaeCents: null,
  catastropheCode: null,
  reportedOn: null,
  closedOn: null,
  valuedAt: null,
};

/** Returns what was paid and is outstanding, in cents; null if neither is in a loss run. Without `paid` it is the amount. */
export function claimIncurredCents({
  amountCents,
  paidCents,
  outstandingCents,
}: Pick<Claim, "amountCents" | "paidCents" | "outstandingCents">): number | null {
  return paidCents === null && outstandingCents === null
    ? null
    : (paidCents ?? amountCents) + (outstandingCents ?? 0);
}

/** The input for a new claim. */
export type NewClaim = Omit<
  Claim,
  "id" | "partnerId" | "propertyId" | "voidedAt" | "voidReason" | "createdAt" | keyof LossFigures
> &
  Partial<LossFigures>;

/** Changed fields of a claim. */
export type ClaimChange = Partial<NewClaim>;
