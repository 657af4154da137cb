import { expect, test } from "bun:test";
import { renewChangedPlans } from "../../../src/usecases/planning/load-portfolio-plan.ts";
import { loadPortfolioAssumptionCounts } from "../../../src/usecases/portfolio/load-portfolio-assumption-counts.ts";
import { knowledge, usePortfolioStore } from "../../support/portfolio-store.ts";

const open = usePortfolioStore();
const yieldNow = async () => {};

// Rule: assumptions
test("a portfolio of which too much has changed is counted when its plans are renewed", async () => {
  const { store, clock, partnerId, addProperty, addAppliances } = await open(
    Date.parse("2026-03-10T12:00:00Z"),
  );
  const counts = (most?: { properties: number; components: number }) =>
    loadPortfolioAssumptionCounts(
      { read: store.read, knowledge, yieldNow },
      { partnerIds: [partnerId], without: [] },
      most,
    );
  const [first, second] = [await addProperty(), await addProperty()];
  await addAppliances(
    { propertyId: first.id, typeId: "boiler" },
    { propertyId: first.id, typeId: "boiler" },
    { propertyId: second.id, typeId: "boiler" },
  );
  const all = await counts();
  const { components } = (await store.read.totals.ofPartner(partnerId))!;
  expect(all).toMatchObject({ components, costCents: { own: 0 } });
  expect(await counts({ properties: 2, components })).toEqual(all);
  expect(await counts({ properties: 1, components })).toBeNull();
  expect(await counts({ properties: 2, components: components - 1 })).toBeNull();
  const revision = await store.read.partners.revision(partnerId);
  await renewChangedPlans({ store, knowledge, clock, yieldNow }, partnerId);
  expect(await counts({ properties: 0, components: 0 })).toEqual(all);
  // A kept response without counts ends with the renewal.
  expect(await store.read.partners.revision(partnerId)).not.toBe(revision);
});

// Rule: assumptions
test("the components of changed properties are read together", async () => {
  const { store, clock, partnerId, addProperty, addAppliances } = await open(
    Date.parse("2026-03-10T12:00:00Z"),
  );
  const boilers = (propertyId: string, count: number) =>
    Array.from({ length: count }, () => ({ propertyId, typeId: "boiler" }));
  const small = await Promise.all(Array.from({ length: 40 }, () => addProperty()));
  const large = await addProperty();
  await addAppliances(...small.slice(1).flatMap(({ id }) => boilers(id, 1)), ...boilers(large.id, 100));
  const reads: string[] = [];
  const components = new Proxy(store.read.components, {
    get(target, name) {
      reads.push(String(name));
      return Reflect.get(target, name);
    },
  });
  const counted = await loadPortfolioAssumptionCounts(
    { read: { ...store.read, components }, knowledge, yieldNow },
    { partnerIds: [partnerId], without: [] },
  );
  const { components: all } = (await store.read.totals.ofPartner(partnerId))!;
  expect(counted).toMatchObject({ components: all });
  expect(reads.length).toBeLessThanOrEqual(Math.ceil(all / 250));
  await renewChangedPlans({ store, knowledge, clock, yieldNow }, partnerId);
  expect(
    await loadPortfolioAssumptionCounts(
      { read: store.read, knowledge, yieldNow },
      { partnerIds: [partnerId], without: [] },
    ),
  ).toEqual(counted);
});
