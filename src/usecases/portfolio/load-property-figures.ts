import { serializeApplianceType } from "../../api-schemas/appliance-schema.ts";
import { assumptionsSchemaAccumulator } from "../../api-schemas/assumptions-schema.ts";
import { serializeComplianceItem } from "../../api-schemas/compliance-schema.ts";
import {
  type ComponentJson,
  expectedFailureCostOfJson,
  serializeComponent,
  serializeTrendPoint,
} from "../../api-schemas/component-schema.ts";
import { serializeConditionPoint } from "../../api-schemas/condition-trend-schema.ts";
import type { FigureSchemaAccumulator } from "../../api-schemas/figure-schema-accumulator.ts";
import { conditionSchemaAccumulator, reserveSchemaAccumulator } from "../../api-schemas/figures-schema.ts";
import { forecastSchemaAccumulator } from "../../api-schemas/forecast-schema.ts";
import {
  serializePlannedComponent,
  serializePlannedUnit,
  serializePropertyPlan,
  yearlyCostsJson,
} from "../../api-schemas/plan-schema.ts";
import { serializeProperty, serializeUnit } from "../../api-schemas/property-schema.ts";
import { serializeHistoryEvent } from "../../api-schemas/service-event-schema.ts";
import type { PlacedComponent } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { planContextOfPrices } from "../../domain/planning/plan-context.ts";
import type { PlanTerms } from "../../domain/planning/plan-terms.ts";
import type { Property } from "../../domain/property.ts";
import { scoreTrendByRule } from "../../domain/rules/score-trend-rule.ts";
import { addDays, dayOf, type Instant, isoTextOfInstant } from "../../domain/time.ts";
import { mapYielding, runYielding, type Yield } from "../../event-loop/event-loop.ts";
import { selectStoredComponents } from "../../store/select-stored-rows.ts";
import type { Store } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";
import { loadActiveModelVersion } from "../calibration/load-active-model.ts";
import { loadCurrentPartnerPrices } from "../costs/load-partner-prices.ts";
import { loadComponentHistory } from "../history/load-component-history.ts";
import { loadPropertyCompliance } from "../inspections/load-property-compliance.ts";
import {
  preparePlanHazards,
  preparePlanLines,
  preparePlanReconciliation,
} from "../planning/load-plan-lines.ts";
import { prepareLoadedPropertyPlan } from "../planning/load-property-plan.ts";
import { RETENTION_DAYS } from "../snapshot/score-snapshot-properties.ts";

/** The approximate memory of a component with its plan and its view, in bytes. */
const COMPONENT_BYTES = 8_000;
/** Units per query. */
const UNIT_PAGE = 1000;

type PropertyFiguresDeps = {
  store: Pick<Store, "read" | "inReadSnapshot">;
  knowledge: Knowledge;
  now: Instant;
  yieldNow: Yield;
  /** Receives the bytes that are retained as they grow; may throw to end the work. */
  reserveMemory: (bytes: number) => void;
};

type Component = ComponentJson & { expected_failure_cost_a_year: number };

type PropertyFiguresRequest = {
  /** The component whose trend is requested. */
  chosen: string | undefined;
  terms: PlanTerms;
  /** Returns the component whose trend is shown if the property has none with the requested id. */
  defaultTrend: (components: readonly ComponentJson[]) => string | undefined;
};

/**
 * Loads the figures of a property's page as the public API would return them, the components from one snapshot of the
 * database. Yields to the event loop in between.
 */
export async function loadPropertyFigures(
  deps: PropertyFiguresDeps,
  property: Property,
  { chosen, terms, defaultTrend }: PropertyFiguresRequest,
) {
  const { store, knowledge, now, yieldNow, reserveMemory } = deps;
  const { read } = store;
  const latestSnapshotAt = await read.snapshots.latestSnapshotAt();
  const prices = await loadCurrentPartnerPrices(read, knowledge, property.partnerId);
  const rows: PlacedComponent[] = [];
  const components: Component[] = [];
  const [condition, forecast, reserve, assumptions] = [
    conditionSchemaAccumulator(prices, planContextOfPrices(prices)),
    forecastSchemaAccumulator(prices),
    reserveSchemaAccumulator(prices),
    assumptionsSchemaAccumulator(prices),
  ];
  const add = (row: PlacedComponent) => {
    rows.push(row);
    const component = serializeComponent(prices, row, latestSnapshotAt);
    components.push({ ...component, expected_failure_cost_a_year: expectedFailureCostOfJson(component) });
    for (const figure of [condition, forecast, reserve, assumptions]) figure.add(row);
    return COMPONENT_BYTES;
  };
  await selectStoredComponents(store, property.id, add, yieldNow, reserveMemory);
  const modelVersion = await loadActiveModelVersion(read, knowledge);
  const figureOf = <Written>(figure: FigureSchemaAccumulator<Written>) =>
    runYielding(figure.write(property, { now, modelVersion }), yieldNow);
  const planDeps = { prices, clock: () => now, yieldNow, modelVersion };
  const plan = await prepareLoadedPropertyPlan(planDeps, property, rows, terms);
  const lines = await preparePlanLines(plan, yieldNow);
  const units = await mapYielding(lines.units, yieldNow, (unit) => ({
    ...serializePlannedUnit(knowledge, unit),
    yearly_costs: yearlyCostsJson(unit.schedule, terms.years),
  }));
  const scheduled = await mapYielding(lines.components, yieldNow, (component) => ({
    ...serializePlannedComponent(knowledge, component),
    yearly_costs: yearlyCostsJson(component.schedule, terms.years),
  }));
  const reconciliation = await preparePlanReconciliation(prices, plan, yieldNow);
  const flags = await preparePlanHazards(knowledge, plan, yieldNow);
  const written = serializePropertyPlan(plan, reconciliation, flags, { units, components: scheduled });
  await yieldNow();
  const shown = rows.some(({ id }) => id === chosen) ? chosen : defaultTrend(components);
  const trendOfRow = rows.find(({ id }) => id === shown);
  await yieldNow();
  const inspections = await loadPropertyCompliance(
    store,
    knowledge,
    property,
    dayOf(now),
    yieldNow,
    reserveMemory,
  );
  return {
    property: serializeProperty(property),
    condition: await figureOf(condition),
    forecast: await figureOf(forecast),
    reserve: await figureOf(reserve),
    assumptions: await figureOf(assumptions),
    plan: { ...written, units, components: scheduled },
    budget: written.budget?.amount,
    inspections: await mapYielding(inspections, yieldNow, serializeComplianceItem),
    components,
    types: [...knowledge.types.values()].map((type) => serializeApplianceType(knowledge, type)),
    units: await unitsOf(read, property.id, yieldNow),
    trend: trendOfRow && (await trendOf(deps, trendOfRow)),
    conditionTrend: (await read.conditionTrends.points(property.partnerId, property.id)).map(
      serializeConditionPoint,
    ),
    assessedAt: isoTextOfInstant(now),
  };
}

async function unitsOf(read: Stores, propertyId: string, yieldNow: Yield) {
  const units = [];
  for (; ; await yieldNow()) {
    const page = await read.units.page(propertyId, { limit: UNIT_PAGE, offset: units.length });
    units.push(...page.map(serializeUnit));
    if (page.length < UNIT_PAGE) return units;
  }
}

async function trendOf(
  { store, now, yieldNow, reserveMemory }: PropertyFiguresDeps,
  component: Pick<PlacedComponent, "id" | "applianceId">,
) {
  const { read } = store;
  const days = await read.snapshots.days(addDays(dayOf(now), -RETENTION_DAYS));
  const points = scoreTrendByRule(await read.snapshots.trendRows(component.id), days);
  const events = await loadComponentHistory(store, component, yieldNow, reserveMemory);
  return {
    componentId: component.id,
    points: points.map(serializeTrendPoint),
    events: await mapYielding(events, yieldNow, serializeHistoryEvent),
  };
}
