import type { ComponentChildren } from "preact";

/** A value of a chart, at its place across the chart from 0 to 1. `href` leads to the list that makes it. */
type ChartPoint = { x: number; text: string; href?: string | undefined };

/**
 * A chart whose values are read by pointer, touch and arrow keys (`browser/chart-readouts.ts`). Without scripts it is the
 * drawing alone.
 */
export function Chart(props: { kind: string; points: readonly ChartPoint[]; children: ComponentChildren }) {
  const { kind, points, children } = props;
  return (
    <div
      class={`chart ${kind}`}
      role="group"
      aria-label="Values of the chart, by arrow keys"
      tabIndex={0}
      data-points={JSON.stringify(points.map(({ x, text, href }) => [Number(x.toFixed(4)), text, href]))}
    >
      <div class="plot">
        {children}
        <output class="readout" />
      </div>
    </div>
  );
}
