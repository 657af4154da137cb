import {
  acquireClusterLockInTransaction,
  type ClusterLock,
  withClusterLock,
} from "../../cluster/cluster-locks.ts";
import type { Calibration } from "../../domain/calibration/calibration.ts";
import { FEWEST_FAILURES } from "../../domain/calibration/fit-model-in-steps.ts";
import { LACKS_OUTCOMES } from "../../domain/calibration/model-proof.ts";
import {
  calibratedModelVersion,
  calibrationFitId,
  type StoredFit,
} from "../../domain/calibration/model-version.ts";
import { conflict, OperatorError } from "../../domain/errors.ts";
import { isoTextOfInstant } from "../../domain/time.ts";
import type { Store, Tx } from "../../store/store.ts";
import { type FitLock, recordFitApplied } from "./calibration-runs.ts";
import { loadActiveModelVersion } from "./load-active-model.ts";
import type { CalibrationDeps } from "./load-forecasts-for-past-year.ts";

export type ModelAdministration = CalibrationDeps & { store: Store; actor: string };
/**
 * `fitLock` is the lock of the calibration that is stored, released with it; absent if no other process can
 * calibrate.
 */
type Storing = ModelAdministration & { fitLock?: FitLock };

/** The lock on storing, activating and reverting calibrations: storing takes many transactions, which must not mix. */
const MODEL = "calibration";
const modelLock = (owner: string) => ({
  name: MODEL,
  owner,
  activity: "another calibration is being stored, activated or reverted",
});

/** Frailties per transaction. */
const BATCH = 500;

type Fitted = { calibration: Calibration; evidence: Record<string, unknown> };

/**
 * Stores a calibration with its proof for later activation, in place of the previously stored one. Scores do not
 * change.
 */
export async function storeProposedFit(deps: Storing, { calibration, evidence }: Fitted): Promise<StoredFit> {
  const { store, knowledge, fitLock } = deps;
  return await withClusterLock(store, modelLock(deps.actor), async (lock) => {
    const number = await storeFrailties(deps, lock, calibration);
    return await store.write(async (tx) => {
      await lock.confirm(tx);
      const kept: StoredFit = {
        ...storedFit(calibration, evidence),
        number,
        base: knowledge.modelVersion,
        madeAt: tx.now,
      };
      await tx.models.keepFit(kept);
      const { base } = kept;
      await fitLock?.finish(tx, {
        proposalId: calibrationFitId(kept),
        modelVersion: calibratedModelVersion(base, number),
      });
      return kept;
    });
  });
}

/**
 * Activates the stored calibration of that id; the next snapshot scores with it. Returns the version's name. Throws
 * conflict, with nothing changed, for another id than the stored one, and for an unproven calibration unless it is
 * forced.
 */
export async function activateProposedFit(
  { store, knowledge, actor }: Pick<ModelAdministration, "store" | "knowledge" | "actor">,
  id: string,
  { force }: { force: boolean },
): Promise<string> {
  return await store.write(async (tx) => {
    const lock = await acquireClusterLockInTransaction(tx, MODEL, actor);
    if ("heldBy" in lock) throw beingStored();
    const kept = await tx.models.keptFit();
    const [, number] = /^(\d{1,9})-\d+$/.exec(id) ?? [];
    const before = kept || number === undefined ? undefined : await tx.models.find(Number(number));
    if (before)
      throw conflict(
        `Model ${before.version} was activated already, at ${isoTextOfInstant(before.createdAt)}. Nothing was changed`,
      );
    if (!kept || calibrationFitId(kept) !== id)
      throw conflict("This is not the latest calibration: review that one's proof. Nothing was changed");
    if (kept.base !== knowledge.modelVersion || (await tx.models.nextNumber()) !== kept.number)
      throw conflict("Another model was activated since: run a new calibration. Nothing was changed");
    if (!kept.isProven && !force)
      throw conflict("The calibration is not proven better than the default model. Nothing was changed");
    await tx.models.forgetKeptFit();
    const version = await activate(tx, kept, actor);
    await recordFitApplied(tx, actor, version);
    await tx.locks.release(MODEL, lock.id);
    return version;
  });
}

/**
 * Stores a calibration as a new version of the model and activates it; the next snapshot scores with it. Returns
 * the version's name. Throws an OperatorError, with nothing changed, for an unproven calibration unless it is
 * forced.
 */
export async function storeAndActivateCalibration(
  deps: Storing,
  calibration: Calibration,
  { force, evidence }: { force: boolean; evidence: Record<string, unknown> },
): Promise<string> {
  const { store, knowledge, actor, fitLock } = deps;
  if (!calibration.validation.better && !force) throw notProven(calibration);
  return await withClusterLock(store, modelLock(deps.actor), async (lock) => {
    const number = await storeFrailties(deps, lock, calibration);
    return await store.write(async (tx) => {
      await lock.confirm(tx);
      const fit = { ...storedFit(calibration, evidence), number, base: knowledge.modelVersion };
      const version = await activate(tx, fit, actor);
      await fitLock?.finish(tx, { proposalId: null, modelVersion: version });
      return version;
    });
  });
}

type FitToApply = Omit<StoredFit, "madeAt">;

const storedFit = ({ fit, validation, sharedCauses }: Calibration, evidence: Record<string, unknown>) => ({
  isProven: validation.better,
  corrections: {
    lifeFactors: Object.fromEntries(fit.corrections.lifeFactors),
    frailtyShape: fit.frailtyShape,
    strength: fit.corrections.strength,
    yearFactorVariances: Object.fromEntries(
      sharedCauses.classes
        .filter(({ isLearned }) => isLearned)
        .map(({ system, variance }) => [system, variance]),
    ),
  },
  evidence,
});

async function activate(tx: Tx, fit: FitToApply, actor: string): Promise<string> {
  const { number, base, isProven, corrections, evidence } = fit;
  const version = calibratedModelVersion(base, number);
  const replaced = (await tx.models.inUse())?.number ?? null;
  await tx.models.insert({
    number,
    base,
    createdAt: tx.now,
    actor,
    isProven,
    replaced,
    corrections,
    evidence,
  });
  await tx.models.use(number);
  await tx.partners.bumpAllRevisions(); // plans name the model
  const detail = { failures: evidence.failures, proven: isProven, forced: !isProven };
  await tx.audit.record({ at: tx.now, actor, action: "model.apply", subject: version, detail });
  return version;
}

/**
 * Stores the appliances' frailties under the number of the next version, replacing any that are there; a
 * calibration stored for that number is deleted. Returns the number.
 */
async function storeFrailties(
  { store, yieldNow, fitLock }: Storing,
  lock: ClusterLock,
  { fit }: Calibration,
): Promise<number> {
  const number = await store.write(async (tx) => {
    await lock.confirm(tx);
    // A process that was suspended while another calibration started must not overwrite what that one has stored.
    await fitLock?.confirm(tx);
    await tx.models.forgetKeptFit();
    return await tx.models.nextNumber();
  });
  for (let after: string | undefined = ""; after !== undefined; await yieldNow())
    after = await store.write(
      async (tx): Promise<string | undefined> => {
        await lock.confirm(tx);
        return await tx.models.deleteFrailties(number, after!, BATCH);
      },
      { durability: "process", priority: "background" },
    );
  // Sorted, so that the same calibration is stored in the same order.
  const frailties = [...fit.corrections.frailties].sort(([a], [b]) => (a < b ? -1 : 1));
  for (let done = 0; done < frailties.length; done += BATCH) {
    const batch = frailties.slice(done, done + BATCH);
    await store.write(
      async (tx) => {
        await lock.confirm(tx);
        for (const [applianceId, frailty] of batch)
          await tx.models.insertFrailty(number, applianceId, frailty);
      },
      { durability: "process", priority: "background" },
    );
    await yieldNow();
  }
  return number;
}

/**
 * Reverts to the model that was active before the current one. Returns both names. With `from`, throws conflict if
 * another model is active, so that of two concurrent calls only one reverts.
 */
export async function revertModel(
  { store, knowledge, actor }: Pick<ModelAdministration, "store" | "knowledge" | "actor">,
  from?: string,
): Promise<{ from: string; to: string }> {
  return await store.write(async (tx) => {
    const lock = await acquireClusterLockInTransaction(tx, MODEL, actor);
    if ("heldBy" in lock) throw beingStored();
    const current = await tx.models.inUse();
    const version = current?.version ?? knowledge.modelVersion;
    if (from !== undefined && from !== version)
      throw conflict(`The active model is ${version}, not ${from}. Nothing was changed`);
    if (!current) throw conflict("The default model is active; there is no earlier one");
    const { replaced } = (await tx.models.find(current.number))!;
    await tx.models.use(replaced);
    await tx.partners.bumpAllRevisions();
    const to = await loadActiveModelVersion(tx, knowledge);
    await tx.audit.record({
      at: tx.now,
      actor,
      action: "model.revert",
      subject: current.version,
      detail: { to },
    });
    await tx.locks.release(MODEL, lock.id);
    return { from: current.version, to };
  });
}

const beingStored = () => conflict("Another calibration is being stored. Nothing was changed");

function notProven({ failuresYearAgo, validation }: Calibration): OperatorError {
  const { logLossDifference: difference } = validation;
  const why =
    failuresYearAgo < FEWEST_FAILURES
      ? `only ${failuresYearAgo} failures were on record a year ago`
      : difference === null
        ? LACKS_OUTCOMES
        : `its log loss differs by ${difference.mean.toFixed(4)}, within ${difference.low.toFixed(4)} to ${difference.high.toFixed(4)}`;
  return new OperatorError(
    `the calibration is not proven better than the default model: ${why}`,
    "Nothing was changed. `mainstay calibrate --report FILE.html` shows why. --force activates it anyway; the version is permanently flagged as forced.",
  );
}
