import { scaleLinear, scaleUtc } from "d3-scale";
import { curveStepAfter, line } from "d3-shape";
import { CRITICAL_FROM, WARNING_FROM } from "../../domain/component.ts";
import type { ComponentJson, TrendPointJson } from "../../wire/component.ts";
import type { HistoryEventJson } from "../../wire/service-event.ts";
import { percent } from "../charts/bar.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import type { EquipmentLocations } from "../equipment-locations.ts";
import { counted, date, money } from "../format.ts";
import { codeLabel, conditionText, TIER_LABELS } from "../labels.ts";
import { type CsvLink, DataTable, Section, TableDetails } from "./section.tsx";

const HEIGHT = 220;
const TOP = 8;
const BOTTOM = 26;
/** The width of the path's coordinate system, which is stretched to the width of the chart. */
const WIDTH = 1000;

/** The most components offered for selection. */
const MAX_CHOICES = 200;

/** The score of one component by day, with its service events. */
export function Trend(props: {
  component: ComponentJson;
  points: readonly TrendPointJson[];
  events: readonly HistoryEventJson[];
  locations: EquipmentLocations;
  /** Components to select from, highest expected loss first. Without them, no selection is offered. */
  choices?: readonly ComponentJson[];
  csv?: CsvLink;
}) {
  const { component, points, events, locations, choices, csv } = props;
  return (
    <Section id="trend" title="Score history">
      {choices && <ComponentSelect component={component} choices={choices} locations={locations} />}
      <p class="about">
        <strong>
          <TierMark tier={component.risk_tier} /> {component.component_name}
        </strong>
        , {locations.of(component)}, installed {component.install_year} · Score{" "}
        {component.risk_score.toFixed(2)}
        {points.length > 0 && ` · ${counted(points.length, "day")} of history`}
      </p>
      {points.length === 0 ? (
        <p class="empty">No history yet. Scores are recorded daily at 03:00 UTC.</p>
      ) : (
        <TrendChart points={points} events={events} name={component.component_name} />
      )}
      {points.length > 0 && (
        <TableDetails
          summary="View daily scores"
          csv={csv}
          rows={scoreChanges(points)}
          note="One row per day the score changed, plus the latest day."
          columns={[
            { heading: "Day", cell: (point) => date(point.date) },
            { heading: "Score", isNumber: true, cell: (point) => point.risk_score.toFixed(2) },
            { heading: "Tier", cell: (point) => TIER_LABELS[point.risk_tier].name },
          ]}
        />
      )}
      {choices && events.length > 0 && (
        <details class="table-details">
          <summary>{counted(events.length, "service event")}</summary>
          <DataTable
            caption="Service events"
            rows={events.slice(0, 100)}
            columns={[
              { heading: "Day", cell: (event) => date(event.date) },
              { heading: "Event", cell: (event) => event.event_type },
              {
                heading: "Condition after",
                cell: (event) => conditionText(event),
              },
              {
                heading: "Cost",
                isNumber: true,
                cell: (event) => (event.total_cost === null ? "–" : money(event.total_cost)),
              },
            ]}
          />
        </details>
      )}
    </Section>
  );
}

function ComponentSelect(props: {
  component: ComponentJson;
  choices: readonly ComponentJson[];
  locations: EquipmentLocations;
}) {
  const { component, choices, locations } = props;
  const offered = choices.slice(0, MAX_CHOICES);
  const isOffered = offered.some(({ component_id }) => component_id === component.component_id);
  return (
    <form class="choice" method="get" action="#trend" data-replaces="trend">
      <label for="component">Component</label>
      <select id="component" name="component">
        {(isOffered ? offered : [component, ...offered]).map((choice) => (
          <option value={choice.component_id} selected={choice.component_id === component.component_id}>
            {TIER_LABELS[choice.risk_tier].name}: {choice.component_name}, {locations.of(choice)}
          </option>
        ))}
      </select>
      <button type="submit">Show</button>
    </form>
  );
}

function TrendChart(props: {
  points: readonly TrendPointJson[];
  events: readonly HistoryEventJson[];
  name: string;
}) {
  const { points, events, name } = props;
  const [first, last] = [points[0]!, points.at(-1)!];
  const dayOf = (day: string) => new Date(day);
  const span = last.date > first.date ? [dayOf(first.date), dayOf(last.date)] : dayBeforeAndAfter(first.date);
  const x = scaleUtc(span as [Date, Date], [0, 1]);
  const y = scaleLinear([0, 1], [HEIGHT - BOTTOM, TOP]);
  const path = line<TrendPointJson>()
    .x((point) => Math.round(x(dayOf(point.date)) * WIDTH * 10) / 10)
    .y((point) => Math.round(y(point.risk_score) * 10) / 10)
    .curve(curveStepAfter)(scoreChanges(points))!;
  const marked = events.filter((event) => event.date >= first.date && event.date <= last.date);
  // Scores are daily: ticks within a day would repeat its label.
  const ticks = x.ticks(4).filter((tick) => tick.getUTCHours() === 0);
  const label = x.tickFormat(4, "%b %-d");
  return (
    <svg
      class="trend"
      width="100%"
      height={HEIGHT}
      role="img"
      aria-label={`Score of ${name} from ${first.risk_score.toFixed(2)} on ${date(first.date)} to ${last.risk_score.toFixed(2)} on ${date(last.date)}`}
    >
      {[
        ["critical", CRITICAL_FROM / 100, 1],
        ["warning", WARNING_FROM / 100, CRITICAL_FROM / 100],
        ["good", 0, WARNING_FROM / 100],
      ].map(([tier, from, to]) => (
        <g class={`band ${tier}`}>
          <rect width="100%" y={y(to as number)} height={y(from as number) - y(to as number)} />
          <text x="0" dx="8" y={y(to as number) + 15}>
            {codeLabel(tier as string)}
          </text>
        </g>
      ))}
      {ticks.map((tick) => (
        <text class="axis" x={percent(x(tick))} y={HEIGHT - 8} text-anchor={textAnchor(x(tick))}>
          {label(tick)}
        </text>
      ))}
      {marked.map((event) => (
        <g class="event">
          <line
            x1={percent(x(dayOf(event.date)))}
            x2={percent(x(dayOf(event.date)))}
            y1={TOP}
            y2={HEIGHT - BOTTOM}
          />
          <svg x={percent(x(dayOf(event.date)))} y={HEIGHT - BOTTOM} overflow="visible">
            <circle r="5">
              <title>
                {event.event_type}, {date(event.date)}
              </title>
            </circle>
          </svg>
        </g>
      ))}
      <svg
        class="line"
        width="100%"
        height={HEIGHT}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <path d={path} vector-effect="non-scaling-stroke" />
      </svg>
      <svg x={percent(x(dayOf(last.date)))} y={y(last.risk_score)} overflow="visible">
        <circle class="newest" r="4.5" />
      </svg>
    </svg>
  );
}

/** The first and last points, and those whose score differs from the day before. */
function scoreChanges(points: readonly TrendPointJson[]): TrendPointJson[] {
  return points.filter(
    (point, at) => at === points.length - 1 || at === 0 || point.risk_score !== points[at - 1]!.risk_score,
  );
}

/** The day before and the day after, so that a single day is drawn in the middle. */
function dayBeforeAndAfter(day: string): [Date, Date] {
  const at = Date.parse(day);
  return [new Date(at - 86_400_000), new Date(at + 86_400_000)];
}

const textAnchor = (at: number) => (at < 0.06 ? "start" : at > 0.94 ? "end" : "middle");
