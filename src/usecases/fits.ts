import type { AuditEntry } from "../domain/audit.ts";
import { keptFitId } from "../domain/calibration/model-version.ts";
import { OperatorError } from "../domain/errors.ts";
import type { ModelProposal } from "../domain/model-proposal.ts";
import type { Store, Tx } from "../store/store.ts";
import type { Stores } from "../store/stores.ts";
import { inWords, keepTaken, othersTurn, type Taken, type Turn, takeIn } from "./turns.ts";

/*
 * Fits of the model to the record, which read all of it: one at a time, by whichever processes on the database. The audit
 * has who began each and what became of it: so all servers tell the same, also when those are gone that had to do with it.
 */

/** Of the turn, and of what the audit has of fits. */
const FIT = "fit";
const BEGUN = "fit.begin";
const FINISHED = "fit.finish";
const FAILED = "fit.fail";
const APPLIED = "fit.apply";
/** Among so many of the newest is the beginning of the latest: it ends once, and what is kept is put to use once. */
const OF_ONE = 3;
/** Characters of a reason that are kept. */
const LONGEST_REASON = 1000;

/** A fit that is under way, for whoever stores it. */
export type FitTurn = Pick<Turn, "keep"> & {
  /** Ends it in the transaction that stores it. Throws an OperatorError where the turn is over. */
  finish(tx: Tx, stored: StoredFit): Promise<void>;
};
/** What it was kept as, null where it was put to use at once, and the name of the version that it is or would be. */
type StoredFit = { proposalId: string | null; modelVersion: string };

/** Begins a fit, whose process is yet to be started; else who makes one. `by` says who does, in words. */
export async function beginFit(
  store: Pick<Store, "write">,
  { by, actor }: { by: string; actor: string },
): Promise<Taken> {
  return await store.write(async (tx) => {
    const taken = await takeIn(tx, FIT, by);
    if ("holder" in taken)
      await tx.audit.record({ at: tx.now, actor, action: BEGUN, subject: FIT, detail: { by } });
    return taken;
  });
}

/** Says why a fit came to nothing, unless it has ended otherwise. */
export async function failFit(store: Pick<Store, "write">, holder: string, error: string): Promise<void> {
  const told = error.slice(0, LONGEST_REASON);
  await store.write(async (tx) => {
    if (await tx.servers.drop(holder, FIT)) await recordEnd(tx, FAILED, { error: told });
  });
}

/**
 * Has the turn at fits for as long as `run` takes: one of its own, or the one that a server has taken for it and tells
 * the end of. Throws an OperatorError that names who has it.
 */
export async function inFitTurn<T>(
  store: Pick<Store, "write">,
  { by, actor, handedOver }: { by: string; actor: string; handedOver: string | undefined },
  run: (turn: FitTurn) => Promise<T>,
): Promise<T> {
  const begun = handedOver === undefined ? await beginFit(store, { by, actor }) : { holder: handedOver };
  if ("heldBy" in begun) throw othersTurn("a fit of the model is under way", begun.heldBy);
  const { holder } = begun;
  const { keep, letGo } = keepTaken(store, holder);
  const finish: FitTurn["finish"] = async (tx, { proposalId, modelVersion }) => {
    await keep(tx);
    await tx.servers.drop(holder, FIT);
    await recordEnd(tx, FINISHED, { proposal_id: proposalId, model_version: modelVersion });
  };
  try {
    await store.write(keep);
    return await run({ keep, finish });
  } catch (error) {
    // What cannot be told now is over by itself.
    if (handedOver === undefined) await failFit(store, holder, reasonOf(error)).catch(() => {});
    throw error;
  } finally {
    letGo();
  }
}

/** Says, in the transaction that does so, that the fit that was kept is put to use. */
export async function recordApplied(tx: Tx, actor: string, modelVersion: string): Promise<void> {
  const detail = { model_version: modelVersion };
  await tx.audit.record({ at: tx.now, actor, action: APPLIED, subject: FIT, detail });
}

/** The latest fit that was asked for, as every server tells it, with the one that is kept. */
export async function latestFit(read: Stores): Promise<ModelProposal> {
  const newest = () => read.audit.page({ offset: 0, limit: OF_ONE }, FIT);
  for (let entries = await newest(); ; ) {
    const holder = await read.servers.holderOf(FIT);
    const proposal = await proposalOf(read, entries, holder && inWords(holder));
    // Read in several steps: what has begun or ended in between shows as what it is.
    const again = await newest();
    if (again[0]?.seq === entries[0]?.seq) return proposal;
    entries = again;
  }
}

const NONE: ModelProposal = {
  ...{ id: null, status: "none", by: null, startedAt: null, finishedAt: null },
  ...{ error: null, modelVersion: null, madeAt: null, report: null },
};

/** `entries` are the newest, `heldBy` who has the turn. */
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
    // A server of an older version writes no beginning.
    if (latest?.action !== BEGUN) return { ...NONE, status: "running", by: heldBy };
    return { ...asked, status: "running" };
  }
  const kept = await models.keptFit();
  const id = kept ? keptFitId(kept) : null;
  const stands = { id, madeAt: kept?.madeAt ?? null, report: kept?.evidence ?? null };
  // What was kept may have been put to use after another fit had failed: that is told then.
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

/** In the name of who has begun it: nobody else has since. */
async function recordEnd(tx: Tx, action: string, outcome: Record<string, unknown>): Promise<void> {
  const { actor, detail } = beginningAmong(await tx.audit.page({ offset: 0, limit: OF_ONE }, FIT))!;
  await tx.audit.record({
    ...{ at: tx.now, actor, action, subject: FIT },
    detail: { by: detail.by, ...outcome },
  });
}

const beginningAmong = (entries: readonly AuditEntry[]) => entries.find(({ action }) => action === BEGUN);

/** What a fit has failed with, without the values that a query was asked with. */
function reasonOf(error: unknown): string {
  if (!(error instanceof OperatorError)) return "It failed by a fault, which the command has told.";
  const { message, hint } = error;
  return hint === undefined ? message : `${message}. ${hint}`;
}
