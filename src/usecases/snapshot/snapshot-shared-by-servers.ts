import { Failure } from "../../domain/errors.ts";
import type { Day } from "../../domain/time.ts";
import type { SnapshotShare } from "../../store/queries/snapshot-work-shares-queries.ts";
import type { SnapshotRun } from "../../store/queries/snapshots-queries.ts";
import type { PartnerRows, Tx } from "../../store/store.ts";
import { loadActiveModelVersion } from "../calibration/load-active-model.ts";
import {
  determineSnapshotScoring,
  EMPTY_RUN,
  type ModelContext,
  type Run,
  scoreSnapshotProperties,
  snapshotIsScoredByTwoModels,
  snapshotRunAfterRestart,
  snapshotRunCounts,
} from "./score-snapshot-properties.ts";

/*
 * A snapshot that several servers take together. Each partner's part is a share. A step claims shares up to its
 * size and holds them only for its transaction: the shares of a server that dies are free again at once, and a late
 * commit of a suspended server cannot happen.
 */

/** The outcome of a step: shares were scored, other servers hold the remaining shares, or none remain. */
type DividedStep = "done" | "others" | "none left";

/**
 * Starts the run of a day with a share for every partner. If `before`, another model, has finished the run,
 * restarts it. A run without shares was started by a single node and is scored from its beginning.
 */
export async function openSnapshotWorkShares(
  tx: Tx,
  model: ModelContext,
  day: Day,
  before: string | undefined,
): Promise<void> {
  const modelVersion = await loadActiveModelVersion(tx, model.knowledge);
  const startedAt = await tx.latestInstant();
  await tx.snapshots.start(day, startedAt, modelVersion);
  const run = await tx.snapshots.lockRun(day);
  // Another server may have restarted the run while this one waited for its row.
  const isRestart = before !== undefined && run?.modelVersion === before && run.finishedAt !== null;
  if (!isRestart && (run?.finishedAt || (await tx.snapshotShares.any(day)))) return;
  const change = isRestart ? { ...snapshotRunAfterRestart(run), startedAt } : {};
  await tx.snapshots.update(day, { ...change, modelVersion });
  await tx.snapshotShares.open(day);
}

/** Restarts the run of a day whose shares are all scored, by two models, unless another server has. */
export async function restartSharedSnapshot(tx: Tx, modelVersion: string, day: Day): Promise<void> {
  const startedAt = await tx.latestInstant();
  const run = await tx.snapshots.lockRun(day);
  if (!run || run.finishedAt || !snapshotIsScoredByTwoModels(run) || (await tx.snapshotShares.left(day)) > 0)
    return;
  const before = { ...run, ...(await announcementsOf(tx, run)) };
  await tx.snapshots.update(day, { ...snapshotRunAfterRestart(before), modelVersion, startedAt });
  await tx.snapshotShares.open(day);
}

/** Returns the counts of all announcements of a run, those of its shares and those before a restart. */
async function announcementsOf(
  tx: Tx,
  before: SnapshotRun,
): Promise<Pick<Run, "announced" | "queued" | "suppressed">> {
  const { announced, queued, suppressed } = await tx.snapshotShares.sum(before.day);
  return {
    announced: before.announced + announced,
    queued: before.queued + queued,
    suppressed: before.suppressed + suppressed,
  };
}

/** Rows of a partner, retired ones included, whose properties are scored together with those of other small partners. */
const SMALL_PARTNER = 200;
/** The most shares that a step claims at once. */
const MOST_CLAIMED = 64;

/**
 * Scores about `budget` components of the day's run. Begins no further share once `isOver` returns true: writes of every
 * partner that the step has scored wait for its end. Small partners are scored together: at first one, then two, then four,
 * so that the last ones, too, take about as long as those before.
 */
export async function takeSnapshotShares(
  tx: Tx,
  model: ModelContext,
  day: Day,
  budget: number,
  isOver: () => boolean,
): Promise<DividedStep> {
  const run = await tx.snapshots.run(day);
  let claimed = await tx.snapshotShares.claim(day, "", 1);
  if (!run || run.finishedAt) return "none left";
  if (claimed.length === 0) return (await tx.snapshotShares.left(day)) > 0 ? "others" : "none left";
  const scoring = await determineSnapshotScoring(tx, model, day, run.takenAgain);
  const score = async (properties: Parameters<typeof scoreSnapshotProperties>[3]) => {
    const counts = { ...EMPTY_RUN };
    if (properties.length > 0)
      await scoreSnapshotProperties(tx, model.knowledge, day, properties, counts, scoring);
    left -= counts.components + properties.length + 1;
    return counts;
  };
  /** Scores a part of a share; returns the rest, if there may be one. */
  const scorePart = async (
    { partnerId, doneSeq }: SnapshotShare,
    rows: PartnerRows,
  ): Promise<[SnapshotShare, PartnerRows] | undefined> => {
    const properties = await tx.properties.ofPartnerForSnapshot(partnerId, doneSeq, left);
    // The event stream dates these scores no later than the partner's own clock.
    if (properties.length > 0) rows.latestInstant();
    const counts = await score(properties);
    const last = properties.at(-1);
    const rest = { partnerId, doneSeq: last?.seq ?? doneSeq };
    await tx.snapshotShares.add(day, rest, counts, !last);
    return last && [rest, rows];
  };
  /** Scores whole shares. The first one has the counts of all. */
  const scoreAll = async (shares: readonly [SnapshotShare, PartnerRows][]): Promise<void> => {
    const [first, ...others] = shares.map(([share]) => share);
    if (!first) return;
    const properties = await tx.properties.ofPartnersForSnapshot(shares.map(([{ partnerId }]) => partnerId));
    const scored = new Set(properties.map(({ partnerId }) => partnerId));
    for (const [{ partnerId }, rows] of shares) if (scored.has(partnerId)) rows.latestInstant();
    await tx.snapshotShares.add(day, first, await score(properties), true);
    await tx.snapshotShares.complete(
      day,
      others.map(({ partnerId }) => partnerId),
    );
  };

  let left = budget;
  let hasScored = false;
  for (let limit = 1; claimed.length > 0; ) {
    const small: [SnapshotShare, PartnerRows][] = [];
    const deleted: string[] = [];
    let large: [SnapshotShare, PartnerRows] | undefined;
    let after = "";
    for (let rowsOfSmall = 0; !large && rowsOfSmall < left && claimed.length > 0; ) {
      const share = claimed.shift()!;
      after = share.partnerId;
      // Locks the partner's rows before the properties are read, so that concurrent writes to them have committed.
      const rows = await prepareLockedPartnerRows(tx, after);
      if (!rows) {
        deleted.push(after);
        continue;
      }
      const size = rows.latestSeq("properties") + rows.latestSeq("components") + 1;
      if (share.doneSeq > 0 || size > SMALL_PARTNER) large = [share, rows];
      else {
        small.push([share, rows]);
        rowsOfSmall += size;
      }
    }
    await tx.snapshotShares.complete(day, deleted);
    await scoreAll(small);
    hasScored ||= small.length > 0;
    for (; large && (!hasScored || (left > 0 && !isOver())); hasScored = true)
      large = await scorePart(...large);
    if (large || left <= 0 || isOver()) break;
    // Shares are claimed in one order by all servers: a partner's rows stay locked until the step commits.
    limit = Math.min(limit * 2, MOST_CLAIMED);
    claimed = await tx.snapshotShares.claim(day, after, limit);
  }
  return "done";
}

/** Locks a partner's rows; undefined if it is deleted, perhaps by the write for which this one had to wait. */
export async function prepareLockedPartnerRows(tx: Tx, partnerId: string): Promise<PartnerRows | undefined> {
  try {
    return await tx.forPartner(partnerId);
  } catch (error) {
    if (error instanceof Failure && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Ends the run with the sums of its shares. Returns false if another server ends it, or has started it again with its model. */
export async function finishSharedSnapshot(tx: Tx, day: Day, scoredBy: string | undefined): Promise<boolean> {
  const run = await tx.snapshots.lockRun(day);
  if (!run || run.finishedAt || run.modelVersion !== scoredBy || snapshotIsScoredByTwoModels(run))
    return false;
  if ((await tx.snapshotShares.left(day)) > 0) return false;
  const counts = snapshotRunCounts(await tx.snapshotShares.sum(day));
  await tx.snapshots.update(day, { ...counts, ...(await announcementsOf(tx, run)) });
  await tx.snapshotShares.forget(day);
  return true;
}
