/** The deadline of a wait for another process: long, since a busy machine is not a failure. */
export const TIMEOUT_MS = 120_000;

/** The time that a test or a hook may take, with several such waits. */
export const TEST_TIMEOUT_MS = 300_000;

/** Repeats the assertion until it holds and returns its value. Throws the assertion's last error after the deadline. */
export async function eventually<T>(assertion: () => T | Promise<T>, deadlineMs = TIMEOUT_MS): Promise<T> {
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
