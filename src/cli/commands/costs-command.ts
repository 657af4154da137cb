import { resolve } from "node:path";
import { serializeCostHistory } from "../../api-schemas/cost-history-schema.ts";
import { mergeCostLines } from "../../domain/costs/cost-book-lines.ts";
import { costLineFromHistory } from "../../domain/costs/cost-history.ts";
import type { CostLine } from "../../domain/costs/cost-line.ts";
import { dayOf } from "../../domain/time.ts";
import { embeddedKnowledge } from "../../knowledge/embedded-knowledge.ts";
import type { Store } from "../../store/store.ts";
import { createStoreWriteThrottle } from "../../store/store-write-throttle.ts";
import { loadReplacementCostHistory } from "../../usecases/costs/load-cost-history.ts";
import { loadPartnerPrices } from "../../usecases/costs/load-partner-prices.ts";
import { COST_COLUMNS, readCostBookFile } from "../../usecases/costs/read-cost-book-file.ts";
import { replaceCostBook } from "../../usecases/costs/replace-cost-book.ts";
import { requirePartner } from "../../usecases/partners/create-partner-and-credentials.ts";
import { writePortfolio } from "../../usecases/portfolio/portfolio-writer.ts";
import {
  defineCommand,
  NothingDone,
  optionalCommandArgument,
  switchOption,
  textOption,
  UsageError,
} from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { auditActorOfCommand, withCommandData } from "../command-data-access.ts";
import { terminalCostHistoryText } from "../terminal/terminal-cost-history-text.ts";
import { terminalRejectedRowsText, terminalRejectsRecord } from "../terminal/terminal-rejected-rows-text.ts";

const IMPORT_USAGE = "Run `mainstay costs import FILE --partner ID`.";

/** `mainstay costs`, and `mainstay costs import`, which exits with 3 if every row is rejected. */
export const costsCommand = defineCommand({
  description: [
    "Shows for each component and appliance type with at least 5 Replacements with a cost in the last 60 months the " +
      "median cost of the planned ones and of those within 60 days after an Emergency Repair, beside the costs in use there. Demo properties are left out. " +
      "With --apply, the medians become lines of the partner's cost book; a line that the partner has entered itself " +
      "still comes first. Without it nothing changes.",
    "",
    "`costs import FILE` adds the lines of a CSV file to the cost book; a line replaces the one for the same type, " +
      "component, state, size and basis. Rejected rows are written to DIR with the line and the error.",
    `Columns: ${COST_COLUMNS.join(", ")}. type_id and a cost are required; an empty component_def_id means the whole ` +
      "unit, an empty state all states, an empty as_of today.",
  ].join("\n"),
  arguments: {
    action: optionalCommandArgument("`import` to import a file"),
    file: optionalCommandArgument("the CSV file to import"),
  },
  options: {
    partner: textOption("PARTNER_ID", "the partner that owns the cost book (required)"),
    apply: switchOption("save the medians to the cost book"),
    replace: switchOption("with import: remove the lines that the file does not have"),
    dryRun: switchOption(
      "with import: only check the file; writes nothing but rejected rows, to --rejects if given",
    ),
    rejects: textOption("DIR", "with import: folder for rejected rows (default: ./rejects)"),
  },
  examples: [
    "mainstay costs --partner PARTNER_…",
    "mainstay costs --partner PARTNER_… --apply",
    "mainstay costs import costs.csv --partner PARTNER_… --dry-run",
  ],
  async run(context, { action, file }, { partner, apply, replace, dryRun, rejects }) {
    if (partner === undefined)
      throw new UsageError("--partner is required", "`mainstay partner list` shows the IDs.");
    if (action === undefined) {
      if (replace || dryRun || rejects !== undefined)
        throw new UsageError("--replace, --dry-run and --rejects need a file", IMPORT_USAGE);
      await showHistory(context, partner, apply);
      return;
    }
    if (action !== "import")
      throw new UsageError(`expected import, got ${JSON.stringify(action)}`, IMPORT_USAGE);
    if (file === undefined) throw new UsageError("no file to import", IMPORT_USAGE);
    if (apply)
      throw new UsageError(
        "--apply has no effect on an import",
        "Run `mainstay costs --partner ID --apply` without a file.",
      );
    await importFile(context, partner, file, { replace, dryRun, rejects });
  },
});

async function showHistory(context: CommandContext, partnerId: string, apply: boolean): Promise<void> {
  const knowledge = embeddedKnowledge(context.config.costs);
  const today = dayOf(context.now());
  const result = await withCommandData(context, async ({ store }) => {
    const partner = await requirePartner(store, partnerId);
    const prices = await loadPartnerPrices(store.read, knowledge, partner);
    const kinds = await loadReplacementCostHistory(
      store,
      partner.id,
      prices,
      today,
      context.betweenSteps(async () => {}),
    );
    const lines = kinds.map((kind) => costLineFromHistory(kind, today));
    const saved = apply && lines.length > 0 ? await addLines(context, store, partnerId, lines) : undefined;
    return { kinds, saved };
  });
  const view = serializeCostHistory(
    partnerId,
    today,
    result.kinds,
    apply ? (result.saved ?? NOTHING_SAVED) : null,
  );
  context.print(view, terminalCostHistoryText(view, context));
}

const NOTHING_SAVED = { changes: 0, recalculating: false };

async function importFile(
  context: CommandContext,
  partnerId: string,
  file: string,
  { replace, dryRun, rejects }: { replace: boolean; dryRun: boolean; rejects: string | undefined },
): Promise<void> {
  const read = await readCostBookFile(
    { path: resolve(context.cwd, file) },
    {
      knowledge: embeddedKnowledge(context.config.costs),
      today: dayOf(context.now()),
      rejectsFolder: dryRun && rejects === undefined ? undefined : resolve(context.cwd, rejects ?? "rejects"),
    },
  );
  const { lines, warnings } = read;
  // The lines of rejected rows would be removed.
  const refuses = replace && read.rejects !== undefined;
  const saved = await withCommandData(context, async ({ store }) => {
    await requirePartner(store, partnerId);
    return dryRun || refuses || lines.length === 0
      ? NOTHING_SAVED
      : addLines(context, store, partnerId, lines, replace);
  });
  const { rejects: rejected } = read;
  if (!context.json)
    for (const line of [...warnings, ...(rejected ? [terminalRejectedRowsText(rejected)] : [])])
      context.stderr.write(`${line}\n`);
  const { changes, recalculating } = saved;
  context.print(
    {
      partner_id: partnerId,
      read: read.read,
      lines: lines.length,
      changes,
      rejected: rejected?.rows ?? 0,
      rejects: rejected ? [terminalRejectsRecord(rejected)] : [],
      warnings,
      recalculating,
      dry_run: dryRun,
    },
    [
      dryRun ? "Dry run: nothing was written." : `${changes} lines of the cost book changed.`,
      `${read.read} rows read, ${lines.length} lines, ${rejected?.rows ?? 0} rows rejected.`,
      ...(recalculating ? [RECALCULATING] : []),
    ].join("\n"),
  );
  if (rejected && lines.length === 0) throw new NothingDone("every row was rejected");
  if (refuses)
    throw new NothingDone(
      "nothing was replaced, since rows were rejected",
      "Fix the rows, or omit --replace.",
    );
}

const RECALCULATING = "A running server recalculates the sums of this portfolio in the background.";

async function addLines(
  context: CommandContext,
  store: Store,
  partnerId: string,
  lines: readonly CostLine[],
  replace = false,
): Promise<{ changes: number; recalculating: boolean }> {
  const partner = await requirePartner(store, partnerId);
  await createStoreWriteThrottle(store, context.now)();
  return await writePortfolio(store.write, embeddedKnowledge(context.config.costs), partner, (writer) =>
    replaceCostBook(writer, auditActorOfCommand(context), (book) =>
      replace ? lines : mergeCostLines(book, lines),
    ),
  );
}
