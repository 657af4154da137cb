import { resolve } from "node:path";
import { serializeCalibration, serializeValidation } from "../../api-schemas/calibration-schema.ts";
import { serializeModelCheck, serializeModelVersion } from "../../api-schemas/model-schema.ts";
import type { Calibration } from "../../domain/calibration/calibration.ts";
import { OperatorError } from "../../domain/errors.ts";
import { dayOf } from "../../domain/time.ts";
import { replaceFile } from "../../files/durable-files.ts";
import { embeddedKnowledge } from "../../knowledge/embedded-knowledge.ts";
import { FIT_LOCK } from "../../server/server-child-process.ts";
import type { DataFolder } from "../../server/server-data-folder.ts";
import { createStoreWriteThrottle } from "../../store/store-write-throttle.ts";
import {
  type ModelAdministration,
  revertModel,
  storeAndActivateCalibration,
  storeProposedFit,
} from "../../usecases/calibration/apply-or-revert-calibration.ts";
import { calibrateModel } from "../../usecases/calibration/calibrate.ts";
import { type FitLock, withCalibrationLock } from "../../usecases/calibration/calibration-runs.ts";
import { checkActiveCalibrationModel } from "../../usecases/calibration/check-active-calibration.ts";
import { loadActiveModelVersion } from "../../usecases/calibration/load-active-model.ts";
import { renderCalibrationReportPage } from "../../web/calibration/calibration-report-page.ts";
import { defineCommand, switchOption, textOption, UsageError } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { auditActorOfCommand, commandActorOnMachine, withCommandData } from "../command-data-access.ts";
import { dayOption } from "../command-option-values.ts";
import { calibrateCommandText, terminalCalibrationReport } from "../terminal/calibrate-command-text.ts";
import { terminalTable } from "../terminal/terminal-table.ts";
import { terminalMinuteText } from "../terminal/terminal-time-text.ts";
import { yieldCollectingGarbageInCommand } from "../yield-collecting-garbage-in-command.ts";

export const calibrateCommand = defineCommand({
  description:
    "Calibrates component lifetimes, appliance frailty and the strength of evidence to recorded failures, and validates " +
    "the result on the past year. Changes nothing without --apply or --keep. The server may be running.",
  options: {
    apply: switchOption("activate the calibration (requires a proven improvement)"),
    keep: switchOption("save the calibration with its validation, for review and activation in the console"),
    force: switchOption("with --apply: activate even if unproven (the version is permanently flagged)"),
    revert: switchOption("reactivate the previous model"),
    list: switchOption("list the model versions with their validation"),
    check: switchOption(
      "check that the active model still forecasts better than the default model (monthly on the server)",
    ),
    asOf: dayOption("ignore events after this date (default: today)"),
    report: textOption("FILE.html", "write the report with charts to an HTML file"),
  },
  examples: [
    "mainstay calibrate --report calibration.html",
    "mainstay calibrate --apply",
    "mainstay calibrate --revert",
  ],
  async run(context, _arguments, options) {
    const { apply, keep, force, revert, list, check, asOf, report } = options;
    const acts = Object.entries({ apply, keep, revert, list, check }).filter(([, given]) => given);
    if (acts.length > 1)
      throw new UsageError(`--${acts[0]![0]} and --${acts[1]![0]} cannot be used together`);
    if (force && !apply) throw new UsageError("--force requires --apply");
    if (asOf !== undefined && acts.length > 0)
      throw new UsageError(`--as-of and --${acts[0]![0]} cannot be used together`);
    if (report !== undefined && (revert || list || check))
      throw new UsageError(`--report and --${acts[0]![0]} cannot be used together`);
    const run = async ({ store }: DataFolder) => {
      const deps: ModelAdministration = {
        store,
        knowledge: embeddedKnowledge(context.config.costs),
        actor: auditActorOfCommand(context),
        yieldNow: yieldCollectingGarbageInCommand(createStoreWriteThrottle(store, context.now)),
        monotonicMs: () => performance.now(),
      };
      if (list) return await printVersions(context, deps);
      if (revert) return await printReverted(context, deps);
      if (check) return await printCheck(context, deps);
      const fit = (fitLock?: FitLock) => {
        const wanted = { apply, keep, force, asOf: asOf ?? dayOf(context.now()), report };
        return fitAndPrint(context, { ...deps, ...(fitLock && { fitLock }) }, wanted);
      };
      if (!apply && !keep) return await fit();
      const asked = {
        by: commandActorOnMachine(context),
        actor: auditActorOfCommand(context),
        handedOver: context.env[FIT_LOCK],
      };
      await withCalibrationLock(store, asked, fit);
    };
    await withCommandData(context, run, { mapsFile: false });
  },
});

type FitOptions = { apply: boolean; keep: boolean; force: boolean; asOf: string; report: string | undefined };

async function fitAndPrint(
  context: CommandContext,
  deps: ModelAdministration & { fitLock?: FitLock },
  { apply, keep, force, asOf, report }: FitOptions,
): Promise<void> {
  const { knowledge, store } = deps;
  const calibration = await calibrateModel(deps, asOf);
  const evidence = serializeCalibration(calibration);
  const page = report === undefined ? undefined : resolve(context.cwd, report);
  if (page !== undefined)
    await replaceFile(page, renderCalibrationReportPage(terminalCalibrationReport(knowledge, calibration)));
  const print = async (applied: string | undefined) => {
    const modelVersion = await loadActiveModelVersion(store.read, knowledge);
    context.print(
      { ...evidence, applied: applied !== undefined, model_version: modelVersion },
      calibrateCommandText(knowledge, calibration, {
        page,
        ending: ending(calibration, applied, modelVersion),
        width: context.tableWidth,
      }),
    );
  };
  if (keep) await storeProposedFit(deps, { calibration, evidence });
  if (!apply) return await print(undefined);
  let version: string;
  try {
    version = await storeAndActivateCalibration(deps, calibration, { force, evidence });
  } catch (error) {
    if (error instanceof OperatorError) await print(undefined);
    throw error;
  }
  await print(version);
}

function ending({ validation }: Calibration, applied: string | undefined, inUse: string): string {
  if (applied === undefined) return `No changes. Active model: ${inUse}.`;
  const forced = validation.better ? "" : ", WITHOUT PROOF, by force";
  return `Model ${applied} is now active${forced}. The next snapshot scores all components with it.`;
}

async function printVersions(
  context: CommandContext,
  { store, knowledge }: ModelAdministration,
): Promise<void> {
  const inUse = await loadActiveModelVersion(store.read, knowledge);
  const versions = (await store.read.models.list()).map((stored) => serializeModelVersion(stored, inUse));
  const rows = versions.map((one) => [
    one.model_version,
    one.in_use ? "active" : "",
    terminalMinuteText(one.applied_at, context.tableWidth),
    one.applied_by,
    one.proven ? "proven" : "unproven (forced)",
    one.failures,
    proofOf(one).before.concordance,
    proofOf(one).after.concordance,
    proofOf(one).before.brier_skill,
    proofOf(one).after.brier_skill,
  ]);
  const number = (heading: string, from = 0) => ({ heading, from, align: "right" as const });
  const columns = [
    "VERSION",
    "",
    "APPLIED (UTC)",
    { heading: "BY", shrinks: true },
    "PROOF",
    number("FAILURES"),
    ...[number("CONCORDANCE", 120), number("AFTER", 120), number("BRIER SKILL", 120), number("AFTER", 120)],
  ];
  const table =
    rows.length === 0 ? "No calibration applied yet." : terminalTable(columns, rows, context.tableWidth);
  context.print({ model_version: inUse, versions }, `${table}\nActive model: ${inUse}.`);
}

const proofOf = ({ validation }: { validation: Record<string, unknown> }) =>
  validation as ReturnType<typeof serializeValidation>;

async function printReverted(context: CommandContext, deps: ModelAdministration): Promise<void> {
  const { from, to } = await revertModel(deps);
  context.print(
    { reverted: from, model_version: to },
    `Reverted from model ${from} to ${to}. The next snapshot rescores all components.`,
  );
}

async function printCheck(context: CommandContext, deps: ModelAdministration): Promise<void> {
  const check = await checkActiveCalibrationModel(deps, dayOf(context.now()), serializeValidation);
  context.print(
    serializeModelCheck(check),
    check.isWorse
      ? `Model ${check.version} now forecasts worse than the default model. Run \`mainstay calibrate\` for a new calibration, or --revert.`
      : `Model ${check.version} forecasts no worse than the default model.`,
  );
}
