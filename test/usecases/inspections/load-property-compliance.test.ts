import { expect, test } from "bun:test";
import { yieldToEventLoop } from "../../../src/event-loop/event-loop.ts";
import { loadPropertyCompliance } from "../../../src/usecases/inspections/load-property-compliance.ts";
import { knowledge, usePortfolioStore } from "../../support/portfolio-store.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();

test.each([
  [3, 0],
  [120, 1],
])("the inspections of %d appliances open %d read snapshots", async (count, expected) => {
  const { store, ...fixture } = await open(NOW);
  const property = await fixture.addProperty();
  const years = Array.from({ length: count }, (_, i) => 2000 + ((i * 7) % 20));
  await fixture.addAppliances(
    ...years.map((installYear) => ({ propertyId: property.id, typeId: "boiler", installYear })),
  );

  let snapshots = 0;
  const counting: Pick<typeof store, "read" | "inReadSnapshot"> = {
    read: store.read,
    inReadSnapshot: (run) => {
      snapshots++;
      return store.inReadSnapshot(run);
    },
  };
  const items = await loadPropertyCompliance(counting, knowledge, property, "2026-03-10", yieldToEventLoop);

  expect(snapshots).toBe(expected);
  const found = items.map(({ appliance }) => appliance.installYear);
  const each = knowledge.regimes("boiler").length;
  expect(each).toBeGreaterThan(0);
  expect(found.toSorted()).toEqual(years.flatMap((year) => Array<number>(each).fill(year)).toSorted());
  expect(items).toEqual(items.toSorted((a, b) => a.daysUntilDue - b.daysUntilDue));
});
