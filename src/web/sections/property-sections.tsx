import type { ComponentChildren, VNode } from "preact";
import type { ApplianceTypeJson } from "../../api-schemas/appliance-schema.ts";
import type { AssumptionsJson } from "../../api-schemas/assumptions-schema.ts";
import type { InspectionJson } from "../../api-schemas/compliance-schema.ts";
import type { ComponentJson, TrendPointJson } from "../../api-schemas/component-schema.ts";
import type { ConditionPointJson } from "../../api-schemas/condition-trend-schema.ts";
import type { ConditionJson, ReserveJson } from "../../api-schemas/figures-schema.ts";
import type { ForecastJson } from "../../api-schemas/forecast-schema.ts";
import type { PropertyPlanJson } from "../../api-schemas/plan-schema.ts";
import type { PropertyJson, UnitJson } from "../../api-schemas/property-schema.ts";
import type { ScoreReasonJson } from "../../api-schemas/score-reason-schema.ts";
import type { HistoryEventJson } from "../../api-schemas/service-event-schema.ts";
import { postalAddressLine } from "../../domain/places/postal-address.ts";
import { runSteps, type Steps, sortInSteps } from "../../domain/steps/computation-steps.ts";
import { ApplianceNames } from "../page/page-appliance-names.ts";
import {
  comparePageRowsByExpectedLoss,
  elevatedPageComponents,
  highestPageExpectedLoss,
} from "../page/page-expected-loss.ts";
import { formatPageCount, formatPageDate } from "../page/page-format.ts";
import { pageUnitPrices } from "../page/page-tier-costs.ts";
import { ConditionSectionHeadline } from "./condition-section.tsx";
import { ConditionTrendSection } from "./condition-trend-section.tsx";
import { DueActionsSection, type RenderMark } from "./due-actions-section.tsx";
import { MethodologySection, pageComponentTotals } from "./figures-method-section.tsx";
import {
  KnownHazardsSection,
  pageSectionHazardGroups,
  pageSectionUrgentHazardCount,
} from "./hazards-section.tsx";
import { RiskHeatMapSection, sectionSystems } from "./heat-map-section.tsx";
import { DueInspectionsSection } from "./inspections-section.tsx";
import { PlanCostsAndReserveSection, type RenderBudgetPlanner, sectionPlanDetails } from "./plan-section.tsx";
import { ScoreTrendSection } from "./score-trend-section.tsx";
import type { SectionCsvLink } from "./section.tsx";
import { pageSectionUnitWordOf, UnitNameContext } from "./section-unit-word.ts";

/** The data of a property's page, as the API returns it. */
export type PropertyPageData = {
  property: PropertyJson;
  condition: ConditionJson;
  forecast: ForecastJson;
  reserve: ReserveJson;
  inspections: readonly InspectionJson[];
  /** The basis of the figures. */
  assumptions: AssumptionsJson;
  plan?: PropertyPlanJson;
  /** The budget in USD that the reader entered. */
  budget?: number | undefined;
  components: readonly ComponentJson[];
  /** The reasons for the scores of some components, by ID. */
  reasons?: ReadonlyMap<string, readonly ScoreReasonJson[]>;
  types: readonly ApplianceTypeJson[];
  units: readonly UnitJson[];
  /** The score history of the component that the reader selected; by default, of the one with the highest expected loss. */
  trend: ComponentTrend | undefined;
  /** The condition and the expected cost by week. */
  conditionTrend: readonly ConditionPointJson[];
  /** The preset of time ranges that the reader has chosen with a form, where forms do. */
  formRange?: string | undefined;
  assessedAt: string;
};

type ComponentTrend = {
  componentId: string;
  points: readonly TrendPointJson[];
  events: readonly HistoryEventJson[];
};

/** The addresses of the files behind the charts, of the list of all components, and of the reserve schedule. */
export type DataLinks = {
  csv: (file: ReportCsvFile, componentId?: string) => SectionCsvLink;
  components?: string;
  schedule: string;
  /** The address of the list of actions, if it has one. */
  actions?: string;
  /** The address of the reserve schedule as a workbook; the app has a button instead. */
  workbook?: string;
};
export type ReportCsvFile =
  | "condition"
  | "components"
  | "plan"
  | "schedule"
  | "reserve"
  | "forecast"
  | "inspections"
  | "condition-trend"
  | "trend";

/** The component whose score history is shown by default. */
export function pageSectionTrendComponentId(components: readonly ComponentJson[]): string | undefined {
  return (highestPageExpectedLoss(elevatedPageComponents(components)) ?? highestPageExpectedLoss(components))
    ?.component_id;
}

/** Returns, in steps, the components whose reasons the page shows. */
export function* sectionComponentsToExplain(components: readonly ComponentJson[]): Steps<string[]> {
  const elevated = elevatedPageComponents(yield* sortInSteps(components, comparePageRowsByExpectedLoss));
  return elevated.slice(0, MOST_EXPLAINED).map(({ component_id }) => component_id);
}

/** Components whose scores the page explains. */
const MOST_EXPLAINED = 5;

type SectionsProps = {
  data: PropertyPageData;
  links?: DataLinks;
  /** Renders the budget planner. By default, a form that asks the server. */
  renderBudgetPlanner?: RenderBudgetPlanner;
  /** Renders what marks the work of an action, where the reader may. */
  renderMark?: RenderMark;
};

/** The sections of a property: what to do and for how much, then costs, risk, and the method behind the figures. */
export const PropertySections = (props: SectionsProps) => <>{runSteps(pagePropertySections(props))}</>;

/** Prepares the sections in steps, for properties with many components. */
export function* pagePropertySections({
  data,
  links,
  renderBudgetPlanner,
  renderMark,
}: SectionsProps): Steps<VNode[]> {
  const { condition, forecast, reserve, inspections, plan, components, trend } = data;
  const csv = (file: ReportCsvFile, componentId?: string) => links?.csv(file, componentId);
  if (components.length === 0)
    return [<ConditionSectionHeadline condition={condition} headline={undefined} />];
  const prices = pageUnitPrices(plan?.units ?? []);
  const totals = yield* pageComponentTotals(components, prices);
  const applianceNames = new ApplianceNames(data.types, data.units);
  yield;
  const sorted = yield* sortInSteps(components, comparePageRowsByExpectedLoss);
  const elevated = elevatedPageComponents(sorted);
  const systems = yield* sectionSystems(components, applianceNames, prices);
  const hazards = pageSectionHazardGroups(components);
  const details = plan && (yield* sectionPlanDetails({ plan, components }, applianceNames, data.budget));
  const selected = components.find(({ component_id }) => component_id === trend?.componentId);
  const sections = [
    <ConditionSectionHeadline
      condition={condition}
      headline={plan && details && { plan, hazards: pageSectionUrgentHazardCount(hazards) }}
    />,
    plan && details && (
      <DueActionsSection
        asOf={plan.as_of}
        rows={details.actions}
        lines={details.lines}
        applianceNames={applianceNames}
        csv={csv("plan")}
        renderMark={renderMark}
      />
    ),
    plan && details && (
      <PlanCostsAndReserveSection
        plan={plan}
        details={details}
        forecast={forecast}
        reserve={reserve}
        renderBudgetPlanner={renderBudgetPlanner}
        links={{
          yearsCsv: csv("schedule"),
          reserveCsv: csv("reserve"),
          forecastCsv: csv("forecast"),
          schedule: links?.schedule,
        }}
      />
    ),
    <RiskHeatMapSection
      systems={systems}
      elevated={elevated}
      reasons={data.reasons}
      applianceNames={applianceNames}
      csv={csv("components")}
      all={links?.components}
    />,
    hazards.length > 0 && (
      <KnownHazardsSection groups={hazards} applianceNames={applianceNames} csv={csv("components")} />
    ),
    <DueInspectionsSection
      inspections={inspections}
      applianceNames={applianceNames}
      csv={csv("inspections")}
    />,
    <ConditionTrendSection
      points={data.conditionTrend}
      actions={links?.actions}
      formRange={data.formRange}
      csv={csv("condition-trend")}
    />,
    trend && selected && (
      <ScoreTrendSection
        component={selected}
        points={trend.points}
        events={trend.events}
        applianceNames={applianceNames}
        choices={sorted}
        formRange={data.formRange}
        csv={csv("trend", selected.component_id)}
      />
    ),
    <MethodologySection
      totals={totals}
      assumptions={data.assumptions}
      condition={condition}
      csv={csv("condition")}
    />,
  ];
  return sections
    .filter((section) => section !== undefined && section !== false)
    .map((section) => (
      <UnitNameContext.Provider value={pageSectionUnitWordOf(data.property)}>
        {section}
      </UnitNameContext.Provider>
    ));
}

/** The name, address and size of a property, and the day of the assessment. */
export function PropertySectionsHeading(props: {
  data: PropertyPageData;
  links?: DataLinks;
  /** A button that saves the reserve schedule as a workbook, where no address does. */
  workbook?: ComponentChildren;
}) {
  const { data, links, workbook } = props;
  const { property, components, assessedAt } = data;
  const appliances = new Set(components.map(({ appliance_id }) => appliance_id)).size;
  const facts = [
    property.year_built === null ? undefined : `built ${property.year_built}`,
    formatPageCount(property.unit_count, pageSectionUnitWordOf(property)),
    formatPageCount(appliances, "appliance"),
    formatPageCount(components.length, "component"),
  ];
  return (
    <header class="heading">
      <div>
        <h1 class={property.name.length > 80 ? "long" : undefined}>
          <bdi>{property.name}</bdi>
        </h1>
        <p class="muted">
          <bdi>{postalAddressLine(property)}</bdi>
          {" · "}
          {facts.filter(Boolean).join(" · ")}
        </p>
      </div>
      <div class="as-of">
        <p class="small muted">
          Assessed <time dateTime={assessedAt}>{formatPageDate(assessedAt)}</time>
        </p>
        {links && components.length > 0 && <Tools links={links} workbook={workbook} />}
      </div>
    </header>
  );
}

/** The ways to take the page along. */
function Tools({ links, workbook }: { links: DataLinks; workbook: ComponentChildren }) {
  const csv = links.csv("plan");
  return (
    <p class="tools small screen">
      <button
        type="button"
        class="outline secondary"
        data-prints
        hidden={typeof csv === "string"}
        onClick={() => print()}
      >
        Print
      </button>
      {typeof csv === "string" && (
        <a href={csv} download>
          CSV
        </a>
      )}
      {typeof csv === "function" && (
        <button type="button" class="outline secondary" onClick={csv}>
          CSV
        </button>
      )}
      {links.workbook === undefined ? (
        workbook
      ) : (
        <a href={links.workbook} download>
          XLSX
        </a>
      )}
      <a href={links.schedule}>Schedule</a>
    </p>
  );
}
