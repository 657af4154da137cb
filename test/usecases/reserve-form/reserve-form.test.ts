import { beforeAll, describe, expect, test } from "bun:test";
import { readXlsx } from "hucre/xlsx";
import { HazardFlagJsonGatherer } from "../../../src/api-schemas/hazard-flag-schema.ts";
import type { PlacedComponent } from "../../../src/domain/component.ts";
import { priceBasisOf } from "../../../src/domain/costs/price-basis.ts";
import { emptyAssumptionCounts } from "../../../src/domain/figures/assumptions.ts";
import { addPlanSums, emptyPlanSums } from "../../../src/domain/planning/plan-sums.ts";
import { USUAL_FORM_TERMS, USUAL_TERMS } from "../../../src/domain/planning/plan-terms.ts";
import {
  planReserveLinesInSteps,
  reserveItemsOfPlannedAppliance,
} from "../../../src/domain/planning/planned-reserve-lines.ts";
import { type PropertyPlan, planSummaryOf } from "../../../src/domain/planning/property-plan-summary.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { loadPropertyPlan } from "../../../src/usecases/planning/load-property-plan.ts";
import { portfolioReserveWorkbook } from "../../../src/usecases/reserve-form/portfolio-reserve-workbook.ts";
import { reserveFormHazardsSheetInSteps } from "../../../src/usecases/reserve-form/reserve-form-hazards-sheet.ts";
import { knowledge, usePortfolioStore } from "../../support/portfolio-store.ts";
import { Spreadsheet } from "../../support/spreadsheet.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();
let plan: PropertyPlan<PlacedComponent>;

beforeAll(async () => {
  const { store, addProperty, addAppliances, clock } = await open(NOON);
  const property = await addProperty({ unitCount: 12 });
  const { id: propertyId } = property;
  const types = ["roof", "boiler", "washer", "elevator", "water_heater_gas", "garbage_disposal"];
  await addAppliances(
    ...types.flatMap((typeId) =>
      [1978, 1991, 2006, 2019, 2025].map((installYear) => ({ propertyId, typeId, installYear })),
    ),
  );
  await addAppliances(
    ...["Zinsco", "Challenger", "Zinsco"].map((brand) => ({
      propertyId,
      typeId: "electrical_panel",
      installYear: 1980,
      brand,
    })),
  );
  const deps = { store, knowledge, clock, yieldNow: async () => {} };
  plan = await loadPropertyPlan(deps, property, { ...USUAL_TERMS, years: 12 });
});

const linesOf = (mostLines: number, minimumCents = 300_000, years = 12) => {
  const items = plan.appliances.flatMap((one) => reserveItemsOfPlannedAppliance(knowledge, one));
  return {
    items,
    lines: runSteps(planReserveLinesInSteps(knowledge, items, years, { minimumCents }, mostLines)),
  };
};

test("the sheet of hazards counts thousands of appliances in steps", () => {
  const hazards = new HazardFlagJsonGatherer(knowledge);
  for (let nth = 0; nth < 2000; nth++)
    hazards.add({ applianceId: `A_${nth}`, typeId: "electrical_panel", unitId: null, flags: "zinsco:brand" });
  const steps = reserveFormHazardsSheetInSteps(knowledge, hazards);
  for (let step = 0; step < 3; step++) expect(steps.next().done).toBe(false);
  expect(runSteps(steps).rows.at(-1)!.slice(0, 3)).toEqual([
    "Zinsco or GTE-Sylvania panel",
    "Electrical panel",
    2000,
  ]);
});

// Rule: reserve-form-portfolio
test("a portfolio's form has a line for the costliest properties, and one for all others", async () => {
  const sums = emptyPlanSums();
  const rows = Array.from({ length: 201 }, (_, nth) => {
    const own = emptyPlanSums();
    for (let times = 0; times <= nth % 3; times++) addPlanSums(own, plan.sums, 1);
    addPlanSums(sums, own, 1);
    return { propertyId: `P_${nth}`, name: `Building ${nth}`, unitCount: 1, sums: own, isChanged: false };
  });
  const terms = { ...USUAL_TERMS, years: 30 };
  const summary = planSummaryOf(terms, "2026-03-10", sums, {
    modelVersion: "2",
    counted: { ...emptyAssumptionCounts(), ...priceBasisOf(knowledge) },
  });
  const page = async (offset: number) => rows.slice(offset, offset + 50);
  const portfolio = { partner: "Acme", plan: summary, properties: rows.length, page };
  const bytes = await portfolioReserveWorkbook(portfolio, USUAL_FORM_TERMS, async () => {});
  const sheet = await Spreadsheet.read(bytes);
  const { sheets } = await readXlsx(bytes);
  const names = sheets.find(({ name }) => name === "Properties")!.rows.map(([name]) => name);
  expect(names).toHaveLength(1 + 132 + 1 + 4);
  expect(names[133]).toBe("69 more properties");
  // Those with three and two times the costs come first.
  expect(names.slice(1, 68).every((name) => Number(String(name).split(" ")[1]) % 3 === 2)).toBe(true);
  expect(sheet.number("Summary!C9")).toBe(sums.due.cents / 100);
  expect(sheet.number("Summary!B18")).toBeCloseTo(summary.capital.levelDeposit[50].noise / 100, 0);
  expect(sheet.number("Summary!B27")).toBeCloseTo(summary.capital.totals.plannedCents / 100, 1);
});

describe("the lines of a reserve form", () => {
  // Rule: reserve-form
  test.each([10_000, 40, 20, 10, 1])("add up to the plan when at most %d are wanted", (mostLines) => {
    const { items, lines } = linesOf(mostLines);
    expect(lines.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(items.length);
    const { due, years } = plan.sums;
    const dueCents = lines.reduce((sum, one) => sum + (one.dueNow ? one.quantity * one.unitCents : 0), 0);
    expect(dueCents).toBeCloseTo(due.cents, 3);
    for (let year = 0; year < 12; year++) {
      const sum = (pick: (line: (typeof lines)[number]) => number) =>
        lines.reduce((total, line) => total + line.quantity * pick(line), 0);
      const planned = sum((line) => line.unitCents * line.planned[year]!);
      expect(planned + (year === 0 ? dueCents : 0)).toBeCloseTo(years.planned[year]!, -1);
      expect(sum((line) => line.failedCents * line.failures[year]!)).toBeCloseTo(years.failures[year]!, -1);
    }
  });

  // Rule: reserve-form
  test("are fewer the fewer are wanted, and never share what is due with what is not", () => {
    const counts = [10_000, 40, 20, 1].map((mostLines) => linesOf(mostLines).lines.length);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(counts.at(-1)!).toBeLessThanOrEqual(24);
    for (const { dueNow, planned, quantity } of linesOf(1).lines)
      if (dueNow !== null) expect(planned[0]! * quantity).toBeLessThan(quantity);
  });

  // Rule: reserve-form
  test.each([10_000, 20, 1])("name each known hazard when at most %d are wanted", (mostLines) => {
    const hazards = linesOf(mostLines).lines.flatMap(({ first, quantity }) => {
      const { because } = first.action;
      return because.kind === "hazard" ? [`${quantity} ${because.hazard.label}`] : [];
    });
    expect(hazards.toSorted()).toEqual(["1 Challenger panel", "2 Zinsco or GTE-Sylvania panel"]);
  });

  // Rule: reserve-form-threshold
  test("are listed by what like items cost together, whatever line they are on", () => {
    for (const minimumCents of [0, 300_000, 5_000_000, 1e12]) {
      const { lines } = linesOf(10_000, minimumCents);
      const byKind = Map.groupBy(lines, ({ first }) => `${first.typeId} ${first.defId}`);
      for (const some of byKind.values()) {
        const quantity = some.reduce((sum, line) => sum + line.quantity, 0);
        const cents = some.reduce((sum, line) => sum + line.quantity * line.unitCents, 0);
        const isListed = cents >= minimumCents || (quantity > 4 && cents > 1_000_000);
        for (const line of some) expect(line.isListed).toBe(isListed);
      }
    }
  });
});
