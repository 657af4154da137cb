import type { Day, Instant } from "./time.ts";

export type ClaimStatus = "open" | "closed" | "denied";

export type Claim = {
  id: string;
  partnerId: string;
  propertyId: string;
  /** One of the knowledge base's, or any other snake_case text, which scores nothing. */
  claimType: string;
  dateOfLoss: Day;
  claimNumber: string | null;
  carrier: string | null;
  amountCents: number;
  description: string | null;
  /** Denied claims are stored and never scored. */
  status: ClaimStatus;
  createdAt: Instant;
};

/** What a caller says of a new claim. */
export type NewClaim = Omit<Claim, "id" | "partnerId" | "propertyId" | "createdAt">;
