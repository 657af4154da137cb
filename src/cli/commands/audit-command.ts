import { type AuditEntryJson, serializeAuditLog } from "../../api-schemas/audit-schema.ts";
import { AUDIT_ACTIONS } from "../../domain/wording/audit-action-wording.ts";
import type { DataFolder } from "../../server/server-data-folder.ts";
import { loadNamedAuditEntries } from "../../usecases/administration/load-named-audit-entries.ts";
import { pageAuditChangeTexts } from "../../web/page/page-audit-changes.ts";
import { choiceOption, defineCommand, textOption, wholeNumberOption } from "../command.ts";
import { withCommandData } from "../command-data-access.ts";
import { instantOption } from "../command-option-values.ts";
import { terminalTable } from "../terminal/terminal-table.ts";
import { terminalSecondText } from "../terminal/terminal-time-text.ts";

export const auditCommand = defineCommand({
  description: "The audit log is append-only: the database rejects changes and deletions.",
  options: {
    subject: textOption("ID", "only changes to this partner, administrator or delivery"),
    partner: textOption("PARTNER_ID", "only changes that name this partner"),
    actor: textOption("TEXT", "only changes by this actor, as the log names it"),
    action: choiceOption(AUDIT_ACTIONS, "only this action, such as partner.rotate_key", "ACTION"),
    from: instantOption("only changes at or after this time"),
    to: instantOption("only changes before this time"),
    limit: wholeNumberOption("COUNT", "maximum number of entries (default: 50)", 1, 100_000),
  },
  examples: [
    "mainstay audit --subject PARTNER_… --limit 10",
    "mainstay audit --action partner.rotate_key --from 2026-01-01",
  ],
  async run(context, _arguments, { subject, partner, actor, action, from, to, limit = 50 }) {
    const filter = { subject, actor, action, partnerId: partner, since: from, until: to };
    const list = async ({ store: { read } }: DataFolder) => ({
      entries: await loadNamedAuditEntries(read, await read.audit.page({ limit, offset: 0 }, filter)),
      total: await read.audit.count(filter),
    });
    const { entries, total } = await withCommandData(context, list, { acceptsAnyClock: true });
    const records = entries.map(serializeAuditLog);
    context.print(
      { entries: records, total },
      records.length === 0
        ? "No changes recorded."
        : terminalTable(
            [
              "AT (UTC)",
              { heading: "ACTOR", shrinks: true },
              { heading: "ACTION", from: 120 },
              { heading: "CHANGE", wraps: true },
            ],
            records.map((entry) => [
              ...[
                terminalSecondText(entry.at, context.tableWidth),
                entry.actor_name,
                entry.action,
                changeText(entry),
              ],
            ]),
            context.tableWidth,
          ),
    );
  },
});

/** Returns what was done, with the values of a corrected record before and after. */
function changeText(entry: AuditEntryJson): string {
  const changes = pageAuditChangeTexts(entry);
  return changes.length === 0 ? entry.sentence : `${entry.sentence}: ${changes.join(", ")}`;
}
