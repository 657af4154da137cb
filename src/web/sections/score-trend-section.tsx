import type { ComponentJson, TrendPointJson } from "../../api-schemas/component-schema.ts";
import type { HistoryEventJson } from "../../api-schemas/service-event-schema.ts";
import { CRITICAL_FROM, WARNING_FROM } from "../../domain/component.ts";
import { chartChangePoints, TimeChart } from "../charts/time-chart.tsx";
import type { ApplianceNames } from "../page/page-appliance-names.ts";
import { pageCodeLabel, pageTextOfFoundCondition, TIER_LABELS } from "../page/page-code-labels.ts";
import { formatPageCount, formatPageDate, formatPageMoney } from "../page/page-format.ts";
import { TierMark } from "../widgets/tier-mark.tsx";
import { TimeRangeButtons, TimeRangeField, useTimeRangeChoice } from "../widgets/time-range-choice.tsx";
import { CollapsedSectionTable, ReportSection, type SectionCsvLink, SectionTable } from "./section.tsx";

/** With fewer days there is nothing to see. */
const LEAST_POINTS = 7;
/** The most components offered for selection. */
const MAX_CHOICES = 200;

/** The score of one component by day, with its service events. */
export function ScoreTrendSection(props: {
  component: ComponentJson;
  points: readonly TrendPointJson[];
  events: readonly HistoryEventJson[];
  applianceNames: ApplianceNames;
  /** Components to select from, highest expected loss first. Without them, no selection is offered. */
  choices?: readonly ComponentJson[];
  /** The preset of the time range that the reader has chosen with the form. */
  formRange?: string | undefined;
  csv?: SectionCsvLink;
}) {
  const { component, points: all, events, applianceNames, choices, formRange, csv } = props;
  const { range, setRange, shown: points } = useTimeRangeChoice(all, formRange);
  return (
    <ReportSection id="trend" title="Score history">
      {choices ? (
        <form class="choice" method="get" action="#trend" data-replaces="trend">
          <ComponentSelect component={component} choices={choices} applianceNames={applianceNames} />
          <TimeRangeField points={all} range={range} id="trend-range" />
          <button type="submit">Show</button>
        </form>
      ) : (
        <TimeRangeButtons points={all} range={range} onChoose={setRange} />
      )}
      <p class="about">
        <strong>
          <TierMark tier={component.risk_tier} /> {component.component_name}
        </strong>
        , {applianceNames.of(component)}, installed {component.install_year} · Score{" "}
        {component.risk_score.toFixed(2)}
        {points.length > 0 && ` · ${formatPageCount(points.length, "day")} of history`}
      </p>
      {all.length < LEAST_POINTS ? (
        <p class="empty">
          Scores are recorded daily at 03:00 UTC. The chart appears after {LEAST_POINTS} days.
        </p>
      ) : (
        <ScoreChart points={points} events={events} name={component.component_name} />
      )}
      {points.length > 0 && (
        <CollapsedSectionTable
          summary="View daily scores"
          csv={csv}
          rows={chartChangePoints(points, ({ risk_score }) => risk_score)}
          note="One row per day the score changed, plus the latest day."
          columns={[
            { heading: "Day", cell: (point) => formatPageDate(point.date) },
            { heading: "Score", isNumber: true, cell: (point) => point.risk_score.toFixed(2) },
            { heading: "Tier", cell: (point) => TIER_LABELS[point.risk_tier].name },
          ]}
        />
      )}
      {choices && events.length > 0 && (
        <details class="table-details">
          <summary>{formatPageCount(events.length, "service event")}</summary>
          <SectionTable
            caption="Service events"
            rows={events.slice(0, 100)}
            columns={[
              { heading: "Day", cell: (event) => formatPageDate(event.date) },
              { heading: "Event", cell: (event) => event.event_type },
              {
                heading: "Condition after",
                cell: (event) => pageTextOfFoundCondition(event),
              },
              {
                heading: "Cost",
                isNumber: true,
                cell: (event) => (event.total_cost === null ? "–" : formatPageMoney(event.total_cost)),
              },
            ]}
          />
        </details>
      )}
    </ReportSection>
  );
}

function ComponentSelect(props: {
  component: ComponentJson;
  choices: readonly ComponentJson[];
  applianceNames: ApplianceNames;
}) {
  const { component, choices, applianceNames } = props;
  const offered = choices.slice(0, MAX_CHOICES);
  const isOffered = offered.some(({ component_id }) => component_id === component.component_id);
  return (
    <>
      <label for="component">Component</label>
      <select id="component" name="component">
        {(isOffered ? offered : [component, ...offered]).map((choice) => (
          <option value={choice.component_id} selected={choice.component_id === component.component_id}>
            {TIER_LABELS[choice.risk_tier].name}: {choice.component_name}, {applianceNames.of(choice)}
          </option>
        ))}
      </select>
    </>
  );
}

function ScoreChart(props: {
  points: readonly TrendPointJson[];
  events: readonly HistoryEventJson[];
  name: string;
}) {
  const { points, events, name } = props;
  const [first, last] = [points[0]!, points.at(-1)!];
  const eventsOf = Map.groupBy(events, (event) => event.date);
  return (
    <TimeChart
      name={`score of ${name}`}
      label={`Score of ${name} from ${first.risk_score.toFixed(2)} on ${formatPageDate(first.date)} to ${last.risk_score.toFixed(2)} on ${formatPageDate(last.date)}`}
      domain={[0, 1]}
      bands={[
        { kind: "critical", name: pageCodeLabel("critical"), from: CRITICAL_FROM / 100, to: 1 },
        {
          kind: "warning",
          name: pageCodeLabel("warning"),
          from: WARNING_FROM / 100,
          to: CRITICAL_FROM / 100,
        },
        { kind: "good", name: pageCodeLabel("good"), from: 0, to: WARNING_FROM / 100 },
      ]}
      points={points.map(({ date: day, risk_score, risk_tier }) => ({
        date: day,
        value: risk_score,
        text: [
          `${formatPageDate(day)}: ${risk_score.toFixed(2)}, ${TIER_LABELS[risk_tier].name}`,
          ...(eventsOf.get(day) ?? []).map(({ event_type }) => event_type),
        ].join("; "),
      }))}
      marks={events.map((event) => ({
        date: event.date,
        text: `${event.event_type}, ${formatPageDate(event.date)}`,
      }))}
    />
  );
}
