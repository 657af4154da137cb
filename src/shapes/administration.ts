import { type } from "arktype";
import { isReceiverUrl, MAX_CONCURRENCY, MAX_DAILY_BUDGET, WEBHOOK_EVENTS } from "../domain/partner.ts";
import { parseInstant } from "../domain/time.ts";
import type { FailedWindow } from "../store/delivery-log.ts";
import type { PartnerSettings } from "../usecases/administer-partner.ts";
import { check, shape } from "./check.ts";
import { idText, instant, requiredLine } from "./fields.ts";

const MAX_OVERLAP_HOURS = 24 * 90;

const receiverUrl = type("string <= 2000")
  .narrow(isReceiverUrl)
  .describe("an absolute http or https address without a user name");
const webhookEvent = type.enumerated(...WEBHOOK_EVENTS).describe(`one of ${WEBHOOK_EVENTS.join(", ")}`);
const whole = (least: number, most: number) =>
  type("number.integer").atLeast(least).atMost(most).describe(`a whole number from ${least} to ${most}`);

const partnerSettingsShape = shape(
  type({
    "daily_budget?": whole(0, MAX_DAILY_BUDGET),
    "webhook_url?": receiverUrl.or("null"),
    "webhook_events?": webhookEvent.array().or("null"),
    "webhook_concurrency?": whole(1, MAX_CONCURRENCY).or("null"),
  }),
  [],
);

const rotationShape = shape(
  type({
    "overlap_hours?": type(`0 <= number <= ${MAX_OVERLAP_HOURS}`).describe(
      `a number from 0 to ${MAX_OVERLAP_HOURS}`,
    ),
  }),
  [],
);

export const webhookTestShape = shape(type({ "message?": requiredLine }), []);

const failedWindowShape = shape(
  type({
    partner_id: idText,
    from: instant,
    to: instant,
    "status?": type("'failed'").describe("failed"),
    "dry_run?": type("boolean").describe("true or false"),
  }),
  ["partner_id", "from", "to"],
);

/** Just the settings that came in. Throws invalid_request. */
export function readPartnerSettings(input: unknown): PartnerSettings {
  const wire = check(partnerSettingsShape, input);
  return {
    ...(wire.daily_budget !== undefined && { dailyBudget: wire.daily_budget }),
    ...(wire.webhook_url !== undefined && { webhookUrl: wire.webhook_url }),
    ...(wire.webhook_events !== undefined && { webhookEvents: allIfEmpty(wire.webhook_events) }),
    ...(wire.webhook_concurrency !== undefined && { webhookConcurrency: wire.webhook_concurrency }),
  };
}

/** Milliseconds for which the secret before goes on signing. Throws invalid_request. */
export function readOverlap(input: unknown): number {
  return Math.round((check(rotationShape, input).overlap_hours ?? 0) * 3_600_000);
}

/** The window of a bulk resend, and whether it only counts. Throws invalid_request. */
export function readFailedWindow(input: unknown): { window: FailedWindow; dryRun: boolean } {
  const wire = check(failedWindowShape, input);
  const window = {
    partnerId: wire.partner_id,
    from: parseInstant(wire.from)!,
    to: parseInstant(wire.to)!,
  };
  return { window, dryRun: wire.dry_run ?? false };
}

/** An empty list would be a receiver that wants nothing; who means that sets no address. */
function allIfEmpty(events: string[] | null): string[] | null {
  return events === null || events.length === 0 ? null : [...new Set(events)];
}
