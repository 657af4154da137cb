import { mapInSteps, type Steps, sortInSteps } from "../domain/steps.ts";
import type { ComponentJson, TrendPointJson } from "../wire/component.ts";
import type { PropertyPlanJson } from "../wire/plan.ts";
import { compareByExpectedLoss } from "./expected-loss.ts";
import { systemLabel } from "./labels.ts";
import { Locations } from "./locations.ts";
import { type PlanLine, planLinesInSteps } from "./plan-lines.ts";
import type { CsvFile, PropertyPageData } from "./sections/property-sections.tsx";

type Cell = string | number | boolean | null;
/** The header row of a file, and its data rows. */
type CsvRows = { heading: readonly string[]; rows: readonly (readonly Cell[])[] };

/** The data of the files: that of the page, plus costs by year and expected failure costs where they are known. */
type CsvFileData = Omit<PropertyPageData, "plan" | "components"> & {
  plan: Omit<PropertyPlanJson, "units" | "components"> & {
    units: readonly (PropertyPlanJson["units"][number] & YearlyCosts)[];
    components: readonly (PropertyPlanJson["components"][number] & YearlyCosts)[];
  };
  components: readonly ComponentRow[];
};
type YearlyCosts = { yearly_costs?: readonly number[] };
type ComponentRow = ComponentJson & { expected_failure_cost_a_year?: number };

/** Returns the rows of a file, under the field names of the API. */
export function rowsOfCsvFile(file: CsvFile, data: CsvFileData): Steps<CsvRows> {
  return ROWS_BY_FILE[file](data);
}

const ROWS_BY_FILE: Readonly<Record<CsvFile, (data: CsvFileData) => Steps<CsvRows>>> = {
  condition: ({ condition, assessedAt }) =>
    rowsOfRecords([
      {
        condition_score: condition.components_assessed === 0 ? null : condition.condition_score,
        grade: condition.components_assessed === 0 ? null : condition.grade,
        rating: condition.components_assessed === 0 ? null : condition.rating,
        components_assessed: condition.components_assessed,
        critical: condition.critical,
        warning: condition.warning,
        good: condition.good,
        assessed_at: assessedAt,
      },
    ]),
  components: function* ({ components, types, units }) {
    const locations = new Locations(types, units);
    const sorted = yield* sortInSteps(components, compareByExpectedLoss);
    return yield* rowsOfRecords(sorted, (one) => componentRow(one, locations));
  },
  plan: function* ({ plan, types, units }) {
    const locations = new Locations(types, units);
    const whole = new Set(plan.units.map(({ appliance_id }) => appliance_id));
    const lines = yield* planLinesInSteps(plan, locations);
    return yield* rowsOfRecords(lines, (one) =>
      plannedRow(one, locations, !one.isUnit && whole.has(one.appliance_id)),
    );
  },
  schedule: ({ plan }) => rowsOfRecords(plan.schedule),
  reserve: ({ reserve }) =>
    rowsOfRecords(Object.entries(reserve.reserves).map(([horizon, span]) => ({ horizon, ...span }))),
  forecast: ({ forecast }) =>
    rowsOfRecords(
      Object.entries(forecast.forecast).map(([window, one]) => ({
        window,
        label: one.label,
        component_count: one.component_count,
        proactive_cost: one.proactive_cost,
        emergency_cost_if_ignored: one.emergency_cost_if_ignored,
        savings_potential: one.savings_potential,
        expected_failures: one.expected_failures,
        expected_cost: one.expected_cost,
        expected_cost_80_low: one.expected_cost_80.low,
        expected_cost_80_high: one.expected_cost_80.high,
      })),
    ),
  inspections: ({ inspections, types, units }) => {
    const locations = new Locations(types, units);
    return rowsOfRecords(inspections, (one) => ({
      inspection_type: one.inspection_type,
      place: locations.of(one),
      appliance_id: one.appliance_id,
      authority: one.authority,
      mandatory: one.mandatory,
      interval_months: one.interval_months,
      last_inspection: one.last_inspection,
      result: one.result,
      deficiency_open: one.deficiency_open,
      basis: one.basis,
      last_event_id: one.last_event_id,
      due_date: one.due_date,
      days_until_due: one.days_until_due,
      status: one.status,
    }));
  },
  trend: ({ trend }) =>
    rowsOfRecords(
      (trend?.points ?? []).map(({ date, risk_score, risk_tier }: TrendPointJson) => ({
        component_id: trend!.componentId,
        date,
        risk_score,
        risk_tier,
      })),
    ),
};

function componentRow(one: ComponentRow, locations: Locations) {
  return {
    component_id: one.component_id,
    component_name: one.component_name,
    place: locations.of(one),
    system: systemLabel(locations.systemOf(one.appliance_type)),
    appliance_id: one.appliance_id,
    appliance_type: one.appliance_type,
    install_year: one.install_year,
    age_years: one.age_years,
    risk_score: one.risk_score,
    risk_tier: one.risk_tier,
    confidence: one.confidence,
    failure_probability_12m: one.failure_probability_12m,
    projected_failure_year: one.projected_failure_year,
    projected_failure_earliest: one.projected_failure_range.earliest,
    projected_failure_latest: one.projected_failure_range.latest,
    failure_window_80_earliest: one.failure_window_80.earliest,
    failure_window_80_latest: one.failure_window_80.latest,
    proactive_cost: one.proactive_cost,
    reactive_cost: one.reactive_cost,
    cost_basis: one.cost_basis,
    size: one.size,
    cost_factor: one.cost_factor,
    ...(one.expected_failure_cost_a_year !== undefined && {
      expected_failure_cost_a_year: one.expected_failure_cost_a_year,
    }),
  };
}

/** The costs by year of a unit include those of its components, whose cells are empty. */
function plannedRow(one: PlanLine, locations: Locations, isOfUnit: boolean) {
  return {
    line: one.isUnit ? "unit" : isOfUnit ? "component_of_unit" : "component",
    id: one.id,
    name: one.name,
    place: locations.of(one),
    system: systemLabel(locations.systemOf(one.appliance_type)),
    age_years: one.age_years,
    effective_age_years: one.effective_age_years,
    expected_life_years: one.expected_life_years,
    remaining_life_years: one.remaining_life_years,
    action: one.action,
    reason: one.reason,
    policy: one.policy,
    replace_on: one.replace_on,
    due_now: one.due_now,
    proactive_cost: one.cost,
    reactive_cost: one.failedCost,
    cost_basis: one.cost_basis,
    size: one.size,
    cost_factor: one.cost_factor,
    cost_of_waiting_a_year: one.cost_of_waiting_a_year,
    ...Object.fromEntries(one.yearlyCosts.map((cost, at) => [`year_${at + 1}`, isOfUnit ? null : cost])),
  };
}

type CsvRecord = Readonly<Record<string, Cell>>;

function* rowsOfRecords<T>(
  items: readonly T[],
  recordOf: (item: T) => CsvRecord = (item) => item as CsvRecord,
): Steps<CsvRows> {
  const rows = yield* mapInSteps(items, (item) => Object.values(recordOf(item)));
  return { heading: items.length === 0 ? [] : Object.keys(recordOf(items[0]!)), rows };
}
