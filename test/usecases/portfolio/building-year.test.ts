import { expect, test } from "bun:test";
import type { Store } from "../../../src/store/store.ts";
import { writePortfolio } from "../../../src/usecases/portfolio/portfolio-writer.ts";
import { changeProperty } from "../../../src/usecases/portfolio/properties.ts";
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
      return run({ ...tx, yieldToEventLoop, appliances: { ...tx.appliances, update } });
    }, options);
  await writePortfolio(noting, knowledge, fixture.partner, (writer) =>
    changeProperty(writer, propertyId, { yearBuilt: 1960 }),
  );
  const years = (await fixture.components(propertyId)).map(({ installYear }) => installYear);
  expect(new Set(years)).toEqual(new Set([1960]));
  const first = steps.indexOf("update");
  expect(steps.slice(first, first + 6)).toEqual(["update", "yield", "update", "yield", "update", "yield"]);
});
