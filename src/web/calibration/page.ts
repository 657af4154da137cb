import tokens from "../style/tokens.css" with { type: "text" };
import style from "./calibration.css" with { type: "text" };
import { endsChart, forecastChart, movedChart, survivalChart } from "./charts.ts";
import {
  bookSurvival,
  type CalibrationContent,
  type CurveContent,
  fittedSurvival,
  type Interval,
  type MeasureName,
  type ModelContent,
} from "./content.ts";
import { escaped, percent } from "./svg.ts";

/** The χ² of nine degrees of freedom that one calibrated model in twenty exceeds. */
const CHI_SQUARED_5_PERCENT = 16.92;

/** A calibration as one page that asks for nothing else: style and pictures are in it, and no script. */
export function calibrationPage(content: CalibrationContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Calibration as of ${content.asOf}</title>
<style>${tokens}${style}</style>
</head>
<body>
<main>
${[opening, proof, forecasts, ends, moved, survival].map((section) => section(content)).join("\n")}
</main>
</body>
</html>
`;
}

function opening({
  asOf,
  plainModel,
  lives,
  failures,
  frailtyShape,
  strength,
  validation,
}: CalibrationContent): string {
  const frailty =
    frailtyShape === null
      ? "Appliances of one kind do not differ beyond chance."
      : `Appliances differ: frailty of shape ${frailtyShape}, a coefficient of variation of ${percent(frailtyShape ** -0.5)}.`;
  return `<h1>Calibration as of ${whole(asOf)}</h1>
<p class="mute">Model ${escaped(plainModel)}, fitted to ${count(lives, "life", "lives")} on record, ${count(failures, "of which ended in failure", "of which ended in failure")}.</p>
<div class="verdict${validation.better ? "" : " unproven"}"><p><strong>${validation.better ? "Proven better than the plain model" : "Not proven better than the plain model"}</strong></p>
<p>${verdict(validation)}</p></div>
<p>${frailty} What inspectors find counts to the power of ${strength.condition.toFixed(2)} of the book's ratio (1 is the book; above it, they are worth more), repairs to the power of ${strength.repairs.toFixed(2)}.</p>`;
}

function verdict({
  logLossDifference: difference,
  failed,
  from,
  to,
}: CalibrationContent["validation"]): string {
  const year = `Forecast on ${whole(from)} from what was on record then, and measured at the ${count(failed, "failure", "failures")} until ${whole(to)}`;
  if (!difference) return `${year}: too little to measure.`;
  return `${year}, the log loss of the calibrated model differs from the plain one’s by ${signed(difference.mean)} (90 % interval ${signed(difference.low)} to ${signed(difference.high)}). Below 0 throughout means better.`;
}

const MEASURES: readonly { name: MeasureName; title: string; meaning: string; decimals: number }[] = [
  {
    name: "concordance",
    title: "Concordance",
    meaning:
      "of a part that failed and one that did not, how often the first had the higher forecast; 0.5 is chance",
    decimals: 3,
  },
  {
    name: "brierSkill",
    title: "Brier skill",
    meaning:
      "share of the squared error of the year’s mean that the forecast saves; above 0 it is worth something",
    decimals: 3,
  },
  {
    name: "calibrationError",
    title: "Expected calibration error",
    meaning: "mean distance of forecast and outcome over ten bins of equal width; 0 is exact",
    decimals: 4,
  },
  { name: "logLoss", title: "Log loss", meaning: "mean surprise at what came; lower is better", decimals: 4 },
];

function proof({ validation: { before, after, components, failed, from, to } }: CalibrationContent): string {
  const cell = (model: ModelContent, name: MeasureName, decimals: number) => {
    const value = model.measures[name];
    return value === null
      ? "–"
      : `${plain(value, decimals)}<br><span class="mute">${range(model.intervals[name], decimals)}</span>`;
  };
  const rows = MEASURES.map(
    ({ name, title, meaning, decimals }) =>
      [
        `<strong>${title}</strong><br><span class="mute">${meaning}</span>`,
        cell(before, name, decimals),
        cell(after, name, decimals),
      ] as const,
  );
  return `<h2>The proof</h2>
<p>The same fit as of ${whole(from)}, of what was on record then, forecast the year until ${whole(to)}: ${components.toLocaleString("en")} parts, ${failed.toLocaleString("en")} failures. Below each measure its 90 % interval, by drawing whole properties anew.</p>
<div class="card scroll">${table(["Measure", "Plain model", "Calibrated"], rows)}</div>`;
}

function forecasts({ validation: { before, after } }: CalibrationContent): string {
  return `<h2>Forecast against outcome</h2>
<p>Parts in ten bins by their forecast. On the dashed line as many failed as were forecast; above it more. A dot’s area tells how many parts it stands for, the line through it is the 90 % interval of the outcome.</p>
<div class="pair">${forecastFigure(before, "Plain model")}${forecastFigure(after, "Calibrated")}</div>`;
}

function forecastFigure(model: ModelContent, name: string): string {
  const rows = model.bins.map((bin) => [
    `${percent(bin.from)} to ${percent(bin.to)}`,
    bin.components.toLocaleString("en"),
    bin.failed.toLocaleString("en"),
    bin.forecast === null ? "–" : percent(bin.forecast, 1),
    bin.outcome === null ? "–" : percent(bin.outcome, 1),
    bin.interval === null ? "–" : `${percent(bin.interval.low, 1)} to ${percent(bin.interval.high, 1)}`,
  ]);
  const headings = ["Forecast", "Parts", "Failed", "Mean forecast", "Share failed", "90 % interval"];
  return `<figure><h3>${name}</h3>${forecastChart(model, name)}${numbers(table(headings, rows))}</figure>`;
}

function ends({ ends: { before, after } }: CalibrationContent): string {
  const figure = (name: string, { shares, chiSquared }: CalibrationContent["ends"]["before"]) => {
    const rows = shares.map((share, i) => [
      `${percent(i / shares.length)} to ${percent((i + 1) / shares.length)}`,
      percent(share, 1),
    ]);
    return `<figure><h3>${name}</h3>${endsChart({ shares, chiSquared }, name)}<figcaption>χ² ${chiSquared.toFixed(1)}; a calibrated model stays below ${CHI_SQUARED_5_PERCENT} nineteen times in twenty.</figcaption>${numbers(table(["Prior", "Share of lives"], rows))}</figure>`;
  };
  return `<h2>The prior at the ends of lives</h2>
<p>How likely the model held each life to end by when it ended (D-calibration). A model that is right puts a tenth of the lives into each tenth; more at the left means that parts die younger than it says. A life that has not ended counts in equal parts for all that it may still reach.</p>
<div class="pair">${figure("Plain model", before)}${figure("Calibrated a year ago", after)}</div>`;
}

function moved({ moved: kinds }: CalibrationContent): string {
  const rows = kinds.map((kind) => [
    escaped(kind.name),
    kind.lifeFactor.toFixed(3),
    kind.bookMedian.toFixed(1),
    kind.fittedMedian.toFixed(1),
    String(kind.failures),
    kind.expected.toFixed(1),
  ]);
  const headings = ["Kind", "Factor", "Book’s median, years", "Fitted median, years", "Failures", "Expected"];
  return `<h2>The kinds whose life moved most</h2>
<p>The fitted life as a multiple of the book’s. Few failures move a life little: each correction starts from the book with a standard deviation of 0.3 on the log life. Expected are the failures that the fitted model expects of the same lives.</p>
<figure>${movedChart(kinds)}${numbers(table(headings, rows))}</figure>`;
}

function survival({ curves }: CalibrationContent): string {
  if (curves.length === 0)
    return `<h2>Survival by kind</h2>
<p>No kind has ten failures of parts whose age is known, so there is no curve to show.</p>`;
  return `<h2>Survival by kind</h2>
<p>Every kind with at least ten failures of parts whose age is known, after Kaplan and Meier; parts count from when they came on record. Ages are years of normal use of a standard make.</p>
<ul class="key"><li>${keyLine("observed")}observed, with its 90 % band</li><li>${keyLine("book")}the plain model</li><li>${keyLine("fitted")}as fitted, over appliances of every frailty</li></ul>
<div class="pair">${curves.map(curveFigure).join("")}</div>`;
}

function curveFigure(curve: CurveContent): string {
  const rows = spread(curve.steps, 12).map(({ age, atRisk, survival, band }) => [
    age.toFixed(1),
    String(atRisk),
    percent(survival, 1),
    `${percent(band.low, 1)} to ${percent(band.high, 1)}`,
    percent(bookSurvival(curve, age), 1),
    percent(fittedSurvival(curve, age), 1),
  ]);
  const headings = ["Age", "At risk", "Observed", "90 % band", "Plain", "Fitted"];
  return `<figure><h3>${escaped(curve.name)}</h3>${survivalChart(curve)}<figcaption>${count(curve.lives, "life", "lives")} of known age, ${count(curve.failures, "failure", "failures")}.</figcaption>${numbers(table(headings, rows))}</figure>`;
}

/** At most so many of a list, spread evenly, the last among them. */
function spread<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list];
  return Array.from({ length: most }, (_, i) => list[Math.round(((i + 1) * list.length) / most) - 1]!);
}

const keyLine = (kind: string) =>
  `<svg viewBox="0 0 32 12" aria-hidden="true">${kind === "observed" ? '<rect class="band" width="32" height="12"/>' : ""}<path class="${kind}" d="M0 6H32"/></svg>`;

const numbers = (content: string) =>
  `<details><summary>The numbers</summary><div class="scroll">${content}</div></details>`;

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = headings.map((heading) => `<th scope="col">${heading}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n");
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

const range = (interval: Interval | null, decimals: number) =>
  interval ? `${plain(interval.low, decimals)} to ${plain(interval.high, decimals)}` : "";
const plain = (value: number, decimals: number) => value.toFixed(decimals).replace("-", "−");
/** A day that no line breaks. */
const whole = (day: string) => `<span class="whole">${day}</span>`;
const signed = (value: number) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(4)}`;
const count = (n: number, one: string, many: string) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
