import type { LoggedDelivery } from "../../domain/delivery.ts";
import { OperatorError } from "../../domain/errors.ts";
import { DELIVERY_STATUSES, WEBHOOK_EVENTS } from "../../domain/partner.ts";
import { requirePartner } from "../../usecases/partners.ts";
import { countFailed, resendDelivery, resendFailed } from "../../usecases/resend-deliveries.ts";
import { bulkResendRecord, deliveryRecord, fullDeliveryRecord, resentRecord } from "../../wire/delivery.ts";
import {
  type Command,
  choice,
  command,
  flag,
  optional,
  required,
  text,
  UsageError,
  whole,
} from "../command.ts";
import type { Context } from "../context.ts";
import { withAdministration, withData } from "../data.ts";
import { textRecord, textTable } from "../terminal/text-table.ts";
import { moment } from "../values.ts";

const list = command({
  name: "list",
  summary: "list webhook deliveries, the newest first",
  options: {
    partner: text("PARTNER_ID", "of this partner"),
    status: choice(DELIVERY_STATUSES, "in this state"),
    event: choice(WEBHOOK_EVENTS, "of this event, such as component.critical", "EVENT"),
    since: moment("made then or later"),
    limit: whole("COUNT", "how many (default: 50)", 1, 10_000),
  },
  examples: ["mainstay deliveries list --status failed --since 2026-01-31"],
  async run(context, _arguments, { partner, limit = 50, ...rest }) {
    const filter = { partnerId: partner, ...rest };
    const { total, page } = await withData(context, async ({ store }) => {
      if (partner !== undefined) await requirePartner(store, partner);
      const { deliveryLog } = store.read;
      const total = await deliveryLog.count(filter);
      return { total, page: await deliveryLog.page(filter, { limit, offset: 0 }) };
    });
    const records = page.map(deliveryRecord);
    context.print(
      { deliveries: records, total },
      records.length === 0
        ? "There are no such deliveries."
        : textTable(
            ["DELIVERY", "STATUS", "ATTEMPTS", "EVENT", "CREATED", "LAST ANSWER"],
            records.map((one, i) => [
              one.id,
              one.status,
              one.attempt_count,
              one.event,
              one.created_at,
              lastAnswer(page[i]!),
            ]),
          ),
    );
  },
});

const show = command({
  name: "show",
  summary: "show a delivery with every attempt and what it sends",
  arguments: { deliveryId: required("the delivery's id") },
  async run(context, { deliveryId }) {
    const found = await withData(context, ({ store }) => store.read.deliveryLog.find(deliveryId));
    if (!found) throw noDelivery(deliveryId);
    const record = fullDeliveryRecord(found);
    const { attempts, ...rest } = record;
    const lines = attempts.map((one) => [
      one.attempt,
      one.started_at,
      `${one.duration_ms} ms`,
      one.status_code,
      one.address,
      one.error,
    ]);
    const table = textTable(["#", "STARTED", "DURATION", "STATUS", "ADDRESS", "ERROR"], lines);
    context.print(record, lines.length === 0 ? textRecord(rest) : `${textRecord(rest)}\n\n${table}`);
  },
});

const resend = command({
  name: "resend",
  summary: "send a finished delivery again, or a partner's failed ones of a window of time",
  description:
    "The same ids and bytes, a new cycle of three attempts each. The running server delivers them.",
  arguments: { deliveryId: optional("the delivery's id") },
  options: {
    partner: text("PARTNER_ID", "the partner whose failed deliveries are sent again"),
    from: moment("those made then or later"),
    to: moment("and before then"),
    dryRun: flag("only count them"),
  },
  examples: [
    "mainstay deliveries resend WH_1767225600000_abcde",
    "mainstay deliveries resend --partner PARTNER_… --from 2026-01-30 --to 2026-01-31T12:00:00Z --dry-run",
  ],
  async run(context, { deliveryId }, { partner, from, to, dryRun }) {
    const isWindow = partner !== undefined && from !== undefined && to !== undefined;
    const isPartly = partner !== undefined || from !== undefined || to !== undefined || dryRun;
    if (deliveryId !== undefined ? isPartly : !isWindow)
      throw new UsageError(
        "name a delivery, or a window by --partner, --from and --to",
        "See: mainstay deliveries resend --help",
      );
    if (deliveryId !== undefined) await resendOne(context, deliveryId);
    else if (isWindow) await resendWindow(context, { partnerId: partner, from, to }, dryRun);
  },
});

export const deliveryCommands: readonly Command[] = [list, show, resend];

function noDelivery(id: string): OperatorError {
  return new OperatorError(
    `there is no delivery ${id}`,
    "`mainstay deliveries list` shows the newest; old ones are pruned after webhooks.log_retention_days.",
  );
}

async function resendOne(context: Context, deliveryId: string): Promise<void> {
  const resent = await withAdministration(context, async (administration) => {
    if (!(await administration.store.read.deliveryLog.find(deliveryId))) throw noDelivery(deliveryId);
    return await resendDelivery(administration, deliveryId);
  });
  context.print(resentRecord(resent), `${deliveryId} is sent again.`);
}

async function resendWindow(
  context: Context,
  window: { partnerId: string; from: number; to: number },
  dryRun: boolean,
): Promise<void> {
  const counts = await withAdministration(context, async (administration) => {
    await requirePartner(administration.store, window.partnerId);
    const matched = await countFailed(administration, window);
    return { matched, resent: dryRun ? 0 : await resendFailed(administration, window) };
  });
  context.print(
    { ...bulkResendRecord(window, counts), dry_run: dryRun },
    dryRun
      ? `${counts.matched} failed deliveries would be sent again.`
      : `${counts.resent} failed deliveries are sent again.`,
  );
}

function lastAnswer({ attempts }: LoggedDelivery): string | number | null {
  const last = attempts.at(-1);
  return last ? (last.error ?? last.statusCode) : null;
}
