import { useState } from "preact/hooks";
import { ALL_TIME, pagePointsInTimeRange, pageTimeRangePresets } from "../page/page-time-range.ts";

/** Returns a preset of a time range, with the points in it and what changes it. */
export function useTimeRangeChoice<Point extends { date: string }>(
  points: readonly Point[],
  initial = ALL_TIME,
) {
  const [range, setRange] = useState<string>(initial);
  return { range, setRange, shown: pagePointsInTimeRange(points, range) };
}

type RangeProps = { points: readonly { date: string }[]; range: string };

/** The presets as buttons. */
export function TimeRangeButtons({
  points,
  range,
  onChoose,
}: RangeProps & { onChoose: (range: string) => void }) {
  const ranges = pageTimeRangePresets(points);
  if (ranges.length === 0) return null;
  return (
    <div class="ranges screen" role="group" aria-label="Time range">
      {ranges.map((one) => (
        <button
          type="button"
          class="outline secondary"
          aria-pressed={one.range === range}
          onClick={() => onChoose(one.range)}
        >
          {one.name}
        </button>
      ))}
    </div>
  );
}

/** The presets as a field of a form that the server answers. */
export function TimeRangeField({ points, range, id }: RangeProps & { id: string }) {
  const ranges = pageTimeRangePresets(points);
  if (ranges.length === 0) return null;
  return (
    <>
      <label for={id}>Time range</label>
      <select id={id} name="range">
        {ranges.map((one) => (
          <option value={one.range} selected={one.range === range}>
            {one.name}
          </option>
        ))}
      </select>
    </>
  );
}
