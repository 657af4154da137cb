import { scaleLinear } from "d3-scale";
import { type Steps, sortInSteps } from "../../domain/steps.ts";
import type { ComponentJson } from "../../wire/component.ts";
import { percent } from "../charts/bar.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import { expectedLoss } from "../expected-loss.ts";
import { count, money, monthOf } from "../format.ts";
import { componentKindAndTier, groupInSteps, maxOf, sumBy } from "../grouping.ts";
import { TIER_LABELS } from "../labels.ts";
import type { Locations } from "../locations.ts";
import { ComponentName } from "./component-name.tsx";
import { type CsvLink, Section, TableDetails } from "./section.tsx";

const MAX_GROUPS = 14;
/** The time axis covers at most this many years; later failures are clipped. */
const MAX_YEARS = 25;
const TICKS = 5;

/** Critical and warning components, soonest failure first, and their groups by kind and tier, highest expected loss first. */
type TimelineData = {
  components: readonly ComponentJson[];
  groups: readonly (readonly ComponentJson[])[];
};

/** Sorts the components and their groups; `unsorted` has the same components, grouped by kind and tier. */
export function* timelineInSteps(
  components: readonly ComponentJson[],
  unsorted: readonly (readonly ComponentJson[])[],
): Steps<TimelineData> {
  const sorted = yield* sortInSteps(components, compareByFailure);
  const grouped = yield* groupInSteps(sorted, componentKindAndTier);
  const groups = new Map(grouped.map((group) => [componentKindAndTier(group[0]!), group]));
  const ranked = unsorted.map(([first]) => {
    const group = groups.get(componentKindAndTier(first!))!;
    return { group, lossUsd: sumBy(group, expectedLoss) };
  });
  ranked.sort((a, b) => b.lossUsd - a.lossUsd);
  return { components: sorted, groups: ranked.map(({ group }) => group) };
}

/** The failure window of each group of components, as a bar on a time axis. */
export function Timeline(props: {
  timeline: TimelineData;
  locations: Locations;
  /** The first year of the time axis. */
  year: number;
  csv?: CsvLink;
  all?: string | undefined;
}) {
  const { timeline, locations, year, csv, all } = props;
  const { components, groups } = timeline;
  if (components.length === 0) return null;
  const shown = groups.slice(0, MAX_GROUPS).sort(([a], [b]) => compareByFailure(a!, b!));
  const latest = maxOf(shown.flat().map((one) => yearsOf(one.failure_window_80.latest)));
  const end = Math.min(Math.max(Math.ceil(latest), year + 4), year + MAX_YEARS);
  const x = scaleLinear([year, end], [0, 1]).clamp(true);
  const ticks = x.ticks(TICKS).filter((tick) => Number.isInteger(tick) && tick < end);
  return (
    <Section
      id="timeline"
      title="Likely failure timeline"
      about={
        groups.length > MAX_GROUPS
          ? `Top ${MAX_GROUPS} of ${count(groups.length)} component types by expected loss, soonest failure first, with planned replacement cost. A failure lies within its bar with a probability of 80%. Identical components share a bar.`
          : "Soonest failure first, with planned replacement cost. A failure lies within its bar with a probability of 80%. Identical components share a bar."
      }
    >
      <div class="timeline">
        <svg class="axis" width="100%" height="20" aria-hidden="true">
          {ticks.map((tick) => (
            <text x={percent(x(tick))} y="14" text-anchor={x(tick) > 0.9 ? "end" : "start"}>
              {tick}
            </text>
          ))}
        </svg>
        <ol>
          {shown.map((group) => (
            <TimelineBar group={group} locations={locations} x={x} ticks={ticks} />
          ))}
        </ol>
      </div>
      <TableDetails
        caption="Likely failure timeline"
        csv={csv}
        all={all}
        rows={components}
        columns={[
          { heading: "Component", cell: (one) => one.component_name },
          { heading: "Location", cell: (one) => locations.of(one) },
          { heading: "Tier", cell: (one) => TIER_LABELS[one.risk_tier].name },
          { heading: "10% by", isNumber: true, cell: (one) => monthOf(one.failure_window_80.earliest) },
          { heading: "50% by", isNumber: true, cell: (one) => one.projected_failure_year },
          { heading: "90% by", isNumber: true, cell: (one) => latestMonth(one) },
          { heading: "Planned cost", isNumber: true, cell: (one) => money(one.proactive_cost) },
        ]}
      />
    </Section>
  );
}

function TimelineBar(props: {
  /** Identical components, soonest failure first. */
  group: readonly ComponentJson[];
  locations: Locations;
  x: (year: number) => number;
  ticks: readonly number[];
}) {
  const { group, locations, x, ticks } = props;
  const [first] = group as [ComponentJson];
  const windows = group.map((one) => one.failure_window_80);
  const days = windows.map((window) => window.earliest).sort();
  const ends = windows.map((window) => window.latest ?? OPEN).sort();
  const [firstDay, lastDay] = [days[0]!, ends.at(-1)!];
  const [earliest, latest] = [yearsOf(firstDay), yearsOf(lastDay)];
  const when = yearRange(firstDay, lastDay);
  const cost = money(sumBy(group, (one) => one.proactive_cost));
  return (
    <li>
      <span class="label">
        <TierMark tier={first.risk_tier} named />{" "}
        {group.length === 1 ? (
          <ComponentName component={first} />
        ) : (
          `${count(group.length)} × ${first.component_name}`
        )}
        <span class="muted small">
          {" "}
          {group.length === 1 ? locations.of(first) : locations.ofGroup(group)}
        </span>
      </span>
      <span class="visually-hidden">
        , {when}, {cost}
      </span>
      <svg class={`range ${first.risk_tier.toLowerCase()}`} width="100%" height="22" aria-hidden="true">
        {ticks.map((tick) => (
          <line x1={percent(x(tick))} x2={percent(x(tick))} y2="22" />
        ))}
        <rect
          class="fill"
          x={percent(Math.min(x(earliest), 0.985))}
          y="6"
          width={percent(Math.max(x(latest) - x(earliest), 0.015))}
          height="10"
          rx="5"
        />
      </svg>
      <span class="cost" aria-hidden="true">
        <span class="years small muted">{when}</span>
        {cost}
      </span>
    </li>
  );
}

/** `2027–2033`, `2027`, `after 2090`: the bar shows the months. */
function yearRange(firstDay: string, lastDay: string): string {
  const [from, to] = [firstDay.slice(0, 4), lastDay.slice(0, 4)];
  if (lastDay === OPEN) return `after ${from}`;
  return from === to ? from : `${from}–${to}`;
}

/** The end of an open window. */
const OPEN = "9999-12-31";

/** Returns a day as a year with its fraction. */
function yearsOf(day: string | null): number {
  const [year, month, date] = (day ?? OPEN).split("-").map(Number) as [number, number, number];
  return year + (month - 1) / 12 + (date - 1) / 365;
}

const latestMonth = ({ failure_window_80: { latest } }: ComponentJson) =>
  latest === null ? "later" : monthOf(latest);

function compareByFailure(a: ComponentJson, b: ComponentJson): number {
  return (
    yearsOf(a.failure_window_80.earliest) - yearsOf(b.failure_window_80.earliest) ||
    a.projected_failure_year - b.projected_failure_year ||
    b.proactive_cost - a.proactive_cost
  );
}
