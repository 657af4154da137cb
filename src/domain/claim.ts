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

/** The input for a new claim. */
export type NewClaim = Omit<Claim, "id" | "partnerId" | "propertyId" | "createdAt" | keyof LossFigures> &
  Partial<LossFigures>;
