import type { CostHistoryJson } from "../../api-schemas/cost-history-schema.ts";
import { currencyCode } from "../../domain/wording/currency-and-unit-wording.ts";
import { type OutputWidths, type TerminalColumn, terminalTable, wrapTerminalText } from "./terminal-table.ts";

const COLUMNS: readonly TerminalColumn[] = [
  { heading: "TYPE", shrinks: true },
  { heading: "COMPONENT", shrinks: true },
  { heading: "PLANNED", align: "right" },
  { heading: "MEDIAN", align: "right" },
  { heading: "IN USE", align: "right" },
  { heading: "AFTER FAILURE", align: "right" },
  { heading: "MEDIAN", align: "right" },
  { heading: "IN USE", align: "right" },
  { heading: "BASIS", from: 100 },
];

type Bills = CostHistoryJson["kinds"][number]["planned"];

const usd = (amount: number) => Math.round(amount).toLocaleString("en-US");
const cells = ({ count, median_cost, cost_in_use }: Bills) => [
  String(count),
  median_cost === null ? "-" : usd(median_cost),
  usd(cost_in_use),
];

/** Formats what a partner has paid for replacements, beside the costs in use. */
export function terminalCostHistoryText(
  history: CostHistoryJson,
  { columns, tableWidth }: OutputWidths,
): string {
  const { kinds, applied, changes, recalculating, as_of } = history;
  if (kinds.length === 0)
    return wrapTerminalText(
      `No component or type has 5 Replacements with a cost in the 60 months to ${as_of}.`,
      columns,
    );
  const rows = kinds.map(({ type_id, component_def_id, planned, after_failure, basis }) => [
    ...[type_id, component_def_id ?? "(whole unit)", ...cells(planned), ...cells(after_failure), basis],
  ]);
  return [
    wrapTerminalText(`Replacements with a cost in the 60 months to ${as_of}, in ${currencyCode()}:`, columns),
    terminalTable(COLUMNS, rows, tableWidth),
    wrapTerminalText(
      applied
        ? `${changes} lines of the cost book changed.${recalculating ? " A running server recalculates the sums of this portfolio in the background." : ""}`
        : "Nothing was changed. --apply saves the medians to the cost book.",
      columns,
    ),
  ].join("\n\n");
}
