import { MAX_EMBED_DAYS } from "../domain/embed.ts";
import { type } from "../validators.ts";
import { idText } from "./schema/constraints.ts";
import { EXAMPLE_IDS } from "./schema/fields.ts";
import { body, optional, required } from "./schema/input.ts";

export const embedRequest = body({
  property_id: required(idText, "The property that the page shows", EXAMPLE_IDS.P),
  expires_days: optional(
    type("number.integer")
      .atLeast(1)
      .atMost(MAX_EMBED_DAYS)
      .describe(`a whole number from 1 to ${MAX_EMBED_DAYS}`),
    "Days until the page expires; by default it never expires",
    90,
  ),
});

/** Reads the property of a page, and the days until it expires. Throws invalid_request. */
export function readEmbed(given: unknown): { propertyId: string; days: number | null } {
  const wire = embedRequest.parse(given);
  return { propertyId: wire.property_id, days: wire.expires_days ?? null };
}
