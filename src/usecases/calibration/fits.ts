import type { AuditEntry } from "../../administration/audit-entry.ts";
import type { ModelProposal } from "../../administration/model-proposal.ts";
import {
  type Acquired,
  acquireLockIn,
  type Lock,
  lockHeldError,
  lockHolder,
  renewInBackground,
} from "../../cluster/locks.ts";
import { keptFitId } from "../../domain/calibration/model-version.ts";
import { OperatorError } from "../../domain/errors.ts";
import type { Store, Tx } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";

/*
 * Calibrations read the whole service record, so one runs at a time on a database. The audit log records who started
 * each and its outcome, so that every server reports the same, also after the server that ran it has stopped.
 */

/** The name of the lock, and the subject in the audit log. */
const FIT = "fit";
const BEGUN = "fit.begin";
const FINISHED = "fit.finish";
const FAILED = "fit.fail";
const APPLIED = "fit.apply";
/**
 * The most recent entries that must contain the start of the latest calibration: it ends once and is activated
 * once.
 */
const ENTRIES_PER_FIT = 3;
/** The longest stored failure reason, in characters. */
const MAX_REASON_LENGTH = 1000;

/** The lock of a running calibration, for the code that stores its result. */
export type FitLock = Lock & {
  /** Releases the lock in the transaction that stores the result. Throws an OperatorError if the lock was lost. */
  finish(tx: Tx, stored: StoredFit): Promise<void>;
};
/** `proposalId` is null if the result was activated at once; `modelVersion` names the version that it is or would be. */
type StoredFit = { proposalId: string | null; modelVersion: string };

/** Acquires the lock and records the start; the caller starts the process. `by` describes the caller for people. */
export async function beginFit(
  store: Pick<Store, "write">,
  { by, actor }: { by: string; actor: string },
): Promise<Acquired> {
  return await store.write(async (tx) => {
    const acquired = await acquireLockIn(tx, FIT, by);
    if ("id" in acquired)
      await tx.audit.record({ at: tx.now, actor, action: BEGUN, subject: FIT, detail: { by } });
    return acquired;
  });
}

/** Records why a calibration failed, unless it has ended already. */
export async function failFit(store: Pick<Store, "write">, lockId: string, error: string): Promise<void> {
  const reason = error.slice(0, MAX_REASON_LENGTH);
  await store.write(async (tx) => {
    if (await tx.locks.release(FIT, lockId)) await recordEnd(tx, FAILED, { error: reason });
  });
}

/**
 * Runs under the lock on calibrations: its own, or the one `handedOver` by the server that started this process and
 * records the end. Throws an OperatorError that names the holder if another process has the lock.
 */
export async function withFitLock<T>(
  store: Pick<Store, "write">,
  { by, actor, handedOver }: { by: string; actor: string; handedOver: string | undefined },
  run: (lock: FitLock) => Promise<T>,
): Promise<T> {
  const begun = handedOver === undefined ? await beginFit(store, { by, actor }) : { id: handedOver };
  if ("heldBy" in begun) throw lockHeldError("a calibration is in progress", begun.heldBy);
  const { id } = begun;
  const { confirm, stop } = renewInBackground(store, id);
  const finish: FitLock["finish"] = async (tx, { proposalId, modelVersion }) => {
    await confirm(tx);
    await tx.locks.release(FIT, id);
    await recordEnd(tx, FINISHED, { proposal_id: proposalId, model_version: modelVersion });
  };
  try {
    await store.write(confirm);
    return await run({ confirm, finish });
  } catch (error) {
    // If this cannot be stored now, the lock expires.
    if (handedOver === undefined) await failFit(store, id, reasonOf(error)).catch(() => {});
    throw error;
  } finally {
    stop();
  }
}

/** Records, in the same transaction, that the stored calibration was activated. */
export async function recordApplied(tx: Tx, actor: string, modelVersion: string): Promise<void> {
  const detail = { model_version: modelVersion };
  await tx.audit.record({ at: tx.now, actor, action: APPLIED, subject: FIT, detail });
}

/** Returns the latest calibration that was requested, the same on every server, with the one that is stored. */
export async function latestFit(read: Stores): Promise<ModelProposal> {
  const newest = () => read.audit.page({ offset: 0, limit: ENTRIES_PER_FIT }, FIT);
  for (let entries = await newest(); ; ) {
    const proposal = await proposalOf(read, entries, await lockHolder({ read }, FIT));
    // Read in several steps: a start or an end in between shows as a new entry.
    const again = await newest();
    if (again[0]?.seq === entries[0]?.seq) return proposal;
    entries = again;
  }
}

const NONE: ModelProposal = {
  ...{ id: null, status: "none", by: null, startedAt: null, finishedAt: null },
  ...{ error: null, modelVersion: null, madeAt: null, report: null },
};

/** `entries` are the newest; `heldBy` describes the holder of the lock. */
async function proposalOf(
  { models }: Stores,
  entries: readonly AuditEntry[],
  heldBy: string | undefined,
): Promise<ModelProposal> {
  const latest = entries.find(({ action }) => action !== APPLIED);
  const begun = beginningAmong(entries);
  const by = (begun?.detail.by as string | undefined) ?? null;
  const asked = { ...NONE, by, startedAt: begun?.at ?? null };
  if (heldBy !== undefined) {
    return { ...asked, status: "running" };
  }
  const kept = await models.keptFit();
  const id = kept ? keptFitId(kept) : null;
  const stands = { id, madeAt: kept?.madeAt ?? null, report: kept?.evidence ?? null };
  // The stored calibration may have been activated after a later one had failed; then the activation counts.
  const isApplied = entries[0]?.action === APPLIED;
  if (!isApplied && latest?.action === BEGUN) {
    const error = `It was cut short, with ${by}. Ask for it again.`;
    return { ...asked, ...stands, status: "failed", error };
  }
  if (!isApplied && latest?.action === FAILED) {
    const error = String(latest.detail.error);
    return { ...asked, ...stands, status: "failed", finishedAt: latest.at, error };
  }
  if (kept) {
    const isLatest = latest?.detail.proposal_id === id;
    return { ...(isLatest ? asked : NONE), ...stands, status: "ready", finishedAt: kept.madeAt };
  }
  const inUse = await models.inUse();
  if (!inUse || entries[0]?.detail.model_version !== inUse.version) return NONE;
  const { createdAt } = (await models.find(inUse.number))!;
  const isLatest = latest?.detail.model_version === inUse.version;
  const applied = { finishedAt: createdAt, modelVersion: inUse.version };
  return { ...(isLatest ? asked : NONE), ...applied, status: "applied" };
}

/** Recorded in the name of the actor who started it. */
async function recordEnd(tx: Tx, action: string, outcome: Record<string, unknown>): Promise<void> {
  const { actor, detail } = beginningAmong(await tx.audit.page({ offset: 0, limit: ENTRIES_PER_FIT }, FIT))!;
  await tx.audit.record({
    ...{ at: tx.now, actor, action, subject: FIT },
    detail: { by: detail.by, ...outcome },
  });
}

const beginningAmong = (entries: readonly AuditEntry[]) => entries.find(({ action }) => action === BEGUN);

/** Returns the reason of a failure, without values from queries. */
function reasonOf(error: unknown): string {
  if (!(error instanceof OperatorError)) return "It failed by a fault, which the command has told.";
  const { message, hint } = error;
  return hint === undefined ? message : `${message}. ${hint}`;
}
