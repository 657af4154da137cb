import {
  isWebhookUrl,
  MAX_CONCURRENCY,
  MAX_DAILY_BUDGET,
  type PartnerSettings,
  WEBHOOK_EVENTS,
} from "../domain/partner.ts";
import { partner } from "./partner.ts";
import { requiredLine } from "./schema/constraints.ts";
import { defineConstraint } from "./schema/field-constraint.ts";
import { body, nullable, optional, required } from "./schema/input.ts";

/* Partners in operators' requests. Apart from those in responses, which small commands print. */

const webhookUrl = defineConstraint((type) =>
  type("string <= 2000")
    .narrow(isWebhookUrl)
    .describe("an absolute http or https URL without a user name or control characters"),
);
const wholeWithin = (least: number, most: number) =>
  defineConstraint((type) =>
    type("number.integer").atLeast(least).atMost(most).describe(`a whole number from ${least} to ${most}`),
  );

const out = partner.fields;

export const newPartner = body({
  name: required(requiredLine, out.name),
  daily_budget: optional(wholeWithin(0, MAX_DAILY_BUDGET), out.daily_budget),
  webhook_url: nullable(webhookUrl, out.webhook_url),
});

/** `dailyBudget`: the daily call limit if the request has none. Throws invalid_request. */
export function readNewPartner(given: unknown, dailyBudget: number) {
  const wire = newPartner.parse(given);
  return {
    name: wire.name,
    dailyBudget: wire.daily_budget ?? dailyBudget,
    webhookUrl: wire.webhook_url ?? null,
  };
}

const MAX_OVERLAP_HOURS = 24 * 90;

const webhookEvents = defineConstraint((type) =>
  type
    .enumerated(...WEBHOOK_EVENTS)
    .describe(`one of ${WEBHOOK_EVENTS.join(", ")}`)
    .array(),
);
export const partnerSettings = body({
  daily_budget: optional(wholeWithin(0, MAX_DAILY_BUDGET), out.daily_budget),
  webhook_url: nullable(webhookUrl, out.webhook_url),
  webhook_events: nullable(webhookEvents, out.webhook_events),
  webhook_concurrency: nullable(wholeWithin(1, MAX_CONCURRENCY), out.webhook_concurrency),
});

export const rotation = body({
  overlap_hours: optional(
    defineConstraint((type) =>
      type(`0 <= number <= ${MAX_OVERLAP_HOURS}`).describe(`a number from 0 to ${MAX_OVERLAP_HOURS}`),
    ),
    "Hours for which the previous secret remains valid",
    24,
  ),
});

export const webhookTestRequest = body({
  message: optional(
    requiredLine,
    "The message in the test event",
    "This is a test of your webhook endpoint.",
  ),
});

/** Reads the settings in the request. Throws invalid_request. */
export function readPartnerSettings(given: unknown): PartnerSettings {
  const wire = partnerSettings.parse(given);
  return {
    ...(wire.daily_budget !== undefined && { dailyBudget: wire.daily_budget }),
    ...(wire.webhook_url !== undefined && { webhookUrl: wire.webhook_url }),
    ...(wire.webhook_events !== undefined && { webhookEvents: allIfEmpty(wire.webhook_events) }),
    ...(wire.webhook_concurrency !== undefined && { webhookConcurrency: wire.webhook_concurrency }),
  };
}

/** Reads the time for which the previous secret remains valid, in milliseconds. Throws invalid_request. */
export function readSecretOverlap(given: unknown): number {
  return Math.round((rotation.parse(given).overlap_hours ?? 0) * 3_600_000);
}

/** Reads an empty list as all events: an endpoint for no events is one without a URL. */
function allIfEmpty(events: string[] | null): string[] | null {
  return events === null || events.length === 0 ? null : [...new Set(events)];
}
