import type { Day } from "../../domain/time.ts";
import type { SnapshotShare } from "../../store/queries/snapshot-shares.ts";
import type { Tx } from "../../store/store.ts";
import { modelVersionOf } from "../calibration/active-model.ts";
import { countsOf, NOTHING, type Ruler, scoreAll, scoringOf } from "./score-snapshot.ts";

/*
 * A snapshot that several servers take together. Each partner's part is a share; a step claims as many as come to its
 * size, and holds them by its transaction alone: those of a server that dies are free again at once, and nothing that
 * comes late from one that was stopped is ever committed.
 */

/** What a server finds to do: something that it did, something that others are doing, or nothing that is left. */
export type DividedStep = "done" | "others" | "none left";

/**
 * Begins the run of a day, or begins anew what another model, the one `before`, has done, with a share for every partner. One that is there without
 * shares was begun by a server that had its database for itself: it is taken from its start.
 */
export async function openShares(tx: Tx, ruler: Ruler, day: Day, before: string | undefined): Promise<void> {
  const modelVersion = await modelVersionOf(tx, ruler.knowledge);
  const startedAt = await tx.latestInstant();
  await tx.snapshots.start(day, startedAt, modelVersion);
  const run = await tx.snapshots.hold(day);
  // Another server may have done so while this one waited for it.
  const isAnew = before !== undefined && run?.modelVersion === before && run.finishedAt !== null;
  if (!isAnew && (run?.finishedAt || (await tx.snapshotShares.any(day)))) return;
  if (isAnew)
    await tx.snapshots.update(day, {
      ...{ ...NOTHING, takenAgain: true, cursor: null, finishedAt: null },
      ...{ modelVersion, startedAt },
    });
  await tx.snapshotShares.open(day);
}

/** Scores about so many components of the day's run. */
export async function takeShares(tx: Tx, ruler: Ruler, day: Day, budget: number): Promise<DividedStep> {
  const run = await tx.snapshots.run(day);
  let share: SnapshotShare | undefined = await tx.snapshotShares.claim(day, "");
  if (!run || run.finishedAt) return "none left";
  if (!share) return (await tx.snapshotShares.left(day)) > 0 ? "others" : "none left";
  const how = await scoringOf(tx, ruler, day, run.takenAgain);
  for (let left = budget; share && left > 0; ) {
    const { partnerId, doneSeq }: SnapshotShare = share;
    const isThere = (await tx.partners.find(partnerId)) !== undefined;
    // First, so that whoever else writes of the properties has done so before they are read.
    const rows = isThere ? await tx.forPartner(partnerId) : undefined;
    const properties = isThere ? await tx.properties.ofPartnerForSnapshot(partnerId, doneSeq, left) : [];
    // What the stream says of when these were scored is no later than the partner's own clock.
    if (properties.length > 0) rows?.latestInstant();
    const counts = { ...NOTHING };
    if (properties.length > 0) await scoreAll(tx, ruler.knowledge, day, properties, counts, how);
    left -= counts.components + properties.length + 1;
    share = { partnerId, doneSeq: properties.at(-1)?.seq ?? doneSeq };
    const isDone = properties.length === 0;
    await tx.snapshotShares.add(day, share, counts, isDone);
    // The next in one order for all servers, since a partner's rows are held to the end of the step.
    if (isDone) share = await tx.snapshotShares.claim(day, partnerId);
  }
  return "done";
}

/** Ends the run with what the shares have come to. False when it is not this server's to end. */
export async function closeShares(tx: Tx, day: Day): Promise<boolean> {
  const run = await tx.snapshots.hold(day);
  if (!run || run.finishedAt || (await tx.snapshotShares.left(day)) > 0) return false;
  await tx.snapshots.update(day, countsOf(await tx.snapshotShares.sum(day)));
  await tx.snapshotShares.forget(day);
  return true;
}
