import type { ComponentChildren } from "preact";

/** A value of a chart, at its place across the chart from 0 to 1. `href` leads to the list that makes it. */
type ChartPoint = { x: number; text: string; href?: string | undefined };

/**
 * A chart whose values are read by pointer, touch and arrow keys (`browser/browser-chart-readouts.ts`). Without scripts it is the
 * drawing alone.
 */
export function ChartWithReadouts(props: {
  kind: string;
  /** The name of what the values measure, which distinguishes the charts of a page. */
  name: string;
  points: readonly ChartPoint[];
  children: ComponentChildren;
}) {
  const { kind, name, points, children } = props;
  return (
    <div
      class={`chart ${kind}`}
      data-points={JSON.stringify(points.map(({ x, text, href }) => [Number(x.toFixed(4)), text, href]))}
    >
      <div class="plot">
        {children}
        {points.length > 0 && (
          // Screen readers pass arrow keys to a slider, and hide what is in it: the drawing stays beside it.
          <div
            class="cursor"
            role="slider"
            tabIndex={0}
            aria-label={`Values: ${name}`}
            aria-valuemin={1}
            aria-valuemax={points.length}
            aria-valuenow={1}
            aria-valuetext={points[0]!.text}
          />
        )}
        <output class="readout" />
      </div>
    </div>
  );
}
