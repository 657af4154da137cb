import { OperatorError } from "../domain/errors.ts";
import { type Partner, WEBHOOK_EVENTS } from "../domain/partner.ts";
import { toIso } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import { createPartner, requirePartner, rotateApiKey, setReceiver } from "../usecases/partners.ts";
import { type CommandGroup, command, flag, many, optional, required, text, whole } from "./command.ts";
import { withAdministration, withData } from "./data.ts";

const create = command({
  name: "create",
  summary: "create a partner and print its credentials, this once",
  arguments: { name: required("the company's name") },
  options: {
    webhookUrl: text("URL", "where its webhooks go"),
    dailyBudget: whole("CALLS", "calls a day; limits.daily_budget when not given", 0, 1_000_000_000),
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
      {
        partner_id: partner.id,
        name: partner.name,
        api_key: credentials.apiKey,
        client_id: credentials.clientId,
        client_secret: credentials.clientSecret,
        webhook_secret: credentials.webhookSecret,
      },
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
    const partners = await withData(context, ({ store }) => store.read.partners.list());
    context.print(
      { partners: partners.map(partnerRecord) },
      partners.length === 0
        ? 'There are no partners yet: mainstay partner create "NAME"'
        : partners
            .map((one) => `${one.id}  ${one.enabled ? "enabled " : "disabled"}  ${one.name}`)
            .join("\n"),
    );
  },
});

const show = command({
  name: "show",
  summary: "show a partner, its portfolio's size and its receiver",
  arguments: { partnerId: required("the partner's id") },
  async run(context, { partnerId }) {
    const record = await withData(context, ({ store }) => fullRecord(store, partnerId));
    context.print(
      record,
      Object.entries(record)
        .map(
          ([name, value]) =>
            `${name.padEnd(16)} ${typeof value === "object" ? JSON.stringify(value) : value}`,
        )
        .join("\n"),
    );
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
    context.print(
      { partner_id: partnerId, api_key: apiKey },
      `API key  ${apiKey}\nThe one before has ended.`,
    );
  },
});

const setWebhook = command({
  name: "set-webhook",
  summary: "set where a partner's webhooks go, and which events",
  arguments: { partnerId: required("the partner's id"), url: optional("where they go") },
  options: {
    event: many("EVENT", "an event to send; may be given several times; all when not given"),
    off: flag("send none"),
  },
  examples: [
    "mainstay partner set-webhook PARTNER_… https://receiver.example/hooks",
    "mainstay partner set-webhook PARTNER_… https://receiver.example/hooks --event component.critical",
    "mainstay partner set-webhook PARTNER_… --off",
  ],
  async run(context, { partnerId, url }, { event, off }) {
    if ((url === undefined) !== off)
      throw new OperatorError("name the URL to send to, or --off", "One of the two, not both.");
    const unknown = event.find((name) => !(WEBHOOK_EVENTS as readonly string[]).includes(name));
    if (unknown !== undefined)
      throw new OperatorError(
        `there is no event ${JSON.stringify(unknown)}`,
        `There are: ${WEBHOOK_EVENTS.join(", ")}`,
      );
    const events = event.length === 0 ? null : [...event];
    await withAdministration(context, (administration) =>
      setReceiver(administration, partnerId, { url: url ?? null, events }),
    );
    context.print(
      { partner_id: partnerId, webhook_url: url ?? null, events },
      url === undefined ? "No webhooks are sent any more." : `Webhooks go to ${url}.`,
    );
  },
});

export const partnerCommands: CommandGroup = {
  name: "partner",
  summary: "create and administer partners",
  commands: [create, list, show, rotateKey, setWebhook],
};

function partnerRecord(partner: Partner) {
  return {
    partner_id: partner.id,
    name: partner.name,
    enabled: partner.enabled,
    daily_budget: partner.dailyBudget,
    created_at: toIso(partner.createdAt),
  };
}

async function fullRecord(store: Store, partnerId: string) {
  const partner = await requirePartner(store, partnerId);
  const totals = await store.read.totals.ofPartner(partnerId);
  const receiver = await store.read.partners.findReceiver(partnerId);
  return {
    ...partnerRecord(partner),
    client_id: (await store.read.partners.clientId(partnerId)) ?? null,
    properties: totals.properties,
    appliances: totals.appliances,
    components: totals.components,
    webhook_url: receiver?.url ?? null,
    webhook_events: receiver?.events ?? null,
    webhook_paused_at: receiver?.pausedAt ? toIso(receiver.pausedAt) : null,
  };
}
