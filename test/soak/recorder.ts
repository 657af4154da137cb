import type { Point } from "./growth.ts";

/** A call without an answer, as a client sees it: the connection was refused, closed or reset. */
const isConnectionError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && "code" in error && typeof error.code === "string";

/** The observations of a run: answers by route and status, connections without an answer, other violations, and samples. */
export class Recorder {
  #startedAt = performance.now();
  readonly series = new Map<string, Point[]>();
  readonly statuses = new Map<string, number>();
  readonly resets: string[] = [];
  /** The number of each and the time of the first, in seconds. */
  readonly violations = new Map<string, { times: number; firstAt: number }>();
  calls = 0;
  /** Snapshots taken, each on a day of its own. */
  days = 0;
  /** Partners created, used and purged. */
  visits = 0;

  /** The log of PostgreSQL, with what waited for locks. */
  databaseLog: string | undefined;

  /** Begins to count the time, once everything is prepared. */
  begin(): void {
    this.#startedAt = performance.now();
  }

  get seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  sample(name: string, value: number): void {
    const points = this.series.get(name) ?? [];
    points.push({ at: Math.round(this.seconds), value });
    this.series.set(name, points);
  }

  answered(route: string, status: number): void {
    this.calls++;
    const key = `${route} ${status}`;
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1);
  }

  wrong(what: string): void {
    const key = what.slice(0, 2000);
    const known = this.violations.get(key);
    if (known) known.times++;
    else if (this.violations.size < 100)
      this.violations.set(key, { times: 1, firstAt: Math.round(this.seconds) });
  }

  /** Records why a call failed: a connection without an answer, or an answer unlike the API document. */
  failed(route: string, error: unknown): void {
    if (isConnectionError(error))
      this.resets.push(`${route}: ${error.code} after ${Math.round(this.seconds)} s`);
    else this.wrong(`${route}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
