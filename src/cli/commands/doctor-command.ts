import { ConfigError } from "../../config/config-error.ts";
import { FROM_BACKUP } from "../../doctor/diagnose-database.ts";
import { diagnoseInstallation } from "../../doctor/diagnose-installation.ts";
import {
  type DoctorCheckResult,
  type DoctorFinding,
  failedDoctorFinding,
  okDoctorFinding,
  warningDoctorFinding,
} from "../../doctor/doctor-check.ts";
import { OperatorError } from "../../domain/errors.ts";
import { embeddedKnowledge } from "../../knowledge/embedded-knowledge.ts";
import { serverDatabaseFile } from "../../server/server-data-folder.ts";
import { findSqlitePageProblems } from "../../store/sqlite/inspect-sqlite-database.ts";
import type { DerivedData } from "../../usecases/recalculation/recount-derived-data.ts";
import { defineCommand, switchOption, UsageError } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { withCommandData } from "../command-data-access.ts";
import { commandConfigurationText, requireCommandInstallation } from "../command-installation.ts";
import { terminalSentenceCase } from "../terminal/terminal-block-text.ts";
import { wrapTerminalText } from "../terminal/terminal-table.ts";

export const doctorCommand = defineCommand({
  description:
    "Works with or without a running server, and changes nothing without --repair. Exits 1 if a check fails; warnings alone exit 0. " +
    "Connects to webhook endpoints without sending anything.",
  options: {
    full: switchOption(
      "also compare every index entry with its row, and recount all sums, counters and copied columns (slower)",
    ),
    repair: switchOption("with --full, correct sums, counters and copied columns that are wrong"),
    pages: switchOption("only verify the database's pages, as a server does after its start"),
  },
  examples: ["mainstay doctor", "mainstay doctor --json --full", "mainstay doctor --full --repair"],
  async run(context, _arguments, { full, pages, repair }) {
    if (repair && !full) throw new UsageError("--repair requires --full");
    if (pages) return await checkPages(context);
    const checks = await allChecks(context, full ? "full" : "quick");
    const derived = full ? await recount(context, checks, repair) : undefined;
    if (derived) checks.push(derived.check);
    const count = (status: DoctorCheckResult["status"]) =>
      checks.filter((check) => check.status === status).length;
    const [failed, warned] = [count("fail"), count("warn")];
    context.print(
      { ok: failed === 0, failed, warned, checks, ...(derived?.wrong && { wrong_rows: derived.wrong }) },
      [
        ...checks.map((check) => resultText(check, context.tableWidth)),
        "",
        `${count("ok")} passed, ${warned} ${warned === 1 ? "warning" : "warnings"}, ${failed} failed`,
      ].join("\n"),
    );
    if (failed > 0)
      throw new OperatorError(
        `${failed} of ${checks.length} checks failed`,
        "See the remedy under each failed check.",
      );
  },
});

/** Recounts what is derived from other data, unless the database cannot be read or has another schema. */
async function recount(
  context: CommandContext,
  checks: readonly DoctorCheckResult[],
  isRepairing: boolean,
): Promise<{ check: DoctorCheckResult; wrong?: DerivedData } | undefined> {
  const isUsable = ["database", "schema"].every((name) =>
    checks.some((check) => check.name === name && check.status === "ok"),
  );
  if (!isUsable) return undefined;
  const { createStoreWriteThrottle } = await import("../../store/store-write-throttle.ts");
  const { recountDerivedData } = await import("../../usecases/recalculation/recount-derived-data.ts");
  const { snapshotIsScoredByModel } = await import("../../usecases/snapshot/score-snapshot-properties.ts");
  const name = "derived_data";
  const knowledge = embeddedKnowledge(context.config.costs);
  try {
    return await withCommandData(context, async ({ store }) => {
      const latest = await store.read.snapshots.latestFinished();
      // Until then the sums are those of the older model's costs.
      if (latest && !snapshotIsScoredByModel(latest, knowledge) && !isRepairing) {
        const detail = `not recounted: the next snapshot recalculates all sums for model ${knowledge.modelVersion}`;
        const remedy = "Run `mainstay doctor --full` again after the next snapshot.";
        return { check: { name, ...warningDoctorFinding(detail, remedy) } };
      }
      const isRecalculating = async () => (await store.read.recalculations.all()).length > 0;
      const wasRecalculating = await isRecalculating();
      const yieldNow = createStoreWriteThrottle(store, context.now);
      const wrong = await recountDerivedData({ store, knowledge, clock: context.now, yieldNow }, isRepairing);
      const isWrong = Object.values(wrong).some((rows) => rows > 0);
      if (isWrong && !isRepairing && (wasRecalculating || (await isRecalculating()))) {
        const detail = "uncertain: sums are being recalculated after a change of costs";
        const remedy =
          "Run `mainstay doctor --full` again in a few minutes: a running server recalculates them.";
        return { check: { name, ...warningDoctorFinding(detail, remedy) } };
      }
      return { check: { name, ...derivedDataFinding(wrong, isRepairing) }, wrong };
    });
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string };
    return { check: { name, ...failedDoctorFinding(message, hint ?? "See the other checks.") } };
  }
}

function derivedDataFinding(wrong: DerivedData, isRepaired: boolean): DoctorFinding {
  const found = Object.entries(wrong).filter(([, rows]) => rows > 0);
  if (found.length === 0)
    return okDoctorFinding("all sums, counters and copied columns agree with their data");
  const rows = found.map(([what, count]) => `${what} ${count}`).join(", ");
  if (isRepaired) return okDoctorFinding(`wrong rows corrected: ${rows}`);
  return failedDoctorFinding(
    `wrong rows: ${rows}`,
    "Run `mainstay doctor --full --repair`, also beside a running server, which corrects them.",
  );
}

async function checkPages(context: CommandContext): Promise<void> {
  requireCommandInstallation(context);
  if (context.config.storage.url !== "")
    throw new OperatorError(
      "--pages is not supported with PostgreSQL",
      "Use pg_amcheck to verify the database; `mainstay doctor` runs all other checks.",
    );
  context.lowerPriority();
  const file = serverDatabaseFile(context.config.storage.dataDir);
  const problems = await findSqlitePageProblems(file, () => Bun.sleep(0));
  const found = problems.length === 0 ? `${file} passed the page check.` : problems.join("\n");
  context.print({ ok: problems.length === 0, problems }, found);
  if (problems.length > 0) throw new OperatorError(`${file} is damaged`, FROM_BACKUP);
}

async function allChecks(context: CommandContext, depth: "quick" | "full"): Promise<DoctorCheckResult[]> {
  try {
    const { config, env } = context;
    const { modelVersion } = embeddedKnowledge();
    return await diagnoseInstallation({
      config,
      databaseFile: serverDatabaseFile(config.storage.dataDir),
      env,
      now: context.now(),
      depth,
      modelVersion,
      configuration: commandConfigurationText(context),
    });
  } catch (error) {
    // Without valid settings no other check can run.
    if (!(error instanceof ConfigError)) throw error;
    return [{ name: "configuration", status: "fail", detail: error.message, remedy: error.hint ?? null }];
  }
}

const LABELS = { ok: "OK       ", warn: "Warning  ", fail: "Failed   " };
const NAMES: Readonly<Record<string, string>> = {
  wal: "Write-ahead log",
  tls_certificate: "TLS certificate",
  webhook_receiver: "Webhook endpoint",
};

function resultText({ name, status, detail, remedy }: DoctorCheckResult, width: number): string {
  const [kind, of] = name.split(":") as [string, string?];
  const title = [NAMES[kind] ?? terminalSentenceCase(kind), ...(of === undefined ? [] : [of])].join(" ");
  const indent = " ".repeat(LABELS.ok.length);
  return [
    wrapTerminalText(`${title}: ${detail}`, width, LABELS[status]),
    ...(remedy === null ? [] : [wrapTerminalText(remedy, width, indent)]),
  ].join("\n");
}
