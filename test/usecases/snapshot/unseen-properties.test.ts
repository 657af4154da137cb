import { expect, test } from "bun:test";
import fc from "fast-check";
import { dayOf, MS_PER_DAY } from "../../../src/domain/time.ts";
import { discardLaterSnapshots } from "../../../src/usecases/snapshot/discard-snapshots.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import { knowledge, usePortfolioStore } from "../../support/portfolio-store.ts";
import { runsOnEngine } from "../../support/postgres.ts";

const THREE = Date.parse("2026-03-10T03:00:00Z");
const open = usePortfolioStore();

const doings = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("add" as const), to: fc.nat({ max: 2 }) }),
    fc.record({ do: fc.constant("snapshot" as const), days: fc.nat({ max: 2 }) }),
    fc.record({ do: fc.constant("discard" as const), days: fc.integer({ min: 1, max: 2 }) }),
  ),
  { maxLength: 10 },
);

test("properties with components that no snapshot has scored are found after any additions, snapshots and discards", async () => {
  const seen = new Set<number>();
  const fixture = await open(THREE);
  await fc.assert(
    fc.asyncProperty(doings, async (list) => {
      fixture.time.now += 30 * MS_PER_DAY;
      const ids: string[] = [];
      for (let nth = 0; nth < 3; nth++) ids.push((await fixture.addProperty({ name: `Property ${nth}` })).id);
      const today = () => dayOf(fixture.time.now);
      const environment = {
        store: fixture.store,
        knowledge,
        clock: fixture.clock,
        monotonicMs: () => performance.now(),
      };
      for (const one of list) {
        if (one.do === "add") await fixture.addAppliances({ propertyId: ids[one.to]!, typeId: "roof" });
        if (one.do === "snapshot") {
          fixture.time.now += one.days * MS_PER_DAY;
          const signal = new AbortController().signal;
          await takeSnapshot({ ...environment, yieldNow: async () => {}, signal }, today());
        }
        if (one.do === "discard") {
          fixture.time.now -= one.days * MS_PER_DAY;
          await discardLaterSnapshots(fixture.administration, today());
        }
        const known = (await fixture.store.read.properties.withUnseen(1000)).map(({ id }) => id);
        const rows = await fixture.sql(
          "SELECT DISTINCT property_id AS id FROM components WHERE trend_score IS NULL ORDER BY property_id",
        );
        expect(known).toEqual((rows as { id: string }[]).map(({ id }) => id));
        seen.add(known.length);
      }
    }),
    { numRuns: runsOnEngine(15) },
  );
  expect(Math.max(...seen)).toBeGreaterThan(0);
});

test("they are read in steps of a limited number of components, each once", async () => {
  const fixture = await open(THREE);
  const { properties } = fixture.store.read;
  const ids: string[] = [];
  for (let nth = 0; nth < 90; nth++) ids.push((await fixture.addProperty({ name: `Property ${nth}` })).id);
  const isFull = (nth: number) => nth % 3 === 0 || nth > 60;
  const full = ids.filter((_, nth) => isFull(nth));
  await fixture.addAppliances(...full.map((propertyId) => ({ propertyId, typeId: "roof" })));
  const sizeOf = (step: readonly { components: number }[]) =>
    step.reduce((sum, { components }) => sum + components + 1, 0);

  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 700 }), async (budget) => {
      const steps: (typeof step)[] = [];
      let step = await properties.forSnapshot("", budget);
      for (; step.length > 0; step = await properties.forSnapshot(step.at(-1)!.id, budget)) steps.push(step);
      expect(steps.flat().map(({ id }) => id)).toEqual([...ids].sort());
      for (const one of steps) {
        expect(sizeOf(one.slice(0, -1))).toBeLessThan(budget);
        expect(one.length).toBeLessThanOrEqual(Math.ceil(budget / 4));
      }
      for (const one of steps.slice(0, -1))
        expect(sizeOf(one) >= budget || one.length === Math.ceil(budget / 4)).toBeTrue();

      const numbered = await properties.ofPartnerForSnapshot(fixture.partnerId, 0, budget);
      expect(numbered.map(({ id }) => id)).toEqual(ids.slice(0, numbered.length));
      expect(numbered).toHaveLength(steps[0]!.length);
      const unseen = await properties.withUnseen(budget);
      expect(unseen.map(({ id }) => id)).toEqual([...full].sort().slice(0, unseen.length));
      expect(
        sizeOf(unseen) >= budget || unseen.length === Math.min(full.length, Math.ceil(budget / 4)),
      ).toBeTrue();
    }),
    { numRuns: runsOnEngine(40) },
  );
});

test("the trend points of a later day are discarded in any number of steps", async () => {
  const fixture = await open(THREE);
  const { id: propertyId } = await fixture.addProperty();
  await fixture.addAppliances({ propertyId, typeId: "roof", installYear: 2010 });
  const snapshot = () => {
    const { store, clock } = fixture;
    const environment = {
      store,
      knowledge,
      clock,
      monotonicMs: () => performance.now(),
      yieldNow: async () => {},
    };
    return takeSnapshot(environment, dayOf(fixture.time.now));
  };
  const rows = () => fixture.sql("SELECT component_id, day, risk_score FROM risk_snapshots ORDER BY 1, 2");
  const trends = async () => (await fixture.components(propertyId)).map(({ trendScore }) => trendScore);
  await snapshot();
  const before = { rows: await rows(), trends: await trends() };
  fixture.time.now += 3650 * MS_PER_DAY;
  await fixture.addAppliances({ propertyId, typeId: "boiler", installYear: 2010 });
  await snapshot();
  expect(await discardLaterSnapshots(fixture.administration, dayOf(THREE), { atOnce: 2 })).toBe(1);
  const after = await trends();
  const seen: typeof after = after.filter((one) => one !== null);
  expect(seen.length).toBeLessThan(after.length);
  expect({ rows: await rows(), trends: seen }).toEqual(before);
});
