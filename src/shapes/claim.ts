import { type } from "arktype";
import type { NewClaim } from "../domain/claim.ts";
import { centsFromUsd } from "../domain/money.ts";
import { check, shape, textOrNull } from "./check.ts";
import { claimStatus, day, line, longText, usd } from "./fields.ts";

const claimType = type("string <= 64")
  .narrow((value) => /^(?=.{1,64}$)[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(value.trim()))
  .describe("snake_case text of at most 64 characters, such as water_damage");

export const newClaimShape = shape(
  type({
    claim_type: claimType,
    date_of_loss: day,
    amount: usd,
    "claim_number?": line.or("null"),
    "carrier?": line.or("null"),
    "description?": longText.or("null"),
    "status?": claimStatus.or("null"),
  }),
  ["claim_type", "date_of_loss", "amount"],
);

const claimListShape = shape(type({ claims: "unknown[]" }), ["claims"]);

/** A new claim from what came in. Throws invalid_request. */
export function readNewClaim(input: unknown): NewClaim {
  const wire = check(newClaimShape, input);
  return {
    claimType: wire.claim_type.trim(),
    dateOfLoss: wire.date_of_loss,
    amountCents: centsFromUsd(wire.amount),
    claimNumber: textOrNull(wire.claim_number),
    carrier: textOrNull(wire.carrier),
    description: textOrNull(wire.description),
    status: wire.status ?? "open",
  };
}

/** The items of a body that holds a list of claims, still unread; undefined for one that is a claim itself. */
export function readClaimList(body: Record<string, unknown>): readonly unknown[] | undefined {
  const isList = Object.hasOwn(body, "claims") && body.claims !== null;
  return isList ? check(claimListShape, body).claims : undefined;
}
