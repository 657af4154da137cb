import { type } from "arktype";
import { isReceiverUrl, MAX_DAILY_BUDGET } from "../domain/partner.ts";
import { body, nullable, optional, required } from "./check.ts";
import { partner } from "./partner.ts";
import { requiredLine } from "./values.ts";

const out = partner.fields;

export const newPartner = body({
  name: required(requiredLine, out.name),
  daily_budget: optional(
    type("number.integer")
      .atLeast(0)
      .atMost(MAX_DAILY_BUDGET)
      .describe(`a whole number from 0 to ${MAX_DAILY_BUDGET}`),
    out.daily_budget,
  ),
  webhook_url: nullable(
    type("string <= 2000")
      .narrow(isReceiverUrl)
      .describe("an absolute http or https address without a user name"),
    out.webhook_url,
  ),
});

/** `dailyBudget`: for who names none. Throws invalid_request. */
export function readNewPartner(given: unknown, dailyBudget: number) {
  const wire = newPartner.check(given);
  return {
    name: wire.name,
    dailyBudget: wire.daily_budget ?? dailyBudget,
    webhookUrl: wire.webhook_url ?? null,
  };
}
