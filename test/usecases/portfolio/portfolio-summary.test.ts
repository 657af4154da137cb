import { expect, test } from "bun:test";
import { portfolioSummary } from "../../../src/usecases/portfolio/portfolio-summary.ts";
import { knowledge, usePortfolioStore } from "../../support/portfolio-store.ts";

const open = usePortfolioStore();

// Rule: assumptions
test.each([
  ["the whole portfolio", undefined],
  ["those that match a filter", { state: "NY" }],
])("totals and assumptions of %s are of one state, whatever is written in between", async (_, filter) => {
  const fixture = await open(Date.parse("2026-03-10T12:00:00Z"));
  const { id: propertyId } = await fixture.addProperty();
  await fixture.addAppliances({ propertyId, typeId: "boiler" });
  const { read } = fixture.store;
  let writes = 0;
  const writeOnce = async () => {
    if (writes++ === 0) await fixture.addAppliances({ propertyId, typeId: "elevator" });
  };
  // Both kinds of counts are read after the totals.
  const plans = {
    ...read.plans,
    countedOf: async (ids: readonly string[]) => {
      await writeOnce();
      return await read.plans.countedOf(ids);
    },
    countedOfPartners: async (ids: readonly string[]) => {
      await writeOnce();
      return await read.plans.countedOfPartners(ids);
    },
  };
  const store = { ...fixture.store, read: { ...read, plans } };
  const partner = (await read.partners.find(fixture.partnerId))!;
  const { rows, totals, counted } = await portfolioSummary(
    { store, knowledge, sumsOf: (_name, _revision, find) => find(), yieldNow: async () => {} },
    partner,
    { filter, includeDemo: false, isSandbox: false, slice: { offset: 0, limit: 50 } },
  );
  expect(writes).toBeGreaterThan(1);
  const { components } = await read.totals.ofPartner(fixture.partnerId);
  expect(totals.components).toBe(components);
  expect(counted!.components).toBe(components);
  expect(rows.map((row) => row.totals.components)).toEqual([components]);
});
