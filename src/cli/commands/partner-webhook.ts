import { OperatorError } from "../../domain/errors.ts";
import { MAX_CONCURRENCY, WEBHOOK_EVENTS } from "../../domain/partner.ts";
import { changePartner, rotateWebhookSecret } from "../../usecases/administer-partner.ts";
import { checkReceiverUrl, requirePartner } from "../../usecases/partners.ts";
import {
  newWebhookSecretRecord,
  probeRecord,
  receiverRecord,
  webhookTestRecord,
} from "../../wire/partner.ts";
import {
  type Command,
  command,
  flag,
  optional,
  required,
  text,
  UsageError,
  value,
  whole,
} from "../command.ts";
import { userName, withAdministration } from "../data.ts";
import { textTable } from "../terminal/text-table.ts";
import { duration } from "../values.ts";

const webhookEvent = value(
  "EVENT",
  "an event to send; may be given several times; all when not given",
  (typed): string => {
    if ((WEBHOOK_EVENTS as readonly string[]).includes(typed)) return typed;
    throw new UsageError(
      `there is no event ${JSON.stringify(typed)}`,
      `There are: ${WEBHOOK_EVENTS.join(", ")}`,
    );
  },
);

const setWebhook = command({
  name: "set-webhook",
  summary: "set where a partner's webhooks go, and which events",
  description: "A receiver that was paused is tried again at once.",
  arguments: { partnerId: required("the partner's id"), url: optional("where they go") },
  options: {
    event: { ...webhookEvent, absent: [], repeated: true },
    concurrency: whole(
      "COUNT",
      "deliveries at the same time; webhooks.concurrency_per_partner when not given",
      1,
      MAX_CONCURRENCY,
    ),
    off: flag("send none"),
  },
  examples: [
    "mainstay partner set-webhook PARTNER_… https://receiver.example/hooks",
    "mainstay partner set-webhook PARTNER_… https://receiver.example/hooks --event component.critical",
    "mainstay partner set-webhook PARTNER_… --off",
  ],
  async run(context, { partnerId, url }, { event, concurrency, off }) {
    if ((url === undefined) !== off)
      throw new UsageError("name the URL to send to, or --off", "One of the two, not both.");
    if (url !== undefined) checkReceiverUrl(url);
    const settings = {
      webhookUrl: url ?? null,
      webhookEvents: event.length === 0 ? null : [...event],
      webhookConcurrency: concurrency ?? null,
    };
    await withAdministration(context, async (administration) => {
      await requirePartner(administration.store, partnerId);
      await changePartner(administration, partnerId, settings);
    });
    context.print(
      receiverRecord(partnerId, settings),
      url === undefined ? "No webhooks are sent any more." : `Webhooks go to ${url}.`,
    );
  },
});

const rotateSecret = command({
  name: "rotate-webhook-secret",
  summary: "make a new webhook secret and print it, this once",
  description:
    "It signs from now on. With --overlap the one before goes on signing for so long, and X-Service-Signature-Next " +
    "carries the new one's signature, so that the receiver can change over without refusing a delivery.",
  arguments: { partnerId: required("the partner's id") },
  options: { overlap: duration("how long the secret before goes on signing, such as 24h") },
  examples: ["mainstay partner rotate-webhook-secret PARTNER_… --overlap 24h"],
  async run(context, { partnerId }, { overlap = 0 }) {
    const made = await withAdministration(context, async (administration) => {
      await requirePartner(administration.store, partnerId);
      return rotateWebhookSecret(administration, partnerId, overlap);
    });
    const record = newWebhookSecretRecord(partnerId, made);
    const from = overlap === 0 ? "It signs from now on." : `It takes over at ${record.takes_effect_at}.`;
    context.print(record, `Webhook secret  ${made.secret}\n${from}`);
  },
});

const webhookTest = command({
  name: "webhook-test",
  summary: "send a partner's receiver a webhook.test",
  description:
    "The running server delivers it; `mainstay deliveries show` tells how it went. A paused receiver is probed at once.",
  arguments: { partnerId: required("the partner's id") },
  options: { message: text("TEXT", "what it says") },
  async run(context, { partnerId }, { message }) {
    const { sendTestEvent, TEST_MESSAGE } = await import("../../usecases/send-test-event.ts");
    const id = await withAdministration(context, async (administration) => {
      await requirePartner(administration.store, partnerId);
      return sendTestEvent(administration, partnerId, {
        message: message ?? TEST_MESSAGE,
        requestedBy: userName(context),
      });
    });
    context.print(
      webhookTestRecord(id, partnerId),
      `Delivery  ${id}\nHow it went: mainstay deliveries show ${id}`,
    );
  },
});

const probe = command({
  name: "probe-webhook",
  summary: "find the receivers that accept a delivery with a wrong signature",
  description:
    "Sends a webhook.test whose signatures are wrong on purpose. A receiver that answers 2xx does not verify, and may " +
    "be disconnected with `mainstay partner set-webhook --off`.",
  arguments: { partnerId: optional("the partner's id") },
  options: { all: flag("every enabled partner that has a receiver") },
  examples: ["mainstay partner probe-webhook PARTNER_…", "mainstay partner probe-webhook --all"],
  async run(context, { partnerId }, { all }) {
    if ((partnerId === undefined) !== all)
      throw new UsageError("name a partner, or --all", "See: mainstay partner probe-webhook --help");
    const { senderOf } = await import("../../app/outbound.ts");
    const { probeReceivers } = await import("../../usecases/probe-receivers.ts");
    const sender = senderOf(context.config);
    const probed = await withAdministration(context, async (administration) => {
      const { store } = administration;
      const partners =
        partnerId === undefined
          ? (await store.read.partners.list()).filter(({ enabled }) => enabled)
          : [await requirePartner(store, partnerId)];
      const { timeoutMs } = context.config.webhooks;
      const parts = { administration, send: sender.send, clock: context.now, timeoutMs };
      const found = await probeReceivers(parts, partners);
      if (found.length === 0 && partnerId !== undefined)
        throw new OperatorError(
          `${partnerId} has no webhook receiver`,
          "Set one with `mainstay partner set-webhook`.",
        );
      return found;
    }).finally(() => sender.close());
    context.print(
      { receivers: probed.map(probeRecord) },
      probed.length === 0
        ? "No partner has a receiver."
        : textTable(
            ["PARTNER", "VERDICT", "ANSWER", "RECEIVER", "NAME"],
            probed.map((one) => [
              one.partner.id,
              VERDICTS[one.verdict],
              one.statusCode ?? one.error,
              one.url,
              one.partner.name,
            ]),
          ),
    );
  },
});

/** What a partner is sent, where, and how it is signed. */
export const webhookCommands: readonly Command[] = [setWebhook, rotateSecret, webhookTest, probe];

const VERDICTS = {
  accepts: "DOES NOT VERIFY",
  verifies: "verifies",
  unclear: "unclear",
  unreachable: "unreachable",
} as const;
