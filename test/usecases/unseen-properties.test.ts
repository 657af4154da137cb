import { expect, test } from "bun:test";
import fc from "fast-check";
import { dayOf, MS_PER_DAY } from "../../src/domain/time.ts";
import { discardLaterSnapshots, takeSnapshot } from "../../src/usecases/take-snapshot.ts";
import { knowledge, usePortfolioStore } from "../support/portfolio-store.ts";

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

test("those with what no snapshot has seen are known, whatever was added, taken and discarded", async () => {
  const seen = new Set<number>();
  const world = await open(THREE);
  await fc.assert(
    fc.asyncProperty(doings, async (list) => {
      world.time.now += 30 * MS_PER_DAY;
      const ids: string[] = [];
      for (let nth = 0; nth < 3; nth++) ids.push((await world.addProperty({ name: `Property ${nth}` })).id);
      const today = () => dayOf(world.time.now);
      const environment = {
        store: world.store,
        knowledge,
        clock: world.clock,
        ticks: () => performance.now(),
      };
      for (const one of list) {
        if (one.do === "add") await world.addAppliances({ propertyId: ids[one.to]!, typeId: "roof" });
        if (one.do === "snapshot") {
          world.time.now += one.days * MS_PER_DAY;
          const signal = new AbortController().signal;
          await takeSnapshot({ ...environment, pause: async () => {}, signal }, today());
        }
        if (one.do === "discard") {
          world.time.now -= one.days * MS_PER_DAY;
          await discardLaterSnapshots(world.administration, today());
        }
        const known = (await world.store.read.properties.withUnseen(1000)).map(({ id }) => id);
        const rows = await world.sql(
          "SELECT DISTINCT property_id AS id FROM components WHERE trend_score IS NULL ORDER BY property_id",
        );
        expect(known).toEqual((rows as { id: string }[]).map(({ id }) => id));
        seen.add(known.length);
      }
    }),
    { numRuns: 15 },
  );
  expect(Math.max(...seen)).toBeGreaterThan(0);
});
