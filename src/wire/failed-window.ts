import type { FailedWindow } from "../domain/delivery.ts";
import { parseInstant } from "../domain/time.ts";
import { type } from "../shapes.ts";
import { bulkResend } from "./delivery.ts";
import * as may from "./schema/constraints.ts";
import { body, optional, required } from "./schema/input.ts";

export const failedWindow = body({
  partner_id: required(may.idText, bulkResend.fields.partner_id),
  from: required(may.instant, bulkResend.fields.from),
  to: required(may.instant, bulkResend.fields.to),
  status: optional(type("'failed'").describe("failed"), bulkResend.fields.status),
  dry_run: optional(type("boolean").describe("true or false"), "Only count them", true),
});

/** The window of a bulk resend, and whether it only counts. Throws invalid_request. */
export function readFailedWindow(given: unknown): { window: FailedWindow; dryRun: boolean } {
  const wire = failedWindow.parse(given);
  const window = {
    partnerId: wire.partner_id,
    from: parseInstant(wire.from)!,
    to: parseInstant(wire.to)!,
  };
  return { window, dryRun: wire.dry_run ?? false };
}
