import { complianceItems } from "../domain/figures/compliance.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { PlanTerms } from "../domain/planning/property-plan.ts";
import type { Property } from "../domain/property.ts";
import { addDays, dayOf, type Instant, toIso } from "../domain/time.ts";
import { trendPoints } from "../domain/trend.ts";
import type { Stores } from "../store/stores.ts";
import { modelVersionOf } from "../usecases/model-in-use.ts";
import { planOf } from "../usecases/property-plan.ts";
import { RETENTION_DAYS } from "../usecases/take-snapshot.ts";
import { takeTurns } from "../usecases/walk.ts";
import type { FileFigures } from "../web/embed/csv.ts";
import { firstToShow } from "../web/embed/property-page.tsx";
import type { ScheduledPlanForm } from "../web/forms.ts";
import { applianceTypeView } from "../wire/appliance.ts";
import { complianceView } from "../wire/compliance.ts";
import { componentView, expectedFailureCost, trendPointView } from "../wire/component.ts";
import { conditionFigure, type Figure, reserveFigure } from "../wire/figures.ts";
import { forecastFigure } from "../wire/forecast.ts";
import { planView, scheduledComponents } from "../wire/plan.ts";
import { propertyView, unitView } from "../wire/property.ts";
import { historyEventView } from "../wire/service-event.ts";

/** Units of a page of them. */
const UNITS = 1000;

type World = { read: Stores; knowledge: Knowledge; now: Instant };

/**
 * What a property's page shows, in the forms that the public API answers with, all of one moment. `chosen` is the
 * component whose trend is wanted; one that the property does not have is as none.
 */
export async function propertyFigures(
  world: World,
  property: Property,
  { chosen, terms }: { chosen: string | undefined; terms: PlanTerms },
): Promise<FileFigures & { plan: ScheduledPlanForm }> {
  const { read, knowledge, now } = world;
  const rows = await read.components.rowsOfProperty(property.id);
  const settledAt = await read.snapshots.settledAt();
  const components = rows.map((row) => {
    const component = componentView(knowledge, row, settledAt);
    return { ...component, expected_failure_cost_a_year: expectedFailureCost(component) };
  });
  const modelVersion = await modelVersionOf(read, knowledge);
  const made = <Written>(figure: Figure<Written>) => {
    for (const row of rows) figure.add(row);
    return figure.write(property, { now, modelVersion });
  };
  const turns = { knowledge, clock: () => now, pause: takeTurns, modelVersion };
  const plan = await planOf(turns, property, rows, terms);
  const written = planView(knowledge, plan);
  const shown = rows.some(({ id }) => id === chosen) ? chosen : firstToShow(components);
  const trendOfRow = rows.find(({ id }) => id === shown);
  return {
    property: propertyView(property),
    condition: made(conditionFigure(knowledge)),
    forecast: made(forecastFigure(knowledge)),
    reserve: made(reserveFigure(knowledge)),
    plan: { ...written, components: scheduledComponents(knowledge, plan) },
    budget: written.budget?.amount,
    inspections: await inspectionsOf(world, property),
    components,
    types: [...knowledge.types.values()].map(applianceTypeView),
    units: await unitsOf(read, property.id),
    trend: trendOfRow && (await trendOf(world, trendOfRow)),
    assessedAt: toIso(now),
  };
}

async function inspectionsOf({ read, knowledge, now }: World, property: Property) {
  const today = dayOf(now);
  const appliances = await read.appliances.ofProperty(property.id);
  const ids = appliances.map(({ id }) => id);
  const events = await read.serviceEvents.newestByKind(ids, today);
  const items = complianceItems(knowledge, appliances, events, today);
  return complianceView(property, items).compliance_items;
}

async function unitsOf(read: Stores, propertyId: string) {
  const units = [];
  for (;;) {
    const page = await read.units.page(propertyId, { limit: UNITS, offset: units.length });
    units.push(...page.map(unitView));
    if (page.length < UNITS) return units;
  }
}

async function trendOf({ read, now }: World, component: { id: string; applianceId: string }) {
  const days = await read.snapshots.days(addDays(dayOf(now), -RETENTION_DAYS));
  const points = trendPoints(await read.snapshots.trendRows(component.id), days);
  const events = await read.serviceEvents.ofComponent(component);
  return {
    componentId: component.id,
    points: points.map(trendPointView),
    events: events.map(historyEventView),
  };
}
