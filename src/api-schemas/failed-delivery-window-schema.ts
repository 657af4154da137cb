import type { FailedDeliveryWindow } from "../domain/delivery.ts";
import { invalid } from "../domain/errors.ts";
import { instantFromText } from "../domain/time.ts";
import * as constraint from "./definition/api-schema-constraints.ts";
import { defineSchemaConstraint } from "./definition/api-schema-field-constraint.ts";
import { bodySchema, nullableSchema, optionalSchema, requiredSchema } from "./definition/input-schema.ts";
import { bulkResend } from "./delivery-schema.ts";

export const failedWindow = bodySchema({
  partner_id: requiredSchema(constraint.idText, bulkResend.fields.partner_id),
  from: requiredSchema(constraint.instant, bulkResend.fields.from),
  to: requiredSchema(constraint.instant, bulkResend.fields.to),
  status: optionalSchema(
    defineSchemaConstraint((type) => type("'failed'").describe("failed")),
    bulkResend.fields.status,
  ),
  error: nullableSchema(constraint.line, bulkResend.fields.error),
  dry_run: optionalSchema(constraint.flag, "Only count the deliveries", true),
});

/** Returns the time window of a bulk resend, and whether it is a dry run. Throws invalid_request. */
export function parseFailedDeliveryWindowJson(given: unknown): {
  window: FailedDeliveryWindow;
  dryRun: boolean;
} {
  const input = failedWindow.parse(given);
  const window = {
    partnerId: input.partner_id,
    from: instantFromText(input.from)!,
    to: instantFromText(input.to)!,
    ...(typeof input.error === "string" && { error: input.error }),
  };
  if (window.to <= window.from)
    throw invalid("to must be after from", [{ field: "to", message: "must be after from" }]);
  return { window, dryRun: input.dry_run ?? false };
}
