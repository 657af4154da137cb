import { newCostLine, parseCostLineJson } from "../../api-schemas/cost-book-schema.ts";
import { apiInputCsvColumns } from "../../api-schemas/definition/api-input-csv-columns.ts";
import type { CsvSource } from "../../csv/csv-source.ts";
import {
  dropOverlappingCostLines,
  MOST_COST_LINES,
  type NumberedLine,
} from "../../domain/costs/cost-book-lines.ts";
import type { CostLine } from "../../domain/costs/cost-line.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { OperatorError } from "../../domain/errors.ts";
import { checkCostLineRule, costLineRuleWarnings } from "../../domain/rules/cost-line-rule.ts";
import type { Day } from "../../domain/time.ts";
import { readImportRows, surveyImportFile } from "../import/import-file-rows.ts";
import { type RejectedRow, type RejectedRows, RejectLog } from "../import/import-rejects.ts";
import type { RowReader } from "../import/import-row-kind.ts";

/** The columns of a file with lines of a cost book. */
export const COST_COLUMNS = Object.keys(newCostLine.type.fields);

/** Rejected rows that are written together. */
const REJECTS_A_STEP = 500;

type ReadCosts = {
  /** Rows after the heading. */
  read: number;
  /** The valid lines, of which no two are for the same. */
  lines: CostLine[];
  /** Lines that later ones replace, unusual costs, and ignored columns. */
  warnings: string[];
  /** Undefined if no row was rejected. */
  rejects: RejectedRows | undefined;
};

/**
 * Reads a CSV file with lines of a cost book. Invalid rows are written to a file in `rejectsFolder`; without a folder they are
 * only counted. Throws an OperatorError for a file that is not one of costs, or has more lines than a book.
 */
export async function readCostBookFile(
  source: CsvSource,
  {
    knowledge,
    today,
    rejectsFolder,
  }: { knowledge: Knowledge; today: Day; rejectsFolder: string | undefined },
): Promise<ReadCosts> {
  const reader: RowReader<CostLine> = {
    name: "cost_lines",
    fields: apiInputCsvColumns(newCostLine),
    required: ["type_id"],
    references: [["proactive_cost"], ["reactive_cost"]],
    read(cells) {
      const line = parseCostLineJson(cells, today);
      checkCostLineRule(knowledge, line, today);
      return line;
    },
  };
  const file = await surveyImportFile(reader, source, [], []);
  const { ignored } = file.layout;
  const log = new RejectLog(file, rejectsFolder);
  const given: NumberedLine[] = [];
  let rejected: RejectedRow[] = [];
  try {
    for await (const row of readImportRows(file, reader)) {
      if ("error" in row) rejected.push(row);
      else given.push({ line: row.entry, number: row.line });
      if (given.length > MOST_COST_LINES)
        throw new OperatorError(
          `${file.name} has more than ${MOST_COST_LINES} valid lines, the most that a cost book has`,
          "Nothing was changed. Leave out states or components whose costs do not differ.",
        );
      if (rejected.length < REJECTS_A_STEP) continue;
      log.add(rejected);
      rejected = [];
    }
    log.add(rejected);
  } finally {
    log.close();
  }
  const { lines, warnings } = dropOverlappingCostLines(given);
  const doubts = given.flatMap(({ line, number }) =>
    costLineRuleWarnings(knowledge, line).map((doubt) => `Line ${number}: ${doubt}`),
  );
  const ignoring =
    ignored.length > 0
      ? [`${file.name}: ignored columns (no field with that name): ${ignored.join(", ")}`]
      : [];
  return {
    read: file.rows,
    lines,
    warnings: [...ignoring, ...warnings, ...doubts],
    rejects: log.summary(),
  };
}
