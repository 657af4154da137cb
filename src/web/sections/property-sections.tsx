import type { VNode } from "preact";
import { runSteps, type Steps, sortInSteps } from "../../domain/steps.ts";
import type { ApplianceTypeJson } from "../../wire/appliance.ts";
import type { AssumptionsJson } from "../../wire/assumptions.ts";
import type { InspectionJson } from "../../wire/compliance.ts";
import type { ComponentJson, TrendPointJson } from "../../wire/component.ts";
import type { ConditionJson, ReserveJson } from "../../wire/figures.ts";
import type { ForecastJson } from "../../wire/forecast.ts";
import type { PropertyPlanJson } from "../../wire/plan.ts";
import type { PropertyJson, UnitJson } from "../../wire/property.ts";
import type { ScoreReasonJson } from "../../wire/score-reason.ts";
import type { HistoryEventJson } from "../../wire/service-event.ts";
import { compareByExpectedLoss, elevatedComponents, highestExpectedLoss } from "../expected-loss.ts";
import { counted, date } from "../format.ts";
import { componentKindAndTier, groupInSteps } from "../grouping.ts";
import { Locations } from "../locations.ts";
import { AssumptionList } from "./assumptions.tsx";
import { Attention, describedAlone } from "./attention.tsx";
import { Condition, componentTotalsInSteps } from "./condition.tsx";
import { Hazards, hazardGroups } from "./hazards.tsx";
import { HeatMap, systemsInSteps } from "./heat-map.tsx";
import { Inspections } from "./inspections.tsx";
import { planDetailsInSteps, RecommendedActions, type RenderBudgetPlanner } from "./plan.tsx";
import { ReserveAndForecast } from "./reserve-and-forecast.tsx";
import type { CsvLink } from "./section.tsx";
import { Timeline, timelineInSteps } from "./timeline.tsx";
import { Trend } from "./trend.tsx";

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
  assessedAt: string;
};

type ComponentTrend = {
  componentId: string;
  points: readonly TrendPointJson[];
  events: readonly HistoryEventJson[];
};

/** The addresses of the files behind the charts, of the list of all components, and of the reserve schedule. */
export type DataLinks = {
  csv: (file: CsvFile, componentId?: string) => CsvLink;
  components?: string;
  schedule: string;
};
export type CsvFile =
  | "condition"
  | "components"
  | "plan"
  | "schedule"
  | "reserve"
  | "forecast"
  | "inspections"
  | "trend";

/** The component whose score history is shown by default. */
export function defaultTrendComponent(components: readonly ComponentJson[]): string | undefined {
  return (highestExpectedLoss(elevatedComponents(components)) ?? highestExpectedLoss(components))
    ?.component_id;
}

/** Returns, in steps, the components whose reasons the page shows. */
export function* explainedOnPage(components: readonly ComponentJson[]): Steps<string[]> {
  const elevated = elevatedComponents(yield* sortInSteps(components, compareByExpectedLoss));
  return describedAlone(yield* groupInSteps(elevated, componentKindAndTier));
}

type SectionsProps = {
  data: PropertyPageData;
  links?: DataLinks;
  /** Renders the budget planner. By default, a form that asks the server. */
  renderBudgetPlanner?: RenderBudgetPlanner;
};

/** The sections of a property: first the summary, then what to do about it, then the details. */
export const PropertySections = (props: SectionsProps) => <>{runSteps(sectionsInSteps(props))}</>;

/** Prepares the sections in steps, for properties with many components. */
export function* sectionsInSteps({ data, links, renderBudgetPlanner }: SectionsProps): Steps<VNode[]> {
  const { condition, forecast, reserve, inspections, plan, components, trend, assessedAt } = data;
  const csv = (file: CsvFile, componentId?: string) => links?.csv(file, componentId);
  const totals = yield* componentTotalsInSteps(components);
  const summary = (
    <Condition condition={condition} totals={totals} reserve={reserve} csv={csv("condition")} />
  );
  if (components.length === 0) return [summary];
  const locations = new Locations(data.types, data.units);
  yield;
  const sorted = yield* sortInSteps(components, compareByExpectedLoss);
  const elevated = elevatedComponents(sorted);
  const groups = yield* groupInSteps(elevated, componentKindAndTier);
  const timeline = yield* timelineInSteps(elevated, groups);
  const systems = yield* systemsInSteps(components, locations);
  const hazards = hazardGroups(components);
  const details = plan && (yield* planDetailsInSteps(plan, locations, data.budget));
  const selected = components.find(({ component_id }) => component_id === trend?.componentId);
  const sections = [
    summary,
    hazards.length > 0 && <Hazards groups={hazards} locations={locations} csv={csv("components")} />,
    <Attention
      components={elevated}
      reasons={data.reasons}
      groups={groups}
      locations={locations}
      csv={csv("components")}
      all={links?.components}
    />,
    plan && details && (
      <RecommendedActions
        plan={plan}
        details={details}
        locations={locations}
        renderBudgetPlanner={renderBudgetPlanner}
        links={{ yearsCsv: csv("schedule"), componentsCsv: csv("plan"), schedule: links?.schedule }}
      />
    ),
    <HeatMap systems={systems} locations={locations} csv={csv("components")} />,
    <Timeline
      timeline={timeline}
      locations={locations}
      year={Number(assessedAt.slice(0, 4))}
      csv={csv("components")}
      all={links?.components}
    />,
    <div class="two-columns">
      <ReserveAndForecast
        forecast={forecast}
        reserve={reserve}
        reserveCsv={csv("reserve")}
        forecastCsv={csv("forecast")}
      />
      <Inspections inspections={inspections} locations={locations} csv={csv("inspections")} />
    </div>,
    trend && selected && (
      <Trend
        component={selected}
        points={trend.points}
        events={trend.events}
        locations={locations}
        choices={sorted}
        csv={csv("trend", selected.component_id)}
      />
    ),
    <AssumptionList assumptions={data.assumptions} />,
  ];
  return sections.filter((section) => section !== undefined && section !== false);
}

/** The name, address and size of a property, and the day of the assessment. */
export function PropertyHeading({ data }: { data: PropertyPageData }) {
  const { property, components, assessedAt } = data;
  const { address, city, state, zip } = property;
  const appliances = new Set(components.map(({ appliance_id }) => appliance_id)).size;
  const facts = [
    property.year_built === null ? undefined : `built ${property.year_built}`,
    counted(property.unit_count, "unit"),
    counted(appliances, "appliance"),
    counted(components.length, "component"),
  ];
  return (
    <header class="heading">
      <div>
        <h1 class={property.name.length > 80 ? "long" : undefined}>
          <bdi>{property.name}</bdi>
        </h1>
        <p class="muted">
          <bdi>{[address, city, [state, zip].filter(Boolean).join(" ")].filter(Boolean).join(", ")}</bdi>
          {" · "}
          {facts.filter(Boolean).join(" · ")}
        </p>
      </div>
      <p class="small muted as-of">
        Assessed <time dateTime={assessedAt}>{date(assessedAt)}</time>
      </p>
    </header>
  );
}
