import { type EmbedChange, MAX_EMBED_DAYS, type NewEmbed } from "../domain/embed.ts";
import { meetsEmbedPasscodeRule, PASSCODE_LENGTH } from "../domain/rules/embed-rule.ts";
import { idText, line } from "./definition/api-schema-constraints.ts";
import { defineSchemaConstraint } from "./definition/api-schema-field-constraint.ts";
import { bodySchema, nullableSchema, optionalSchema, requiredSchema } from "./definition/input-schema.ts";
import { EXAMPLE_IDS } from "./definition/schema-field-types.ts";

const changeable = {
  label: nullableSchema(line, "Name of the embed for the operator", "Credit committee"),
  recipient: nullableSchema(line, "Who receives the link", "First National Bank"),
  passcode: nullableSchema(
    defineSchemaConstraint((type) =>
      type("string")
        .narrow(meetsEmbedPasscodeRule)
        .describe(`${PASSCODE_LENGTH.least} to ${PASSCODE_LENGTH.most} characters on one line`),
    ),
    "A passcode that viewers must enter; send it separately from the link",
    "maple-4711",
  ),
};

export const embedRequest = bodySchema({
  property_id: requiredSchema(idText, "The property that the page shows", EXAMPLE_IDS.P),
  expires_days: optionalSchema(
    defineSchemaConstraint((type) =>
      type("number.integer")
        .atLeast(1)
        .atMost(MAX_EMBED_DAYS)
        .describe(`a whole number from 1 to ${MAX_EMBED_DAYS}`),
    ),
    "Days until the page expires; by default it never expires",
    90,
  ),
  ...changeable,
});

/** Reads an embed to create. Throws invalid_request. */
export function parseNewEmbedJson(given: unknown): NewEmbed {
  const json = embedRequest.parse(given);
  return {
    propertyId: json.property_id,
    days: json.expires_days ?? null,
    label: json.label || null,
    recipient: json.recipient || null,
    passcode: json.passcode ?? null,
  };
}

export const embedChange = bodySchema(changeable);

/** Reads a change of an embed. Throws invalid_request. */
export function parseEmbedChangeJson(given: unknown): EmbedChange {
  const { label, recipient, passcode } = embedChange.parse(given);
  return {
    ...(label !== undefined && { label: label || null }),
    ...(recipient !== undefined && { recipient: recipient || null }),
    ...(passcode !== undefined && { passcode }),
  };
}
