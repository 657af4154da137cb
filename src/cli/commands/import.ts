import { resolve } from "node:path";
import { databaseFile } from "../../app/data-folder.ts";
import { loadKnowledge } from "../../knowledge/load.ts";
import { withScratch, withScratchCopy } from "../../store/sqlite/scratch-copy.ts";
import type { Store } from "../../store/store.ts";
import { courteousPause } from "../../usecases/courtesy.ts";
import type { ChangedField } from "../../usecases/import/changes.ts";
import type { ColumnMapping, FieldDefault } from "../../usecases/import/columns.ts";
import type { RejectReason, Rejects } from "../../usecases/import/rejects.ts";
import {
  IMPORT_FIELDS,
  type ImportResult,
  importPortfolio,
  type RowCounts,
} from "../../usecases/import-portfolio.ts";
import { requirePartner } from "../../usecases/partners.ts";
import { importTurn, inTurn } from "../../usecases/turns.ts";
import { command, flag, NothingDone, text, UsageError, value } from "../command.ts";
import type { Context } from "../context.ts";
import { actorOf, whoRuns, withData } from "../data.ts";
import { progressBar } from "../terminal/progress-bar.ts";

const mapping = value("COLUMN=FIELD", "", (typed): ColumnMapping => {
  const at = typed.lastIndexOf("=");
  const [column, field] = [typed.slice(0, at).trim(), typed.slice(at + 1).trim()];
  if (at < 0 || column === "" || field === "")
    throw new UsageError(`expected COLUMN=FIELD, got ${JSON.stringify(typed)}`);
  return { column, field };
});

const fieldDefault = value("FIELD=VALUE", "", (typed): FieldDefault => {
  const at = typed.indexOf("=");
  const [field, text] = [typed.slice(0, at).trim(), typed.slice(at + 1).trim()];
  if (at < 0 || field === "" || text === "")
    throw new UsageError(`expected FIELD=VALUE, got ${JSON.stringify(typed)}`);
  return { field, text };
});

const options = {
  partner: text("PARTNER_ID", "whose portfolio it becomes"),
  properties: text("FILE", "properties, matched on partner_property_id"),
  appliances: text("FILE", "appliances, matched on serial within the property"),
  serviceEvents: text("FILE", "service events, matched on appliance, component, type, date and notes"),
  rejects: text("DIR", "folder for the rows that are wrong, with line and error (default: ./rejects)"),
  dryRun: flag("check everything on a copy of the data and write nothing, but rejected rows to --rejects"),
  map: {
    ...mapping,
    description: "the column of that heading holds the field; may be given several times",
    absent: [],
    repeated: true,
  },
  default: {
    ...fieldDefault,
    description: "what the field holds where its cell is empty or has no column; may be given several times",
    absent: [],
    repeated: true,
  },
  update: flag(
    "make what is there agree with the rows, and say what was changed; empty cells change nothing",
  ),
  noWebhooks: flag("for history: tell the partner's receiver nothing (the event stream has it all the same)"),
} as const;

/** `mainstay import`. Rejected rows are part of a finished import: the exit code is 0, unless all were rejected. */
export const importCommand = command({
  description: [
    "Adds what is not there yet and leaves the rest as it is: the same import again adds nothing, and one that was " +
      "cut short is finished by running it again. The server may run at the same time, another import for the " +
      "partner may not: the second is refused, and told who makes the first.",
    "Rows that are wrong are written to DIR with the same columns, the line and the error; once mended, that file " +
      "is imported like any other. When every row was rejected, the exit code is 3. An appliance without a serial is matched with one that has none either and the " +
      "same type, year, brand, model and unit.",
    "",
    ...Object.entries(IMPORT_FIELDS).map(([kind, fields]) => `Columns of ${kind}: ${fields.join(", ")}.`),
  ].join("\n"),
  options,
  examples: [
    "mainstay import --partner PARTNER_… --properties properties.csv --appliances appliances.csv",
    "mainstay import --partner PARTNER_… --service-events visits.csv --map 'Visit Date=date' --dry-run",
  ],
  async run(
    context,
    _arguments,
    { partner: partnerId, dryRun, map, default: defaults, update, noWebhooks, rejects, ...files },
  ) {
    const source = (path: string | undefined) =>
      path === undefined ? undefined : { path: resolve(context.cwd, path) };
    const sources = {
      properties: source(files.properties),
      appliances: source(files.appliances),
      serviceEvents: source(files.serviceEvents),
    };
    if (partnerId === undefined)
      throw new UsageError("--partner is missing", "`mainstay partner list` shows the ids.");
    if (!Object.values(sources).some(Boolean))
      throw new UsageError(
        "no file to import",
        "Name one or more: --properties, --appliances, --service-events.",
      );
    const bar = progressBar(context.isTty && !context.json, context.columns);
    const turn = {
      ...{ name: importTurn(partnerId), by: whoRuns(context) },
      what: `an import for ${partnerId} is under way`,
    };
    const run = async (store: Store) =>
      await importPortfolio({
        store,
        knowledge: loadKnowledge(),
        partner: await requirePartner(store, partnerId),
        sources,
        mappings: map,
        defaults,
        update,
        silent: noWebhooks,
        actor: actorOf(context),
        rejectsFolder:
          dryRun && rejects === undefined ? undefined : resolve(context.cwd, rejects ?? "rejects"),
        clock: context.now,
        pause: courteousPause(store, context.now),
        ...(!dryRun && { inTurn: (work) => inTurn(store, turn, work) }),
        onProgress: ({ kind, done, rows }) => bar.show(kind, done, rows),
      });
    try {
      const result = await withData(context, ({ store }) =>
        dryRun ? onCopy(context, partnerId, run) : run(store),
      );
      bar.stop();
      report(context, result, dryRun);
      if (result.rejected > 0 && imported(result) === 0) throw new NothingDone("every row was rejected");
    } finally {
      bar.stop();
    }
  },
});

/** The copy is made while the data folder is open, so that it is there and up to date. */
async function onCopy<T>(
  { config, now, random }: Context,
  partnerId: string,
  run: (store: Store) => Promise<T>,
): Promise<T> {
  const { dataDir, url } = config.storage;
  const options = { clock: now, random };
  if (url === "") return await withScratchCopy(databaseFile(dataDir), options, run);
  const { copyPortfolioTo } = await import("../../store/postgres/portfolio-copy.ts");
  return await withScratch(dataDir, (file) => copyPortfolioTo(file, url, partnerId, now()), options, run);
}

function report({ json, stderr, print }: Context, result: ImportResult, dryRun: boolean): void {
  const { properties, appliances, components, serviceEvents, rejected, durationMs } = result;
  if (!json)
    stderr.write(
      complaints(result)
        .map((line) => `${line}\n`)
        .join(""),
    );
  print(
    {
      properties,
      appliances,
      components,
      service_events: serviceEvents,
      rejected,
      rejects: result.rejects.map(rejectsRecord),
      changes: result.changes,
      warnings: result.warnings,
      dry_run: dryRun,
      duration_ms: durationMs,
    },
    [
      dryRun ? "Dry run: nothing was written. An import would come to this:" : "Imported:",
      countsLine("properties", properties),
      `${countsLine("appliances", appliances)}  (${components.created} components)`,
      countsLine("service events", serviceEvents),
      ...result.changes.map(changeLine),
      `${rejected} rows rejected (${(durationMs / 1000).toFixed(1)} s).`,
    ].join("\n"),
  );
}

/** What the operator should look at. */
function complaints({ warnings, rejects }: ImportResult): string[] {
  return [...warnings, ...rejects.map((one) => rejectsText(one))];
}

function rejectsText({ file, rows, path, reasons, otherRows }: Rejects): string {
  const where = path === null ? "" : `; they are in ${path}`;
  const shown = reasons.slice(0, REASONS_SHOWN);
  const others = reasons.slice(REASONS_SHOWN).reduce((sum, reason) => sum + reason.rows, otherRows);
  return [
    `${file}: ${rows} rows rejected${where}`,
    ...shown.map((reason) => `  ${reasonText(reason)}`),
    ...(others > 0 ? [`  and ${others} more for other reasons`] : []),
  ].join("\n");
}

/** So many reasons are shown of each file; the file of rejected rows has all. */
const REASONS_SHOWN = 3;

function reasonText({ error, rows, firstLine }: RejectReason): string {
  if (rows === 1) return `line ${firstLine}: ${error}`;
  const absent = /^(\w+) is required$/.exec(error)?.[1];
  const remedy = absent === undefined ? "" : `; mend them, or give a default: --default ${absent}=VALUE`;
  return `${rows} rows, the first line ${firstLine}: ${error}${remedy}`;
}

function changeLine({ kind, field, rows, line, from, to }: ChangedField): string {
  const shown = (value: unknown) => (value === null ? "nothing" : JSON.stringify(value));
  const which = rows === 1 ? `line ${line}` : `${rows} rows, the first line ${line}`;
  return `  ${kind} ${field}: ${which}, from ${shown(from)} to ${shown(to)}`;
}

const imported = ({ properties, appliances, serviceEvents }: ImportResult) =>
  [properties, appliances, serviceEvents].reduce(
    (sum, { created, updated, unchanged }) => sum + created + updated + unchanged,
    0,
  );

const rejectsRecord = ({ kind, file, rows, path, first, reasons, otherRows }: Rejects) => ({
  kind,
  file,
  rows,
  path,
  first,
  reasons: reasons.map(({ error, rows, firstLine }) => ({ error, rows, first_line: firstLine })),
  other_rows: otherRows,
});

function countsLine(name: string, { read, created, updated, unchanged }: RowCounts): string {
  const column = (count: number) => String(count).padStart(9);
  return `${name.padEnd(15)}${column(read)} read${column(created)} created${updated > 0 ? `${column(updated)} updated` : ""}${column(unchanged)} unchanged`;
}
