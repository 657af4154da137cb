import { type } from "arktype";
import { newClaimShape } from "../../../shapes/claim.ts";
import { claim, claimFields, claimImpact } from "../../replies/claims.ts";
import { bulkFields, envelopeFields, ids, text, whole } from "../../replies/fields.ts";
import { createdReply, type OperationDocs, read } from "./types.ts";

const example = {
  claim_type: "water_damage",
  date_of_loss: "2025-03-14",
  amount: 12500,
  claim_number: "CN-2026-0042",
  carrier: "Example Mutual",
  status: "closed",
};
const newClaim = newClaimShape.type;
/** A record's fields, each of which may be missing: they stand in the answer to a single claim alone. */
const record = Object.fromEntries(
  Object.entries(claimFields).map(([name, field]) => [`${name}?`, field]),
) as Record<string, never>;

export const claimDocs: Record<string, OperationDocs> = {
  createClaims: {
    tag: "Claims",
    description:
      "Takes one claim, or `{claims: [...]}` of which each good one is kept when its neighbour fails. A single claim that is invalid is a 400. The answer has the partial-success form, and for a single claim its record beside it. A `claim_type` that is not known is stored, scores nothing, and is named in `warnings`; denied claims are stored and never scored.",
    request: newClaim.or({ claims: newClaim.array() }),
    example,
    replies: createdReply(
      "What was recorded and what was refused",
      type({ ...record, ...bulkFields, events: claim.array(), warnings: text.array(), partner: text }),
    ),
  },
  listClaims: {
    tag: "Claims",
    replies: read(
      "A page of claims",
      type({ claims: claim.array(), property_id: ids.property, ...envelopeFields }),
    ),
  },
  getClaimsImpact: {
    tag: "Claims",
    description:
      "At most three claims are scored, the strongest today; `scored` tells which. An effect fades linearly to none over five years from the loss. Denied claims count among the total, weigh 1.0 and are never scored.",
    replies: read(
      "What the claims do to the scores",
      type({
        property_id: ids.property,
        name: text,
        total_claims: whole,
        active_claims: whole,
        expired_claims: whole,
        claims: claimImpact.array(),
        methodology: { version: text, recency_decay: { decay_years: whole }, max_claims_scored: whole },
        partner: text,
      }),
    ),
  },
};
