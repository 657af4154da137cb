import {
  serializeEndpointProbe,
  serializeNewWebhookSecret,
  serializeWebhookEndpoint,
  serializeWebhookTest,
} from "../../api-schemas/partner-schema.ts";
import { OperatorError } from "../../domain/errors.ts";
import { MAX_CONCURRENCY, WEBHOOK_EVENTS } from "../../domain/partner.ts";
import { changePartner, rotateWebhookSecret } from "../../usecases/partners/administer-partner.ts";
import { requirePartner } from "../../usecases/partners/create-partner-and-credentials.ts";
import {
  type Command,
  defineCommand,
  optionalCommandArgument,
  requiredCommandArgument,
  switchOption,
  textOption,
  UsageError,
  valueOption,
  wholeNumberOption,
} from "../command.ts";
import { osUserOfCommand, withCommandAdministration } from "../command-data-access.ts";
import { durationOption } from "../command-option-values.ts";
import { terminalTable } from "../terminal/terminal-table.ts";

const webhookEvent = valueOption(
  "EVENT",
  "an event to send; can be repeated (default: all)",
  (typed): string => {
    if ((WEBHOOK_EVENTS as readonly string[]).includes(typed)) return typed;
    throw new UsageError(`unknown event ${JSON.stringify(typed)}`, `Events: ${WEBHOOK_EVENTS.join(", ")}`);
  },
);

const setWebhook = defineCommand({
  name: "set-webhook",
  summary: "set a partner's webhook endpoint and events",
  description: "A paused endpoint is resumed immediately.",
  arguments: {
    partnerId: requiredCommandArgument("the partner's ID"),
    url: optionalCommandArgument("URL of the endpoint"),
  },
  options: {
    event: { ...webhookEvent, absent: [], repeated: true },
    concurrency: wholeNumberOption(
      "COUNT",
      "concurrent deliveries (default: webhooks.concurrency_per_partner)",
      1,
      MAX_CONCURRENCY,
    ),
    off: switchOption("send no webhooks"),
  },
  examples: [
    "mainstay partner set-webhook PARTNER_… https://receiver.example/hooks",
    "mainstay partner set-webhook PARTNER_… https://receiver.example/hooks --event component.critical",
    "mainstay partner set-webhook PARTNER_… --off",
  ],
  async run(context, { partnerId, url }, { event, concurrency, off }) {
    if ((url === undefined) !== off)
      throw new UsageError("specify either a URL or --off", "Use exactly one of the two.");
    const settings = {
      webhookUrl: url ?? null,
      webhookEvents: event.length === 0 ? null : [...event],
      webhookConcurrency: concurrency ?? null,
    };
    await withCommandAdministration(context, async (administration) => {
      await requirePartner(administration.store, partnerId);
      await changePartner(administration, partnerId, settings);
    });
    context.print(
      serializeWebhookEndpoint(partnerId, settings),
      url === undefined ? "Webhooks turned off." : `Webhook endpoint: ${url}`,
    );
  },
});

const rotateSecret = defineCommand({
  name: "rotate-webhook-secret",
  summary: "create a new webhook secret and print it (shown once)",
  description:
    "The new secret is used immediately. With --overlap, the previous secret keeps signing for that time, and " +
    "X-Service-Signature-Next carries the signature of the new one, so that the endpoint can switch without rejecting " +
    "a delivery.",
  arguments: { partnerId: requiredCommandArgument("the partner's ID") },
  options: { overlap: durationOption("how long the previous secret keeps signing, such as 24h") },
  examples: ["mainstay partner rotate-webhook-secret PARTNER_… --overlap 24h"],
  async run(context, { partnerId }, { overlap = 0 }) {
    const made = await withCommandAdministration(context, async (administration) => {
      await requirePartner(administration.store, partnerId);
      return rotateWebhookSecret(administration, partnerId, overlap);
    });
    const record = serializeNewWebhookSecret(partnerId, made);
    const from = overlap === 0 ? "Active now." : `Active from ${record.takes_effect_at}.`;
    context.print(record, `Webhook secret  ${made.secret}\n${from}`);
  },
});

const webhookTest = defineCommand({
  name: "webhook-test",
  summary: "send a webhook.test event to a partner's endpoint",
  description:
    "The running server sends it; `mainstay deliveries show` shows the result. A paused endpoint is probed immediately.",
  arguments: { partnerId: requiredCommandArgument("the partner's ID") },
  options: { message: textOption("TEXT", "the message in the event") },
  async run(context, { partnerId }, { message }) {
    const { sendTestDelivery, TEST_MESSAGE } = await import("../../usecases/deliveries/send-test-event.ts");
    const id = await withCommandAdministration(context, async (administration) => {
      await requirePartner(administration.store, partnerId);
      return sendTestDelivery(administration, partnerId, {
        message: message ?? TEST_MESSAGE,
        requestedBy: osUserOfCommand(context),
      });
    });
    context.print(
      serializeWebhookTest(id, partnerId),
      `Delivery  ${id}\nResult: mainstay deliveries show ${id}`,
    );
  },
});

const probe = defineCommand({
  name: "probe-webhook",
  summary: "find webhook endpoints that accept a delivery with a wrong signature",
  description:
    "Sends a webhook.test event with deliberately wrong signatures. An endpoint that responds with 2xx does not verify " +
    "signatures; disconnect it with `mainstay partner set-webhook --off`.",
  arguments: { partnerId: optionalCommandArgument("the partner's ID") },
  options: { all: switchOption("every enabled partner with a webhook endpoint") },
  examples: ["mainstay partner probe-webhook PARTNER_…", "mainstay partner probe-webhook --all"],
  async run(context, { partnerId }, { all }) {
    if ((partnerId === undefined) !== all)
      throw new UsageError(
        "specify either a partner ID or --all",
        "See: mainstay partner probe-webhook --help",
      );
    const { composeWebhookSender } = await import("../../server/composition/compose-webhook-delivery.ts");
    const { probePartnerSignatureVerification } = await import(
      "../../usecases/deliveries/probe-partner-signature-verification.ts"
    );
    const sender = composeWebhookSender(context.config);
    const probed = await withCommandAdministration(context, async (administration) => {
      const { store } = administration;
      const partners =
        partnerId === undefined
          ? (await store.read.partners.list()).filter(({ enabled }) => enabled)
          : [await requirePartner(store, partnerId)];
      const { timeoutMs } = context.config.webhooks;
      const deps = { administration, send: sender.send, clock: context.now, timeoutMs };
      const found = await probePartnerSignatureVerification(deps, partners);
      if (found.length === 0 && partnerId !== undefined)
        throw new OperatorError(
          `${partnerId} has no webhook endpoint`,
          "Set one with `mainstay partner set-webhook`.",
        );
      return found;
    }).finally(() => sender.close());
    context.print(
      { receivers: probed.map(serializeEndpointProbe) },
      probed.length === 0
        ? "No partner has a webhook endpoint."
        : terminalTable(
            [
              "PARTNER",
              { heading: "VERDICT", shrinks: true },
              { heading: "RESPONSE", shrinks: true },
              { heading: "ENDPOINT", from: 100, shrinks: true },
              { heading: "NAME", shrinks: true },
            ],
            probed.map((probed) => [
              probed.partner.id,
              VERDICTS[probed.verdict],
              probed.statusCode ?? probed.error,
              probed.url,
              probed.partner.name,
            ]),
            context.tableWidth,
          ),
    );
  },
});

/** Commands for a partner's webhook endpoint, events and signing secret. */
export const webhookCommands: readonly Command[] = [setWebhook, rotateSecret, webhookTest, probe];

const VERDICTS = {
  accepts: "DOES NOT VERIFY",
  verifies: "verifies",
  unclear: "unclear",
  unreachable: "unreachable",
} as const;
