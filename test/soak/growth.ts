/** A measured value with its time, in seconds since the start. */
export type Point = { at: number; value: number };

/** The time that is not judged: caches fill and memory reaches its usual size. Half of a run at most. */
const WARM_UP_SECONDS = 600;
/** The time that is not judged in a longer run, as a share. */
const WARM_UP_SHARE = 0.1;

export const warmUpOf = (seconds: number) =>
  Math.min(seconds / 2, Math.max(WARM_UP_SECONDS, seconds * WARM_UP_SHARE));

/** Slopes need at least so many points. */
const LEAST_POINTS = 8;
/** Points for the slope, whose pairs are counted: more do not change it. */
const MOST_POINTS = 300;

export const afterWarmUp = (points: readonly Point[], seconds: number): Point[] =>
  points.filter(({ at }) => at >= warmUpOf(seconds));

/**
 * Returns the growth over the time of these points as a share of their median: the median slope of all pairs (Theil and
 * Sen), which a third of wrong points cannot move. Undefined where there are too few points.
 */
export function growthOf(points: readonly Point[]): number | undefined {
  if (points.length < LEAST_POINTS) return undefined;
  const some = thinned(points, MOST_POINTS);
  const slopes = some.flatMap((later, nth) =>
    some
      .slice(0, nth)
      .filter(({ at }) => at < later.at)
      .map((earlier) => (later.value - earlier.value) / (later.at - earlier.at)),
  );
  const middle = median(points.map(({ value }) => value));
  if (slopes.length === 0 || middle === 0) return 0;
  return (median(slopes) * (points.at(-1)!.at - points[0]!.at)) / middle;
}

/**
 * Returns the growth of the highest values in equal parts of the time: of a size that falls at each cleaning and rises in between,
 * so that two points say nothing.
 */
export function growthOfPeaks(points: readonly Point[]): number | undefined {
  if (points.length < 2 * LEAST_POINTS) return undefined;
  const partOf = (nth: number) => Math.floor((nth * LEAST_POINTS) / points.length);
  const parts = Array.from({ length: LEAST_POINTS }, (_, part) =>
    points.filter((_, nth) => partOf(nth) === part),
  );
  return growthOf(
    parts.map((part) => ({ at: part[0]!.at, value: Math.max(...part.map(({ value }) => value)) })),
  );
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** Returns at most that many of the points, evenly spread. */
export function thinned(points: readonly Point[], most: number): Point[] {
  const every = Math.ceil(points.length / most);
  return points.filter((_, nth) => nth % every === 0);
}
