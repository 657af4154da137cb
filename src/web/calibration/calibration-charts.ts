import { scaleLinear, scaleLog } from "d3-scale";
import { area, curveStepAfter, line } from "d3-shape";
import {
  type ChartFrame,
  type ChartScale,
  chartPercentText,
  chartSvgElement,
  chartXAxis,
  chartYAxis,
  chartYTitle,
  escapeHtml,
  roundChartCoordinate,
} from "../charts/chart-svg.ts";
import {
  type BinContent,
  type CurveContent,
  type DecileContent,
  type LifeCorrection,
  type ModelContent,
  pageCalibratedSurvival,
  uncalibratedSurvivalOnPage,
} from "./calibration-page-content.ts";

const FIFTHS = [0, 0.2, 0.4, 0.6, 0.8, 1];

/** Draws outcomes over forecasts; on the diagonal, they are equal. */
export function calibrationReliabilityChart(model: ModelContent, name: string): string {
  const frame: ChartFrame = { width: 420, height: 360, left: 52, right: 16, top: 32, bottom: 48 };
  const x = scaleLinear([0, 1], [frame.left, frame.width - frame.right]);
  const y = scaleLinear([0, 1], [frame.height - frame.bottom, frame.top]);
  const label = (tick: number) => chartPercentText(tick);
  const exact = `<line class="exact" x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}"/>`;
  const largest = Math.max(1, ...model.bins.map(({ components }) => components));
  const dots = model.bins.map((bin) => forecastDot(bin, x, y, largest)).join("");
  return chartSvgElement(
    frame,
    `${name}: share that failed by forecast, in ten bins; the table below has the values`,
    chartYTitle(frame, "Failed within the year") +
      chartYAxis(frame, y, FIFTHS, label) +
      chartXAxis(frame, x, FIFTHS, { label, title: "Forecast" }) +
      exact +
      dots,
  );
}

/** Draws a bin as a dot, whose area is proportional to its number of components. */
function forecastDot(
  { components, forecast, outcome, interval }: BinContent,
  x: ChartScale,
  y: ChartScale,
  largest: number,
): string {
  if (forecast === null || outcome === null) return "";
  const [cx, cy] = [roundChartCoordinate(x(forecast)), roundChartCoordinate(y(outcome))];
  const whisker = interval
    ? `<line class="whisker" x1="${cx}" x2="${cx}" y1="${roundChartCoordinate(y(interval.low))}" y2="${roundChartCoordinate(y(interval.high))}"/>`
    : "";
  const radius = roundChartCoordinate(3 + 6 * Math.sqrt(components / largest));
  return `${whisker}<circle class="mark" cx="${cx}" cy="${cy}" r="${radius}"/>`;
}

/** Draws the share of lifetimes that ended in each decile of the prior, with a line at 10%. */
export function calibrationPriorDecileChart({ shares }: DecileContent, name: string): string {
  const frame: ChartFrame = { width: 420, height: 280, left: 52, right: 16, top: 32, bottom: 48 };
  const highest = Math.max(0.2, ...shares) * 1.05;
  const x = scaleLinear([0, 1], [frame.left, frame.width - frame.right]);
  const y = scaleLinear([0, highest], [frame.height - frame.bottom, frame.top]);
  const base = y(0);
  const bars = shares
    .map((share, i) => {
      const [from, to] = [x(i / shares.length) + 2, x((i + 1) / shares.length) - 2];
      return `<rect class="bar" x="${roundChartCoordinate(from)}" y="${roundChartCoordinate(y(share))}" width="${roundChartCoordinate(to - from)}" height="${roundChartCoordinate(base - y(share))}"/>`;
    })
    .join("");
  const tenPercent = roundChartCoordinate(y(0.1));
  return chartSvgElement(
    frame,
    `${name}: share of lifetimes that ended in each decile of the prior; the table below has the values`,
    chartYTitle(frame, "Share of lifetimes") +
      chartYAxis(frame, y, y.ticks(4), (tick) => chartPercentText(tick)) +
      bars +
      `<line class="exact" x1="${frame.left}" x2="${frame.width - frame.right}" y1="${tenPercent}" y2="${tenPercent}"/>` +
      chartXAxis(frame, x, FIFTHS, { label: (tick) => chartPercentText(tick), title: "Prior at failure" }),
  );
}

const ROW_HEIGHT = 24;

/** Draws the lifetime correction of each component type on a logarithmic scale. */
export function calibrationCorrectionChart(corrections: readonly LifeCorrection[]): string {
  const frame: ChartFrame = {
    width: 860,
    height: corrections.length * ROW_HEIGHT + 84,
    left: 400,
    right: 64,
    top: 16,
    bottom: 52,
  };
  const furthest = Math.max(
    1.25,
    ...corrections.map(({ lifeFactor }) => Math.max(lifeFactor, 1 / lifeFactor)),
  );
  const x = scaleLog([1 / furthest, furthest], [frame.left, frame.width - frame.right]);
  const ticks = [0.4, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 2.5].filter((t) => t >= 1 / furthest && t <= furthest);
  const unchanged = roundChartCoordinate(x(1));
  const rows = corrections
    .map(({ name, lifeFactor }, i) => {
      const y = frame.top + (i + 0.5) * ROW_HEIGHT;
      const end = roundChartCoordinate(x(lifeFactor));
      const [labelAt, anchor] = lifeFactor < 1 ? [end - 10, "end"] : [end + 10, "start"];
      return (
        `<text class="name" x="0" y="${y}" dy="0.32em">${escapeHtml(shortened(name))}</text>` +
        `<line class="stem" x1="${unchanged}" x2="${end}" y1="${y}" y2="${y}"/><circle class="mark" cx="${end}" cy="${y}" r="5"/>` +
        `<text class="tick" x="${labelAt}" y="${y}" dy="0.32em" text-anchor="${anchor}">${lifeFactor.toFixed(2)}</text>`
      );
    })
    .join("");
  const grid = ticks
    .map(
      (tick) =>
        `<line class="${tick === 1 ? "axis" : "grid"}" x1="${roundChartCoordinate(x(tick))}" x2="${roundChartCoordinate(x(tick))}" y1="${frame.top}" y2="${frame.height - frame.bottom}"/>`,
    )
    .join("");
  return chartSvgElement(
    frame,
    "Calibrated lifetime of each component type as a multiple of the default; the table below has the values",
    grid +
      rows +
      chartXAxis(frame, x, ticks, {
        label: String,
        title: "Calibrated lifetime as a multiple of the default",
      }),
  );
}

const LONGEST_NAME = 56;
const shortened = (name: string) =>
  name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;

/** Draws the observed survival with its band, and the survival by both models. */
export function calibrationSurvivalChart(curve: CurveContent): string {
  const frame: ChartFrame = { width: 420, height: 280, left: 52, right: 16, top: 32, bottom: 48 };
  const oldest = curve.steps.at(-1)!.age;
  const x = scaleLinear([0, oldest * 1.05], [frame.left, frame.width - frame.right]);
  const y = scaleLinear([0, 1], [frame.height - frame.bottom, frame.top]);
  type Step = { age: number; survival: number; low: number; high: number };
  const observed: Step[] = [
    { age: 0, survival: 1, low: 1, high: 1 },
    ...curve.steps.map(({ age, survival, band }) => ({ age, survival, ...band })),
  ];
  const band = area<Step>(
    ({ age }) => roundChartCoordinate(x(age)),
    ({ low }) => roundChartCoordinate(y(low)),
    ({ high }) => roundChartCoordinate(y(high)),
  ).curve(curveStepAfter)(observed);
  const steps = line<Step>(
    ({ age }) => roundChartCoordinate(x(age)),
    ({ survival }) => roundChartCoordinate(y(survival)),
  ).curve(curveStepAfter)(observed);
  const ages = Array.from({ length: 81 }, (_, i) => (i / 80) * oldest);
  const model = (survival: (curve: CurveContent, age: number) => number) =>
    line<number>(
      (age) => roundChartCoordinate(x(age)),
      (age) => roundChartCoordinate(y(survival(curve, age))),
    )(ages);
  return chartSvgElement(
    frame,
    `${curve.name}: share that survives each age; the table below has the values`,
    chartYTitle(frame, "Still in service") +
      chartYAxis(frame, y, FIFTHS, (tick) => chartPercentText(tick)) +
      `<path class="band" d="${band}"/><path class="observed" d="${steps}"/>` +
      `<path class="default" d="${model(uncalibratedSurvivalOnPage)}"/><path class="calibrated" d="${model(pageCalibratedSurvival)}"/>` +
      chartXAxis(frame, x, x.ticks(5), { label: String, title: "Age in years of normal use" }),
  );
}
