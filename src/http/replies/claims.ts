import { type } from "arktype";
import { day, ids, instant, text, usd, whole } from "./fields.ts";

/** A multiplier on the odds of failure; 1 has no effect. */
const ratio = type("number >= 0");

export const claimFields = {
  id: ids.claim,
  property_id: ids.property,
  claim_type: text,
  date_of_loss: day,
  claim_number: text.or("null"),
  carrier: text.or("null"),
  amount_paid: usd,
  description: text.or("null"),
  status: type.enumerated("open", "closed", "denied"),
  scoring_impact: ratio,
  created_at: instant,
} as const;

export const claim = type(claimFields);

export const claimImpact = type({
  claim_id: ids.claim,
  claim_type: text,
  label: text,
  date_of_loss: day,
  age_years: "number",
  base_likelihood_ratio: ratio,
  effective_likelihood_ratio: ratio,
  decay_remaining_years: "number >= 0",
  status: type.enumerated("active_scoring", "expired_no_impact"),
  scored: "boolean",
  affected_systems: text.array(),
  affected_components_count: whole,
});
