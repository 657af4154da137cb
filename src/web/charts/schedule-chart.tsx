import { scaleLinear } from "d3-scale";
import type { PlanYearJson } from "../../api-schemas/plan-summary-schema.ts";
import { formatPageCompactMoney, formatPageMoney } from "../page/page-format.ts";
import { percentLength } from "./bar.tsx";
import { ChartWithReadouts } from "./chart.tsx";

const [HEIGHT, TOP, BOTTOM] = [220, 14, 26];
/** The gap between two years, as a share of a year's width. */
const GAP = 0.34;
const MAX_LABELS = 12;

/** Expected costs by year: planned replacements, unplanned failures on top, and the run-to-failure scenario behind them. */
export function ScheduleChart(props: {
  years: readonly PlanYearJson[];
  /** The address of the lines that make a year's costs. */
  schedule?: string | undefined;
}) {
  const { years, schedule } = props;
  const most = Math.max(...years.flatMap(({ total, run_to_failure }) => [total, run_to_failure]), 1);
  const y = scaleLinear([0, most], [HEIGHT - BOTTOM, TOP]).nice(4);
  const slot = 1 / years.length;
  const width = percentLength(slot * (1 - GAP));
  const every = Math.ceil(years.length / MAX_LABELS);
  const round = (value: number) => Number(value.toFixed(1));
  const line = years.map(({ run_to_failure }, at) => {
    const height = round(y(run_to_failure));
    return `${at === 0 ? "M" : "L"}${at} ${height}H${at + 1}`;
  });
  return (
    <ChartWithReadouts
      kind="schedule-chart"
      name="expected costs by year"
      points={years.map((year, at) => ({ x: (at + 0.5) * slot, text: yearText(year), href: schedule }))}
    >
      <svg width="100%" height={HEIGHT} role="img" aria-label={chartDescription(years)}>
        <defs>
          <pattern
            id="failures"
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect class="ground" width="6" height="6" />
            <rect class="stripe" width="2" height="6" />
          </pattern>
        </defs>
        {y.ticks(4).map((tick) => (
          <g class="tick">
            <line x1="0" x2="100%" y1={round(y(tick))} y2={round(y(tick))} />
            <text x="-8" y={round(y(tick)) + 4} text-anchor="end">
              {formatPageCompactMoney(tick)}
            </text>
          </g>
        ))}
        <svg
          class="run-to-failure"
          width="100%"
          height={HEIGHT}
          viewBox={`0 0 ${years.length} ${HEIGHT}`}
          preserveAspectRatio="none"
        >
          <path class="under" d={`${line.join("")}V${HEIGHT - BOTTOM}H0Z`} />
          <path class="edge" d={line.join("")} vector-effect="non-scaling-stroke" />
        </svg>
        {years.map(({ year, planned_cost, total }, at) => {
          const x = percentLength((at + GAP / 2) * slot);
          return (
            <g>
              <rect
                class="failures"
                x={x}
                width={width}
                y={round(y(total))}
                height={round(y(planned_cost) - y(total))}
              />
              <rect
                class="planned"
                x={x}
                width={width}
                y={round(y(planned_cost))}
                height={round(y(0) - y(planned_cost))}
              />
              {at % every === 0 && (
                <text x={percentLength((at + 0.5) * slot)} y={HEIGHT - 8} text-anchor="middle">
                  {year}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </ChartWithReadouts>
  );
}

/** `Year 2027: $12,000 planned, $3,400 unplanned; run to failure $18,000` */
function yearText({ year, planned_cost, failure_cost, run_to_failure }: PlanYearJson): string {
  const [planned, unplanned, without] = [planned_cost, failure_cost, run_to_failure].map((usd) =>
    formatPageMoney(Math.round(usd)),
  );
  return `Year ${year}: ${planned} planned, ${unplanned} unplanned; run to failure ${without}`;
}

/** The legend of the chart. */
export function ScheduleChartLegend() {
  return (
    <p class="small schedule-legend">
      <span class="legend">
        <svg width="14" height="12" aria-hidden="true">
          <rect class="planned" width="14" height="12" />
        </svg>{" "}
        Planned replacements
      </span>
      <span class="legend">
        <svg width="14" height="12" aria-hidden="true">
          <rect class="failures" width="14" height="12" />
        </svg>{" "}
        Unplanned failures (expected)
      </span>
      <span class="legend">
        <svg class="run-to-failure" width="14" height="12" aria-hidden="true">
          <rect class="under" y="4" width="14" height="8" />
          <path class="edge" d="M0 4H14" />
        </svg>{" "}
        Run-to-failure scenario
      </span>
    </p>
  );
}

function chartDescription(years: readonly PlanYearJson[]): string {
  const costliest = years.reduce((most, year) => (year.total > most.total ? year : most));
  const total = (pick: (year: PlanYearJson) => number) =>
    formatPageMoney(Math.round(years.reduce((sum, year) => sum + pick(year), 0)));
  return (
    `Expected costs over ${years.length} years: ${total((year) => year.planned_cost)} for planned replacements and ` +
    `${total((year) => year.failure_cost)} for unplanned failures; ${total((year) => year.run_to_failure)} in the ` +
    `run-to-failure scenario. Highest: year ${costliest.year}, ${formatPageMoney(Math.round(costliest.total))}.`
  );
}
