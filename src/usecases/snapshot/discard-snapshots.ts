import { isDeepStrictEqual } from "node:util";
import type { Day } from "../../domain/time.ts";
import { type Yield, yieldToEventLoop } from "../../event-loop.ts";
import type { Tx } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";
import type { Administration } from "../partners/partners.ts";

/** Components whose trends one transaction takes back: others write the same partner's rows meanwhile. */
const AT_ONCE = 500;

/**
 * Forgets the snapshots of days after `today`, which a clock that was ahead has left; returns how many. The trends are
 * taken back in short transactions, and the runs are forgotten by the last: one that was cut short is asked for again.
 */
export async function discardLaterSnapshots(
  { store, actor }: Pick<Administration, "store" | "actor">,
  today: Day,
  { yieldNow = yieldToEventLoop, atOnce = AT_ONCE }: { yieldNow?: Yield; atOnce?: number } = {},
): Promise<number> {
  const before = await comeTo(store.read, await store.read.snapshotShares.after(today), today);
  for await (const scored of scoredAfter(store.read, today, atOnce)) {
    await store.write((tx) => takeBack(tx, scored, today), { durability: "process", priority: "background" });
    await yieldNow();
  }
  return await store.write(
    async (tx) => {
      // First: what a step that is under way has scored is there by then, and none begins that would score more.
      const shares = await tx.snapshotShares.forgetAfter(today);
      for (const { id } of await tx.partners.list()) await tx.forPartner(id);
      // Something more was scored of those days since: now nobody does.
      if (!isDeepStrictEqual(await comeTo(tx, shares, today), before))
        for await (const scored of scoredAfter(tx, today, atOnce)) await takeBack(tx, scored, today);
      const discarded = await tx.snapshots.forgetAfter(today);
      if (discarded > 0) await tx.partners.bumpAllRevisions();
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

/** What the runs of days after `today` have come to: nothing is scored of them that does not change it. */
async function comeTo({ snapshots }: Pick<Stores, "snapshots">, shares: Shares, today: Day) {
  const runs = await snapshots.after(today);
  return { runs, shares: new Map(shares.map((share) => [`${share.day} ${share.partnerId}`, share])) };
}

/** The components whose trends have points of days after `today`, so many at most at a time. */
async function* scoredAfter({ snapshots }: Pick<Stores, "snapshots">, today: Day, atOnce: number) {
  let after: string | undefined = "";
  while (after !== undefined) {
    const { last, scored } = await snapshots.scoredAfter(today, after, atOnce);
    if (scored.length > 0) yield scored;
    after = last;
  }
}

async function takeBack(tx: Tx, scored: Scored, today: Day): Promise<void> {
  // Whoever has read a component writes its score before, or reads it anew after.
  for (const partnerId of [...new Set(scored.map((one) => one.partnerId))].sort())
    await tx.forPartner(partnerId);
  await tx.snapshots.takeBack(
    scored.map(({ id }) => id),
    today,
  );
  await tx.yieldToEventLoop();
}
