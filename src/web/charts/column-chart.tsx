import { scaleBand, scaleLinear } from "d3-scale";
import { percentLength } from "./bar.tsx";
import { ChartWithReadouts } from "./chart.tsx";

/** A stacked column, with its segments from the bottom up. */
type Column = {
  key: string;
  segments: readonly { kind: string; value: number }[];
  /** The text of its readout. */
  text: string;
};

const HEIGHT = 160;

/**
 * Draws columns across the available width. The label describes the chart to screen readers; the caller shows the
 * values in a table. The limit is drawn as a line while it is less than twice the highest column.
 */
export function ColumnChart(props: {
  columns: readonly Column[];
  name: string;
  label: string;
  limit?: number;
}) {
  const { columns, name, label, limit } = props;
  const highest = Math.max(
    1,
    ...columns.map(({ segments }) => segments.reduce((sum, { value }) => sum + value, 0)),
  );
  const showsLimit = limit !== undefined && limit > 0 && limit < highest * 2;
  const height = scaleLinear([0, showsLimit ? Math.max(highest, limit) : highest], [0, HEIGHT]);
  const x = scaleBand(
    columns.map(({ key }) => key),
    [0, 1],
  ).paddingInner(columns.length > 60 ? 0.1 : 0.25);
  return (
    <ChartWithReadouts
      kind="column-chart"
      name={name}
      points={columns.map(({ key, text }) => ({ x: x(key)! + x.bandwidth() / 2, text }))}
    >
      <svg class="columns" width="100%" height={HEIGHT} role="img" aria-label={label}>
        <line class="ground" x1="0" x2="100%" y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        {columns.map(({ key, segments }) => {
          let below = 0;
          return segments.map(({ kind, value }) => {
            const top = below + value;
            const y = HEIGHT - height(top);
            const size = height(value);
            below = top;
            return (
              size > 0 && (
                <rect
                  class={`fill ${kind}`}
                  x={percentLength(x(key)!)}
                  width={percentLength(x.bandwidth())}
                  y={y}
                  height={size}
                />
              )
            );
          });
        })}
        {showsLimit && (
          <line
            class="limit"
            x1="0"
            x2="100%"
            y1={HEIGHT - height(limit) + 0.5}
            y2={HEIGHT - height(limit) + 0.5}
          />
        )}
      </svg>
    </ChartWithReadouts>
  );
}
