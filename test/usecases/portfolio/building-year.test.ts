import { expect, test } from "bun:test";
import { extendStores, type Store } from "../../../src/store/store.ts";
import { changeAppliance } from "../../../src/usecases/portfolio/create-or-change-appliance.ts";
import { changeProperty } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { writePortfolio } from "../../../src/usecases/portfolio/portfolio-writer.ts";
import { recountDerivedData } from "../../../src/usecases/recalculation/recount-derived-data.ts";
import { knowledge, usePortfolioStore } from "../../support/portfolio-store.ts";

const open = usePortfolioStore();

test("a new year of the building reaches its appliances one by one, and other requests run in between", async () => {
  const fixture = await open(Date.parse("2026-03-10T12:00:00Z"));
  const { id: propertyId } = await fixture.addProperty({ yearBuilt: 1950 });
  await fixture.addAppliances(...Array.from({ length: 3 }, () => ({ propertyId, installYear: null })));
  const steps: string[] = [];
  const noting: Store["write"] = (run, options) =>
    fixture.store.write((tx) => {
      const update: typeof tx.appliances.update = (...change) => {
        steps.push("update");
        return tx.appliances.update(...change);
      };
      const yieldToEventLoop = async () => void steps.push("yield");
      return run(extendStores(tx, { yieldToEventLoop, appliances: { ...tx.appliances, update } }));
    }, options);
  await writePortfolio(noting, knowledge, fixture.partner, (writer) =>
    changeProperty(writer, propertyId, { yearBuilt: 1960 }),
  );
  const years = (await fixture.components(propertyId)).map(({ installYear }) => installYear);
  expect(new Set(years)).toEqual(new Set([1960]));
  const first = steps.indexOf("update");
  expect(steps.slice(first, first + 6)).toEqual(["update", "yield", "update", "yield", "update", "yield"]);
});

// Rule: hazard-flags-counted
test.each([
  ["alone", {}],
  ["with another change", { usageIntensity: 1.5 }],
])(
  "an appliance that is brought back %s has the flags of its building's new year, counted once",
  async (_, others) => {
    const fixture = await open(Date.parse("2026-03-10T12:00:00Z"));
    const { id: propertyId } = await fixture.addProperty({ yearBuilt: 1985 });
    const pipes = { propertyId, typeId: "plumbing_supply", installYear: null };
    const [supply] = await fixture.addAppliances(pipes);
    const change = (fields: Parameters<typeof changeAppliance>[2]) =>
      fixture.write((writer) => changeAppliance(writer, supply!.id, fields));
    const expectFlags = async (flags: string) => {
      const stored = await fixture.store.read.appliances.find(fixture.partnerId, supply!.id);
      expect(stored!.flags).toBe(flags);
      const wrong = await recountDerivedData({ ...fixture, knowledge, yieldNow: async () => {} }, false);
      expect(Object.entries(wrong).filter(([, rows]) => rows > 0)).toEqual([]);
    };
    await expectFlags("polybutylene:era");
    await change({ retiredAt: "2026-03-09" });
    await fixture.write((writer) => changeProperty(writer, propertyId, { yearBuilt: 2015 }));
    const { appliance } = await change({ retiredAt: null, ...others });
    expect(appliance.flags).toBe("");
    await expectFlags("");
    await fixture.addAppliances({ ...pipes, typeId: "boiler" });
    await change({ model: "X" });
    await expectFlags("");
  },
);
