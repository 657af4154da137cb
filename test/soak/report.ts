import type { Engine } from "./engine.ts";
import { afterWarmUp, growthOf, growthOfPeaks, median } from "./growth.ts";
import type { Recorder } from "./recorder.ts";

/** The most growth after the warm-up, as a share. */
export const MOST_GROWTH = 0.05;

/** Connections come and go: a growth of fewer handles is none. */
export const HANDLES_ALLOWED = 10;

/** Series that are shown and not judged: delays depend on the machine's load, and the number of backups is settled late. */
const isJudged = (name: string) => !/^(event loop|backups)/.test(name);

function holds(series: string, growth: number | null, middle: number): boolean {
  if (!isJudged(series)) return true;
  if (growth === null) return false;
  return growth < MOST_GROWTH || (series.startsWith("handles") && growth * middle < HANDLES_ALLOWED);
}

export type Measured = {
  series: string;
  median: number;
  last: number;
  growth: number | null;
  holds: boolean;
};
export type EngineReport = {
  engine: Engine;
  calls: number;
  visits: number;
  days: number;
  statuses: Record<string, number>;
  measured: Measured[];
  resets: readonly string[];
  violations: { what: string; times: number; firstAt: number }[];
  holds: boolean;
};

export function reportOf(engine: Engine, recorder: Recorder, seconds: number): EngineReport {
  const measured = [...recorder.series].map(([series, points]): Measured => {
    const settled = afterWarmUp(points, seconds);
    const growth = (series === "database" ? growthOfPeaks(settled) : undefined) ?? growthOf(settled) ?? null;
    const middle = settled.length === 0 ? 0 : median(settled.map(({ value }) => value));
    return {
      series,
      median: middle,
      last: points.at(-1)!.value,
      growth,
      holds: holds(series, growth, middle),
    };
  });
  const statuses = new Map<string, number>();
  for (const [key, count] of recorder.statuses) {
    const status = key.split(" ").at(-1)!;
    statuses.set(status, (statuses.get(status) ?? 0) + count);
  }
  return {
    engine,
    calls: recorder.calls,
    visits: recorder.visits,
    days: recorder.days,
    statuses: Object.fromEntries([...statuses].toSorted()),
    measured,
    resets: recorder.resets,
    violations: [...recorder.violations].map(([what, seen]) => ({ what, ...seen })),
    holds:
      recorder.calls > 0 &&
      recorder.days > 0 &&
      recorder.resets.length === 0 &&
      recorder.violations.size === 0 &&
      measured.every(({ holds }) => holds),
  };
}
