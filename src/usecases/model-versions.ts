import type { Calibration } from "../domain/calibration/calibration.ts";
import { FEWEST_FAILURES } from "../domain/calibration/fit.ts";
import { OperatorError } from "../domain/errors.ts";
import { versionName } from "../store/queries/models.ts";
import type { Store } from "../store/store.ts";
import type { CalibrationEnvironment } from "./forecast-year.ts";
import { modelVersionOf } from "./model-in-use.ts";

export type ModelAdministration = CalibrationEnvironment & { store: Store; actor: string };

/** Frailties stored in one transaction. */
const BATCH = 500;

/**
 * Stores a fit as a new version of the model and puts it to use: the next snapshot scores everything by it. Throws an
 * OperatorError, with nothing changed, for one that is not proven better, unless it is forced. Returns its name.
 */
export async function applyCalibration(
  { store, knowledge, actor, pause }: ModelAdministration,
  calibration: Calibration,
  { force, evidence }: { force: boolean; evidence: Record<string, unknown> },
): Promise<string> {
  const { fit, validation } = calibration;
  if (!validation.better && !force) throw notProven(calibration);
  const number = await store.read.models.nextNumber();
  const version = versionName(knowledge.modelVersion, number);
  // in an order of their own, so that the same fit is stored alike
  const frailties = [...fit.corrections.frailties].sort(([a], [b]) => (a < b ? -1 : 1));
  for (let done = 0; done < frailties.length; done += BATCH) {
    const batch = frailties.slice(done, done + BATCH);
    const storeBatch = async (tx: Pick<Store["read"], "models">) => {
      for (const [applianceId, frailty] of batch) await tx.models.insertFrailty(number, applianceId, frailty);
    };
    await store.write(storeBatch, { durability: "process", priority: "background" });
    await pause();
  }
  await store.write(async (tx) => {
    if ((await tx.models.nextNumber()) !== number)
      throw new OperatorError("another calibration was applied meanwhile", "Run the command again.");
    const replaced = (await tx.models.inUse())?.number ?? null;
    await tx.models.insert({
      number,
      base: knowledge.modelVersion,
      createdAt: tx.now,
      actor,
      isProven: validation.better,
      replaced,
      corrections: {
        lifeFactors: Object.fromEntries(fit.corrections.lifeFactors),
        frailtyShape: fit.frailtyShape,
        strength: fit.corrections.strength,
      },
      evidence,
    });
    await tx.models.use(number);
    await tx.partners.reviseAll(); // plans name the model
    const detail = { failures: fit.failures, proven: validation.better, forced: !validation.better };
    await tx.audit.record({ at: tx.now, actor, action: "model.apply", subject: version, detail });
  });
  return version;
}

/** Goes back to the model that was in use before the present one. Returns the names of both. */
export async function revertModel({
  store,
  knowledge,
  actor,
}: Pick<ModelAdministration, "store" | "knowledge" | "actor">): Promise<{ from: string; to: string }> {
  return await store.write(async (tx) => {
    const current = await tx.models.inUse();
    if (!current)
      throw new OperatorError(
        "the plain model is in use, and nothing comes before it",
        "See calibrate --list.",
      );
    const { replaced } = (await tx.models.find(current.number))!;
    await tx.models.use(replaced);
    await tx.partners.reviseAll();
    const to = await modelVersionOf(tx, knowledge);
    await tx.audit.record({
      at: tx.now,
      actor,
      action: "model.revert",
      subject: current.version,
      detail: { to },
    });
    return { from: current.version, to };
  });
}

function notProven({ failuresYearAgo, validation }: Calibration): OperatorError {
  const { logLossDifference: difference } = validation;
  const why =
    failuresYearAgo < FEWEST_FAILURES
      ? `only ${failuresYearAgo} failures were on record a year ago`
      : difference === null
        ? "the year it is measured at has no outcomes"
        : `its log loss differs by ${difference.mean.toFixed(4)}, within ${difference.low.toFixed(4)} to ${difference.high.toFixed(4)}`;
  return new OperatorError(
    `the calibrated model is not proven better than the plain one: ${why}`,
    "Nothing was changed. `mainstay calibrate --report FILE.html` shows why; --force applies it all the same, and says so for good.",
  );
}
