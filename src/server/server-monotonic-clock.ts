/**
 * Returns a wall clock that never goes back. While `clock` is behind, it advances by `monotonicMs`, the milliseconds of a
 * monotonic clock. It starts at `from` or later.
 */
export function serverMonotonicClock(
  clock: () => number,
  monotonicMs: () => number,
  from: number,
): () => number {
  let latest = from;
  let before = monotonicMs();
  return () => {
    const now = monotonicMs();
    latest = Math.max(clock(), latest + now - before);
    before = now;
    return Math.floor(latest);
  };
}
