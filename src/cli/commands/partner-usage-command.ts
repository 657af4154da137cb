import { serializePartnerUsage } from "../../api-schemas/partner-schema.ts";
import { spreadsheetCsvLine } from "../../csv/write-csv.ts";
import type { PartnerUsage } from "../../domain/partner.ts";
import { dayOf } from "../../domain/time.ts";
import { requirePartner } from "../../usecases/partners/create-partner-and-credentials.ts";
import { loadPartnerUsage } from "../../usecases/partners/load-partner-usage.ts";
import { defineCommand, optionalCommandArgument, switchOption } from "../command.ts";
import { withCommandData } from "../command-data-access.ts";
import { monthOption } from "../command-option-values.ts";
import { terminalTable } from "../terminal/terminal-table.ts";

export const usageCommand = defineCommand({
  name: "usage",
  summary: "print a month's API calls per day and the billable units",
  description:
    "Billable units are the current units of a partner's properties, without demo properties. Days are UTC. While the " +
    "server runs, today's calls may include up to 10 that are reserved but not used.",
  arguments: { partnerId: optionalCommandArgument("the partner's ID (default: all partners)") },
  options: {
    month: monthOption("such as 2026-01 (default: this month)"),
    csv: switchOption("print CSV, one row per partner per day"),
  },
  examples: ["mainstay partner usage --month 2026-01 --csv", "mainstay partner usage PARTNER_… --json"],
  async run(context, { partnerId }, { month = dayOf(context.now()).slice(0, 7), csv }) {
    const usage = await withCommandData(context, async ({ store }) => {
      const partners =
        partnerId === undefined ? await store.read.partners.list() : [await requirePartner(store, partnerId)];
      const found: PartnerUsage[] = [];
      for (const { id } of partners) found.push(await loadPartnerUsage(store, id, month));
      return found;
    });
    const lines = usage.flatMap(linesOf);
    const record = { month, partners: usage.map(serializePartnerUsage) };
    if (csv)
      context.printForPrograms(record, [CSV_HEADINGS, ...lines].map(spreadsheetCsvLine).join("").trimEnd());
    else
      context.print(
        record,
        terminalTable(
          [
            "PARTNER",
            "DAY",
            { heading: "CALLS", align: "right" },
            { heading: "BILLABLE UNITS", align: "right" },
            { heading: "NAME", shrinks: true },
          ],
          lines,
          context.tableWidth,
        ),
      );
  },
});

const CSV_HEADINGS = ["partner_id", "day", "calls", "billable_units", "name"];

/** Returns a row for each day with calls. A partner without calls gets one row, so that its units are listed. */
function linesOf({ partnerId, name, month, days, billableUnits }: PartnerUsage): (string | number)[][] {
  const listed = days.length > 0 ? days : [{ day: month, calls: 0 }];
  return listed.map(({ day, calls }) => [partnerId, day, calls, billableUnits, name]);
}
