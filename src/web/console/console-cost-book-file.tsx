import { useState } from "preact/hooks";
import type { CostLineJson } from "../../api-schemas/cost-book-schema.ts";
import {
  CsvProblem,
  detectBrowserCsvSeparator,
  downloadCsv,
  parseBrowserCsvText,
  readBrowserCsvFile,
} from "../browser/browser-csv-file.ts";
import { formatPageCount } from "../page/page-format.ts";
import { ReportSection } from "../sections/section.tsx";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import {
  type ConsoleCostBookChange,
  costLineOfConsoleForm,
  type NewCostLine,
} from "./console-cost-line-fields.tsx";

const COLUMNS = [
  "type_id",
  "component_def_id",
  "state",
  "proactive_cost",
  "reactive_cost",
  "size",
  "as_of",
  "basis",
] as const;

type Line = CostLineJson | NewCostLine;

const keyOf = ({ type_id, component_def_id, state, size, basis }: Line) =>
  [type_id, component_def_id ?? "", state?.toUpperCase() ?? "", size ?? "", basis].join(" ");

/** Returns the lines of a file; a text says what is wrong with it. */
async function linesOf(file: File): Promise<NewCostLine[] | string> {
  try {
    const text = await readBrowserCsvFile(file);
    return linesOfRows(parseBrowserCsvText(text, detectBrowserCsvSeparator(text)));
  } catch (error) {
    if (error instanceof CsvProblem) return error.message;
    throw error;
  }
}

function linesOfRows([heading = [], ...rows]: string[][]): NewCostLine[] | string {
  const names = heading.map((name) => name.trim());
  if (!names.includes("type_id")) return "The first line must contain the column names, type_id among them.";
  const filled = rows.filter((cells) => cells.some((cell) => cell.trim() !== ""));
  return filled.map((cells) => costLineOfConsoleForm((name) => cells[names.indexOf(name)]?.trim() || null));
}

/** Imports a CSV file into the cost book after a confirmation, and exports the book as one. */
export function ConsoleCostBookFileActions(props: {
  partner: string;
  lines: readonly CostLineJson[];
  onImport: (change: ConsoleCostBookChange, done: string) => Promise<string | undefined>;
}) {
  const { partner, lines, onImport } = props;
  const [file, setFile] = useState<{ name: string; found: NewCostLine[] | string }>();
  const choose = async (event: Event) => {
    const chosen = (event.currentTarget as HTMLInputElement).files?.[0];
    setFile(chosen && { name: chosen.name, found: await linesOf(chosen) });
  };
  const found = typeof file?.found === "object" ? file.found : undefined;
  const added = new Set(found?.map(keyOf));
  const keptOf = (present: readonly CostLineJson[]) => present.filter((line) => !added.has(keyOf(line)));
  const kept = keptOf(lines);
  const save = async () => {
    let before = 0;
    const message = await onImport(
      (present) => {
        const others = keptOf(present);
        before = others.length;
        return [...others, ...found!];
      },
      `${formatPageCount(found!.length, "line")} imported.`,
    );
    return message?.replace(/^Line (\d+)/, (_, line) => `Row ${Number(line) - before + 1} of the file`);
  };
  return (
    <ReportSection
      id="file"
      title="Import and export"
      about={`A CSV file with the columns ${COLUMNS.join(", ")}. A row replaces the line for the same type, component, state, size and basis; other lines stay.`}
    >
      <p class="choices">
        <label>
          CSV file
          <input type="file" accept=".csv,text/csv" onChange={(event) => void choose(event)} />
        </label>
        {found && found.length > 0 && (
          <ConfirmDialog key={file!.name} name="Import" title={`Import ${file!.name}?`} onConfirm={save}>
            <p>
              The cost book of {partner} gets {formatPageCount(found.length, "line")} from the file.{" "}
              {formatPageCount(lines.length - kept.length, "line")} for the same will be replaced, and{" "}
              {formatPageCount(kept.length, "other line")} will stay.
            </p>
          </ConfirmDialog>
        )}
        {lines.length > 0 && (
          <button
            type="button"
            class="outline"
            onClick={() =>
              downloadCsv(
                "cost-book.csv",
                COLUMNS,
                lines.map((line) => COLUMNS.map((name) => line[name as keyof CostLineJson])),
              )
            }
          >
            Export
          </button>
        )}
      </p>
      {found && found.length > 0 && (
        <p class="small muted">
          {file!.name}: {formatPageCount(found.length, "line")}
        </p>
      )}
      {typeof file?.found === "string" && <p role="alert">{file.found}</p>}
      {found?.length === 0 && <p role="alert">The file has no rows.</p>}
    </ReportSection>
  );
}
