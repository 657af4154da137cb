import { expect, test } from "bun:test";
import { loadBookOfBusinessPortfolio } from "../../../src/usecases/book-of-business/load-book-properties.ts";
import { loadPortfolioSummary } from "../../../src/usecases/portfolio/load-portfolio-summary.ts";
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
  const { rows, totals, counted } = await loadPortfolioSummary(
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

// Rule: property-filters
test("a page of matches is read again if one of them is purged meanwhile", async () => {
  const fixture = await open(Date.parse("2026-03-10T12:00:00Z"));
  await fixture.addProperty();
  const { read } = fixture.store;
  const partner = (await read.partners.find(fixture.partnerId))!;
  let reads = 0;
  const propertyFilters = {
    ...read.propertyFilters,
    /** Finds nothing at first, as after a purge. */
    ofIds: async (ids: readonly string[]) => {
      if (reads++ > 0) return await read.propertyFilters.ofIds(ids);
      await fixture.store.write((tx) => tx.partners.bumpRevision(fixture.partnerId));
      return [];
    },
  };
  const store = { ...fixture.store, read: { ...read, propertyFilters } };
  const filter = { state: "NY" };
  const slice = { offset: 0, limit: 50 };
  const deps = { store, knowledge, yieldNow: async () => {} };
  const book = await loadBookOfBusinessPortfolio(deps, { partnerIds: undefined, filter }, false, slice);
  expect([book.rows.length, book.total, reads]).toEqual([1, 1, 2]);
  reads = 0;
  const summary = await loadPortfolioSummary(
    { ...deps, sumsOf: (_name, _revision, find) => find() },
    partner,
    {
      filter,
      includeDemo: false,
      isSandbox: false,
      slice,
    },
  );
  expect([summary.rows.length, summary.total, reads]).toEqual([1, 1, 2]);
});
