import {
  type Acquired,
  acquireClusterLockInTransaction,
  type ClusterLock,
  clusterLockHeldError,
  clusterLockHolder,
  renewClusterLockInBackground,
} from "../../cluster/cluster-locks.ts";
import { type CalibrationProposal, calibrationFitId } from "../../domain/calibration/model-version.ts";
import { OperatorError } from "../../domain/errors.ts";
import type { AuditAction } from "../../domain/wording/audit-action-wording.ts";
import type { LatestCalibration } from "../../store/queries/models-queries.ts";
import type { Store, Tx } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";

/*
 * Calibrations read the whole service record, so one runs at a time on a database. The state of the latest one is a row
 * of the database, so that every server reports the same, also after the server that ran it has stopped. The audit log
 * records who started each and its outcome.
 */

/** The name of the lock, and the subject in the audit log. */
const FIT = "fit";
const BEGUN = "fit.begin";
const FINISHED = "fit.finish";
const FAILED = "fit.fail";
const APPLIED = "fit.apply";
/** The longest stored failure reason, in characters. */
const MAX_REASON_LENGTH = 1000;

/** The lock of a running calibration, for the code that stores its result. */
export type FitLock = ClusterLock & {
  /** Releases the lock in the transaction that stores the result. Throws an OperatorError if the lock was lost. */
  finish(tx: Tx, stored: StoredFit): Promise<void>;
};
/** `proposalId` is null if the result was activated at once; `modelVersion` names the version that it is or would be. */
type StoredFit = { proposalId: string | null; modelVersion: string };

/** Acquires the lock and records the start; the caller starts the process. `by` describes the caller for people. */
export async function beginCalibration(
  store: Pick<Store, "write">,
  { by, actor }: { by: string; actor: string },
): Promise<Acquired> {
  return await store.write(async (tx) => {
    const acquired = await acquireClusterLockInTransaction(tx, FIT, by);
    if ("id" in acquired) {
      await tx.models.saveLatestCalibration({
        ...NOT_REQUESTED,
        status: "running",
        requestedBy: by,
        actor,
        startedAt: tx.now,
      });
      await tx.audit.record({ at: tx.now, actor, action: BEGUN, subject: FIT, detail: { by } });
    }
    return acquired;
  });
}

/** Records why a calibration failed, unless it has ended already. */
export async function failCalibration(
  store: Pick<Store, "write">,
  lockId: string,
  error: string,
): Promise<void> {
  const reason = error.slice(0, MAX_REASON_LENGTH);
  await store.write(async (tx) => {
    if (await tx.locks.release(FIT, lockId)) await recordFailed(tx, reason);
  });
}

/**
 * Runs under the lock on calibrations: its own, or the one `handedOver` by the server that started this process and
 * records the end. Throws an OperatorError that names the holder if another process has the lock.
 */
export async function withCalibrationLock<T>(
  store: Pick<Store, "write">,
  { by, actor, handedOver }: { by: string; actor: string; handedOver: string | undefined },
  run: (lock: FitLock) => Promise<T>,
): Promise<T> {
  const begun = handedOver === undefined ? await beginCalibration(store, { by, actor }) : { id: handedOver };
  if ("heldBy" in begun) throw clusterLockHeldError("a calibration is in progress", begun.heldBy);
  const { id } = begun;
  const { confirm, stop } = renewClusterLockInBackground(store, id);
  const finish: FitLock["finish"] = async (tx, { proposalId, modelVersion }) => {
    await confirm(tx);
    await tx.locks.release(FIT, id);
    await recordFinished(tx, { proposalId, modelVersion });
  };
  try {
    await store.write(confirm);
    return await run({ confirm, finish });
  } catch (error) {
    // If this cannot be stored now, the lock expires.
    if (handedOver === undefined) await failCalibration(store, id, reasonOf(error)).catch(() => {});
    throw error;
  } finally {
    stop();
  }
}

/** Records, in the same transaction, that the stored calibration was activated. */
export async function recordFitApplied(tx: Tx, actor: string, modelVersion: string): Promise<void> {
  const latest = (await tx.models.latestCalibration()) ?? NOT_REQUESTED;
  await tx.models.saveLatestCalibration({ ...latest, status: "applied", activatedVersion: modelVersion });
  const detail = { model_version: modelVersion };
  await tx.audit.record({ at: tx.now, actor, action: APPLIED, subject: FIT, detail });
}

/** Returns the latest calibration that was requested, the same on every server, with the one that is stored. */
export async function loadLatestCalibration(read: Stores): Promise<CalibrationProposal> {
  for (let latest = await read.models.latestCalibration(); ; ) {
    const proposal = await proposalOf(read, latest, await clusterLockHolder({ read }, FIT));
    // Read in several steps: a start or an end in between shows as another state.
    const again = await read.models.latestCalibration();
    if (Bun.deepEquals(again, latest)) return proposal;
    latest = again;
  }
}

const NONE: CalibrationProposal = {
  id: null,
  status: "none",
  by: null,
  startedAt: null,
  finishedAt: null,
  error: null,
  modelVersion: null,
  madeAt: null,
  report: null,
};

/** The state that an activated calibration has if it was requested before these records were kept. */
const NOT_REQUESTED: LatestCalibration = {
  status: "applied",
  requestedBy: null,
  actor: null,
  startedAt: null,
  finishedAt: null,
  error: null,
  proposalId: null,
  modelVersion: null,
  activatedVersion: null,
};

/** `heldBy` describes the holder of the lock. */
async function proposalOf(
  { models }: Stores,
  latest: LatestCalibration = NOT_REQUESTED,
  heldBy: string | undefined,
): Promise<CalibrationProposal> {
  const requested = { ...NONE, by: latest.requestedBy, startedAt: latest.startedAt };
  if (heldBy !== undefined) return { ...requested, status: "running" };
  const kept = await models.keptFit();
  const id = kept ? calibrationFitId(kept) : null;
  const stored = { id, madeAt: kept?.madeAt ?? null, report: kept?.evidence ?? null };
  if (latest.status === "running") {
    const error = `Interrupted, with ${latest.requestedBy}. Run it again.`;
    return { ...requested, ...stored, status: "failed", error };
  }
  if (latest.status === "failed") {
    const { finishedAt, error } = latest;
    return { ...requested, ...stored, status: "failed", finishedAt, error };
  }
  if (kept) {
    const isLatest = latest.proposalId === id;
    return { ...(isLatest ? requested : NONE), ...stored, status: "ready", finishedAt: kept.madeAt };
  }
  const inUse = await models.inUse();
  if (!inUse || latest.activatedVersion !== inUse.version) return NONE;
  const { createdAt } = (await models.find(inUse.number))!;
  const isLatest = latest.modelVersion === inUse.version;
  const applied = { finishedAt: createdAt, modelVersion: inUse.version };
  return { ...(isLatest ? requested : NONE), ...applied, status: "applied" };
}

async function recordFailed(tx: Tx, error: string): Promise<void> {
  const latest = (await tx.models.latestCalibration())!;
  await tx.models.saveLatestCalibration({ ...latest, status: "failed", finishedAt: tx.now, error });
  await auditEnd(tx, latest, FAILED, { error });
}

async function recordFinished(tx: Tx, { proposalId, modelVersion }: StoredFit): Promise<void> {
  const latest = (await tx.models.latestCalibration())!;
  const isActivated = proposalId === null;
  await tx.models.saveLatestCalibration({
    ...latest,
    status: isActivated ? "applied" : "ready",
    finishedAt: tx.now,
    proposalId,
    modelVersion,
    activatedVersion: isActivated ? modelVersion : latest.activatedVersion,
  });
  await auditEnd(tx, latest, FINISHED, { proposal_id: proposalId, model_version: modelVersion });
}

/** Recorded in the name of the actor who started it. */
async function auditEnd(
  tx: Tx,
  { actor, requestedBy }: LatestCalibration,
  action: AuditAction,
  outcome: Record<string, unknown>,
): Promise<void> {
  const detail = { by: requestedBy, ...outcome };
  await tx.audit.record({ at: tx.now, actor: actor!, action, subject: FIT, detail });
}

/** Returns the reason of a failure, without values from queries. */
function reasonOf(error: unknown): string {
  if (!(error instanceof OperatorError))
    return "It failed with an internal error; see the output of the command.";
  const { message, hint } = error;
  return hint === undefined ? message : `${message}. ${hint}`;
}
