import { auditView } from "../../wire/audit.ts";
import { command, text, whole } from "../command.ts";
import { withData } from "../data.ts";
import { textTable } from "../terminal/text-table.ts";

export const auditCommand = command({
  description: "The audit log is append-only: the database rejects changes and deletions.",
  options: {
    subject: text("ID", "only changes to this partner, administrator or delivery"),
    limit: whole("COUNT", "maximum number of entries (default: 50)", 1, 100_000),
  },
  examples: ["mainstay audit --subject PARTNER_… --limit 10"],
  async run(context, _arguments, { subject, limit = 50 }) {
    const { entries, total } = await withData(context, async ({ store: { read } }) => ({
      entries: (await read.audit.page({ limit, offset: 0 }, subject)).map(auditView),
      total: await read.audit.count(subject),
    }));
    context.print(
      { entries, total },
      entries.length === 0
        ? "No changes recorded."
        : textTable(
            ["AT", "ACTOR", "ACTION", "SUBJECT", "DETAIL"],
            entries.map((entry) => [
              entry.at,
              entry.actor,
              entry.action,
              entry.subject,
              JSON.stringify(entry.detail),
            ]),
          ),
    );
  },
});
