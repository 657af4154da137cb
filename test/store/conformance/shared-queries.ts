import { beforeAll, describe, expect, test } from "bun:test";
import type { CallerUsage } from "../../../src/cluster/cluster-rate-window-permits.ts";
import type { Partner } from "../../../src/domain/partner.ts";
import type { Store } from "../../../src/store/store.ts";
import { type Called, DAY, type MakeDatabase, NOW, openTestStore } from "./test-store.ts";

const NOTHING = {
  components: 0,
  changed: 0,
  critical: 0,
  warning: 0,
  announced: 0,
  queued: 0,
  suppressed: 0,
};

/** Tests the guarantees that every store gives for the state that servers on one database share. */
export function sharedQueries(make: MakeDatabase, called: Called): void {
  let store: Store;
  let partner: Partner;
  beforeAll(async () => {
    const fixture = await openTestStore(await make(), called);
    store = fixture.store;
    partner = await fixture.addPartner();
    await fixture.addPartner();
    for (let nth = 0; nth < 3; nth++) {
      const { id: propertyId } = await fixture.addProperty(partner);
      await fixture.addAppliance(partner, { propertyId });
    }
  });

  describe("shared state of servers", () => {
    test("a snapshot's shares are claimed in one order, add up, and remain until they are done", async () => {
      const { id: partnerId } = partner;
      const opened = await store.write((tx) => tx.snapshotShares.open(DAY));
      const { snapshotShares } = store.read;
      expect(await snapshotShares.left(DAY)).toBe(opened);
      expect(await snapshotShares.any(DAY)).toBe(true);
      const claimed = await store.write(async (tx) => {
        const all: string[] = [];
        for (let after = ""; ; ) {
          const shares = await tx.snapshotShares.claim(DAY, after, 2);
          if (shares.length === 0) return all;
          all.push(...shares.map((share) => share.partnerId));
          after = all.at(-1)!;
        }
      });
      expect(claimed).toHaveLength(opened);
      expect(claimed).toEqual(claimed.toSorted());
      const counts = { ...NOTHING, components: 7, suppressed: 2 };
      for (const [doneSeq, isDone] of [
        [3, false],
        [5, true],
      ] as const)
        await store.write((tx) => tx.snapshotShares.add(DAY, { partnerId, doneSeq }, counts, isDone));
      expect(await snapshotShares.sum(DAY)).toEqual({ ...counts, components: 14, suppressed: 4 });
      expect(await snapshotShares.left(DAY)).toBe(opened - 1);
      await store.write((tx) => tx.snapshotShares.complete(DAY, claimed));
      expect(await snapshotShares.left(DAY)).toBe(0);
      await store.write((tx) => tx.snapshotShares.forget(DAY));
      expect(await snapshotShares.any(DAY)).toBe(false);
      expect(await snapshotShares.sum(DAY)).toEqual(NOTHING);
    });

    test("a day's run starts once, and is locked by one transaction", async () => {
      const day = "2026-03-01";
      await store.write((tx) => tx.snapshots.start(day, NOW, "2"));
      await store.write((tx) => tx.snapshots.start(day, NOW + 1, "3"));
      expect(await store.write((tx) => tx.snapshots.lockRun(day))).toMatchObject({ startedAt: NOW });
      expect(await store.write((tx) => tx.snapshots.lockRun("2026-03-02"))).toBeUndefined();
    });

    test("a partner's properties are iterated by their numbers", async () => {
      const { id } = partner;
      const all = await store.read.properties.ofPartnerForSnapshot(id, 0, 1000);
      expect(all.length).toBeGreaterThan(0);
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at + 1));
      expect(await store.read.properties.ofPartnerForSnapshot(id, all.length, 1000)).toEqual([]);
      const together = await store.read.properties.ofPartnersForSnapshot([id]);
      expect(together).toEqual(all.map(({ seq: _, ...property }) => property));
    });

    test("pictures are read back byte for byte, and are listed by the time of their write", async () => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256);
      await store.write(async (tx) => {
        await tx.uploads.insert("a.jpg", bytes, NOW);
        await tx.uploads.insert("b.jpg", bytes.slice(0, 3), NOW + 10);
      });
      const { uploads } = store.read;
      expect(Buffer.compare((await uploads.find("a.jpg"))!, bytes)).toBe(0);
      expect(await uploads.find("c.jpg")).toBeUndefined();
      expect(await uploads.names("", NOW + 10, 5)).toEqual(["a.jpg"]);
      expect(await uploads.names("a.jpg", NOW + 11, 5)).toEqual(["b.jpg"]);
      await store.write((tx) => tx.uploads.remove(["a.jpg", "c.jpg"]));
      expect(await uploads.find("a.jpg")).toBeUndefined();
    });

    test("the first server's key check applies to all servers", async () => {
      const ask = (own: string) => store.write((tx) => tx.installation.keyCheck(own));
      const first = await ask("one");
      expect(await ask("two")).toBe(first);
    });

    test("cursors are stored by client, a bounded number of them, and pruned when they are old", async () => {
      const cursor = (id: string) => ({
        id,
        state: `{"${id}":1}`,
        partnerId: "P",
        client: "c",
        touchedAt: NOW,
      });
      for (const id of ["1", "2", "3"]) await store.write((tx) => tx.feedCursors.begin(cursor(id), 1));
      const { feedCursors } = store.read;
      const ids = async (after: number) => (await feedCursors.ofClient("P", "c", after)).map(({ id }) => id);
      expect(await ids(NOW - 1)).toEqual(["2", "3"]);
      expect(await feedCursors.ofClient("P", "d", 0)).toEqual([]);
      const replace = (state: string) =>
        store.write((tx) => tx.feedCursors.replace({ id: "2", state }, "{}", NOW + 10));
      await replace('{"1":1}');
      expect(await ids(NOW)).toEqual([]);
      await replace('{"2":1}');
      expect(await feedCursors.ofClient("P", "c", NOW)).toEqual([{ id: "2", state: "{}" }]);
      await store.write((tx) => tx.feedCursors.prune(NOW + 1));
      expect(await ids(0)).toEqual(["2"]);
      const own = { ...cursor("4"), partnerId: partner.id };
      await store.write((tx) => tx.feedCursors.insertAll([own, cursor("5")]));
      expect(await feedCursors.all(NOW - 1)).toEqual([
        { ...cursor("2"), state: "{}", touchedAt: NOW + 10 },
        own,
      ]);
      expect(await feedCursors.all(NOW)).toHaveLength(1);
    });

    test("console sessions exist until they end or expire", async () => {
      const session = (tokenHash: string, expiresAt: number) => ({
        tokenHash,
        expiresAt,
        keyHash: "key",
        csrfToken: "csrf",
      });
      await store.write((tx) => tx.consoleSessions.begin(session("a", NOW), NOW));
      await store.write((tx) => tx.consoleSessions.begin(session("b", NOW + 10), NOW + 1));
      const { consoleSessions } = store.read;
      expect(await consoleSessions.find("a")).toBeUndefined();
      expect(await consoleSessions.find("b")).toEqual(session("b", NOW + 10));
      await store.write((tx) => tx.consoleSessions.end("b"));
      expect(await consoleSessions.find("b")).toBeUndefined();
    });

    test("a caller's rate window is locked by one transaction, and stored", async () => {
      const lock = () => store.write((tx) => tx.rateWindows.lock("P"));
      const used = (...times: number[]): CallerUsage => [times.map((at) => [at, at, 3]), [["A", 2, 99]]];
      const beforeMs = Date.now();
      const first = await lock();
      expect(first.usage).toEqual([[], []]);
      expect(first.now).toBeWithin(beforeMs - 1, Date.now() + 1);
      await store.write((tx) => tx.rateWindows.save("P", used(7)));
      expect((await lock()).usage).toEqual(used(7));
      const prune = (after: string, before: number) =>
        store.write((tx) => tx.rateWindows.prune(after, ([known]) => (known.at(-1)?.[0] ?? 0) < before, 1));
      await store.write((tx) => tx.rateWindows.lock("Q"));
      await store.write((tx) => tx.rateWindows.save("Q", used(7, 9)));
      expect([await prune("", 9), await prune("P", 9), await prune("Q", 9)]).toEqual(["P", "Q", undefined]);
      const usage = async (caller: string) => (await store.write((tx) => tx.rateWindows.lock(caller))).usage;
      expect(await usage("P")).toEqual([[], []]);
      expect(await usage("Q")).toEqual(used(7, 9));
      // Rows of an earlier version belong to no caller.
      const earlier = [[330_000_000, 3]] as unknown as CallerUsage;
      await store.write((tx) => tx.rateWindows.save("P", earlier));
      expect(await usage("P")).toEqual([[], []]);
      let asked = 0;
      const look = (_: unknown, now: number) => {
        asked = now;
        return false;
      };
      await store.write((tx) => tx.rateWindows.prune("", look, 1));
      expect(asked).toBeWithin(first.now, Date.now() + 1);
    });

    test("the last time of a partner is no earlier than its latest row's, and all later ones are after it", async () => {
      const { id } = partner;
      const given = await store.write(async (tx) => (await tx.forPartner(id)).nextInstant(), {
        partnerId: id,
      });
      const last = await store.read.clock.lastInstantOf(id);
      expect(last).toBeGreaterThanOrEqual(given);
      const next = await store.write(async (tx) => (await tx.forPartner(id)).nextInstant(), {
        partnerId: id,
      });
      expect(next).toBeGreaterThan(last);
    });
  });
}
