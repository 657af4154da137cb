import { resolve } from "node:path";
import type { DataFolder } from "../../app/data-folder.ts";
import { FIT_TURN } from "../../app/own-command.ts";
import type { Calibration } from "../../domain/calibration/calibration.ts";
import { OperatorError } from "../../domain/errors.ts";
import { dayOf } from "../../domain/time.ts";
import { replaceFile } from "../../files.ts";
import { loadKnowledge } from "../../knowledge/load.ts";
import { calibrate } from "../../usecases/calibrate.ts";
import { checkModel } from "../../usecases/check-model.ts";
import { courteousPause } from "../../usecases/courtesy.ts";
import { type FitTurn, inFitTurn } from "../../usecases/fits.ts";
import { modelVersionOf } from "../../usecases/model-in-use.ts";
import {
  applyCalibration,
  keepFit,
  type ModelAdministration,
  revertModel,
} from "../../usecases/model-versions.ts";
import { calibrationPage } from "../../web/calibration/page.ts";
import { calibrationRecord, validationRecord } from "../../wire/calibration.ts";
import { modelCheckRecord, modelVersionRecord } from "../../wire/model.ts";
import { calibrationText, pageContent } from "../calibration/report.ts";
import { command, flag, text, UsageError } from "../command.ts";
import type { Context } from "../context.ts";
import { actorOf, whoRuns, withData } from "../data.ts";
import { textTable } from "../terminal/text-table.ts";
import { day } from "../values.ts";

export const calibrateCommand = command({
  description:
    "Fits the lives of components, the frailty of appliances and the worth of evidence to the failures on record, and " +
    "shows what that would have been worth in the past year. Changes nothing unless told to. The server may run.",
  options: {
    apply: flag("put the fit to use as a new version of the model; refused without proof"),
    keep: flag("keep the fit with its proof, to be looked at and put to use in the console"),
    force: flag("with --apply: also without proof, which the version says of itself for good"),
    revert: flag("go back to the model that was in use before"),
    list: flag("list the versions with their proof"),
    check: flag(
      "see whether the model in use still forecasts better than the plain one; the server does so monthly",
    ),
    asOf: day("leave out what happened after that day; today when not given"),
    report: text("FILE.html", "write the report with its pictures to one page"),
  },
  examples: [
    "mainstay calibrate --report calibration.html",
    "mainstay calibrate --apply",
    "mainstay calibrate --revert",
  ],
  async run(context, _arguments, options) {
    const { apply, keep, force, revert, list, check, asOf, report } = options;
    const acts = Object.entries({ apply, keep, revert, list, check }).filter(([, given]) => given);
    if (acts.length > 1) throw new UsageError(`--${acts[0]![0]} and --${acts[1]![0]} exclude each other`);
    if (force && !apply) throw new UsageError("--force goes with --apply");
    if (asOf !== undefined && acts.length > 0)
      throw new UsageError(`--as-of only looks back: it excludes --${acts[0]![0]}`);
    if (report !== undefined && (revert || list || check))
      throw new UsageError(`--report excludes --${acts[0]![0]}`);
    const run = async ({ store }: DataFolder) => {
      const world: ModelAdministration = {
        store,
        knowledge: loadKnowledge(),
        actor: actorOf(context),
        pause: givingMemoryBack(courteousPause(store, context.now)),
        ticks: () => performance.now(),
      };
      if (list) return await printVersions(context, world);
      if (revert) return await printReverted(context, world);
      if (check) return await printCheck(context, world);
      const fit = (fitTurn?: FitTurn) => {
        const wanted = { apply, keep, force, asOf: asOf ?? dayOf(context.now()), report };
        return fitAndPrint(context, { ...world, ...(fitTurn && { fitTurn }) }, wanted);
      };
      if (!apply && !keep) return await fit();
      const asked = { by: whoRuns(context), actor: actorOf(context), handedOver: context.env[FIT_TURN] };
      await inFitTurn(store, asked, fit);
    };
    await withData(context, run, { mapsFile: false });
  },
});

/** Garbage that is let grow before it is collected, in bytes: every history is read several times. */
const GARBAGE = 50e6;

/** The pause, in which memory is given back once it has grown: nobody waits for this process. */
function givingMemoryBack(pause: () => Promise<void>): () => Promise<void> {
  let settled = process.memoryUsage.rss();
  return async () => {
    await pause();
    if (process.memoryUsage.rss() < settled + GARBAGE) return;
    Bun.gc(true);
    settled = process.memoryUsage.rss();
  };
}

type FitOptions = { apply: boolean; keep: boolean; force: boolean; asOf: string; report: string | undefined };

async function fitAndPrint(
  context: Context,
  world: ModelAdministration & { fitTurn?: FitTurn },
  { apply, keep, force, asOf, report }: FitOptions,
): Promise<void> {
  const { knowledge, store } = world;
  const calibration = await calibrate(world, asOf);
  const evidence = calibrationRecord(calibration);
  const page = report === undefined ? undefined : resolve(context.cwd, report);
  if (page !== undefined) await replaceFile(page, calibrationPage(pageContent(knowledge, calibration)));
  const print = async (applied: string | undefined) => {
    const modelVersion = await modelVersionOf(store.read, knowledge);
    context.print(
      { ...evidence, applied: applied !== undefined, model_version: modelVersion },
      calibrationText(knowledge, calibration, { page, ending: ending(calibration, applied, modelVersion) }),
    );
  };
  if (keep) await keepFit(world, { calibration, evidence });
  if (!apply) return await print(undefined);
  let version: string;
  try {
    version = await applyCalibration(world, calibration, { force, evidence });
  } catch (error) {
    if (error instanceof OperatorError) await print(undefined);
    throw error;
  }
  await print(version);
}

function ending({ validation }: Calibration, applied: string | undefined, inUse: string): string {
  if (applied === undefined) return `Nothing was changed; in use is model ${inUse}.`;
  const forced = validation.better ? "" : " WITHOUT PROOF, by force,";
  return `Model ${applied} is in use${forced} from now on; the next snapshot scores everything by it.`;
}

async function printVersions(context: Context, { store, knowledge }: ModelAdministration): Promise<void> {
  const inUse = await modelVersionOf(store.read, knowledge);
  const versions = (await store.read.models.list()).map((stored) => modelVersionRecord(stored, inUse));
  const rows = versions.map((one) => [
    one.model_version,
    one.in_use ? "in use" : "",
    one.applied_at,
    one.applied_by,
    one.proven ? "proven" : "forced, without proof",
    one.failures,
    proofOf(one).before.concordance,
    proofOf(one).after.concordance,
    proofOf(one).before.brier_skill,
    proofOf(one).after.brier_skill,
  ]);
  const headings = [
    "VERSION",
    "",
    "APPLIED",
    "BY",
    "PROOF",
    "FAILURES",
    "CONCORDANCE",
    "AFTER",
    "BRIER SKILL",
    "AFTER",
  ];
  const table = rows.length === 0 ? "No fit was applied yet." : textTable(headings, rows);
  context.print({ model_version: inUse, versions }, `${table}\nIn use is model ${inUse}.`);
}

const proofOf = ({ validation }: { validation: Record<string, unknown> }) =>
  validation as ReturnType<typeof validationRecord>;

async function printReverted(context: Context, world: ModelAdministration): Promise<void> {
  const { from, to } = await revertModel(world);
  context.print(
    { reverted: from, model_version: to },
    `Model ${to} is in use again in place of ${from}; the next snapshot scores everything by it.`,
  );
}

async function printCheck(context: Context, world: ModelAdministration): Promise<void> {
  const check = await checkModel(world, dayOf(context.now()), validationRecord);
  context.print(
    modelCheckRecord(check),
    check.isWorse
      ? `Model ${check.version} now forecasts worse than the plain one. \`mainstay calibrate\` shows a fresh fit; --revert goes back.`
      : `Model ${check.version} forecasts no worse than the plain one.`,
  );
}
