import type { ComponentJson, TrendPointJson } from "../../api-schemas/component-schema.ts";
import type { PropertyPlanJson } from "../../api-schemas/plan-schema.ts";
import { mapInSteps, type Steps, sortInSteps } from "../../domain/steps/computation-steps.ts";
import type { PropertyPageData, ReportCsvFile } from "../sections/property-sections.tsx";
import { ApplianceNames } from "./page-appliance-names.ts";
import { pageAssumptionSentences } from "./page-assumption-sentences.ts";
import { pageSystemLabel } from "./page-code-labels.ts";
import { comparePageRowsByExpectedLoss } from "./page-expected-loss.ts";
import { type PlanLine, pagePlanLines } from "./page-plan-lines.ts";

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
export function pageCsvRows(file: ReportCsvFile, data: CsvFileData): Steps<CsvRows> {
  return restsOnAssumptions.has(file)
    ? withAssumptions(ROWS_BY_FILE[file](data), data)
    : ROWS_BY_FILE[file](data);
}

/** The files of figures, which say in their first row what these rest on. */
const restsOnAssumptions: ReadonlySet<ReportCsvFile> = new Set([
  "condition",
  "plan",
  "schedule",
  "reserve",
  "forecast",
]);

function* withAssumptions(steps: Steps<CsvRows>, { assumptions }: CsvFileData): Steps<CsvRows> {
  const { heading, rows } = yield* steps;
  const [first, ...others] = rows;
  if (!first) return { heading, rows };
  return {
    heading: [...heading, "assumptions"],
    rows: [
      [...first, pageAssumptionSentences(assumptions).join(" ")],
      ...others.map((row) => [...row, null]),
    ],
  };
}

const ROWS_BY_FILE: Readonly<Record<ReportCsvFile, (data: CsvFileData) => Steps<CsvRows>>> = {
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
        fci: condition.fci.value,
        fci_due_now: condition.fci.due_now,
        fci_replacement_value: condition.fci.replacement_value,
        fci_basis: condition.fci.basis,
        assessed_at: assessedAt,
      },
    ]),
  components: function* ({ components, types, units }) {
    const applianceNames = new ApplianceNames(types, units);
    const sorted = yield* sortInSteps(components, comparePageRowsByExpectedLoss);
    return yield* rowsOfRecords(sorted, (component) => componentRow(component, applianceNames));
  },
  plan: function* ({ plan, types, units }) {
    const applianceNames = new ApplianceNames(types, units);
    const whole = new Set(plan.units.map(({ appliance_id }) => appliance_id));
    const lines = yield* pagePlanLines(plan, applianceNames);
    return yield* rowsOfRecords(lines, (planLine) =>
      plannedRow(planLine, applianceNames, !planLine.isUnit && whole.has(planLine.appliance_id)),
    );
  },
  schedule: ({ plan }) => rowsOfRecords(plan.schedule),
  reserve: ({ reserve }) =>
    rowsOfRecords(Object.entries(reserve.reserves).map(([horizon, span]) => ({ horizon, ...span }))),
  forecast: ({ forecast }) =>
    rowsOfRecords(
      Object.entries(forecast.forecast).map(([window, figures]) => ({
        window,
        label: figures.label,
        component_count: figures.component_count,
        proactive_cost: figures.proactive_cost,
        emergency_cost_if_ignored: figures.emergency_cost_if_ignored,
        savings_potential: figures.savings_potential,
        expected_failures: figures.expected_failures,
        expected_cost: figures.expected_cost,
        expected_cost_80_low: figures.expected_cost_80.low,
        expected_cost_80_high: figures.expected_cost_80.high,
      })),
    ),
  inspections: ({ inspections, types, units }) => {
    const applianceNames = new ApplianceNames(types, units);
    return rowsOfRecords(inspections, (inspection) => ({
      inspection_type: inspection.inspection_type,
      place: applianceNames.of(inspection),
      appliance_id: inspection.appliance_id,
      authority: inspection.authority,
      mandatory: inspection.mandatory,
      interval_months: inspection.interval_months,
      last_inspection: inspection.last_inspection,
      result: inspection.result,
      deficiency_open: inspection.deficiency_open,
      basis: inspection.basis,
      last_event_id: inspection.last_event_id,
      due_date: inspection.due_date,
      days_until_due: inspection.days_until_due,
      status: inspection.status,
    }));
  },
  "condition-trend": ({ conditionTrend }) => rowsOfRecords(conditionTrend),
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

function componentRow(component: ComponentRow, applianceNames: ApplianceNames) {
  return {
    component_id: component.component_id,
    component_name: component.component_name,
    place: applianceNames.of(component),
    system: pageSystemLabel(applianceNames.systemOf(component.appliance_type)),
    appliance_id: component.appliance_id,
    appliance_type: component.appliance_type,
    install_year: component.install_year,
    age_years: component.age_years,
    risk_score: component.risk_score,
    risk_tier: component.risk_tier,
    confidence: component.confidence,
    failure_probability_12m: component.failure_probability_12m,
    projected_failure_year: component.projected_failure_year,
    projected_failure_earliest: component.projected_failure_range.earliest,
    projected_failure_latest: component.projected_failure_range.latest,
    failure_window_80_earliest: component.failure_window_80.earliest,
    failure_window_80_latest: component.failure_window_80.latest,
    proactive_cost: component.proactive_cost,
    reactive_cost: component.reactive_cost,
    cost_basis: component.cost_basis,
    size: component.size,
    cost_factor: component.cost_factor,
    flags: component.flags.map(({ code, basis }) => `${code}:${basis}`).join(" "),
    ...(component.expected_failure_cost_a_year !== undefined && {
      expected_failure_cost_a_year: component.expected_failure_cost_a_year,
    }),
  };
}

/** The costs by year of a unit include those of its components, whose cells are empty. */
function plannedRow(planLine: PlanLine, applianceNames: ApplianceNames, isOfUnit: boolean) {
  return {
    line: planLine.isUnit ? "unit" : isOfUnit ? "component_of_unit" : "component",
    id: planLine.id,
    name: planLine.name,
    place: applianceNames.of(planLine),
    system: pageSystemLabel(applianceNames.systemOf(planLine.appliance_type)),
    age_years: planLine.age_years,
    effective_age_years: planLine.effective_age_years,
    expected_life_years: planLine.expected_life_years,
    remaining_life_years: planLine.remaining_life_years,
    action: planLine.action,
    reason: planLine.reason,
    policy: planLine.policy,
    replace_on: planLine.replace_on,
    due_now: planLine.due_now,
    proactive_cost: planLine.cost,
    reactive_cost: planLine.failedCost,
    cost_basis: planLine.cost_basis,
    size: planLine.size,
    cost_factor: planLine.cost_factor,
    cost_of_waiting_a_year: planLine.cost_of_waiting_a_year,
    ...Object.fromEntries(planLine.yearlyCosts.map((cost, at) => [`year_${at + 1}`, isOfUnit ? null : cost])),
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
