import { LACKS_OUTCOMES } from "../../domain/calibration/model-proof.ts";
import { chartPercentText, escapeHtml } from "../charts/chart-svg.ts";
import { formatPageDate } from "../page/page-format.ts";
import tokens from "../style/tokens.css" with { type: "text" };
import style from "./calibration.css" with { type: "text" };
import {
  calibrationCorrectionChart,
  calibrationPriorDecileChart,
  calibrationReliabilityChart,
  calibrationSurvivalChart,
} from "./calibration-charts.ts";
import {
  type CalibrationContent,
  type CausesContent,
  type CurveContent,
  type DrawnInterval,
  type MeasureName,
  type ModelContent,
  pageCalibratedSurvival,
  uncalibratedSurvivalOnPage,
} from "./calibration-page-content.ts";
import { calibrationPageFailureWindowRows } from "./calibration-page-failure-windows.ts";

/** The 95th percentile of χ² with nine degrees of freedom. */
const CHI_SQUARED_5_PERCENT = 16.92;

/** Renders a calibration report as one self-contained HTML document, with inline style and charts and without scripts. */
export function renderCalibrationReportPage(content: CalibrationContent): string {
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
${[summarySection, validationSection, forecastSection, decileSection, correctionSection, survivalSection, causesSection].map((section) => section(content)).join("\n")}
</main>
</body>
</html>
`;
}

function summarySection({
  asOf,
  defaultModel: plainModel,
  lives,
  failures,
  frailtyShape,
  strength,
  validation,
}: CalibrationContent): string {
  const frailty =
    frailtyShape === null
      ? "Appliances of the same type show no difference in reliability beyond chance."
      : `Appliances of the same type differ in reliability: frailty shape ${frailtyShape}, coefficient of variation ${chartPercentText(frailtyShape ** -0.5)}.`;
  return `<h1>Calibration as of ${unbroken(asOf)}</h1>
<p class="muted">Model ${escapeHtml(plainModel)}, calibrated to ${count(lives, "recorded lifetime", "recorded lifetimes")} with ${count(failures, "failure", "failures")}.</p>
<div class="verdict${validation.better ? "" : " unproven"}"><p><strong>${validation.better ? "Proven better than the default model" : "Not proven better than the default model"}</strong></p>
<p>${verdict(validation)}</p></div>
<p>${frailty} Exponents of the hazard ratios: observed condition ${strength.condition.toFixed(2)}, repairs ${strength.repairs.toFixed(2)} (1 in the default model; higher values give more weight).</p>`;
}

/** Returns what the validation shows, first in words for readers without statistics. */
function verdict(validation: CalibrationContent["validation"]): string {
  const [before, after] = [validation.before.measures.logLoss, validation.after.measures.logLoss];
  const inWords =
    validation.better && before !== null && after !== null
      ? `The calibrated model forecasts failures better: the error of its forecasts (log loss) is ${chartPercentText(1 - after / before)} smaller.`
      : "The records do not show that the calibrated model forecasts failures better.";
  return `${inWords} ${comparison(validation)}`;
}

function comparison({
  logLossDifference: difference,
  failed,
  from,
  to,
}: CalibrationContent["validation"]): string {
  const year = `Forecast from the records up to ${unbroken(from)}, compared with ${count(failed, "failure", "failures")} up to ${unbroken(to)}`;
  if (!difference) return `${year}: no comparison, since ${LACKS_OUTCOMES}.`;
  return `${year}. Change in log loss: ${signed(difference.mean)} (90% interval ${signed(difference.low)} to ${signed(difference.high)}). The calibration is better if the whole interval is below 0.`;
}

const MEASURES: readonly { name: MeasureName; title: string; meaning: string; decimals: number }[] = [
  {
    name: "concordance",
    title: "Concordance",
    meaning: "how often a component that failed had a higher forecast than one that did not; 0.5 is chance",
    decimals: 3,
  },
  {
    name: "brierSkill",
    title: "Brier skill",
    meaning: "reduction of the squared error compared with forecasting the mean; higher is better",
    decimals: 3,
  },
  {
    name: "calibrationError",
    title: "Expected calibration error",
    meaning: "mean difference between forecast and outcome over ten bins of equal width; 0 is exact",
    decimals: 4,
  },
  {
    name: "logLoss",
    title: "Log loss",
    meaning: "mean negative log likelihood of the outcomes; lower is better",
    decimals: 4,
  },
  {
    name: "actualToExpected",
    title: "Actual to expected failures",
    meaning: "failures divided by those forecast; 1 is exact, below 1 too many were forecast",
    decimals: 2,
  },
];

function validationSection({
  validation: { before, after, components, failed, from, to, windows },
}: CalibrationContent): string {
  const cell = (model: ModelContent, name: MeasureName, decimals: number) => {
    const value = model.measures[name];
    return value === null
      ? "–"
      : `${decimal(value, decimals)}<br><span class="muted">${range(model.intervals[name], decimals)}</span>`;
  };
  const rows = MEASURES.map(
    ({ name, title, meaning, decimals }) =>
      [
        `<strong>${title}</strong><br><span class="muted">${meaning}</span>`,
        cell(before, name, decimals),
        cell(after, name, decimals),
      ] as const,
  );
  const held = calibrationPageFailureWindowRows(windows).map(
    (row) =>
      [
        `<strong>${row.name}</strong><br><span class="muted">${row.means}</span>`,
        row.before,
        row.after,
      ] as const,
  );
  return `<h2>Validation</h2>
<p>A calibration from the records up to ${unbroken(from)} forecast the year to ${unbroken(to)}: ${components.toLocaleString("en")} components, ${failed.toLocaleString("en")} failures. Measures have a 90% interval, from resampling whole properties, if at least five properties have outcomes.</p>
<div class="card scroll">${table(["Measure", "Default model", "Calibrated"], rows)}</div>
<p>The 80% failure windows as of ${unbroken(from)}, compared with the failures until ${unbroken(to)}.</p>
<div class="card scroll">${table(["Failure windows", "Default model", "Calibrated"], held)}</div>`;
}

function forecastSection({ validation: { before, after } }: CalibrationContent): string {
  return `<h2>Forecast and outcome</h2>
<p>Components in ten bins by forecast. On the dashed line, the share that failed equals the forecast; above it, more failed. The area of a dot shows the number of components, and the line through it is the 90% interval of the outcome; a dot without a line has none.</p>
<div class="pair">${forecastFigure(before, "Default model")}${forecastFigure(after, "Calibrated")}</div>`;
}

function forecastFigure(model: ModelContent, name: string): string {
  const rows = model.bins.map((bin) => [
    `${chartPercentText(bin.from)} to ${chartPercentText(bin.to)}`,
    bin.components.toLocaleString("en"),
    bin.failed.toLocaleString("en"),
    bin.forecast === null ? "–" : chartPercentText(bin.forecast, 1),
    bin.outcome === null ? "–" : chartPercentText(bin.outcome, 1),
    bin.interval === null
      ? "–"
      : `${chartPercentText(bin.interval.low, 1)} to ${chartPercentText(bin.interval.high, 1)}`,
  ]);
  const headings = ["Forecast", "Components", "Failed", "Mean forecast", "Share failed", "90% interval"];
  return `<figure><h3>${name}</h3>${calibrationReliabilityChart(model, name)}${collapsible(table(headings, rows))}</figure>`;
}

function decileSection({ deciles: { before, after } }: CalibrationContent): string {
  const figure = (name: string, { shares, chiSquared }: CalibrationContent["deciles"]["before"]) => {
    const rows = shares.map((share, i) => [
      `${chartPercentText(i / shares.length)} to ${chartPercentText((i + 1) / shares.length)}`,
      chartPercentText(share, 1),
    ]);
    return `<figure><h3>${name}</h3>${calibrationPriorDecileChart({ shares, chiSquared }, name)}<figcaption>χ² = ${chiSquared.toFixed(1)}. For a correct forecast, it is below ${CHI_SQUARED_5_PERCENT} with 95% probability.</figcaption>${collapsible(table(["Prior", "Share of lifetimes"], rows))}</figure>`;
  };
  return `<h2>Calibration of lifetimes</h2>
<p>The forecast probability of failure by the age at which each component failed (D-calibration). A correct forecast has 10% of lifetimes in each decile; more on the left means that components fail earlier than forecast. A component that still works is spread evenly over the deciles that it can still reach.</p>
<div class="pair">${figure("Default model", before)}${figure("Calibrated one year earlier", after)}</div>`;
}

function correctionSection({ corrections }: CalibrationContent): string {
  const rows = corrections.map((correction) => [
    escapeHtml(correction.name),
    correction.lifeFactor.toFixed(3),
    correction.defaultMedian.toFixed(1),
    correction.calibratedMedian.toFixed(1),
    String(correction.failures),
    correction.expected.toFixed(1),
  ]);
  const headings = [
    "Component type",
    "Factor",
    "Default median, years",
    "Calibrated median, years",
    "Failures",
    "Expected",
  ];
  return `<h2>Component types with the largest corrections</h2>
<p>The calibrated lifetime as a multiple of the default. With few failures, corrections stay small: each has a prior centered on the default model with a standard deviation of 0.3 on the log lifetime. Expected failures are those of the calibrated model for the same components.</p>
<figure>${calibrationCorrectionChart(corrections)}${collapsible(table(headings, rows))}</figure>`;
}

function survivalSection({ curves }: CalibrationContent): string {
  if (curves.length === 0)
    return `<h2>Survival by component type</h2>
<p>No component type has ten failures of components with known age.</p>`;
  return `<h2>Survival by component type</h2>
<p>Kaplan–Meier curves of all component types with at least ten failures of components with known age. Components count from the start of their records. Ages are in years of normal use of a standard brand.</p>
<ul class="key"><li>${keyLine("observed")}Observed, with 90% band</li><li>${keyLine("default")}Default model</li><li>${keyLine("calibrated")}Calibrated, over all appliances</li></ul>
<div class="pair">${curves.map(curveFigure).join("")}</div>`;
}

function curveFigure(curve: CurveContent): string {
  const rows = sampleEvenly(curve.steps, 12).map(({ age, atRisk, survival, band }) => [
    age.toFixed(1),
    String(atRisk),
    chartPercentText(survival, 1),
    `${chartPercentText(band.low, 1)} to ${chartPercentText(band.high, 1)}`,
    chartPercentText(uncalibratedSurvivalOnPage(curve, age), 1),
    chartPercentText(pageCalibratedSurvival(curve, age), 1),
  ]);
  const headings = ["Age", "At risk", "Observed", "90% band", "Default", "Calibrated"];
  return `<figure><h3>${escapeHtml(curve.name)}</h3>${calibrationSurvivalChart(curve)}<figcaption>${count(curve.lives, "component", "components")} with known age, ${count(curve.failures, "failure", "failures")}.</figcaption>${collapsible(table(headings, rows))}</figure>`;
}

function causesSection({ causes: { classes, years, outside } }: CalibrationContent): string {
  if (years.length === 0)
    return `<h2>Shared causes</h2>
<p>No calendar year is wholly on record, so the variances of the default model remain.</p>`;
  const rows = classes
    .filter((kind) => kind.years > 0)
    .map((kind) => [
      escapeHtml(kind.system.replaceAll("_", " ")),
      String(kind.years),
      kind.failures.toLocaleString("en"),
      kind.expected.toFixed(1),
      kind.bookVariance.toFixed(3),
      kind.isLearned ? kind.variance.toFixed(3) : `${kind.variance.toFixed(3)} (not learned)`,
      `${kind.outside.before}, ${kind.outside.after}`,
    ]);
  const headings = [
    "Class",
    "Years",
    "Failures",
    "Expected",
    "Default",
    "Learned",
    "Years outside, before and after",
  ];
  return `<h2>Shared causes</h2>
<p>A cold winter makes components fail together. The failures of a class in a census division vary from year to year by more than chance; losses use the variance of that factor. It is learned from at least five whole years and 50 failures. ${outsideText(years, outside)}</p>
<div class="card scroll">${table(headings, rows)}</div>
<div class="card scroll">${yearTable(years)}</div>`;
}

function outsideText(years: CausesContent["years"], { before, after }: CausesContent["outside"]): string {
  return `Of ${count(years.length, "year", "years")}, the failures of ${before} lay outside their 90% interval with the default variances, and of ${after} with those learned from the other years; a tenth is expected.`;
}

function yearTable(years: CausesContent["years"]): string {
  const shown = ([low, high]: readonly [number, number]) =>
    `${low.toLocaleString("en")} to ${high.toLocaleString("en")}`;
  const rows = years.map(({ year, failures, expected, intervals: { before, after } }) => [
    String(year),
    failures.toLocaleString("en"),
    expected.toFixed(1),
    shown(before),
    shown(after),
  ]);
  return table(["Year", "Failures", "Expected", "90% interval, default", "90% interval, learned"], rows);
}

/** Returns at most `limit` items of a list, evenly spaced and including the last. */
function sampleEvenly<T>(list: readonly T[], limit: number): T[] {
  if (list.length <= limit) return [...list];
  return Array.from({ length: limit }, (_, i) => list[Math.round(((i + 1) * list.length) / limit) - 1]!);
}

const keyLine = (kind: string) =>
  `<svg viewBox="0 0 32 12" aria-hidden="true">${kind === "observed" ? '<rect class="band" width="32" height="12"/>' : ""}<path class="${kind}" d="M0 6H32"/></svg>`;

const collapsible = (content: string) =>
  `<details><summary>View as table</summary><div class="scroll">${content}</div></details>`;

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = headings.map((heading) => `<th scope="col">${heading}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n");
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

const range = (interval: DrawnInterval | null, decimals: number) =>
  interval ? `${decimal(interval.low, decimals)} to ${decimal(interval.high, decimals)}` : "";
const decimal = (value: number, decimals: number) => value.toFixed(decimals).replace("-", "−");
/** Returns the HTML of a date that is not broken across lines. */
const unbroken = (day: string) => `<span class="unbroken">${formatPageDate(day)}</span>`;
const signed = (value: number) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(4)}`;
const count = (n: number, singular: string, many: string) =>
  `${n.toLocaleString("en")} ${n === 1 ? singular : many}`;
