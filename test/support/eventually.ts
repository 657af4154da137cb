/** How long what another process does in its own time is waited for: a busy machine is no failure. */
export const PATIENCE_MS = 60_000;

/**
 * Repeats the assertion until it holds and returns its value; after the deadline fails with what it said last. For
 * what another process does in its own time.
 */
export async function eventually<T>(assertion: () => T | Promise<T>, deadlineMs = PATIENCE_MS): Promise<T> {
  const endAt = performance.now() + deadlineMs;
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > endAt) throw error;
    }
    await Bun.sleep(pauseMs);
  }
}
