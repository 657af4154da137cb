import { expect, test } from "bun:test";
import fc from "fast-check";
import type { CostLine } from "../../../src/domain/costs/cost-line.ts";
import type { NewServiceEvent } from "../../../src/domain/service-event.ts";
import { replaceCostBook } from "../../../src/usecases/costs/cost-book.ts";
import { recalculateSums } from "../../../src/usecases/costs/recalculate.ts";
import { ServiceLog } from "../../../src/usecases/history/service-events.ts";
import { actionsAmong } from "../../../src/usecases/portfolio/actions.ts";
import { changeAppliance } from "../../../src/usecases/portfolio/appliances.ts";
import { changeComponent } from "../../../src/usecases/portfolio/change-component.ts";
import { actionsOf } from "../../../src/usecases/portfolio/listed-actions.ts";
import { presentPrices } from "../../../src/usecases/portfolio/price-list.ts";
import { changeProperty } from "../../../src/usecases/portfolio/properties.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const DAY_MS = 86_400_000;
const open = usePortfolioStore();
const yieldNow = async () => {};

/** Reads of components that count those of whole appliances. */
function counted({ store }: PortfolioFixture) {
  const { read } = store;
  let appliances = 0;
  const components = Object.assign(Object.create(read.components), {
    rowsOfAppliances: (ids: readonly string[]) => {
      appliances += ids.length;
      return read.components.rowsOfAppliances(ids);
    },
  }) as typeof read.components;
  return { read: { components, recalculations: read.recalculations }, count: () => appliances };
}

/** Checks the actions of the portfolio's list; returns for how many appliances all their components were read. */
async function check(fixture: PortfolioFixture): Promise<number> {
  const { read } = fixture.store;
  const rows = await read.components.page(fixture.partnerId, { limit: 1000, offset: 0 });
  const prices = await presentPrices(read, knowledge, fixture.partnerId);
  const whole = await actionsAmong({ prices, yieldNow }, rows);
  const { read: countedRead, count } = counted(fixture);
  const listed = await actionsOf({ prices, yieldNow, store: { read: countedRead } }, fixture.partnerId, rows);
  expect(rows.map(({ id }) => listed.get(id))).toEqual(rows.map(({ id }) => whole.components.get(id)));
  return count();
}

const VISIT: Omit<NewServiceEvent, "applianceId"> = {
  ...{ componentId: null, eventType: "Inspection", date: "2026-02-01", technician: null, notes: null },
  ...{ partsCostCents: null, laborCostCents: null, totalCostCents: null, conditionAfter: "good" },
};
const LINE: CostLine = {
  ...{ typeId: "boiler", componentDefId: null, state: null, plannedCents: 4_200_000, failedCents: 4_300_000 },
  ...{ size: null, asOf: "2026-03-01", source: "own" },
};

type Change = (fixture: PortfolioFixture, applianceId: string, year: number) => Promise<unknown>;
const log =
  (event: Partial<NewServiceEvent>): Change =>
  (fixture, applianceId) =>
    fixture.write(async (writer) => {
      const service = new ServiceLog(writer);
      await service.add({ ...VISIT, applianceId, ...event });
      await service.finish();
    });
const alter =
  (change: Parameters<typeof changeAppliance>[2]): Change =>
  (fixture, applianceId) =>
    fixture.write((writer) => changeAppliance(writer, applianceId, change));
/** One write of each kind, by name. */
const CHANGES: Record<string, Change> = {
  inspected: log({}),
  "found poor": log({ conditionAfter: "poor", date: "2026-02-20" }),
  replaced: log({ eventType: "Replacement", date: "2026-01-10" }),
  "repaired in an emergency": log({ eventType: "Emergency Repair", date: "2026-03-01" }),
  "older or newer": (fixture, id, year) => alter({ installYear: year })(fixture, id, year),
  heavier: alter({ usageIntensity: 1.8 }),
  "of a hazardous brand": alter({ brand: "Federal Pacific" }),
  retired: alter({ retiredAt: "2026-03-01" }),
  "back, or as it was": alter({ retiredAt: null }),
  "of another type": alter({ typeId: "furnace_gas" }),
  larger: (fixture, _, year) =>
    fixture.write(async (writer) => {
      const [property] = await writer.tx.properties.page(fixture.partnerId, { limit: 1, offset: 0 });
      await changeProperty(writer, property!.id, { unitCount: year - 1900, state: "CA" });
    }),
  "priced by the owner": (fixture, id, year) =>
    fixture.write(async (writer) => {
      const [first] = await writer.tx.components.ofAppliance(id);
      if (first) await changeComponent(writer, first.id, { plannedCents: year * 10, overrideLifespan: 9 });
    }),
  "with a cost book": (fixture) => fixture.write((writer) => replaceCostBook(writer, "test", () => [LINE])),
  "with prices that follow in turns": async (fixture) => {
    const { store, clock } = fixture;
    await fixture.write((writer) => writer.tx.recalculations.request(writer.partner.id, writer.tx.now));
    await fixture.sql("UPDATE appliances SET unit_timing = 'never'");
    expect(await check(fixture)).toBeGreaterThan(0);
    await recalculateSums({ store, knowledge, clock, yieldNow });
  },
  "a day later": async (fixture) => {
    fixture.time.now += DAY_MS;
    const day = new Date(fixture.time.now).toISOString().slice(0, 10);
    const { store, clock } = fixture;
    await takeSnapshot({ store, knowledge, clock, monotonicMs: () => 0, yieldNow }, day);
  },
};

// Rule: plan-action
test("the actions of lists are those of the plan after writes of every kind, mostly from their rows", async () => {
  const names = Object.keys(CHANGES);
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          typeId: fc.constantFrom("boiler", "refrigerator", "roof", "elevator", "hvac_central", "ptac"),
          installYear: fc.integer({ min: 1970, max: 2025 }),
        }),
        { minLength: 4, maxLength: 8 },
      ),
      fc.shuffledSubarray(names, { minLength: names.length }),
      fc.array(fc.nat(), { minLength: names.length, maxLength: names.length }),
      async (fleet, order, picks) => {
        const fixture = await open(NOON);
        const { id: propertyId } = await fixture.addProperty({ unitCount: 12 });
        const appliances = await fixture.addAppliances(
          ...fleet.map((appliance) => ({ propertyId, ...appliance })),
        );
        expect(await check(fixture)).toBe(0);
        for (const [at, name] of order.entries()) {
          const { id } = appliances[picks[at]! % appliances.length]!;
          try {
            await CHANGES[name]!(fixture, id, 1970 + (picks[at]! % 50));
            seen.add(name);
          } catch (error) {
            // Nothing but bringing it back changes a retired appliance.
            expect(String(error)).toContain("retired");
          }
          await check(fixture);
        }
      },
    ),
    { numRuns: 6 },
  );
  expect(names.filter((name) => !seen.has(name))).toEqual([]);
});
