import type { ScaleContinuousNumeric } from "d3-scale";

/** Escapes a text for use in HTML. */
export const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]!);

export type ChartScale = ScaleContinuousNumeric<number, number>;
export type ChartFrame = {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
};

/** Renders an SVG element with a description for screen readers. */
export function chartSvgElement(
  frame: Pick<ChartFrame, "width" | "height">,
  description: string,
  content: string,
): string {
  const { width, height } = frame;
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(description)}">${content}</svg>`;
}

/** Rounds a coordinate to two decimals. */
export const roundChartCoordinate = (value: number) => Number(value.toFixed(2));

/** Draws grid lines at the ticks of y, with their labels. */
export function chartYAxis(
  frame: ChartFrame,
  y: ChartScale,
  ticks: readonly number[],
  label: (tick: number) => string,
): string {
  return ticks
    .map((tick) => {
      const place = roundChartCoordinate(y(tick));
      return (
        `<line class="grid" x1="${frame.left}" x2="${frame.width - frame.right}" y1="${place}" y2="${place}"/>` +
        `<text class="tick" x="${frame.left - 8}" y="${place}" dy="0.32em" text-anchor="end">${label(tick)}</text>`
      );
    })
    .join("");
}

/** Draws the x axis with its ticks and title. */
export function chartXAxis(
  frame: ChartFrame,
  x: ChartScale,
  ticks: readonly number[],
  { label, title }: { label: (tick: number) => string; title: string },
): string {
  const base = frame.height - frame.bottom;
  const marks = ticks
    .map(
      (tick) =>
        `<text class="tick" x="${roundChartCoordinate(x(tick))}" y="${base + 18}" text-anchor="middle">${label(tick)}</text>`,
    )
    .join("");
  const middle = (frame.left + frame.width - frame.right) / 2;
  return (
    `<line class="axis" x1="${frame.left}" x2="${frame.width - frame.right}" y1="${base}" y2="${base}"/>${marks}` +
    `<text class="title" x="${middle}" y="${frame.height - 4}" text-anchor="middle">${escapeHtml(title)}</text>`
  );
}

export const chartYTitle = (frame: ChartFrame, text: string) =>
  `<text class="title" x="${frame.left - 40}" y="${frame.top - 16}">${escapeHtml(text)}</text>`;

export const chartPercentText = (share: number, decimals = 0) => `${(share * 100).toFixed(decimals)}%`;
