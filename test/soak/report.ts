import type { Engine } from "./engine.ts";
import { afterWarmUp, growthOf, median } from "./growth.ts";
import type { Recorder } from "./recorder.ts";

/** The most growth after the warm-up, as a share. */
export const MOST_GROWTH = 0.05;

/** Series that are shown and not judged: the delay shows the machine's load too, and the number of backups is settled late. */
const isJudged = (name: string) => !/^(event loop|backups)/.test(name);

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
  deliveries_received?: number;
  statuses: Record<string, number>;
  measured: Measured[];
  resets: readonly string[];
  violations: Record<string, number>;
  holds: boolean;
};

export function reportOf(engine: Engine, recorder: Recorder, seconds: number): EngineReport {
  const measured = [...recorder.series].map(([series, points]): Measured => {
    const settled = afterWarmUp(points, seconds);
    const growth = growthOf(settled) ?? null;
    return {
      series,
      median: median(settled.map(({ value }) => value)),
      last: points.at(-1)!.value,
      growth,
      holds: !isJudged(series) || (growth !== null && growth < MOST_GROWTH),
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
    violations: Object.fromEntries(recorder.violations),
    holds:
      recorder.calls > 0 &&
      recorder.days > 0 &&
      recorder.resets.length === 0 &&
      recorder.violations.size === 0 &&
      measured.every(({ holds }) => holds),
  };
}
