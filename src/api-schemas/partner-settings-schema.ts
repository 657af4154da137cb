import {
  MAX_CONCURRENCY,
  MAX_DAILY_BUDGET,
  type PartnerSettings,
  WEBHOOK_EVENTS,
} from "../domain/partner.ts";
import { meetsWebhookUrlRule } from "../domain/rules/webhook-url-rule.ts";
import { requiredLine } from "./definition/api-schema-constraints.ts";
import { defineSchemaConstraint } from "./definition/api-schema-field-constraint.ts";
import { bodySchema, nullableSchema, optionalSchema, requiredSchema } from "./definition/input-schema.ts";
import { partner } from "./partner-schema.ts";

/* Partners in operators' requests. Apart from those in responses, which small commands print. */

const webhookUrl = defineSchemaConstraint((type) =>
  type("string <= 2000")
    .narrow(meetsWebhookUrlRule)
    .describe("an absolute http or https URL without a user name or control characters"),
);
const wholeWithin = (least: number, most: number) =>
  defineSchemaConstraint((type) =>
    type("number.integer").atLeast(least).atMost(most).describe(`a whole number from ${least} to ${most}`),
  );

const out = partner.fields;

export const newPartner = bodySchema({
  name: requiredSchema(requiredLine, out.name),
  daily_budget: optionalSchema(wholeWithin(0, MAX_DAILY_BUDGET), out.daily_budget),
  webhook_url: nullableSchema(webhookUrl, out.webhook_url),
});

/** `dailyBudget`: the daily call limit if the request has none. Throws invalid_request. */
export function parseNewPartnerJson(given: unknown, dailyBudget: number) {
  const json = newPartner.parse(given);
  return {
    name: json.name,
    dailyBudget: json.daily_budget ?? dailyBudget,
    webhookUrl: json.webhook_url ?? null,
  };
}

const MAX_OVERLAP_HOURS = 24 * 90;

const webhookEvents = defineSchemaConstraint((type) =>
  type
    .enumerated(...WEBHOOK_EVENTS)
    .describe(`one of ${WEBHOOK_EVENTS.join(", ")}`)
    .array(),
);
export const partnerSettings = bodySchema({
  name: optionalSchema(requiredLine, out.name),
  daily_budget: optionalSchema(wholeWithin(0, MAX_DAILY_BUDGET), out.daily_budget),
  webhook_url: nullableSchema(webhookUrl, out.webhook_url),
  webhook_events: nullableSchema(webhookEvents, out.webhook_events),
  webhook_concurrency: nullableSchema(wholeWithin(1, MAX_CONCURRENCY), out.webhook_concurrency),
});

export const rotation = bodySchema({
  overlap_hours: optionalSchema(
    defineSchemaConstraint((type) =>
      type(`0 <= number <= ${MAX_OVERLAP_HOURS}`).describe(`a number from 0 to ${MAX_OVERLAP_HOURS}`),
    ),
    "Hours for which the previous secret remains valid",
    24,
  ),
});

export const webhookTestRequest = bodySchema({
  message: optionalSchema(
    requiredLine,
    "The message in the test event",
    "This is a test of your webhook endpoint.",
  ),
});

/** Reads the settings in the request. Throws invalid_request. */
export function parsePartnerSettingsJson(given: unknown): PartnerSettings {
  const json = partnerSettings.parse(given);
  return {
    ...(json.name !== undefined && { name: json.name }),
    ...(json.daily_budget !== undefined && { dailyBudget: json.daily_budget }),
    ...(json.webhook_url !== undefined && { webhookUrl: json.webhook_url }),
    ...(json.webhook_events !== undefined && { webhookEvents: allIfEmpty(json.webhook_events) }),
    ...(json.webhook_concurrency !== undefined && { webhookConcurrency: json.webhook_concurrency }),
  };
}

/** Reads the time for which the previous secret remains valid, in milliseconds. Throws invalid_request. */
export function parseSecretOverlapJson(given: unknown): number {
  return Math.round((rotation.parse(given).overlap_hours ?? 0) * 3_600_000);
}

/** Reads an empty list as all events: an endpoint for no events is one without a URL. */
function allIfEmpty(events: string[] | null): string[] | null {
  return events === null || events.length === 0 ? null : [...new Set(events)];
}
