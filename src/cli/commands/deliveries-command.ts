import {
  type DeliveryJson,
  type FullDeliveryJson,
  serializeBulkResend,
  serializeDeliveryWithPartner,
  serializeFailureGroups,
  serializeFullDelivery,
  serializeResentDelivery,
} from "../../api-schemas/delivery-schema.ts";
import type { FailedDeliveryWindow } from "../../domain/delivery.ts";
import { MAX_GROUP_COUNT } from "../../domain/delivery.ts";
import { OperatorError } from "../../domain/errors.ts";
import { DELIVERY_STATUSES, WEBHOOK_EVENTS } from "../../domain/partner.ts";
import { loadDeliveryFailureGroups } from "../../usecases/deliveries/load-delivery-failure-groups.ts";
import { loadPartnerNamesOfDeliveries } from "../../usecases/deliveries/load-delivery-partner-names.ts";
import {
  loadFailedDeliveryCount,
  resendDelivery,
  resendFailedDeliveries,
} from "../../usecases/deliveries/resend-deliveries.ts";
import { requirePartner } from "../../usecases/partners/create-partner-and-credentials.ts";
import {
  type Command,
  choiceOption,
  defineCommand,
  optionalCommandArgument,
  requiredCommandArgument,
  switchOption,
  textOption,
  UsageError,
  wholeNumberOption,
} from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { withCommandAdministration, withCommandData } from "../command-data-access.ts";
import { instantOption } from "../command-option-values.ts";
import { terminalLabeledLines, terminalTable } from "../terminal/terminal-table.ts";
import {
  terminalMinuteText,
  terminalSecondText,
  terminalUtcTimeText,
} from "../terminal/terminal-time-text.ts";

const list = defineCommand({
  name: "list",
  summary: "list webhook deliveries, newest first",
  options: {
    partner: textOption("PARTNER_ID", "only deliveries of this partner"),
    status: choiceOption(DELIVERY_STATUSES, "only deliveries with this status"),
    event: choiceOption(WEBHOOK_EVENTS, "only this event, such as component.critical", "EVENT"),
    since: instantOption("only deliveries created at or after this time"),
    limit: wholeNumberOption("COUNT", "maximum number of deliveries (default: 50)", 1, 10_000),
  },
  examples: ["mainstay deliveries list --status failed --since 2026-01-31"],
  async run(context, _arguments, { partner, limit = 50, ...rest }) {
    const filter = { partnerId: partner, ...rest };
    const { total, page, names } = await withCommandData(context, async ({ store }) => {
      if (partner !== undefined) await requirePartner(store, partner);
      const { deliveryLog } = store.read;
      const total = await deliveryLog.count(filter);
      const page = await deliveryLog.page(filter, { limit, offset: 0 });
      return { total, page, names: await loadPartnerNamesOfDeliveries(store, page) };
    });
    const records = page.map((logged) =>
      serializeDeliveryWithPartner(logged, names.get(logged.delivery.partnerId)!),
    );
    context.print(
      { deliveries: records, total },
      records.length === 0
        ? "No matching deliveries."
        : terminalTable(
            [
              "DELIVERY",
              "CREATED (UTC)",
              { heading: "EVENT", from: 100 },
              "STATUS",
              { heading: "PARTNER", shrinks: true },
              { heading: "RESPONSE", shrinks: true },
              { heading: "PARTNER ID", from: 140 },
              { heading: "ATTEMPTS", align: "right", from: 150 },
            ],
            records.map((record) => [
              record.id,
              terminalSecondText(record.created_at, context.tableWidth),
              record.event,
              record.status,
              record.partner_name,
              lastResponse(record),
              record.partner_id,
              record.attempt_count,
            ]),
            context.tableWidth,
          ),
    );
  },
});

const failures = defineCommand({
  name: "failures",
  summary: "list failed webhook deliveries by endpoint and error, largest groups first",
  options: {
    partner: textOption("PARTNER_ID", "only deliveries of this partner"),
    from: instantOption("only deliveries created at or after this time"),
    to: instantOption("only deliveries created before this time"),
  },
  examples: ["mainstay deliveries failures --from 2026-01-31"],
  async run(context, _arguments, { partner, from = 0, to = Number.MAX_SAFE_INTEGER }) {
    const found = await withCommandData(context, async ({ store }) => {
      if (partner !== undefined) await requirePartner(store, partner);
      return await loadDeliveryFailureGroups(store.read, { from, to }, partner, async () => {});
    });
    const record = serializeFailureGroups(found);
    context.print(
      record,
      record.groups.length === 0
        ? "No failed deliveries."
        : terminalTable(
            [
              { heading: "FAILED", align: "right" },
              "NEWEST (UTC)",
              "PARTNER ID",
              { heading: "PARTNER", from: 120, shrinks: true },
              { heading: "URL", from: 140, shrinks: true },
              { heading: "ERROR", wraps: true },
            ],
            record.groups.map(({ failed, partner_id, partner_name, url, error, last_at }) => [
              failed < MAX_GROUP_COUNT ? failed : `${failed}+`,
              terminalMinuteText(last_at, context.tableWidth),
              partner_id,
              partner_name,
              url ?? "",
              error === "" ? "unknown" : error,
            ]),
            context.tableWidth,
          ),
    );
  },
});

const show = defineCommand({
  name: "show",
  summary: "show a delivery with its payload and every attempt",
  arguments: { deliveryId: requiredCommandArgument("the delivery's ID") },
  async run(context, { deliveryId }) {
    const found = await withCommandData(context, ({ store }) => store.read.deliveryLog.find(deliveryId));
    if (!found) throw deliveryNotFound(deliveryId);
    const record = serializeFullDelivery(found);
    context.print(record, deliveryText(record, context.tableWidth));
  },
});

const resend = defineCommand({
  name: "resend",
  summary: "resend a finished delivery, or a partner's failed deliveries within a time range",
  description:
    "Each delivery keeps its ID and payload and gets three new attempts. The running server sends them.",
  arguments: { deliveryId: optionalCommandArgument("the delivery's ID") },
  options: {
    partner: textOption("PARTNER_ID", "the partner whose failed deliveries to resend"),
    from: instantOption("start of the time range, inclusive"),
    to: instantOption("end of the time range, exclusive"),
    error: textOption("TEXT", "only those whose last attempt had this error, such as HTTP 500"),
    dryRun: switchOption("only count the deliveries"),
  },
  examples: [
    "mainstay deliveries resend WH_1767225600000_abcde",
    "mainstay deliveries resend --partner PARTNER_… --from 2026-01-30 --to 2026-01-31T12:00:00Z --dry-run",
  ],
  async run(context, { deliveryId }, { partner, from, to, error, dryRun }) {
    const isRange = partner !== undefined && from !== undefined && to !== undefined;
    const hasRangeOption =
      partner !== undefined || from !== undefined || to !== undefined || error !== undefined || dryRun;
    if (deliveryId !== undefined ? hasRangeOption : !isRange)
      throw new UsageError(
        "specify a delivery ID, or --partner with --from and --to",
        "See: mainstay deliveries resend --help",
      );
    if (isRange && to <= from) throw new UsageError("--to must be after --from");
    if (deliveryId !== undefined) await resendOne(context, deliveryId);
    else if (isRange)
      await resendRange(
        context,
        { partnerId: partner, from, to, ...(error !== undefined && { error }) },
        dryRun,
      );
  },
});

export const deliveryCommands: readonly Command[] = [list, failures, show, resend];

function deliveryNotFound(id: string): OperatorError {
  return new OperatorError(
    `Delivery not found: ${id}`,
    "`mainstay deliveries list` shows recent deliveries; old ones are deleted after webhooks.log_retention_days.",
  );
}

async function resendOne(context: CommandContext, deliveryId: string): Promise<void> {
  const resent = await withCommandAdministration(context, async (administration) => {
    if (!(await administration.store.read.deliveryLog.find(deliveryId))) throw deliveryNotFound(deliveryId);
    return await resendDelivery(administration, deliveryId);
  });
  context.print(serializeResentDelivery(resent), `Queued ${deliveryId} for resending.`);
}

async function resendRange(
  context: CommandContext,
  window: FailedDeliveryWindow,
  dryRun: boolean,
): Promise<void> {
  const counts = await withCommandAdministration(context, async (administration) => {
    await requirePartner(administration.store, window.partnerId);
    const matched = await loadFailedDeliveryCount(administration, window);
    return { matched, resent: dryRun ? 0 : await resendFailedDeliveries(administration, window) };
  });
  context.print(
    { ...serializeBulkResend(window, counts), dry_run: dryRun },
    dryRun
      ? `${counts.matched} failed deliveries would be resent.`
      : `Queued ${counts.resent} failed deliveries for resending.`,
  );
}

/** Returns the error of the last attempt, or the status of its response. */
function lastResponse({ attempts }: DeliveryJson): string | null {
  const last = attempts.at(-1);
  if (last === undefined) return null;
  return last.error ?? (last.status_code === null ? null : `HTTP ${last.status_code}`);
}

function deliveryText(record: FullDeliveryJson, width: number): string {
  const { attempts } = record;
  const lines = terminalLabeledLines(
    [
      ["Delivery", record.id],
      ["Partner", record.partner_id],
      ["Event", record.event],
      ["Status", record.status],
      ["Request", record.request_id],
      ["Created", terminalUtcTimeText(record.created_at, width)],
      ["Next attempt", terminalUtcTimeText(record.next_attempt_at, width)],
      ["Finished", terminalUtcTimeText(record.finished_at, width)],
      ["Attempts", record.attempt_count],
    ],
    width,
  );
  const table = terminalTable(
    [
      { heading: "#", align: "right" },
      "STARTED (UTC)",
      { heading: "DURATION", align: "right", from: 100 },
      "STATUS",
      { heading: "ADDRESS", shrinks: true },
      { heading: "ERROR", wraps: true },
    ],
    attempts.map((attempt) => [
      attempt.attempt,
      terminalSecondText(attempt.started_at, width),
      `${attempt.duration_ms} ms`,
      attempt.status_code,
      attempt.address,
      attempt.error,
    ]),
    width,
  );
  const payload = `Payload\n${JSON.stringify(record.payload, null, 2)}`;
  return [lines, ...(attempts.length === 0 ? [] : [table]), payload].join("\n\n");
}
