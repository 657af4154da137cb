import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Store, Tx } from "../../../src/store/store.ts";
import { revisionNumber } from "../../support/revision-number.ts";
import { DAY, type Database, insertPartner, type MakeDatabase, NOW } from "./test-store.ts";

/** Adds to the count of a name. */
const add = (tx: Tx, name: string, calls = 1) => tx.budgets.add(name, DAY, calls);
const countOf = (store: Pick<Store, "read">, name: string) => store.read.budgets.taken(name, DAY);

/** Tests the guarantees that every store gives for its transactions. */
export function transactions(make: MakeDatabase): void {
  let database: Database;
  let store: Store;
  beforeAll(async () => {
    database = await make();
    store = await database.open();
  });
  let names = 0;
  /** Returns a name that no other test counts. */
  const newName = () => `counted ${++names}`;

  describe("a write", () => {
    test("sees its own changes at once; every reader sees them once it is acknowledged, and not before", async () => {
      const a = newName();
      const other = await database.open();
      await store.write(async (tx) => {
        await add(tx, a);
        expect(await countOf(store, a), "while it is written").toBe(0);
        expect(await countOf(other, a), "while it is written, by another server").toBe(0);
        expect(await tx.budgets.taken(a, DAY), "by itself").toBe(1);
      });
      expect(await countOf(store, a)).toBe(1);
      expect(await countOf(other, a)).toBe(1);
    });

    test("tells by a number whether it has changed anything since", async () => {
      const a = newName();
      await store.write(async (tx) => {
        const before = tx.changes();
        expect(await tx.budgets.taken(a, DAY)).toBe(0);
        expect(tx.changes(), "after a read").toBe(before);
        await add(tx, a);
        expect(tx.changes(), "after a write").not.toBe(before);
      });
    });

    test("resolves with the result of its function", async () => {
      expect(await store.write(async () => ({ a: [1, null] }))).toEqual({ a: [1, null] });
    });

    test("that throws rejects with its error and leaves nothing, with any other writes in its group", async () => {
      let runs = 0;
      const test = newName();
      const fate = fc.record({ fails: fc.boolean(), of: fc.integer({ min: 0, max: 3 }) });
      await fc.assert(
        fc.asyncProperty(fc.array(fate, { minLength: 1, maxLength: 90, size: "max" }), async (fates) => {
          const run = ++runs;
          const names = fates.map((_, at) => `${test} ${run}-${at}`);
          const outcomes = await Promise.allSettled(
            fates.map(({ fails, of }, at) =>
              store.write(
                async (tx) => {
                  await add(tx, names[at]!);
                  await add(tx, `${test} ${run} of ${of}`);
                  if (fails) throw new Error(names[at]);
                  return at;
                },
                of === 0 ? {} : { partnerId: `PARTNER_${of}` },
              ),
            ),
          );
          for (const [at, outcome] of outcomes.entries()) {
            const { fails } = fates[at]!;
            if (outcome.status === "fulfilled") expect([outcome.value, fails]).toEqual([at, false]);
            else expect([outcome.reason.message, fails]).toEqual([names[at]!, true]);
            expect(await countOf(store, names[at]!)).toBe(fails ? 0 : 1);
          }
          for (const of of [0, 1, 2, 3]) {
            const kept = fates.filter((one) => one.of === of && !one.fails).length;
            expect(await countOf(store, `${test} ${run} of ${of}`)).toBe(kept);
          }
        }),
        { numRuns: 12 },
      );
    });

    test("that fails in the database fails alone, and its error has none of its values", async () => {
      const { id } = await insertPartner(store, { name: "known" });
      const twice = { id, name: "a-value-of-theirs", enabled: true, dailyBudget: 1 };
      const outcomes = await Promise.allSettled([
        store.write((tx) => add(tx, `${id} before`), { partnerId: id }),
        store.write((tx) => tx.partners.insert({ ...twice, credentialGeneration: 1, createdAt: NOW }), {
          partnerId: id,
        }),
        store.write((tx) => add(tx, `${id} after`), { partnerId: id }),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      const { reason } = outcomes[1] as PromiseRejectedResult;
      const reported = Bun.inspect(reason) + JSON.stringify(reason);
      expect(reported).not.toContain("a-value-of-theirs");
      expect(reported).not.toContain(id);
      expect([await countOf(store, `${id} before`), await countOf(store, `${id} after`)]).toEqual([1, 1]);
      expect((await store.read.partners.find(id))!.name).toBe("known");
    });

    test("of a partner runs after the earlier ones of that partner", async () => {
      const { id } = await insertPartner(store);
      const seen: number[] = [];
      await Promise.all(
        Array.from({ length: 150 }, () =>
          store.write(
            async (tx) => {
              const before = await tx.budgets.taken(id, DAY);
              await add(tx, id);
              return before;
            },
            { partnerId: id },
          ),
        ).map(async (write, at) => {
          seen[at] = await write;
        }),
      );
      expect(seen).toEqual(Array.from({ length: 150 }, (_, at) => at));
    });

    test("that is long lets others run, which see none of its changes", async () => {
      const a = newName();
      let monotonicMs = 0;
      const patient = await database.open({ monotonicMs: () => monotonicMs });
      const seen: number[] = [];
      let passes = 0;
      await patient.write(async (tx) => {
        await add(tx, a);
        for (let step = 0; step < 3; step++) {
          setImmediate(() => passes++);
          monotonicMs += 50;
          await tx.yieldToEventLoop();
          seen.push(await countOf(patient, a));
          await add(tx, a);
        }
      });
      expect(await countOf(patient, a)).toBe(4);
      expect(seen).toEqual([0, 0, 0]);
      expect(passes).toBe(3);
    });

    test("in the background, or one that need not survive a power failure, is visible once it is acknowledged", async () => {
      const a = newName();
      const other = await database.open();
      const priorities = ["background", "request"] as const;
      await Promise.all(
        priorities.flatMap((priority) =>
          (["process", "durable"] as const).map((durability) =>
            store.write((tx) => add(tx, a), { durability, priority }),
          ),
        ),
      );
      expect(await countOf(other, a)).toBe(4);
    });

    test("of several partners, named in any order, does not deadlock with others of the same partners", async () => {
      const ids = await Promise.all([1, 2, 3].map(async () => (await insertPartner(store)).id));
      const other = await database.open();
      await Promise.all(
        Array.from({ length: 60 }, (_, nth) => {
          const partnerIds = nth % 2 === 0 ? ids : ids.toReversed();
          return (nth % 3 === 0 ? other : store).write(
            async (tx) => {
              for (const id of partnerIds) await add(tx, id);
            },
            { partnerIds },
          );
        }),
      );
      for (const id of ids) expect(await countOf(store, id)).toBe(60);
    });

    test("never loses counts of several servers", async () => {
      const other = await database.open();
      const { id } = await insertPartner(store);
      const readThenAdd = async (tx: Tx) => {
        const { dailyBudget } = (await tx.partners.find(id))!;
        await tx.partners.update(id, { dailyBudget: dailyBudget + 1 });
      };
      await Promise.all(
        Array.from({ length: 80 }, (_, nth) =>
          (nth % 2 === 0 ? store : other).write(readThenAdd, { partnerId: id }),
        ),
      );
      expect((await store.read.partners.find(id))!.dailyBudget).toBe(1080);
    });
  });

  describe("the effects of a write", () => {
    test("changes a partner's revision once, and not if it fails", async () => {
      const { id } = await insertPartner(store);
      const revision = async () => revisionNumber(await store.read.partners.revision(id));
      const before = await revision();
      await store.write(async (tx) => {
        tx.bumpRevision(id);
        tx.bumpRevision(id);
      });
      expect(await revision()).toBe(before + 1);
      const failing = store.write(async (tx) => {
        tx.bumpRevision(id);
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      expect(await revision()).toBe(before + 1);
      await store.write((tx) => tx.partners.bumpAllRevisions());
      expect(await revision()).toBe(before + 2);
    });

    test("notifies the sender of deliveries once it is committed, and not if it fails", async () => {
      const a = newName();
      const reported: string[][] = [];
      const teller = await database.open();
      teller.onOutbox((partnerIds) => reported.push([...partnerIds].sort()));
      await teller.write(async (tx) => {
        for (const id of ["PARTNER_2", "PARTNER_1", "PARTNER_2"]) tx.outboxChanged(id);
        expect(reported).toEqual([]);
      });
      const failing = teller.write(async (tx) => {
        tx.outboxChanged("PARTNER_3");
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      await teller.write((tx) => add(tx, a));
      expect(reported).toEqual([["PARTNER_1", "PARTNER_2"]]);
    });

    test("is counted by groups, and none waits once all are done", async () => {
      const a = newName();
      const groups: number[] = [];
      const counter = await database.open();
      counter.onGroup((jobs, durationMs) => {
        expect(durationMs).toBeGreaterThanOrEqual(0);
        groups.push(jobs);
      });
      await Promise.all(Array.from({ length: 20 }, () => counter.write((tx) => add(tx, a))));
      expect(groups.reduce((sum, jobs) => sum + jobs, 0)).toBe(20);
      expect(counter.queueLength()).toBe(0);
      const { databaseBytes, logBytes } = await counter.sizes();
      expect(databaseBytes).toBeGreaterThan(10_000);
      expect(logBytes).toBeGreaterThanOrEqual(0);
    });
  });

  describe("a read snapshot", () => {
    test("sees what was committed at its first read, and nothing later", async () => {
      const a = newName();
      await store.write((tx) => add(tx, a));
      const seen = await store.inReadSnapshot(async (read) => {
        const first = await read.budgets.taken(a, DAY);
        await store.write((tx) => add(tx, a));
        return [first, await read.budgets.taken(a, DAY), await countOf(store, a)];
      });
      expect(seen).toEqual([1, 1, 2]);
      expect(await store.inReadSnapshot((read) => read.budgets.taken(a, DAY))).toBe(2);
    });

    test("ends also if a read fails", async () => {
      const a = newName();
      for (let nth = 0; nth < 12; nth++) {
        const failing = store.inReadSnapshot(async (read) => {
          await read.partners.list();
          throw new Error("no");
        });
        await expect(failing).rejects.toThrow("no");
      }
      await store.write((tx) => add(tx, a));
      expect(await countOf(store, a)).toBe(1);
    });
  });

  test("closing finishes accepted writes, and rejects new ones", async () => {
    const a = newName();
    const ending = await database.open();
    const taken = Promise.all(
      Array.from({ length: 200 }, (_, nth) =>
        ending.write((tx) => add(tx, a), { partnerId: `PARTNER_${nth % 5}` }),
      ),
    );
    const closed = ending.close();
    await expect(ending.write((tx) => add(tx, a))).rejects.toThrow("the store is closed");
    await Promise.all([taken, closed]);
    expect(await countOf(store, a)).toBe(200);
  });
}
