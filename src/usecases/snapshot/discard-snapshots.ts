import { isDeepStrictEqual } from "node:util";
import type { Day } from "../../domain/time.ts";
import { type Yield, yieldToEventLoop } from "../../event-loop/event-loop.ts";
import type { Tx } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";
import type { AdminUseCaseDeps } from "../partners/create-partner-and-credentials.ts";

/** Components per transaction. Other writes to the same partner's rows run in between. */
const BATCH = 500;

/**
 * Discards the snapshots of days after `today`, left by a clock that was ahead; returns their number. Trend points
 * are removed in short transactions and the runs by the last one, so an interrupted call can be repeated.
 */
export async function discardLaterSnapshots(
  { store, actor }: Pick<AdminUseCaseDeps, "store" | "actor">,
  today: Day,
  { yieldNow = yieldToEventLoop, atOnce = BATCH }: { yieldNow?: Yield; atOnce?: number } = {},
): Promise<number> {
  const before = await runState(store.read, await store.read.snapshotShares.after(today), today);
  for await (const scored of scoredAfter(store.read, today, atOnce)) {
    await store.write((tx) => removeTrendPoints(tx, scored, today), {
      durability: "process",
      priority: "background",
    });
    await yieldNow();
  }
  return await store.write(
    async (tx) => {
      // The shares are deleted first: a step in progress has committed by then, and no further step can start.
      const shares = await tx.snapshotShares.forgetAfter(today);
      for (const { id } of await tx.partners.list()) {
        await tx.forPartner(id);
        await tx.conditionTrends.forgetAfter(id, today);
      }
      // More was scored since the first pass. It is removed now, while no step can run.
      if (!isDeepStrictEqual(await runState(tx, shares, today), before))
        for await (const scored of scoredAfter(tx, today, atOnce)) await removeTrendPoints(tx, scored, today);
      const discarded = await tx.snapshots.forgetAfter(today);
      if (discarded > 0) {
        await tx.partners.bumpAllRevisions();
        // The standings may be those of a discarded day.
        const latest = await tx.snapshots.latestFinished();
        if (latest) await tx.snapshots.update(latest.day, { comparedAt: null });
      }
      const detail = { after: today, discarded };
      if (discarded > 0)
        await tx.audit.record({ at: tx.now, actor, action: "snapshot.discard", subject: today, detail });
      return discarded;
    },
    { priority: "background" },
  );
}

type Shares = Awaited<ReturnType<Stores["snapshotShares"]["after"]>>;
type Scored = readonly { id: string; partnerId: string }[];

/** Returns the state of the runs after `today`. Every step of such a run changes it. */
async function runState({ snapshots }: Pick<Stores, "snapshots">, shares: Shares, today: Day) {
  const runs = await snapshots.after(today);
  return { runs, shares: new Map(shares.map((share) => [`${share.day} ${share.partnerId}`, share])) };
}

/** Yields the components whose trends have points after `today`, in batches. */
async function* scoredAfter({ snapshots }: Pick<Stores, "snapshots">, today: Day, atOnce: number) {
  let after: string | undefined = "";
  while (after !== undefined) {
    const { last, scored } = await snapshots.scoredAfter(today, after, atOnce);
    if (scored.length > 0) yield scored;
    after = last;
  }
}

async function removeTrendPoints(tx: Tx, scored: Scored, today: Day): Promise<void> {
  // The partner's rows are locked: a concurrent write to a component commits before, or reads it again after.
  for (const partnerId of [...new Set(scored.map((component) => component.partnerId))].sort())
    await tx.forPartner(partnerId);
  await tx.snapshots.takeBack(
    scored.map(({ id }) => id),
    today,
  );
  await tx.yieldToEventLoop();
}
