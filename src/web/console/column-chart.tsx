import { scaleBand, scaleLinear } from "d3-scale";
import { percent } from "../charts/bar.tsx";

/** One column of a chart: its parts from the bottom up. */
export type Column = { key: string; parts: readonly { kind: string; value: number }[] };

const HEIGHT = 160;

/**
 * Columns side by side, as wide as their place. What they say stands in a table below; the line is a limit, such as a
 * budget, drawn where it is near what there is.
 */
export function ColumnChart(props: { columns: readonly Column[]; words: string; limit?: number }) {
  const { columns, words, limit } = props;
  const most = Math.max(1, ...columns.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0)));
  const showsLimit = limit !== undefined && limit > 0 && limit < most * 2;
  const height = scaleLinear([0, showsLimit ? Math.max(most, limit) : most], [0, HEIGHT]);
  const place = scaleBand(
    columns.map(({ key }) => key),
    [0, 1],
  ).paddingInner(columns.length > 60 ? 0.1 : 0.25);
  return (
    <svg class="columns" width="100%" height={HEIGHT} role="img" aria-label={words}>
      <line class="ground" x1="0" x2="100%" y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      {columns.map(({ key, parts }) => {
        let below = 0;
        return parts.map(({ kind, value }) => {
          const top = below + value;
          const y = HEIGHT - height(top);
          const size = height(value);
          below = top;
          return (
            size > 0 && (
              <rect
                class={`fill ${kind}`}
                x={percent(place(key)!)}
                width={percent(place.bandwidth())}
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
  );
}
