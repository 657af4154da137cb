import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Reply } from "../../../src/http/http-operation.ts";
import { Idempotency } from "../../../src/http/idempotency-key.ts";
import type { Store } from "../../../src/store/store.ts";
import { createPropertyAndQueueWebhook } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { writePortfolio } from "../../../src/usecases/portfolio/portfolio-writer.ts";
import { ALL, DAY, type Database, insertPartner, knowledge, type MakeDatabase, NOW } from "./test-store.ts";

const PROPERTY = {
  name: "Elm Court",
  address: "1 Elm St",
  city: null,
  state: "NY",
  zip: null,
  unitCount: 0,
  yearBuilt: null,
  notes: null,
  partnerPropertyId: null,
};

/**
 * Tests the guarantees that every store gives for the numbers and the times of a partner's rows under concurrent
 * writes.
 */
export function numbers(make: MakeDatabase): void {
  let database: Database;
  let store: Store;
  beforeAll(async () => {
    database = await make();
    store = await database.open();
  });

  test("a partner's rows are numbered without gaps and dated in that order, by several servers and despite failures", async () => {
    const behind = await database.open({ clock: () => Date.now() - 90_000 });
    const servers = [store, behind, await database.open()];
    const partners = [await insertPartner(store), await insertPartner(store), await insertPartner(store)];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 90 }, (_, nth) =>
        writePortfolio(servers[nth % 3]!.write, knowledge, partners[(nth >> 1) % 3]!, async (writer) => {
          const before = writer.rows.latestSeq("properties");
          const { seq } = await createPropertyAndQueueWebhook(writer, PROPERTY, { source: "api" });
          expect([before, writer.rows.latestSeq("properties")]).toEqual([seq - 1, seq]);
          if (nth % 5 === 0) throw new Error("refused");
          if (nth % 7 === 0) await createPropertyAndQueueWebhook(writer, PROPERTY, { source: "api" });
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(18);
    let rows = 0;
    for (const { id } of partners) {
      const portfolio = await store.read.properties.portfolioPage(id, ALL);
      const properties = portfolio.map(({ property }) => property);
      rows += properties.length;
      const { properties: counted, events } = await store.read.totals.ofPartner(id);
      expect([counted, events]).toEqual([properties.length, properties.length]);
      expect(properties.map(({ seq }) => seq)).toEqual(properties.map((_, at) => at + 1));
      const instants = properties.map(({ createdAt }) => createdAt);
      expect(instants).toEqual([...new Set(instants)].sort((a, b) => a - b));
      const log = await store.read.eventLog.page(id, 1, 1000);
      expect(log.map(({ seq, subjectId, createdAt }) => [seq, subjectId, createdAt])).toEqual(
        properties.map((one) => [one.seq, one.id, one.createdAt]),
      );
    }
    expect(rows).toBe(
      72 + Array.from({ length: 90 }, (_, nth) => nth).filter((nth) => nth % 5 && nth % 7 === 0).length,
    );
  });

  test("records of one instant have ids that sort in order of creation", async () => {
    const standing = await (await make()).open({ clock: () => NOW });
    const { id: partnerId } = await insertPartner(standing);
    const ids: string[] = [];
    for (let nth = 0; nth < 10; nth++)
      await standing.write(
        async (tx) => {
          await tx.forPartner(partnerId);
          ids.push(tx.newId("claim"), tx.newId("claim"));
        },
        { partnerId },
      );
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("a partner's times strictly increase with any clocks of the servers, and never pass all of the clocks", async () => {
    // Makes a separate database, in which no time comes from this machine's clock.
    const database = await make();
    const { id } = await insertPartner(await database.open({ clock: () => NOW }));
    let last = 0;
    const jump = fc.record({
      server: fc.integer({ min: 0, max: 1 }),
      at: fc.integer({ min: NOW - 86_400_000, max: NOW + 86_400_000 }),
      fails: fc.boolean(),
    });
    const clocks = [NOW, NOW];
    const servers = await Promise.all([0, 1].map((nth) => database.open({ clock: () => clocks[nth]! })));
    let latest = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(jump, { minLength: 1, maxLength: 8 }), async (jumps) => {
        for (const { server, at, fails } of jumps) {
          clocks[server] = at;
          latest = Math.max(latest, at);
          const given: number[] = [];
          const ids: string[] = [];
          const write = servers[server]!.write(
            async (tx) => {
              const rows = await tx.forPartner(id);
              const before = rows.latestInstant();
              given.push(rows.nextInstant(), (await tx.forPartner(id)).nextInstant());
              expect(before).toBeLessThanOrEqual(given[0]!);
              expect(rows.latestInstant()).toBe(given[1]!);
              ids.push(rows.newDeliveryId(), rows.newDeliveryId());
              expect(tx.now).toBe(at);
              if (fails) throw new Error("no");
            },
            { partnerId: id },
          );
          await write.catch((error) => {
            if (error.message !== "no") throw error;
          });
          expect(given[0]!).toBeGreaterThan(last);
          expect(given[1]!).toBeGreaterThan(given[0]!);
          expect(given[1]!).toBeLessThan(latest + 10_000);
          expect(ids[1]! > ids[0]!).toBe(true);
          if (!fails) last = given[1]!;
        }
      }),
      { numRuns: 20 },
    );
  });

  test("a partner's deliveries have increasing times with any clocks of the servers, also without other rows", async () => {
    const database = await make();
    const clocks = [NOW, NOW];
    const open = (nth: number) => database.open({ clock: () => clocks[nth]! });
    const first = await open(0);
    // A server with its own database has no others beside it.
    const servers = first.isShared ? [first, await open(1)] : [first];
    const { id } = await insertPartner(first);
    let last = "";
    const delivery = fc.record({
      server: fc.integer({ min: 0, max: servers.length - 1 }),
      at: fc.integer({ min: NOW - 60_000, max: NOW + 60_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(delivery, { minLength: 1, maxLength: 8 }), async (deliveries) => {
        for (const { server, at } of deliveries) {
          clocks[server] = at;
          const given = await servers[server]!.write(
            async (tx) => (await tx.forPartner(id)).newDeliveryId(),
            { partnerId: id },
          );
          expect(given > last).toBe(true);
          last = given;
        }
      }),
      { numRuns: 20 },
    );
  });

  test("rows without a partner are dated after earlier rows", async () => {
    let now = NOW;
    const server = await (await make()).open({ clock: () => now });
    const at = () => server.write((tx) => tx.latestInstant());
    const first = await at();
    expect(first).toBe(NOW);
    now -= 60_000;
    expect(await at()).toBeGreaterThanOrEqual(first);
    now += 120_000;
    expect(await at()).toBe(now);
  });

  test("nothing is numbered for a missing partner", async () => {
    const write = store.write((tx) => tx.forPartner("PARTNER_none"), { partnerId: "PARTNER_none" });
    await expect(write).rejects.toMatchObject({ code: "not_found" });
  });

  test("ids have their kind's prefix and sort by time, also if the clock is set back", async () => {
    let now = Date.now();
    const server = await database.open({ clock: () => now });
    const { id } = await insertPartner(server);
    const make = () =>
      server.write(
        async (tx) => {
          (await tx.forPartner(id)).nextInstant();
          return tx.newId("property");
        },
        { partnerId: id },
      );
    const first = await make();
    now -= 60_000;
    await server.write(async (tx) => (await tx.forPartner(id)).nextInstant(), { partnerId: id });
    const second = await make();
    expect(first).toMatch(/^P_[0-9a-z]{26}$/);
    // The first ten characters encode the time.
    expect(second.slice(0, 12) >= first.slice(0, 12)).toBe(true);
  });

  describe("of a daily call limit", () => {
    test("servers together grant all calls, and not one more", async () => {
      const servers = [store, await database.open(), await database.open()];
      const { id } = await insertPartner(store);
      const blocks = await Promise.all(
        Array.from({ length: 90 }, (_, nth) =>
          servers[nth % 3]!.write((tx) => tx.budgets.take(id, DAY, 7, 100), { durability: "process" }),
        ),
      );
      expect(blocks.reduce((sum, { granted }) => sum + granted, 0)).toBe(100);
      expect(await store.read.budgets.taken(id, DAY)).toBe(100);
    });

    test("what is left is granted where it is less than asked for, and what was given back again", async () => {
      const take = (most: number, budget: number) =>
        store.write((tx) => tx.budgets.take("P", DAY, most, budget));
      expect(await take(7, 0)).toEqual({ granted: 0, taken: 0 });
      expect(await take(7, 5)).toEqual({ granted: 5, taken: 5 });
      expect(await take(7, 10)).toEqual({ granted: 5, taken: 10 });
      expect(await take(7, 10)).toEqual({ granted: 0, taken: 10 });
      expect(await take(7, 3), "of one that was lowered").toEqual({ granted: 0, taken: 10 });
      await store.write((tx) => tx.budgets.add("P", DAY, -4));
      expect(await take(7, 10)).toEqual({ granted: 4, taken: 10 });
    });
  });

  test("a key that is used on two servers at once creates one resource, which both return", async () => {
    const servers = [store, await database.open()];
    const partner = await insertPartner(store);
    const identity = { partner, operation: "POST /v1/properties", key: "k", bodyHash: "h" };
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, nth) => {
        const server = servers[nth % 2]!;
        const idempotency = new Idempotency({ ...server, isShared: true });
        return writePortfolio<Reply<{ id: string }>>(
          (run, options) => server.write((tx) => idempotency.once(tx, identity, () => run(tx)), options),
          knowledge,
          partner,
          async (writer) => ({
            status: 201,
            body: { id: (await createPropertyAndQueueWebhook(writer, PROPERTY, { source: "api" })).id },
          }),
        );
      }),
    );
    expect((await store.read.totals.ofPartner(partner.id)).properties).toBe(1);
    const [made] = await store.read.properties.page(partner.id, ALL);
    expect(new Set(replies.map(({ raw }) => raw))).toEqual(new Set([JSON.stringify({ id: made!.id })]));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
  });
}
