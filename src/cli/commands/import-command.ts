import { resolve } from "node:path";
import { serializeImportNotes } from "../../api-schemas/imported-rows-schema.ts";
import { clusterImportLockName, withClusterLock } from "../../cluster/cluster-locks.ts";
import { importNotesWording } from "../../domain/wording/import-notes-wording.ts";
import { embeddedKnowledge } from "../../knowledge/embedded-knowledge.ts";
import { serverDatabaseFile } from "../../server/server-data-folder.ts";
import {
  withSqliteScratchCopy,
  withSqliteScratchDatabase,
} from "../../store/sqlite/sqlite-scratch-database.ts";
import type { Store } from "../../store/store.ts";
import { createStoreWriteThrottle } from "../../store/store-write-throttle.ts";
import type { ChangedField } from "../../usecases/import/import-change-log.ts";
import type { ColumnMapping, FieldDefault } from "../../usecases/import/import-columns.ts";
import {
  IMPORT_FIELDS,
  type ImportRequest,
  type ImportResult,
  importPortfolio,
  type RowCounts,
} from "../../usecases/import/import-portfolio.ts";
import { ORIGIN } from "../../usecases/import/mapping/import-prepared-file.ts";
import {
  originalRowOfReject,
  rejectsWithOriginalPlaces,
} from "../../usecases/import/mapping/import-reject-places.ts";
import type { MappedTable, PreparedRows } from "../../usecases/import/mapping/prepare-import-rows.ts";
import { withPreparedImportFiles } from "../../usecases/import/mapping/prepared-import-files.ts";
import { requirePartner } from "../../usecases/partners/create-partner-and-credentials.ts";
import {
  choiceOption,
  defineCommand,
  NothingDone,
  repeatableOption,
  switchOption,
  textOption,
  UsageError,
  valueOption,
} from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { auditActorOfCommand, commandActorOnMachine, withCommandData } from "../command-data-access.ts";
import {
  commandLeftOutRowsText,
  confirmCommandFileMappings,
  parseValueMappingOption,
} from "../command-file-mapping.ts";
import { createTerminalProgressBar } from "../terminal/terminal-progress-bar.ts";
import { terminalRejectedRowsText, terminalRejectsRecord } from "../terminal/terminal-rejected-rows-text.ts";

const mapping = valueOption("COLUMN=FIELD", "", (typed): ColumnMapping => {
  const at = typed.lastIndexOf("=");
  const [column, field] = [typed.slice(0, at).trim(), typed.slice(at + 1).trim()];
  if (at < 0 || column === "" || field === "")
    throw new UsageError(`expected COLUMN=FIELD, got ${JSON.stringify(typed)}`);
  return { column, field };
});

const fieldDefault = valueOption("FIELD=VALUE", "", (typed): FieldDefault => {
  const at = typed.indexOf("=");
  const [field, text] = [typed.slice(0, at).trim(), typed.slice(at + 1).trim()];
  if (at < 0 || field === "" || text === "")
    throw new UsageError(`expected FIELD=VALUE, got ${JSON.stringify(typed)}`);
  return { field, text };
});

const options = {
  partner: textOption("PARTNER_ID", "the partner that owns the portfolio (required)"),
  properties: textOption("FILE", "properties, matched on property_id or partner_property_id"),
  appliances: textOption("FILE", "appliances, matched on serial within the property"),
  components: textOption(
    "FILE",
    "corrections of components, with --update; matched on component_id, or appliance and kind",
  ),
  serviceEvents: textOption("FILE", "service events, matched on appliance, component, type, date and notes"),
  claims: textOption("FILE", "claims, such as a loss run, matched on claim_number within the property"),
  file: repeatableOption(
    "FILE",
    "a CSV or XLSX file with columns of any names, which are mapped to fields, or a COBie or BuildingSync file; can be repeated. The mapping is shown before it is used",
  ),
  mapping: textOption(
    "FILE",
    "keeps the mapping of --file, and uses it again for files with the same columns",
  ),
  mapValues: {
    ...valueOption("'FIELD VALUE=VALUE,…'", "", parseValueMappingOption),
    description: "what the cells of a field in --file mean, such as 'condition_after 5=good,3=fair,1=poor'",
    absent: [],
    repeated: true,
  },
  dates: choiceOption(
    ["MM/DD/YYYY", "DD/MM/YYYY"],
    "how dates of --file are read that may have the month or the day first",
  ),
  yes: switchOption("use the mapping of --file without asking"),
  rejects: textOption("DIR", "folder for rejected rows, with line and error (default: ./rejects)"),
  dryRun: switchOption(
    "validate on a copy of the data; writes nothing but rejected rows, to --rejects if given",
  ),
  map: {
    ...mapping,
    description: "read FIELD from the column with this heading; can be repeated",
    absent: [],
    repeated: true,
  },
  default: {
    ...fieldDefault,
    description: "value of FIELD if the cell is empty or the column is missing; can be repeated",
    absent: [],
    repeated: true,
  },
  update: switchOption(
    "update existing records from the rows and report the changes; empty cells change nothing",
  ),
  noWebhooks: switchOption("send no webhooks, for historical data (the event stream still has all events)"),
} as const;

/** `mainstay import`. Exits 0 even if some rows are rejected, and 3 if all are. */
export const importCommand = defineCommand({
  description: [
    "Adds new records and leaves existing ones unchanged, so a repeated import adds nothing and an interrupted one " +
      "is completed by running it again. The server may be running. Only one import per partner can run at a time; " +
      "the error names the user, machine and start time of the other.",
    "Rejected rows are written to DIR with the same columns, the line and the error. Fix them and import that file. " +
      "The exit code is 3 if every row was rejected. An appliance without a serial matches an existing one without a " +
      "serial that has the same type, year, brand, model and unit.",
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
    { partner: partnerId, dryRun, map, default: defaults, update, noWebhooks, rejects, ...given },
  ) {
    const { file: named, mapping: mappingFile, mapValues, dates, yes, ...files } = given;
    const source = (path: string | undefined) =>
      path === undefined ? undefined : { path: resolve(context.cwd, path) };
    const sources = {
      properties: source(files.properties),
      appliances: source(files.appliances),
      components: source(files.components),
      serviceEvents: source(files.serviceEvents),
      claims: source(files.claims),
    };
    if (partnerId === undefined)
      throw new UsageError("--partner is required", "`mainstay partner list` shows the IDs.");
    const isMapped = named.length > 0;
    if (isMapped && Object.values(sources).some(Boolean))
      throw new UsageError(
        "--file cannot be combined with files of the importer's own columns",
        "Pass those with --file too, and corrected rejects in a run of their own.",
      );
    if (!isMapped && (mappingFile !== undefined || mapValues.length > 0 || dates !== undefined || yes))
      throw new UsageError("--mapping, --map-values, --dates and --yes need --file");
    if (!isMapped && !Object.values(sources).some(Boolean))
      throw new UsageError(
        "no file to import",
        "Specify --file, or at least one of --properties, --appliances, --components, --service-events and --claims.",
      );
    const { mapped, leftOut: unread } = isMapped
      ? await confirmCommandFileMappings(context, {
          files: named,
          mapping: mappingFile,
          map,
          defaults,
          mapValues,
          dates,
          yes,
        })
      : { mapped: [], leftOut: [] };
    const bar = createTerminalProgressBar(context.isTty && !context.json, context.columns);
    const lock = {
      name: clusterImportLockName(partnerId),
      owner: commandActorOnMachine(context),
      activity: `an import for ${partnerId} is in progress`,
    };
    const { types } = embeddedKnowledge(context.config.costs);
    const importFrom = async (store: Store, from: ImportRequest["sources"]) =>
      await importPortfolio({
        store,
        knowledge: embeddedKnowledge(context.config.costs),
        partner: await requirePartner(store, partnerId),
        sources: from,
        mappings: isMapped ? [] : map,
        defaults: isMapped ? [] : defaults,
        update,
        isDryRun: dryRun,
        silent: noWebhooks,
        actor: auditActorOfCommand(context),
        ...(isMapped && { placeOf: originalRowOfReject }),
        rejectsFolder:
          dryRun && rejects === undefined ? undefined : resolve(context.cwd, rejects ?? "rejects"),
        clock: context.now,
        yieldNow: context.betweenSteps(createStoreWriteThrottle(store, context.now)),
        ...(!dryRun && { withLock: (work) => withClusterLock(store, lock, work) }),
        onProgress: ({ kind, done, rows }) => bar.show(kind, done, rows),
      });
    const run = async (store: Store): Promise<Done> =>
      isMapped
        ? await withPreparedImportFiles(
            { read: store.read, partnerId, types, yieldNow: async () => {} },
            mapped,
            async ({ sources: from, leftOut }) => ({
              ...inOriginals(await importFrom(store, from), mapped),
              leftOut: [...unread, ...leftOut],
            }),
          )
        : { ...(await importFrom(store, sources)), leftOut: [] };
    try {
      const result = await withCommandData(context, ({ store }) =>
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

/** Runs a dry run on a copy, made while the data folder is open, so that it exists and its schema is current. */
async function onCopy<T>(
  { config, now, random }: CommandContext,
  partnerId: string,
  run: (store: Store) => Promise<T>,
): Promise<T> {
  const { dataDir, url } = config.storage;
  const options = { clock: now, random };
  if (url === "") return await withSqliteScratchCopy(serverDatabaseFile(dataDir), options, run);
  const { copyPostgresRowsToSqliteFile } = await import(
    "../../store/postgres/copy-postgres-rows-to-sqlite-file.ts"
  );
  return await withSqliteScratchDatabase(
    dataDir,
    (file) => copyPostgresRowsToSqliteFile(file, url, partnerId, now()),
    options,
    run,
  );
}

type Done = ImportResult & Pick<PreparedRows, "leftOut">;

/** Returns the result of prepared files in terms of the originals: without their own column, and with the rows of people. */
const inOriginals = (result: ImportResult, mapped: readonly MappedTable[]): ImportResult => ({
  ...result,
  warnings: result.warnings.filter((warning) => !warning.endsWith(`: ${ORIGIN}`)),
  rejects: result.rejects.map((rejects) => rejectsWithOriginalPlaces(rejects, mapped)),
});

function report({ json, stderr, print }: CommandContext, result: Done, dryRun: boolean): void {
  const { properties, appliances, components, serviceEvents, claims, notes, rejected, durationMs } = result;
  const { sameAddress } = result;
  if (!json)
    stderr.write(
      problems(result)
        .map((line) => `${line}\n`)
        .join(""),
    );
  print(
    {
      properties,
      appliances,
      components,
      service_events: serviceEvents,
      claims,
      ...serializeImportNotes(notes),
      same_address: {
        properties: sameAddress.properties,
        first: sameAddress.first.map(({ line, propertyId, firstId, firstLine }) => ({
          line,
          property_id: propertyId,
          first_property_id: firstId,
          first_line: firstLine,
        })),
      },
      rejected,
      rejects: result.rejects.map(terminalRejectsRecord),
      changes: result.changes,
      warnings: result.warnings,
      left_out: result.leftOut,
      dry_run: dryRun,
      duration_ms: durationMs,
    },
    [
      dryRun ? "Dry run: nothing was written. Expected result:" : "Imported:",
      countsLine("properties", properties),
      `${countsLine("appliances", appliances)}  (${components.created} components)`,
      ...(components.read > 0 ? [countsLine("components", { ...components, created: 0 })] : []),
      countsLine("service events", serviceEvents),
      countsLine("claims", claims),
      ...importNotesWording(notes),
      ...sameAddressLines(result),
      ...result.changes.map(changeLine),
      ...commandLeftOutRowsText(result.leftOut),
      `${rejected} rows rejected (${(durationMs / 1000).toFixed(1)} s).`,
    ].join("\n"),
  );
}

function problems({ warnings, rejects }: ImportResult): string[] {
  return [...warnings, ...rejects.map((reject) => terminalRejectedRowsText(reject))];
}

function sameAddressLines({ sameAddress: { properties, first } }: ImportResult): string[] {
  if (properties === 0) return [];
  const more = properties > first.length ? [`  … and ${properties - first.length} more`] : [];
  const lines = first.map(({ line, propertyId, firstId, firstLine }) =>
    propertyId === null || firstId === null
      ? `  line ${line}: that of ${firstId ?? `line ${firstLine}`}`
      : `  line ${line}: if ${propertyId} is ${firstId}, run: mainstay property merge ${firstId} ${propertyId}`,
  );
  const have = properties === 1 ? "1 property has" : `${properties} properties have`;
  return [`${have} the address of another property:`, ...lines, ...more];
}

function changeLine({ kind, field, rows, line, from, to }: ChangedField): string {
  const shown = (value: unknown) => (value === null ? "empty" : JSON.stringify(value));
  const which = rows === 1 ? `line ${line}` : `${rows} rows (first: line ${line})`;
  return `  ${kind} ${field}: ${which}, from ${shown(from)} to ${shown(to)}`;
}

const imported = ({ properties, appliances, components, serviceEvents, claims }: ImportResult) =>
  [properties, appliances, { ...components, created: 0 }, serviceEvents, claims].reduce(
    (sum, { created, updated, unchanged }) => sum + created + updated + unchanged,
    0,
  );

function countsLine(name: string, { read, created, updated, unchanged }: RowCounts): string {
  const column = (count: number) => String(count).padStart(9);
  return `${name.padEnd(15)}${column(read)} read${column(created)} created${updated > 0 ? `${column(updated)} updated` : ""}${column(unchanged)} unchanged`;
}
