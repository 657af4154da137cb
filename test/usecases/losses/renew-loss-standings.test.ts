import { beforeEach, expect, test } from "bun:test";
import { dayOf } from "../../../src/domain/time.ts";
import { createDemoProperty } from "../../../src/usecases/demo-property/create-demo-property.ts";
import { LossBooks } from "../../../src/usecases/losses/load-loss-books.ts";
import { loadPropertyUnderwriting } from "../../../src/usecases/losses/load-property-underwriting.ts";
import { renewLossStandings } from "../../../src/usecases/losses/renew-loss-standings.ts";
import { createPartner } from "../../../src/usecases/partners/create-partner-and-credentials.ts";
import { changeProperty } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { mergeProperties } from "../../../src/usecases/portfolio/merge-properties.ts";
import { RevisionCaches } from "../../../src/usecases/revision-caches/revision-caches.ts";
import { discardLaterSnapshots } from "../../../src/usecases/snapshot/discard-snapshots.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

const DAY_MS = 86_400_000;
const open = usePortfolioStore();
let fixture: PortfolioFixture;
const ids: string[] = [];
const yieldNow = async () => {};

/** Adds a property with so many appliances and units. */
async function add(appliances: number, unitCount: number): Promise<string> {
  const { id } = await fixture.addProperty({ unitCount });
  await fixture.addAppliances(
    ...Array.from({ length: appliances }, () => ({ propertyId: id, installYear: 1998 })),
  );
  return id;
}

beforeEach(async () => {
  fixture = await open(Date.parse("2026-03-10T12:00:00Z"));
  ids.splice(0, ids.length, await add(1, 1), await add(3, 2), await add(2, 1), await add(1, 1));
});

const snapshot = () =>
  takeSnapshot(
    {
      store: fixture.store,
      knowledge,
      clock: () => fixture.time.now,
      monotonicMs: () => performance.now(),
      yieldNow,
    },
    dayOf(fixture.time.now),
  );
const renew = () => renewLossStandings({ store: fixture.store, knowledge, yieldNow });
const standing = (id: string) => fixture.store.read.standings.ofProperty(id);

// Rule: standings
test("properties are compared once after a snapshot, by their losses per unit", async () => {
  expect(await renew()).toBe(0);
  await snapshot();
  expect(await standing(ids[0]!)).toBeUndefined();
  expect(await renew()).toBe(4);
  const lower = await Promise.all(ids.map(async (id) => (await standing(id))!.portfolio.lowerExpected));
  expect(lower).toEqual([0, 2, 3, 0]);
  expect(await standing(ids[2]!)).toEqual({
    propertyId: ids[2]!,
    day: "2026-03-10",
    portfolio: { others: 3, lowerExpected: 3, lowerDamage: 3 },
    book: { others: 3, lowerExpected: 3, lowerDamage: 3 },
  });
  expect(await renew()).toBe(0);
});

// Rule: standings
test("the comparison yields between partners, however small they are", async () => {
  for (let n = 0; n < 5; n++)
    await createPartner(fixture.administration, { name: `Small ${n}`, dailyBudget: 1, webhookUrl: null });
  await snapshot();
  let readAtOnce = 0;
  let most = 0;
  const { read } = fixture.store;
  const lossRows = {
    ...read.lossRows,
    demoPropertyIds: (partnerId: string) => {
      most = Math.max(most, ++readAtOnce);
      return read.lossRows.demoPropertyIds(partnerId);
    },
  };
  const store = { ...fixture.store, read: { ...read, lossRows } };
  const yielded = async () => {
    readAtOnce = 0;
  };
  expect(await renewLossStandings({ store, knowledge, yieldNow: yielded })).toBe(4);
  expect(most).toBe(1);
});

// Rule: standings
test("the amounts that are compared are the expected losses of the book", async () => {
  await snapshot();
  const { store, partnerId, time } = fixture;
  const revision = (await store.read.partners.revision(partnerId))!;
  const { losses, unitsOf } = await new LossBooks(knowledge, new RevisionCaches(1e8)).ofPartners(
    { store, now: time.now, yieldNow },
    [{ id: partnerId, revision }],
    { selection: { includeDemo: false }, layer: { deductible: 0, limit: null } },
  );
  await renew();
  const { ids: order, expected, expectedDamage } = losses.properties;
  for (const amounts of [expected, expectedDamage]) {
    const perUnit = amounts.map((amount, at) => amount / unitsOf[at]!);
    const name = amounts === expected ? "lowerExpected" : "lowerDamage";
    for (const [at, id] of order.entries())
      expect((await standing(id))!.book[name]).toBe(
        perUnit.filter((one) => one < perUnit[at]! * (1 - 1e-12)).length,
      );
  }
});

// Rule: standings
test("the first properties are compared on their first day, later ones when the snapshot adds them", async () => {
  fixture = await open(Date.parse("2026-03-10T12:00:00Z"));
  await snapshot();
  expect(await renew()).toBe(0);
  await add(1, 1);
  expect(await renew()).toBe(1);
  await add(1, 1);
  expect(await renew()).toBe(0);
  await snapshot();
  expect(await renew()).toBe(2);
});

// Rule: standings
test("they are compared again after the next snapshot, without retired properties", async () => {
  await snapshot();
  await renew();
  fixture.time.now += DAY_MS;
  await fixture.store.write((tx) => tx.properties.update(ids[2]!, { unitCount: 1000 }));
  await fixture.write((writer) => changeProperty(writer, ids[0]!, { retiredAt: dayOf(fixture.time.now) }));
  const another = await add(4, 1);
  expect(await standing(another)).toBeUndefined();
  await snapshot();
  expect(await renew()).toBe(4);
  expect((await standing(another))!.portfolio).toEqual({ others: 3, lowerExpected: 3, lowerDamage: 3 });
  expect((await standing(ids[2]!))!.portfolio.lowerExpected).toBe(0);
  expect(await standing(ids[0]!)).toBeUndefined();
});

// Rule: standings
test("a demo property is compared with the others, which are not compared with it", async () => {
  await fixture.write((writer) => createDemoProperty(writer));
  await snapshot();
  expect(await renew()).toBe(5);
  expect((await standing(ids[0]!))!.book.others).toBe(3);
  const demo = (await fixture.store.read.lossRows.demoPropertyIds(fixture.partnerId))[0]!;
  expect((await standing(demo))!.book.others).toBe(4);
});

// Rule: standings
test("after snapshots of a clock that was ahead, the day before is compared again", async () => {
  await snapshot();
  await renew();
  fixture.time.now += 5 * DAY_MS;
  await snapshot();
  await renew();
  fixture.time.now -= 5 * DAY_MS;
  await discardLaterSnapshots({ store: fixture.store, actor: "cli:test" }, dayOf(fixture.time.now), {
    yieldNow,
  });
  expect(await renew()).toBe(4);
  expect((await standing(ids[0]!))!.day).toBe("2026-03-10");
});

// Rule: standings
test("a snapshot that was taken again meanwhile is compared again", async () => {
  await snapshot();
  const { store } = fixture;
  const again = {
    ...store,
    read: {
      ...store.read,
      snapshots: {
        ...store.read.snapshots,
        latestFinished: async () => ({ ...(await store.read.snapshots.latestFinished())!, startedAt: 1 }),
      },
    },
  };
  await renewLossStandings({ store: again, knowledge, yieldNow });
  expect((await store.read.snapshots.latestFinished())!.comparedAt).toBeNull();
  await renew();
  expect((await store.read.snapshots.latestFinished())!.comparedAt).not.toBeNull();
});

// Rule: standings
test("properties that a snapshot adds during a comparison are compared by the next one", async () => {
  await snapshot();
  let late: string | undefined;
  const addLate = async () => {
    if (late !== undefined) return;
    late = await add(2, 2);
    await snapshot();
  };
  expect(await renewLossStandings({ store: fixture.store, knowledge, yieldNow: addLate })).toBe(4);
  expect(await standing(late!)).toBeUndefined();
  expect(await renew()).toBe(5);
  expect((await standing(late!))!.book.others).toBe(4);
  expect(await renew()).toBe(0);
});

// Rule: standings
test("a property that is retired has no place until it is brought back", async () => {
  await snapshot();
  await renew();
  const { store, partnerId, time, write } = fixture;
  const books = new LossBooks(knowledge, new RevisionCaches(0));
  const placeOf = async (id: string) => {
    const property = (await store.read.properties.find(partnerId, id))!;
    const owner = { id: partnerId, revision: (await store.read.partners.revision(partnerId))! };
    const subject = { property, owner, among: "book" } as const;
    const request = { selection: { includeDemo: false }, layer: { deductible: 0, limit: null } };
    return (
      await loadPropertyUnderwriting({ store, now: time.now, yieldNow }, knowledge, books, subject, request)
    ).standing;
  };
  const [into, from] = [ids[1]!, ids[2]!];
  const place = await placeOf(from);
  expect(place).toMatchObject({ as_of: "2026-03-10", properties: 4 });
  await write((writer) => mergeProperties(writer, { into, from }));
  expect(await placeOf(from)).toMatchObject({ as_of: null, properties: 0, expected_per_unit: null });
  await write((writer) => changeProperty(writer, from, { retiredAt: null }));
  expect(await placeOf(from)).toEqual(place);
});
