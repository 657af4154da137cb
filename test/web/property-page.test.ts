import { expect, test } from "bun:test";
import { USUAL_TERMS } from "../../src/domain/planning/plan-terms.ts";
import type { Property } from "../../src/domain/property.ts";
import { NO_BRAND } from "../../src/domain/rules/partner-brand-rule.ts";
import { runSteps } from "../../src/domain/steps/computation-steps.ts";
import { yieldToEventLoop } from "../../src/event-loop/event-loop.ts";
import { ServiceLog } from "../../src/usecases/history/record-service-events.ts";
import { loadPropertyFigures } from "../../src/usecases/portfolio/load-property-figures.ts";
import { embedPageBrand } from "../../src/web/embed/embed-brand.tsx";
import { renderEmbedPropertyPage } from "../../src/web/embed/embed-pages.tsx";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../support/portfolio-store.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();

test("no step of a property's page goes through the components again and again", async () => {
  const fixture = await open(NOW);
  const property = await fixture.addProperty();
  const appliance = { propertyId: property.id, installYear: 2025 };
  await fixture.addAppliances(...Array.from({ length: 200 }, () => appliance));
  const deps = { ...fixture, knowledge, now: NOW, yieldNow: yieldToEventLoop, reserveMemory: () => {} };
  const figures = await loadPropertyFigures(deps, property, {
    chosen: undefined,
    terms: USUAL_TERMS,
    defaultTrend: () => undefined,
  });

  let reads = 0;
  // More than any step that has a constant number of items, such as a sort, could read.
  const many = Array.from({ length: 10 }, () => figures.components).flat();
  const get = <C extends object>(component: C, key: string | symbol): unknown => {
    reads++;
    return Reflect.get(component, key);
  };
  const counted = many.map((component) => new Proxy(component, { get }));
  const links = { csv: () => undefined, schedule: "schedule" };
  const steps = renderEmbedPropertyPage(
    { ...figures, components: counted },
    { style: "style", script: "script", links, brand: embedPageBrand(NO_BRAND, "logo.png") },
  );
  let most = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    most = Math.max(most, reads);
    reads = 0;
    if (step.done) {
      expect(step.value.html).toContain(`Based on ${counted.length.toLocaleString("en-US")} components`);
      break;
    }
  }
  expect(counted.length).toBeGreaterThan(10_000);
  expect(most).toBeLessThanOrEqual(3 * counted.length);
});

test("the history beside a component's trend is read in pages, within the limit of memory", async () => {
  const fixture = await open(NOW);
  const property = await fixture.addProperty();
  const [heater] = await fixture.addAppliances({ propertyId: property.id });
  await fixture.write(async (writer) => {
    const log = new ServiceLog(writer);
    const event = {
      applianceId: heater!.id,
      componentId: null,
      eventType: "Other" as const,
      notes: "x".repeat(4_000),
    };
    const costs = { partsCostCents: null, laborCostCents: null, totalCostCents: null };
    for (let nth = 0; nth < 250; nth++)
      await log.add({ ...event, ...costs, date: "2026-03-01", technician: null, conditionAfter: null });
    await log.finish();
  });
  let reserved = 0;
  const deps = { ...fixture, knowledge, now: NOW, yieldNow: yieldToEventLoop };
  const reserveMemory = (bytes: number) => {
    reserved += bytes;
  };
  const request = { chosen: undefined, terms: USUAL_TERMS };
  const first = ([component]: readonly { component_id: string }[]) => component?.component_id;
  const shown = await loadPropertyFigures({ ...deps, reserveMemory }, property, {
    ...request,
    defaultTrend: first,
  });
  expect(shown.trend?.events).toHaveLength(250);
  expect(reserved).toBeGreaterThan(250 * 4_000);
});

/** Renders a property's page; returns its figures too. */
async function pageOf(fixture: PortfolioFixture, property: Property) {
  const deps = { ...fixture, knowledge, now: NOW, yieldNow: yieldToEventLoop, reserveMemory: () => {} };
  const figures = await loadPropertyFigures(deps, property, {
    chosen: undefined,
    terms: USUAL_TERMS,
    defaultTrend: () => undefined,
  });
  const links = { csv: () => undefined, schedule: "schedule" };
  const page = { style: "style", script: "script", links, brand: embedPageBrand(NO_BRAND, "logo.png") };
  const { html } = runSteps(renderEmbedPropertyPage(figures, page));
  return { figures, html };
}

test("inspections of like appliances that read the same share a line", async () => {
  const fixture = await open(NOW);
  const property = await fixture.addProperty();
  const elevator = { propertyId: property.id, typeId: "elevator", installYear: 1990 };
  await fixture.addAppliances(elevator, elevator, elevator);
  const { html } = await pageOf(fixture, property);
  const list = /<ul class="inspections">.*?<\/ul>/s.exec(html)![0];
  expect(list.match(/ × 3/g)?.length).toBe(list.match(/<li>/g)!.length);
  expect(html).toContain(`View all ${list.match(/<li>/g)!.length * 3} as table`);
});

// Rule: unit-words
test("a property's page names its units as the property does, and its facility condition index", async () => {
  const fixture = await open(NOW);
  const property = await fixture.addProperty({ unitCount: 24, unitLabel: "key", grossAreaSqft: 20_000 });
  await fixture.addAppliances({ propertyId: property.id, typeId: "boiler", installYear: 1980 });
  const { figures, html } = await pageOf(fixture, property);
  expect(html).toContain("24 keys");
  expect(html).toContain("per key per month");
  expect(html).not.toMatch(/per unit\b/i);
  const { value, due_now } = figures.condition.fci;
  expect(due_now).toBeGreaterThan(0);
  expect(html).toContain(`Facility condition index (FCI): ${(value! * 100).toFixed(1)}%`);
  expect(html).toContain("of a replacement value of $3,600,000, estimated from its area");
});
