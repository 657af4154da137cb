import { MAX_DAILY_BUDGET } from "../../domain/partner.ts";
import { partnerOverview } from "../../usecases/partner-overview.ts";
import { createPartner, requirePartner, rotateApiKey, rotateClientSecret } from "../../usecases/partners.ts";
import {
  credentialsRecord,
  fullPartnerRecord,
  newApiKeyRecord,
  newClientSecretRecord,
  partnerRecord,
} from "../../wire/partner.ts";
import { type Command, command, required, text, whole } from "../command.ts";
import { withAdministration, withData } from "../data.ts";
import { textRecord, textTable } from "../terminal/text-table.ts";
import { controlCommands } from "./partner-control.ts";
import { announceCommand, purgeCommand } from "./partner-purge.ts";
import { usageCommand } from "./partner-usage.ts";
import { webhookCommands } from "./partner-webhook.ts";

const create = command({
  name: "create",
  summary: "create a partner and print its credentials, this once",
  arguments: { name: required("the company's name") },
  options: {
    webhookUrl: text("URL", "where its webhooks go"),
    dailyBudget: whole("CALLS", "calls a day; limits.daily_budget when not given", 0, MAX_DAILY_BUDGET),
  },
  examples: ['mainstay partner create "Acme Insurance" --webhook-url https://receiver.example/hooks'],
  async run(context, { name }, { webhookUrl, dailyBudget }) {
    const { partner, credentials } = await withAdministration(context, (administration) =>
      createPartner(administration, {
        name,
        webhookUrl: webhookUrl ?? null,
        dailyBudget: dailyBudget ?? context.config.limits.dailyBudget,
      }),
    );
    context.print(
      credentialsRecord(partner, credentials),
      [
        `Partner         ${partner.id}  ${partner.name}`,
        `API key         ${credentials.apiKey}`,
        `Client id       ${credentials.clientId}`,
        `Client secret   ${credentials.clientSecret}`,
        `Webhook secret  ${credentials.webhookSecret}`,
        "",
        "These are shown this once. Hand them over by a safe way; `mainstay partner rotate-key` makes a new API key.",
      ].join("\n"),
    );
  },
});

const list = command({
  name: "list",
  summary: "list the partners",
  async run(context) {
    const records = await withData(context, async ({ store: { read } }) => {
      const receivers = new Map((await read.partners.listReceivers()).map((one) => [one.partnerId, one]));
      return (await read.partners.list()).map((partner) => partnerRecord(partner, receivers.get(partner.id)));
    });
    const rows = records.map((one) => [
      one.partner_id,
      one.enabled ? "enabled" : "disabled",
      webhookState(one),
      one.daily_budget,
      one.name,
    ]);
    context.print(
      { partners: records },
      rows.length === 0
        ? 'There are no partners yet: mainstay partner create "NAME"'
        : textTable(["PARTNER", "STATE", "WEBHOOKS", "CALLS/DAY", "NAME"], rows),
    );
  },
});

function webhookState(one: ReturnType<typeof partnerRecord>): string {
  if (one.webhook_url === null) return "none";
  if (one.webhook_paused_at !== null) return "paused";
  return one.webhook_failing_since === null ? "sent" : "failing";
}

const show = command({
  name: "show",
  summary: "show a partner, its portfolio's size and its receiver",
  arguments: { partnerId: required("the partner's id") },
  async run(context, { partnerId }) {
    const record = await withData(context, async ({ store }) =>
      fullPartnerRecord(await partnerOverview(store, await requirePartner(store, partnerId))),
    );
    context.print(record, textRecord(record));
  },
});

const rotateKey = command({
  name: "rotate-key",
  summary: "make a new API key; the one before ends at once",
  arguments: { partnerId: required("the partner's id") },
  async run(context, { partnerId }) {
    const apiKey = await withAdministration(context, (administration) =>
      rotateApiKey(administration, partnerId),
    );
    context.print(newApiKeyRecord(partnerId, apiKey), `API key  ${apiKey}\nThe one before has ended.`);
  },
});

const rotateSecret = command({
  name: "rotate-secret",
  summary: "make a new client secret for OAuth; the one before ends at once",
  description:
    "The client id stays. Tokens that were issued with the secret before live to their end, an hour at most; " +
    "`mainstay partner revoke-tokens` ends them too.",
  arguments: { partnerId: required("the partner's id") },
  async run(context, { partnerId }) {
    const made = await withAdministration(context, (administration) =>
      rotateClientSecret(administration, partnerId),
    );
    context.print(
      newClientSecretRecord(partnerId, made),
      `Client id      ${made.clientId}\nClient secret  ${made.clientSecret}\nThe secret before has ended.`,
    );
  },
});

export const partnerCommands: readonly Command[] = [
  ...[create, list, show, rotateKey, rotateSecret],
  ...[...controlCommands, ...webhookCommands, announceCommand, usageCommand, purgeCommand],
];
