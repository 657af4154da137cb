import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { WorkRequest } from "../../../src/api-schemas/work-mark-schema.ts";
import type { CostLine } from "../../../src/domain/costs/cost-line.ts";
import type { ComponentDef, Knowledge } from "../../../src/domain/domain-knowledge.ts";
import { type PlanTerms, USUAL_TERMS } from "../../../src/domain/planning/plan-terms.ts";
import type { NewServiceEvent } from "../../../src/domain/service-event.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";
import { loadCurrentPartnerPrices } from "../../../src/usecases/costs/load-partner-prices.ts";
import { replaceCostBook } from "../../../src/usecases/costs/replace-cost-book.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { loadActionsOfListedComponents } from "../../../src/usecases/planning/load-actions-by-component.ts";
import { loadPropertyPlan } from "../../../src/usecases/planning/load-property-plan.ts";
import { prepareComponentActions } from "../../../src/usecases/planning/prepare-component-actions.ts";
import { changeComponent } from "../../../src/usecases/portfolio/change-component.ts";
import { changeAppliance } from "../../../src/usecases/portfolio/create-or-change-appliance.ts";
import { changeProperty } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import {
  isRecalculatingSums,
  recalculateStoredSums,
  recalculationBasisDigest,
  requestRecalculationIfBasisChanged,
} from "../../../src/usecases/recalculation/recalculate-sums.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import { WorkMarks } from "../../../src/usecases/work-marks/record-work-marks.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";
import { onPostgres } from "../../support/postgres.ts";

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
  return { read: { components }, count: () => appliances };
}

/** Checks the actions of the portfolio's list; returns for how many appliances all their components were read. */
async function check(fixture: PortfolioFixture, by: Knowledge = knowledge): Promise<number> {
  const { listed, planned, wholes } = await actionsOfList(fixture, by);
  expect(listed).toEqual(planned);
  return wholes;
}

/** Returns the actions of the list, those of the plan, and for how many appliances all their components were read. */
async function actionsOfList(fixture: PortfolioFixture, by: Knowledge) {
  const { read } = fixture.store;
  const rows = await read.components.page(fixture.partnerId, { limit: 1000, offset: 0 });
  const prices = await loadCurrentPartnerPrices(read, by, fixture.partnerId);
  const whole = await prepareComponentActions({ prices, yieldNow }, rows);
  const { read: countedRead, count } = counted(fixture);
  const listed = await loadActionsOfListedComponents(
    {
      prices,
      yieldNow,
      store: { read: countedRead },
      isRecalculating: await isRecalculatingSums(read, fixture.partnerId),
    },
    rows,
  );
  return {
    listed,
    planned: rows.map(({ id }) => whole.components.get(id)),
    wholes: count(),
  };
}

const VISIT: Omit<NewServiceEvent, "applianceId"> = {
  componentId: null,
  eventType: "Inspection",
  date: "2026-02-01",
  technician: null,
  notes: null,
  partsCostCents: null,
  laborCostCents: null,
  totalCostCents: null,
  conditionAfter: "good",
};
const LINE: CostLine = {
  typeId: "boiler",
  componentDefId: null,
  state: null,
  plannedCents: 4_200_000,
  failedCents: 4_300_000,
  size: null,
  asOf: "2026-03-01",
  source: "own",
};

const PANEL = { typeId: "electrical_panel", installYear: 1990 };

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
/** Changes the panel, the first appliance that hazards are known of. */
const alterPanel =
  (change: Parameters<typeof changeAppliance>[2]): Change =>
  (fixture) =>
    fixture.write(async (writer) => {
      const all = await writer.tx.appliances.page(fixture.partnerId, { limit: 50, offset: 0 });
      const panel = all.find(({ typeId }) => typeId === "electrical_panel");
      if (panel) await changeAppliance(writer, panel.id, change);
    });
type OfState<R> = R extends unknown ? Omit<R, "subject" | "by" | "reason"> : never;
const mark =
  (work: OfState<WorkRequest>): Change =>
  (fixture, applianceId) =>
    fixture.write(async (writer) => {
      const marks = new WorkMarks(writer);
      const [first] = await writer.tx.components.ofAppliance(applianceId);
      const subject = first && work.state !== "done" ? { componentId: first.id } : { applianceId };
      await marks.mark({ subject, by: "Jo Reed", reason: null, ...work });
      await marks.finish();
    });
/** Makes a version of the model the active one; half of the appliances have a frailty of their own. */
const calibrate: Change = (fixture, _, year) =>
  fixture.write(async ({ tx }) => {
    const number = await tx.models.nextNumber();
    const lifeFactors = Object.fromEntries(
      [...knowledge.components.keys()].map((id, at) => [id, 0.6 + ((at + year) % 9) / 10]),
    );
    for (const [at, { id }] of (
      await tx.appliances.page(fixture.partnerId, { limit: 50, offset: 0 })
    ).entries())
      if (at % 2 === 0) await tx.models.insertFrailty(number, id, 0.5 + ((at + year) % 5) / 2);
    await tx.models.insert({
      number,
      base: knowledge.modelVersion,
      isProven: true,
      replaced: null,
      actor: "test",
      createdAt: tx.now,
      evidence: {},
      corrections: {
        lifeFactors,
        frailtyShape: 2,
        strength: { condition: 1.5, repairs: 1.2 },
        yearFactorVariances: {},
      },
    });
    await tx.models.use(number);
  });
/** One write of each kind, by name. */
const CHANGES: Record<string, Change> = {
  inspected: log({}),
  "found poor": log({ conditionAfter: "poor", date: "2026-02-20" }),
  replaced: log({ eventType: "Replacement", date: "2026-01-10" }),
  "repaired in an emergency": log({ eventType: "Emergency Repair", date: "2026-03-01" }),
  "older or newer": (fixture, id, year) => alter({ installYear: year })(fixture, id, year),
  heavier: alter({ usageIntensity: 1.8 }),
  "of a hazardous brand": alter({ brand: "Federal Pacific" }),
  "flagged by the partner": alterPanel({ flagsSet: "federal_pacific", flagsCleared: "" }),
  "cleared by the partner": alterPanel({ flagsSet: "", flagsCleared: "federal_pacific" }),
  ordered: mark({ state: "ordered" }),
  deferred: mark({ state: "deferred", until: "2027-01-01" }),
  "marked as open": mark({ state: "open" }),
  done: mark({
    state: "done",
    date: null,
    eventType: "Replacement",
    totalCostCents: 90_000,
    conditionAfter: null,
  }),
  calibrated: calibrate,
  "scored by the model of the executable": (fixture) => fixture.write(({ tx }) => tx.models.use(null)),
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
    await recalculateStoredSums({ store, knowledge, clock, yieldNow });
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
          ...[PANEL, ...fleet].map((appliance) => ({ propertyId, ...appliance })),
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
    { numRuns: onPostgres ? 2 : 4 },
  );
  expect(names.filter((name) => !seen.has(name))).toEqual([]);
});

describe("after a start with another knowledge base or settings, the actions of lists are those of the plan", () => {
  const changedBy = (change: (def: ComponentDef) => Partial<ComponentDef>): Knowledge => {
    const components = new Map(
      [...knowledge.components].map(([id, def]) => [id, { ...def, ...change(def) }]),
    );
    const types = new Map(
      [...knowledge.types].map(([id, type]) => [
        id,
        { ...type, components: type.components.map((def) => components.get(def.id)!) },
      ]),
    );
    return {
      ...knowledge,
      components,
      types,
      component: (id) => components.get(id)!,
      type: (id) => types.get(id)!,
      findType: (id) => types.get(id),
    };
  };
  const { model } = knowledge;
  test.each<[string, Knowledge]>([
    ["longer lives", changedBy(({ medianLifeYears }) => ({ medianLifeYears: 3 * medianLifeYears }))],
    ["other hazards by age", changedBy(() => ({ weibullShape: 1 }))],
    ["more certified lives", changedBy(() => ({ fixedLifeYears: 1 }))],
    [
      "another life by brand",
      { ...knowledge, model: { ...model, brandFactor: { ...model.brandFactor, standard: 4 } } },
    ],
  ])("%s", async (_, other) => {
    const fixture = await open(NOON);
    const { store, clock } = fixture;
    await requestRecalculationIfBasisChanged(store, recalculationBasisDigest(knowledge));
    const { id: propertyId } = await fixture.addProperty({ unitCount: 12 });
    const types = ["boiler", "refrigerator", "roof", "elevator", "hvac_central", "ptac", "water_heater_gas"];
    await fixture.addAppliances(
      ...types.flatMap((typeId) =>
        [1996, 2008, 2019].map((installYear) => ({ propertyId, typeId, installYear })),
      ),
    );
    const { listed, planned } = await actionsOfList(fixture, other);
    expect(listed).not.toEqual(planned);
    expect(await requestRecalculationIfBasisChanged(store, recalculationBasisDigest(other))).toBe(true);
    expect(await check(fixture, other)).toBeGreaterThan(0);
    await recalculateStoredSums({ store, knowledge: other, clock, yieldNow });
    expect(await check(fixture, other)).toBe(0);
  });
});

// Rule: plan-action
test.each<[string, Parameters<typeof embeddedKnowledge>[0], Partial<PlanTerms>]>([
  [
    "twice the prices without location factors, over one year",
    { location: "none", priceLevel: 2, buildingPerSqft: 20 },
    { years: 1, inflationPct: 0 },
  ],
  [
    "lower prices, over 30 years with a small budget",
    { location: "state", priceLevel: 0.4, buildingPerSqft: 900 },
    {
      years: 30,
      inflationPct: 12,
      budgetCents: 100,
      interestPct: 9,
      depositGrowthPct: 5,
      escrowPct: 200,
    },
  ],
])(
  "whatever the settings of costs and the terms of a plan are, its actions are those of lists: %s",
  async (_, settings, terms) => {
    const other = embeddedKnowledge(settings);
    const fixture = await open(NOON);
    const { store, clock } = fixture;
    await requestRecalculationIfBasisChanged(store, recalculationBasisDigest(knowledge));
    const property = await fixture.addProperty({ unitCount: 12 });
    await fixture.addAppliances(
      ...["electrical_panel", "boiler", "refrigerator", "roof", "elevator", "ptac"].flatMap((typeId) =>
        [1988, 2006, 2019].map((installYear) => ({ propertyId: property.id, typeId, installYear })),
      ),
    );
    expect(await requestRecalculationIfBasisChanged(store, recalculationBasisDigest(other))).toBe(true);
    await check(fixture, other);
    await recalculateStoredSums({ store, knowledge: other, clock, yieldNow });
    expect(await check(fixture, other)).toBe(0);
    const { listed } = await actionsOfList(fixture, other);
    const deps = { store, knowledge: other, clock, yieldNow };
    const plan = await loadPropertyPlan(deps, property, { ...USUAL_TERMS, ...terms });
    const planned = new Map(
      plan.appliances.flatMap(({ components }) =>
        components.map(({ component, action }) => [component.id, action] as const),
      ),
    );
    const rows = await store.read.components.page(fixture.partnerId, { limit: 1000, offset: 0 });
    expect(listed).toEqual(rows.map(({ id }) => planned.get(id)));
  },
);
