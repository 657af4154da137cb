/**
 * Returns a function that resolves with the result of `read`, or with undefined if that takes longer than `withinMs`. While
 * a read is in progress, no other is started: reads that hang would pile up, one per scrape.
 */
export function readMetricWithTimeout<T>(
  read: () => Promise<T>,
  withinMs: number,
): () => Promise<T | undefined> {
  let inProgress: Promise<T> | undefined;
  return () => {
    inProgress ??= read().finally(() => {
      inProgress = undefined;
    });
    const { promise: late, resolve: endWait } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => endWait(undefined), withinMs);
    return Promise.race([inProgress, late]).finally(() => clearTimeout(timer));
  };
}
