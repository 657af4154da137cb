const MS_PER_DAY = 86_400_000;

/** The presets of a time range, in days until the latest value. */
const PRESETS = [
  { range: "30", name: "30 days" },
  { range: "90", name: "90 days" },
  { range: "365", name: "1 year" },
] as const;

/** Everything that is kept. */
export const ALL_TIME = "";

type Dated = { date: string };

const daysOf = (points: readonly Dated[]) =>
  points.length === 0 ? 0 : (Date.parse(points.at(-1)!.date) - Date.parse(points[0]!.date)) / MS_PER_DAY;

/** Returns the presets that leave some of the points out, and last that of all; none if there is nothing to choose. */
export function pageTimeRangePresets(points: readonly Dated[]): readonly { range: string; name: string }[] {
  const days = daysOf(points);
  const presets = PRESETS.filter(({ range }) => Number(range) < days);
  return presets.length === 0 ? [] : [...presets, { range: ALL_TIME, name: "All" }];
}

/** Returns the points of a range, which ends with the latest one. Anything but a preset stands for all. */
export function pagePointsInTimeRange<Point extends Dated>(
  points: readonly Point[],
  range: string,
): readonly Point[] {
  const preset = PRESETS.find((one) => one.range === range);
  const last = points.at(-1);
  if (!preset || !last) return points;
  const from = Date.parse(last.date) - Number(preset.range) * MS_PER_DAY;
  return points.filter(({ date }) => Date.parse(date) >= from);
}
