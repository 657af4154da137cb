import {
  serializeCredentials,
  serializeFullPartner,
  serializeNewApiKey,
  serializeNewClientSecret,
  serializePartner,
} from "../../api-schemas/partner-schema.ts";
import { MAX_DAILY_BUDGET } from "../../domain/partner.ts";
import {
  createPartner,
  requirePartner,
  rotateApiKey,
  rotateClientSecret,
} from "../../usecases/partners/create-partner-and-credentials.ts";
import { loadPartnerOverview } from "../../usecases/partners/load-partner-overview.ts";
import {
  type Command,
  defineCommand,
  requiredCommandArgument,
  textOption,
  wholeNumberOption,
} from "../command.ts";
import { withCommandAdministration, withCommandData } from "../command-data-access.ts";
import { terminalPartnerText } from "../terminal/terminal-partner-text.ts";
import { terminalTable } from "../terminal/terminal-table.ts";
import { partnerAccessCommands } from "./partner-access-command.ts";
import { brandCommand } from "./partner-brand-command.ts";
import { announceCommand, purgeCommand } from "./partner-tasks-command.ts";
import { usageCommand } from "./partner-usage-command.ts";
import { webhookCommands } from "./partner-webhook-command.ts";

const create = defineCommand({
  name: "create",
  summary: "create a partner and print its credentials (shown once)",
  arguments: { name: requiredCommandArgument("the company's name") },
  options: {
    webhookUrl: textOption("URL", "webhook endpoint"),
    dailyBudget: wholeNumberOption(
      "CALLS",
      "daily call limit (default: limits.daily_budget)",
      0,
      MAX_DAILY_BUDGET,
    ),
  },
  examples: ['mainstay partner create "Acme Insurance" --webhook-url https://receiver.example/hooks'],
  async run(context, { name }, { webhookUrl, dailyBudget }) {
    const { partner, credentials } = await withCommandAdministration(context, (administration) =>
      createPartner(administration, {
        name,
        webhookUrl: webhookUrl ?? null,
        dailyBudget: dailyBudget ?? context.config.limits.dailyBudget,
      }),
    );
    context.print(
      serializeCredentials(partner, credentials),
      [
        `Partner         ${partner.id}  ${partner.name}`,
        `API key         ${credentials.apiKey}`,
        `Client ID       ${credentials.clientId}`,
        `Client secret   ${credentials.clientSecret}`,
        `Webhook secret  ${credentials.webhookSecret}`,
        "",
        "Save these now; they are not shown again. Share them over a secure channel.",
      ].join("\n"),
    );
  },
});

const list = defineCommand({
  name: "list",
  summary: "list the partners",
  async run(context) {
    const records = await withCommandData(context, async ({ store: { read } }) => {
      const endpoints = new Map(
        (await read.partners.listEndpoints()).map((endpoint) => [endpoint.partnerId, endpoint]),
      );
      return (await read.partners.list()).map((partner) =>
        serializePartner(partner, endpoints.get(partner.id)),
      );
    });
    const rows = records.map((record) => [
      record.partner_id,
      record.enabled ? "enabled" : "disabled",
      webhookState(record),
      record.daily_budget,
      record.name,
    ]);
    context.print(
      { partners: records },
      rows.length === 0
        ? 'No partners yet. Create one: mainstay partner create "NAME"'
        : terminalTable(
            [
              "PARTNER",
              "STATE",
              "WEBHOOKS",
              { heading: "CALLS/DAY", align: "right", from: 90 },
              { heading: "NAME", shrinks: true },
            ],
            rows,
            context.tableWidth,
          ),
    );
  },
});

function webhookState(record: ReturnType<typeof serializePartner>): string {
  if (record.webhook_url === null) return "none";
  if (record.webhook_paused_at !== null) return "paused";
  return record.webhook_failing_since === null ? "sent" : "failing";
}

const show = defineCommand({
  name: "show",
  summary: "show a partner with its portfolio size and webhook endpoint",
  arguments: { partnerId: requiredCommandArgument("the partner's ID") },
  async run(context, { partnerId }) {
    const record = await withCommandData(context, async ({ store }) =>
      serializeFullPartner(await loadPartnerOverview(store, await requirePartner(store, partnerId))),
    );
    context.print(record, terminalPartnerText(record, context.tableWidth));
  },
});

const rotateKey = defineCommand({
  name: "rotate-key",
  summary: "create a new API key and revoke the previous one immediately",
  arguments: { partnerId: requiredCommandArgument("the partner's ID") },
  async run(context, { partnerId }) {
    const apiKey = await withCommandAdministration(context, (administration) =>
      rotateApiKey(administration, partnerId),
    );
    context.print(serializeNewApiKey(partnerId, apiKey), `API key  ${apiKey}\nThe previous key was revoked.`);
  },
});

const rotateSecret = defineCommand({
  name: "rotate-secret",
  summary: "create a new OAuth client secret and revoke the previous one immediately",
  description:
    "The client ID does not change. Tokens issued with the previous secret remain valid for up to an hour; " +
    "`mainstay partner revoke-tokens` revokes them.",
  arguments: { partnerId: requiredCommandArgument("the partner's ID") },
  async run(context, { partnerId }) {
    const made = await withCommandAdministration(context, (administration) =>
      rotateClientSecret(administration, partnerId),
    );
    context.print(
      serializeNewClientSecret(partnerId, made),
      `Client ID      ${made.clientId}\nClient secret  ${made.clientSecret}\nThe previous secret was revoked.`,
    );
  },
});

export const partnerCommands: readonly Command[] = [
  create,
  list,
  show,
  rotateKey,
  rotateSecret,
  ...partnerAccessCommands,
  ...webhookCommands,
  announceCommand,
  usageCommand,
  brandCommand,
  purgeCommand,
];
