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
};

/** The input for a new claim. */
export type NewClaim = Omit<Claim, "id" | "partnerId" | "propertyId" | "createdAt">;
