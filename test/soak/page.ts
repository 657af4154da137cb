import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import type { Engine } from "./engine.ts";
import { type Point, thinned, warmUpOf } from "./growth.ts";
import type { Recorder } from "./recorder.ts";
import { type EngineReport, HANDLES_ALLOWED, type Measured, MOST_GROWTH } from "./report.ts";

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [560, 180, 70, 24, 10];
const MOST_POINTS = 200;

const UNITS: [RegExp, (value: number) => string][] = [
  [/^(memory|heap|database)/, (value) => `${(value / 1e6).toFixed(1)} MB`],
  [/^event loop/, (value) => `${(value * 1000).toFixed(0)} ms`],
  [/^log/, (value) => `${value.toFixed(0)} B`],
  [/./, (value) => value.toFixed(0)],
];
const text = (series: string, value: number) => UNITS.find(([pattern]) => pattern.test(series))![1](value);
const percent = (share: number | null) =>
  share === null ? "too few samples" : `${(share * 100).toFixed(1)}%`;
const escaped = (value: string) => value.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

function chart(measured: Measured, points: readonly Point[], seconds: number): string {
  const most = Math.max(...points.map(({ value }) => value)) * 1.05 || 1;
  const x = scaleLinear([0, seconds], [LEFT, WIDTH]);
  const y = scaleLinear([0, most], [HEIGHT - BOTTOM, TOP]);
  const path = line<Point>(
    ({ at }) => x(at),
    ({ value }) => y(value),
  ).digits(1)(thinned(points, MOST_POINTS));
  const ticks = y.ticks(4).map((tick) => {
    const label = text(measured.series, tick);
    return `<path class="grid" d="M${LEFT} ${y(tick).toFixed(1)}H${WIDTH}"/><text x="${LEFT - 6}" y="${(y(tick) + 4).toFixed(1)}" text-anchor="end">${label}</text>`;
  });
  const minutes = x.ticks(6).map((tick) => {
    return `<text x="${x(tick).toFixed(1)}" y="${HEIGHT - 6}" text-anchor="middle">${Number((tick / 60).toFixed(1))} min</text>`;
  });
  const caption = `${measured.series}: median ${text(measured.series, measured.median)}, growth ${percent(measured.growth)}`;
  return `<figure class="${measured.holds ? "" : "missed"}"><figcaption>${escaped(caption)}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(caption)}">
<rect class="warm-up" x="${LEFT}" y="${TOP}" width="${(x(warmUpOf(seconds)) - LEFT).toFixed(1)}" height="${HEIGHT - BOTTOM - TOP}"/>
${ticks.join("")}${minutes.join("")}<path class="series" d="${path}"/></svg></figure>`;
}

function section(report: EngineReport, recorder: Recorder, seconds: number): string {
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0
      ? `<p>${title}: none.</p>`
      : `<p>${title}:</p><ul>${lines.map((one) => `<li>${escaped(one)}</li>`).join("")}</ul>`;
  const statuses = Object.entries(report.statuses).map(([status, count]) => `${count} × ${status}`);
  const charts = report.measured.map((one) => chart(one, recorder.series.get(one.series)!, seconds));
  return `<h2>${report.engine === "folder" ? "SQLite in a data folder" : "PostgreSQL"}: ${report.holds ? "holds" : "does not hold"}</h2>
<p>${report.calls} calls (${statuses.join(", ")}) by ${report.visits} partners from creation to purge; ${report.days} snapshots.</p>
${list("Connections without an answer", report.resets)}
${list(
  "Unexplained answers and logged errors",
  report.violations.map(({ what, times, firstAt }) => `${times} ×, first after ${firstAt} s: ${what}`),
)}
<div>${charts.join("\n")}</div>`;
}

/** Makes a page that needs no other file. */
export function pageOf(
  about: { date: string; machine: string; build: { version: string; commit: string } },
  runs: ReadonlyMap<Engine, { report: EngineReport; recorder: Recorder }>,
  seconds: number,
): string {
  const { date, machine, build } = about;
  const sections = [...runs.values()].map(({ report, recorder }) => section(report, recorder, seconds));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Mainstay soak test, ${date.slice(0, 10)}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #1c2733 }
div { display: grid; grid-template-columns: repeat(auto-fill, minmax(30rem, 1fr)); gap: 1rem }
figure { margin: 0 } figcaption { font-weight: 600 } .missed figcaption { color: #b3261e }
svg { width: 100% } svg text { font-size: 11px; fill: #56646f }
.grid { stroke: #dde3e8 } .warm-up { fill: #eef1f4 } .series { fill: none; stroke: #14618e; stroke-width: 1.5 }
</style></head><body>
<h1>Soak test</h1>
<p>${escaped(date)}, version ${escaped(build.version)} (${escaped(build.commit)}), ${escaped(machine)}, ${Math.round(seconds / 60)} minutes.
Growth is the median slope of all pairs of samples after the warm-up (shaded), over that time, as a share of the median. Its
limit is ${MOST_GROWTH * 100}%. Handles may vary by ${HANDLES_ALLOWED}. The database is measured by its peaks between two cleanings, without the audit log and the scores of each day, which are kept by design; the audit log, by its entries per visit. Memory and heap are measured after a full collection of garbage. The delay of the event loop (99th percentile) and the number of backups are shown and not judged.</p>
${sections.join("\n")}
</body></html>
`;
}
