import { invalid } from "../domain/errors.ts";
import type { Instant } from "../domain/time.ts";
import * as constraint from "./definition/api-schema-constraints.ts";
import { type InputOf, nullableSchema, optionalSchema, schemaTextOrNull } from "./definition/input-schema.ts";
import { jsonInstantOrNull } from "./definition/json-unit-conversion.ts";
import { flagSchema, instantSchema, textSchema } from "./definition/schema-field-types.ts";

/** The fields of a record that can be voided. */
export const voidFields = {
  voided: flagSchema("Whether it was voided: it is kept, and no longer counts", false),
  voided_at: instantSchema("When it was voided").orNull(),
  void_reason: textSchema("The reason for voiding it", "Logged on the wrong building").orNull(),
};

type Voidable = { voidedAt: Instant | null; voidReason: string | null };

export const serializeVoiding = ({ voidedAt, voidReason }: Voidable) => ({
  voided: voidedAt !== null,
  voided_at: jsonInstantOrNull(voidedAt),
  void_reason: voidReason,
});

/** The fields of a request that voids a record. */
export const voidInput = {
  voided: optionalSchema(
    constraint.flag,
    voidFields.voided.describedAs("true voids it; with no other field than `reason`. It cannot be undone"),
  ),
  reason: nullableSchema(constraint.line, voidFields.void_reason),
} as const;

export type Voiding = { reason: string | null };

/** A request to change a record, or to void it. */
export type ChangeOrVoid<Change> = { change: Change } | { void: Voiding };

/** Returns the request to void a record; undefined for another one. Throws invalid_request if it would also change `fields`. */
export function parseVoidRequestJson(
  { voided, reason }: Partial<InputOf<typeof voidInput>>,
  fields: readonly string[],
): Voiding | undefined {
  if (!voided) return undefined;
  if (fields.length > 0)
    throw invalid(
      `voided cannot be combined with ${fields.join(", ")}: send the change first, or void alone`,
      [{ field: "voided", message: "must be sent with no other field than reason" }],
    );
  return { reason: schemaTextOrNull(reason) };
}
