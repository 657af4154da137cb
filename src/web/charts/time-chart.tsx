import { scaleLinear, scaleUtc } from "d3-scale";
import { curveStepAfter, line } from "d3-shape";
import { percentLength } from "./bar.tsx";
import { ChartWithReadouts } from "./chart.tsx";

const HEIGHT = 220;
const TOP = 8;
const BOTTOM = 26;
/** The width of the path's coordinate system, which is stretched to the width of the chart. */
const WIDTH = 1000;
/** The most labels of days that a phone has room for. */
const MAX_LABELS = 4;

type TimePoint = { date: string; value: number; text: string; href?: string | undefined };
/** The kind of bands whose names stand beside the chart. */
export const GRADE_BAND = "grade-band";
/** A range of values with a name. */
type Band = { kind: string; name: string; from: number; to: number };

/** A value by day. Each holds until the next one. */
export function TimeChart(props: {
  points: readonly TimePoint[];
  /** The name of the value. */
  name: string;
  /** Describes the chart to screen readers. */
  label: string;
  domain: readonly [least: number, most: number];
  bands?: readonly Band[];
  /** Labels the values of the axis; without it there are none. */
  valueLabel?: (value: number) => string;
  /** Days with a mark, and what they mark. */
  marks?: readonly { date: string; text: string }[];
}) {
  const { points, name, label, domain, bands = [], valueLabel, marks = [] } = props;
  const [first, last] = [points[0]!, points.at(-1)!];
  const dayOf = (day: string) => new Date(day);
  const span = last.date > first.date ? [dayOf(first.date), dayOf(last.date)] : dayBeforeAndAfter(first.date);
  const x = scaleUtc(span as [Date, Date], [0, 1]);
  const y = scaleLinear(domain, [HEIGHT - BOTTOM, TOP]);
  const path = line<TimePoint>()
    .x((point) => Math.round(x(dayOf(point.date)) * WIDTH * 10) / 10)
    .y((point) => Math.round(y(point.value) * 10) / 10)
    .curve(curveStepAfter)(chartChangePoints(points, ({ value }) => value))!;
  const marked = marks.filter(({ date }) => date >= first.date && date <= last.date);
  // Values are daily: ticks within a day would repeat its label.
  const days = x.ticks(4).filter((tick) => tick.getUTCHours() === 0);
  const ticks = days.filter((_, at) => at % Math.ceil(days.length / MAX_LABELS) === 0);
  const dayLabel = x.tickFormat(4, Number(span[1]) - Number(span[0]) > 300 * 86_400_000 ? "%b %Y" : "%b %-d");
  return (
    <ChartWithReadouts
      kind={`time-chart${valueLabel ? " with-values" : ""}${bands.some(({ kind }) => kind === GRADE_BAND) ? " with-grades" : ""}`}
      name={name}
      points={points.map(({ date, text, href }) => ({ x: x(dayOf(date)), text, href }))}
    >
      <svg class="trend" width="100%" height={HEIGHT} role="img" aria-label={label}>
        {bands.map(({ kind, name: band, from, to }) => (
          <g class={`band ${kind}`}>
            <rect width="100%" y={y(to)} height={y(from) - y(to)} />
            {kind === GRADE_BAND ? (
              <text x="-8" y={(y(from) + y(to)) / 2 + 4} text-anchor="end">
                {band}
              </text>
            ) : (
              <text x="0" dx="8" y={y(to) + 15}>
                {band}
              </text>
            )}
          </g>
        ))}
        {valueLabel &&
          y.ticks(4).map((tick) => (
            <g class="tick">
              <line x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
              <text x="-8" y={y(tick) + 4} text-anchor="end">
                {valueLabel(tick)}
              </text>
            </g>
          ))}
        {ticks.map((tick) => (
          <text class="axis" x={percentLength(x(tick))} y={HEIGHT - 8} text-anchor={textAnchor(x(tick))}>
            {dayLabel(tick)}
          </text>
        ))}
        {marked.map(({ date, text }) => (
          <g class="event">
            <line
              x1={percentLength(x(dayOf(date)))}
              x2={percentLength(x(dayOf(date)))}
              y1={TOP}
              y2={HEIGHT - BOTTOM}
            />
            <svg x={percentLength(x(dayOf(date)))} y={HEIGHT - BOTTOM} overflow="visible">
              <circle r="5">
                <title>{text}</title>
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
        <svg x={percentLength(x(dayOf(last.date)))} y={y(last.value)} overflow="visible">
          <circle class="newest" r="4.5" />
        </svg>
      </svg>
    </ChartWithReadouts>
  );
}

/** The first and last points, and those whose value differs from the one before. */
export function chartChangePoints<Point>(points: readonly Point[], pick: (point: Point) => unknown): Point[] {
  return points.filter(
    (point, at) => at === points.length - 1 || at === 0 || pick(point) !== pick(points[at - 1]!),
  );
}

/** The day before and the day after, so that a single day is drawn in the middle. */
function dayBeforeAndAfter(day: string): [Date, Date] {
  const at = Date.parse(day);
  return [new Date(at - 86_400_000), new Date(at + 86_400_000)];
}

const textAnchor = (at: number) => (at < 0.06 ? "start" : at > 0.94 ? "end" : "middle");
