import { scaleLinear, scaleLog } from "d3-scale";
import { area, curveStepAfter, line } from "d3-shape";
import {
  type BinContent,
  bookSurvival,
  type CurveContent,
  type EndsContent,
  fittedSurvival,
  type ModelContent,
  type MovedKind,
} from "./content.ts";
import { at, escaped, type Frame, percent, picture, type Scale, xAxis, yAxis, yTitle } from "./svg.ts";

const TENTHS = [0, 0.2, 0.4, 0.6, 0.8, 1];

/** Forecast against outcome: on the line, what was forecast came. */
export function forecastChart(model: ModelContent, name: string): string {
  const frame: Frame = { width: 420, height: 360, left: 52, right: 16, top: 32, bottom: 48 };
  const x = scaleLinear([0, 1], [frame.left, frame.width - frame.right]);
  const y = scaleLinear([0, 1], [frame.height - frame.bottom, frame.top]);
  const label = (tick: number) => percent(tick);
  const exact = `<line class="exact" x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}"/>`;
  const most = Math.max(1, ...model.bins.map(({ components }) => components));
  const dots = model.bins.map((bin) => forecastDot(bin, x, y, most)).join("");
  return picture(
    frame,
    `${name}: share that failed against the forecast, in ten bins; the table below has the numbers`,
    yTitle(frame, "Failed within the year") +
      yAxis(frame, y, TENTHS, label) +
      xAxis(frame, x, TENTHS, { label, title: "Forecast" }) +
      exact +
      dots,
  );
}

/** A dot's area tells how many parts it stands for. */
function forecastDot(
  { components, forecast, outcome, interval }: BinContent,
  x: Scale,
  y: Scale,
  most: number,
): string {
  if (forecast === null || outcome === null) return "";
  const [cx, cy] = [at(x(forecast)), at(y(outcome))];
  const whisker = interval
    ? `<line class="whisker" x1="${cx}" x2="${cx}" y1="${at(y(interval.low))}" y2="${at(y(interval.high))}"/>`
    : "";
  const radius = at(3 + 6 * Math.sqrt(components / most));
  return `${whisker}<circle class="mark" cx="${cx}" cy="${cy}" r="${radius}"/>`;
}

/** How old, by the model's own measure, lives were when they ended: a tenth in each tenth when it is right. */
export function endsChart({ shares }: EndsContent, name: string): string {
  const frame: Frame = { width: 420, height: 280, left: 52, right: 16, top: 32, bottom: 48 };
  const highest = Math.max(0.2, ...shares) * 1.05;
  const x = scaleLinear([0, 1], [frame.left, frame.width - frame.right]);
  const y = scaleLinear([0, highest], [frame.height - frame.bottom, frame.top]);
  const base = y(0);
  const bars = shares
    .map((share, i) => {
      const [from, to] = [x(i / shares.length) + 2, x((i + 1) / shares.length) - 2];
      return `<rect class="bar" x="${at(from)}" y="${at(y(share))}" width="${at(to - from)}" height="${at(base - y(share))}"/>`;
    })
    .join("");
  const tenth = at(y(0.1));
  return picture(
    frame,
    `${name}: share of the lives that ended in each tenth of the prior; the table below has the numbers`,
    yTitle(frame, "Share of lives") +
      yAxis(frame, y, y.ticks(4), (tick) => percent(tick)) +
      bars +
      `<line class="exact" x1="${frame.left}" x2="${frame.width - frame.right}" y1="${tenth}" y2="${tenth}"/>` +
      xAxis(frame, x, TENTHS, { label: (tick) => percent(tick), title: "Prior at the end of the life" }),
  );
}

const ROW = 24;

/** How far each kind's life has moved from the book's, on a scale on which half and double are equally far. */
export function movedChart(kinds: readonly MovedKind[]): string {
  const frame: Frame = {
    width: 860,
    height: kinds.length * ROW + 84,
    left: 400,
    right: 64,
    top: 16,
    bottom: 52,
  };
  const furthest = Math.max(1.25, ...kinds.map(({ lifeFactor }) => Math.max(lifeFactor, 1 / lifeFactor)));
  const x = scaleLog([1 / furthest, furthest], [frame.left, frame.width - frame.right]);
  const ticks = [0.4, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 2.5].filter((t) => t >= 1 / furthest && t <= furthest);
  const same = at(x(1));
  const rows = kinds
    .map(({ name, lifeFactor }, i) => {
      const y = frame.top + (i + 0.5) * ROW;
      const end = at(x(lifeFactor));
      const [labelAt, anchor] = lifeFactor < 1 ? [end - 10, "end"] : [end + 10, "start"];
      return (
        `<text class="name" x="0" y="${y}" dy="0.32em">${escaped(shortened(name))}</text>` +
        `<line class="stem" x1="${same}" x2="${end}" y1="${y}" y2="${y}"/><circle class="mark" cx="${end}" cy="${y}" r="5"/>` +
        `<text class="tick" x="${labelAt}" y="${y}" dy="0.32em" text-anchor="${anchor}">${lifeFactor.toFixed(2)}</text>`
      );
    })
    .join("");
  const grid = ticks
    .map(
      (tick) =>
        `<line class="${tick === 1 ? "axis" : "grid"}" x1="${at(x(tick))}" x2="${at(x(tick))}" y1="${frame.top}" y2="${frame.height - frame.bottom}"/>`,
    )
    .join("");
  return picture(
    frame,
    "Life of each kind as fitted, as a multiple of the book's; the table below has the numbers",
    grid + rows + xAxis(frame, x, ticks, { label: String, title: "Fitted life as a multiple of the book's" }),
  );
}

const LONGEST_NAME = 56;
const shortened = (name: string) =>
  name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;

/** Survival as observed, with its band, beside both models'. */
export function survivalChart(curve: CurveContent): string {
  const frame: Frame = { width: 420, height: 280, left: 52, right: 16, top: 32, bottom: 48 };
  const oldest = curve.steps.at(-1)!.age;
  const x = scaleLinear([0, oldest * 1.05], [frame.left, frame.width - frame.right]);
  const y = scaleLinear([0, 1], [frame.height - frame.bottom, frame.top]);
  type Step = { age: number; survival: number; low: number; high: number };
  const observed: Step[] = [
    { age: 0, survival: 1, low: 1, high: 1 },
    ...curve.steps.map(({ age, survival, band }) => ({ age, survival, ...band })),
  ];
  const band = area<Step>(
    ({ age }) => at(x(age)),
    ({ low }) => at(y(low)),
    ({ high }) => at(y(high)),
  ).curve(curveStepAfter)(observed);
  const steps = line<Step>(
    ({ age }) => at(x(age)),
    ({ survival }) => at(y(survival)),
  ).curve(curveStepAfter)(observed);
  const ages = Array.from({ length: 81 }, (_, i) => (i / 80) * oldest);
  const model = (survival: (curve: CurveContent, age: number) => number) =>
    line<number>(
      (age) => at(x(age)),
      (age) => at(y(survival(curve, age))),
    )(ages);
  return picture(
    frame,
    `${curve.name}: share that outlives each age; the table below has the numbers`,
    yTitle(frame, "Still in service") +
      yAxis(frame, y, TENTHS, (tick) => percent(tick)) +
      `<path class="band" d="${band}"/><path class="observed" d="${steps}"/>` +
      `<path class="book" d="${model(bookSurvival)}"/><path class="fitted" d="${model(fittedSurvival)}"/>` +
      xAxis(frame, x, x.ticks(5), { label: String, title: "Age in years of normal use" }),
  );
}
