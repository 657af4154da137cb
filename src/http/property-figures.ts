import type { PlacedComponent } from "../domain/component.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { PlanTerms } from "../domain/planning/property-plan.ts";
import type { Property } from "../domain/property.ts";
import { addDays, dayOf, type Instant, toIso } from "../domain/time.ts";
import { trendPoints } from "../domain/trend.ts";
import { mapYielding, yieldToEventLoop } from "../event-loop.ts";
import { iterateComponents } from "../store/paged-iteration.ts";
import type { Store } from "../store/store.ts";
import type { Stores } from "../store/stores.ts";
import { modelVersionOf } from "../usecases/calibration/active-model.ts";
import { complianceOf } from "../usecases/portfolio/compliance.ts";
import { planLoadedProperty } from "../usecases/portfolio/property-plan.ts";
import { RETENTION_DAYS } from "../usecases/snapshot/score-snapshot.ts";
import type { CsvFileData } from "../web/csv-files.ts";
import { defaultTrendComponent } from "../web/sections/property-sections.tsx";
import { applianceTypeView } from "../wire/appliance.ts";
import { complianceItemView } from "../wire/compliance.ts";
import { componentView, expectedFailureCost, trendPointView } from "../wire/component.ts";
import { conditionFigure, type Figure, reserveFigure } from "../wire/figures.ts";
import { forecastFigure } from "../wire/forecast.ts";
import type { ScheduledPlanJson } from "../wire/plan.ts";
import { plannedComponentView, planView, yearlyCosts } from "../wire/plan.ts";
import { propertyView, unitView } from "../wire/property.ts";
import { historyEventView } from "../wire/service-event.ts";

/** Units of a page of them. */
const UNITS = 1000;

type World = { store: Pick<Store, "read" | "inReadSnapshot">; knowledge: Knowledge; now: Instant };

/**
 * What a property's page shows, in the forms that the public API answers with, its components all of one moment. Others
 * have their turn while it is made. `chosen` is the component whose trend is wanted; one that the property does not have
 * is as none.
 */
export async function propertyFigures(
  world: World,
  property: Property,
  { chosen, terms }: { chosen: string | undefined; terms: PlanTerms },
): Promise<CsvFileData & { plan: ScheduledPlanJson }> {
  const { store, knowledge, now } = world;
  const { read } = store;
  const settledAt = await read.snapshots.settledAt();
  const rows: PlacedComponent[] = [];
  const components: CsvFileData["components"][number][] = [];
  const [condition, forecast, reserve] = [
    conditionFigure(knowledge),
    forecastFigure(knowledge),
    reserveFigure(knowledge),
  ];
  await iterateComponents(store, property.id, (row) => {
    rows.push(row);
    const component = componentView(knowledge, row, settledAt);
    components.push({ ...component, expected_failure_cost_a_year: expectedFailureCost(component) });
    for (const figure of [condition, forecast, reserve]) figure.add(row);
    return 0;
  });
  const modelVersion = await modelVersionOf(read, knowledge);
  const made = <Written>(figure: Figure<Written>) => figure.write(property, { now, modelVersion });
  const turns = { knowledge, clock: () => now, yieldNow: yieldToEventLoop, modelVersion };
  const plan = await planLoadedProperty(turns, property, rows, terms);
  const scheduled = await mapYielding(plan.plans, yieldToEventLoop, (one) => ({
    ...plannedComponentView(knowledge, one, plan.asOf),
    yearly_costs: yearlyCosts(one),
  }));
  const written = planView(plan, scheduled);
  await yieldToEventLoop();
  const shown = rows.some(({ id }) => id === chosen) ? chosen : defaultTrendComponent(components);
  const trendOfRow = rows.find(({ id }) => id === shown);
  await yieldToEventLoop();
  const inspections = await complianceOf(store, knowledge, property.id, dayOf(now), () => {});
  return {
    property: propertyView(property),
    condition: made(condition),
    forecast: made(forecast),
    reserve: made(reserve),
    plan: { ...written, components: scheduled },
    budget: written.budget?.amount,
    inspections: await mapYielding(inspections, yieldToEventLoop, complianceItemView),
    components,
    types: [...knowledge.types.values()].map(applianceTypeView),
    units: await unitsOf(read, property.id),
    trend: trendOfRow && (await trendOf({ read, now }, trendOfRow)),
    assessedAt: toIso(now),
  };
}

async function unitsOf(read: Stores, propertyId: string) {
  const units = [];
  for (; ; await yieldToEventLoop()) {
    const page = await read.units.page(propertyId, { limit: UNITS, offset: units.length });
    units.push(...page.map(unitView));
    if (page.length < UNITS) return units;
  }
}

async function trendOf(
  { read, now }: { read: Stores; now: Instant },
  component: { id: string; applianceId: string },
) {
  const days = await read.snapshots.days(addDays(dayOf(now), -RETENTION_DAYS));
  const points = trendPoints(await read.snapshots.trendRows(component.id), days);
  const events = await read.serviceEvents.ofComponent(component);
  return {
    componentId: component.id,
    points: points.map(trendPointView),
    events: events.map(historyEventView),
  };
}
