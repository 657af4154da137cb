import { useEffect, useRef, useState } from "preact/hooks";
import type { ImportedRowsJson } from "../../api-schemas/imported-rows-schema.ts";
import { importNotesWording } from "../../domain/wording/import-notes-wording.ts";
import { DAY_FIELDS } from "../../table-cells/table-cell-dates.ts";
import { MAX_WORKBOOK_BYTES, type SheetTable } from "../../xlsx/workbook-tables.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { capitalizePageText, formatPageCount, formatPageWholeNumber } from "../page/page-format.ts";
import { messageOfFailedEdit } from "../records/edit-record.tsx";
import { ReportSection, SectionTable, type SectionTableColumn } from "../sections/section.tsx";
import { showToast } from "../widgets/toasts.tsx";
import { useAppCallCost } from "./app-call-cost.ts";
import { useApp, useAppTitle } from "./app-context.ts";
import {
  type AppImportFile,
  type AppImportMapping,
  appImportRowsPerCall,
  IMPORT_KINDS,
  type ImportKind,
  type ImportRun,
  lacksAppDateFormat,
  runAppFileImport,
  sendAppRows,
  withFormatsOfWholeAppFile,
  withoutAmbiguousAppDates,
} from "./app-import-file.ts";
import { AppImportMappingForm } from "./app-import-mapping.tsx";
import { AppRejectsContinuations, downloadAppRejects } from "./app-import-rejects.ts";
import { sampleOfAppFile } from "./app-import-sample.ts";
import { appTableOfSheet, readAppCsvTable } from "./app-import-table.ts";
import { readAppWorkbookFile } from "./app-workbook-file.ts";

/** Imports a CSV file or a sheet of a workbook: what its columns contain, a check of all rows, and the import with the rows that were rejected. */
export function AppImportPage() {
  const { api, portfolio, keepAtSignOut } = useApp();
  useAppTitle("Import");
  const [file, setFile] = useState<AppImportFile>();
  const costOf = useAppCallCost();
  const cost = file && costOf(Math.ceil(file.rows.length / appImportRowsPerCall(file)));
  const [guess, setGuess] = useState<ImportedRowsJson>();
  const [mapping, setMapping] = useState<AppImportMapping>();
  const [silent, setSilent] = useState(true);
  const [updates, setUpdates] = useState(false);
  const [run, setRun] = useState<ImportRun>();
  const [problem, setProblem] = useState<string>();
  const [isReading, setReading] = useState(false);
  /** The sheets of a workbook with several. */
  const [workbook, setWorkbook] = useState<{ name: string; sheets: SheetTable[]; shown: number }>();
  /** The number of files chosen, so that the result of an earlier one is ignored. */
  const chosenFiles = useRef(0);
  const continuations = useRef(new AppRejectsContinuations());
  const isRunning = run !== undefined && !run.isDone && problem === undefined;
  const isBusy = isRunning || isReading;
  const isOpen = DAY_FIELDS.some((field) => file && mapping && lacksAppDateFormat(file, mapping, field));
  useWarningOnClose(isRunning);
  useEffect(() => {
    const { rejected = [] } = run ?? {};
    keepAtSignOut(file && rejected.length > 0 ? { file, rejected } : undefined);
    return () => keepAtSignOut(undefined);
  }, [run, file]);
  const signal = useUnmountSignal();

  const attempt = async (work: () => Promise<void>) => {
    setProblem(undefined);
    const failure = await messageOfFailedEdit(work);
    if (failure !== undefined) setProblem(failure);
  };
  const choose = (chosen: File | undefined) => {
    setWorkbook(undefined);
    return open(chosen && (() => tableOfChosen(chosen)));
  };
  const tableOfChosen = async (chosen: File): Promise<AppImportFile | string> => {
    if (!/\.xlsx$/i.test(chosen.name)) return await readAppCsvTable(chosen);
    if (chosen.size > MAX_WORKBOOK_BYTES)
      return `${chosen.name} is larger than ${MAX_WORKBOOK_BYTES / 1_048_576} MiB. Save the sheet as CSV UTF-8.`;
    const reply = await readAppWorkbookFile(chosen, signal);
    if ("problem" in reply) return reply.problem;
    const [first] = reply.sheets;
    if (!first) return `${chosen.name} has no rows.`;
    if (reply.sheets.length > 1) setWorkbook({ name: chosen.name, sheets: reply.sheets, shown: 0 });
    return appTableOfSheet(chosen.name, first, reply.sheets.length === 1);
  };
  const chooseSheet = (at: number) => {
    setWorkbook({ ...workbook!, shown: at });
    return open(async () => appTableOfSheet(workbook!.name, workbook!.sheets[at]!, false));
  };
  const open = async (read: (() => Promise<AppImportFile | string>) | undefined) => {
    const nth = ++chosenFiles.current;
    const isLatest = () => nth === chosenFiles.current;
    setFile(undefined);
    setUpdates(false);
    setGuess(undefined);
    setRun(undefined);
    setProblem(undefined);
    setReading(read !== undefined);
    if (!read) return;
    const failure = await messageOfFailedEdit(async () => {
      const table = await read();
      if (!isLatest()) return;
      if (typeof table === "string") return setProblem(table);
      setFile(table);
      const first = { at: 0, most: appImportRowsPerCall(table) };
      const { answer } = await sendAppRows(api, sampleOfAppFile(table), first, { isDry: true });
      if (!isLatest()) return;
      setGuess(answer);
      const guessed = withFormatsOfWholeAppFile(table, answer.mapping as AppImportMapping);
      setMapping(withoutAmbiguousAppDates(table, guessed));
    }).finally(() => isLatest() && setReading(false));
    if (failure !== undefined && isLatest()) setProblem(failure);
  };
  const start = (isDry: boolean) =>
    attempt(async () => {
      const rows = file!.rows.length;
      let latest: ImportRun | undefined;
      try {
        const continuation = continuations.current.of(file!);
        const how = { mapping: mapping!, isDry, silent, updates, ...(continuation && { continuation }) };
        const onProgress = (run: ImportRun) => {
          latest = run;
          setRun(run);
          continuations.current.add(file!, run);
        };
        await runAppFileImport(api, file!, how, onProgress, signal);
      } finally {
        if (!isDry && signal.aborted && latest && (latest.done < rows || latest.rejected.length > 0))
          showToast(importLeftText(latest, rows), { isFailure: true });
        // Also for what was imported before a failure.
        if (!isDry) await portfolio.reload();
      }
    });
  return (
    <div class="import">
      <header class="heading">
        <div>
          <h1>Import</h1>
          <p class="muted">
            A CSV or XLSX file of buildings, equipment, service events or claims, with columns of any names.
          </p>
        </div>
      </header>
      <ReportSection id="import-file" title="1. Choose a file">
        <label>
          CSV or XLSX file
          <input
            type="file"
            accept=".csv,text/csv,.xlsx"
            disabled={isBusy}
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
          />
        </label>
        {workbook && (
          <label>
            Sheet
            <select
              disabled={isBusy}
              value={workbook.shown}
              onChange={(event) => void chooseSheet(Number(event.currentTarget.value))}
            >
              {workbook.sheets.map(({ sheet, rows }, at) => (
                <option value={at}>
                  {sheet} ({formatPageCount(rows.length - 1, "row")})
                </option>
              ))}
            </select>
          </label>
        )}
        {isReading && <p role="status">Reading the file…</p>}
        {file && (
          <p class="small muted">
            {formatPageCount(file.rows.length, "row")}, {formatPageCount(file.columns.length, "column")}
            {cost && `: ${cost} for a check, and as many for the import`}.
            {file.notes?.map((note) => ` ${capitalizePageText(note)}.`)}
          </p>
        )}
      </ReportSection>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {file && guess && mapping && (
        <>
          <AppImportMappingForm
            file={file}
            fields={guess.fields}
            mapping={mapping}
            isBusy={isBusy}
            onChange={(changed) => {
              setMapping(changed);
              setRun(undefined);
            }}
          />
          <ReportSection
            id="import-run"
            title="3. Check, then import"
            about={
              isOpen
                ? "First choose the format of the dates above: they can have the day or the month first."
                : "A check writes nothing. A repeated import adds nothing, and empty cells change nothing."
            }
          >
            <label>
              <input
                type="checkbox"
                checked={silent}
                disabled={isBusy}
                onChange={(event) => setSilent(event.currentTarget.checked)}
              />{" "}
              Send no webhooks for these records
            </label>
            <label>
              <input
                type="checkbox"
                checked={updates}
                disabled={isBusy}
                onChange={(event) => {
                  setUpdates(event.currentTarget.checked);
                  setRun(undefined);
                }}
              />{" "}
              Update records that exist
            </label>
            <p class="buttons">
              <button
                type="button"
                class="outline"
                disabled={isBusy || isOpen}
                onClick={() => void start(true)}
              >
                Check all rows
              </button>{" "}
              <button
                type="button"
                disabled={isBusy || isOpen || !run?.isDry || !run.isDone}
                onClick={() => void start(false)}
              >
                Import {formatPageCount(file.rows.length, "row")}
              </button>
            </p>
            {run && <Progress run={run} rows={file.rows.length} />}
          </ReportSection>
          {run && <Results run={run} file={file} />}
        </>
      )}
    </div>
  );
}

/** Returns the message about an import whose page was left before its end, or before its rejected rows were shown. */
function importLeftText({ done, rejected }: ImportRun, rows: number): string {
  const again = "Import the file again: rows that are imported add nothing.";
  if (done < rows)
    return `The import ended after ${formatPageWholeNumber(done)} of ${formatPageCount(rows, "row")}, because its page was left. ${again}`;
  return `${formatPageCount(rejected.length, "row")} of the import whose page was left ${rejected.length === 1 ? "was" : "were"} rejected. ${again}`;
}

/** Asks before the page is closed or reloaded while it is busy. */
function useWarningOnClose(isBusy: boolean): void {
  useEffect(() => {
    if (!isBusy) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isBusy]);
}

/** Returns a signal that is aborted when the page is left. */
function useUnmountSignal(): AbortSignal {
  const [controller] = useState(() => new AbortController());
  useEffect(() => () => controller.abort(), [controller]);
  return controller.signal;
}

const KIND_NAMES: Readonly<Record<ImportKind, string>> = {
  properties: "Properties",
  appliances: "Appliances",
  components: "Components",
  service_events: "Service events",
  claims: "Claims",
};

function Progress({ run, rows }: { run: ImportRun; rows: number }) {
  return (
    <p role="status">
      <progress max={rows} value={run.done} aria-label="Rows done" />
      <span class="small">
        {run.isDry ? "Checked" : "Imported"} {formatPageWholeNumber(run.done)} of{" "}
        {formatPageCount(rows, "row")}
        {run.isDone ? "." : "…"}
      </span>
    </p>
  );
}

const MOST_SHOWN = 50;

/** Returns a value of a change, which is JSON, as it is read. */
function valueText(json: string): string {
  const value: unknown = JSON.parse(json);
  return value === null ? "empty" : typeof value === "string" ? value : json;
}

/** The records that deserve a look. */
function Notes({ run: { notes, sameAddress } }: { run: ImportRun }) {
  const sentences = importNotesWording(notes);
  if (sentences.length + sameAddress.length === 0) return null;
  const shown = sameAddress.slice(0, MOST_SHOWN);
  return (
    <ul class="small">
      {sentences.map((sentence) => (
        <li>{sentence}</li>
      ))}
      {shown.length > 0 && (
        <li>
          Properties with the address of another: {formatPageWholeNumber(sameAddress.length)}. Rows{" "}
          {shown.map(({ row, property_id }, at) => (
            <>
              {at > 0 && ", "}
              {property_id === null ? row : <a href={hrefTo(["properties", property_id])}>{row}</a>}
            </>
          ))}
          {sameAddress.length > shown.length && ", …"}
        </li>
      )}
    </ul>
  );
}

/** The records of an import or a check, and the rows that were rejected. */
function Results({ run, file }: { run: ImportRun; file: AppImportFile }) {
  const { rejected, guessed, leftOut, isDry } = run;
  const kinds = IMPORT_KINDS.filter((kind) => {
    const { created, updated, unchanged } = run.counts[kind];
    return created + updated + unchanged > 0;
  });
  const updated: SectionTableColumn<ImportKind> = {
    heading: isDry ? "Changed" : "Updated",
    isNumber: true,
    cell: (kind) => formatPageWholeNumber(run.counts[kind].updated),
  };
  const reasons = [...Map.groupBy(rejected, ({ error }) => error)];
  return (
    <ReportSection
      id="import-results"
      title={isDry ? "Result of the check" : "Imported"}
      about={isDry ? "Nothing was written." : undefined}
    >
      {kinds.length === 0 ? (
        <p class="empty">No record yet.</p>
      ) : (
        <SectionTable
          caption="Records"
          rows={kinds}
          columns={[
            { heading: "Records", cell: (kind) => KIND_NAMES[kind] },
            {
              heading: isDry ? "New" : "Created",
              isNumber: true,
              cell: (kind) => formatPageWholeNumber(run.counts[kind].created),
            },
            ...(run.changes.length > 0 ? [updated] : []),
            {
              heading: "Already exist",
              isNumber: true,
              cell: (kind) => formatPageWholeNumber(run.counts[kind].unchanged),
            },
          ]}
        />
      )}
      <Notes run={run} />
      {run.changes.length > 0 && (
        <SectionTable
          caption="Changed fields"
          rows={run.changes}
          columns={[
            {
              heading: "Field",
              cell: ({ records, field }) => `${KIND_NAMES[records as ImportKind]}: ${field}`,
            },
            { heading: "Rows", isNumber: true, cell: ({ rows }) => formatPageWholeNumber(rows) },
            { heading: "First row", isNumber: true, cell: ({ row }) => row },
            {
              heading: "First change",
              cell: ({ from, to }) => <bdi>{`${valueText(from)} → ${valueText(to)}`}</bdi>,
            },
          ]}
        />
      )}
      {guessed.length > 0 && (
        <p class="small muted">
          Guessed, since the columns above do not say what they mean:{" "}
          {guessed
            .map(
              ({ column, cell, meaning, rows }) =>
                `${cell} is ${meaning} (${column}, ${formatPageCount(rows, "row")})`,
            )
            .join("; ")}
          .
        </p>
      )}
      {leftOut.length > 0 && (
        <p class="small muted">
          Left out:{" "}
          {leftOut
            .map(({ column, reason, cells }) => `${column} (${reason}, ${formatPageCount(cells, "cell")})`)
            .join("; ")}
          .
        </p>
      )}
      <h3>
        {rejected.length === 0
          ? "No row was rejected"
          : `${formatPageCount(rejected.length, "row")} rejected`}
      </h3>
      {rejected.length > 0 && (
        <>
          <p class="buttons">
            <button type="button" class="outline" onClick={() => downloadAppRejects({ file, rejected })}>
              Download rejected rows (CSV)
            </button>
          </p>
          <SectionTable
            caption="Rejected rows"
            rows={reasons.slice(0, MOST_SHOWN)}
            columns={[
              { heading: "Error", cell: ([error]) => <bdi>{error}</bdi> },
              { heading: "Rows", isNumber: true, cell: ([, rows]) => formatPageWholeNumber(rows.length) },
              { heading: "First row", isNumber: true, cell: ([, rows]) => rows[0]!.row.number },
            ]}
          />
          {reasons.length > MOST_SHOWN && (
            <p class="small muted">The first {MOST_SHOWN} errors are shown; the file has all rows.</p>
          )}
        </>
      )}
      {!isDry && run.isDone && (
        <p>
          <a href={hrefTo(["properties"])}>Go to properties</a>
        </p>
      )}
    </ReportSection>
  );
}
