import { TIMEOUT_MS } from "./eventually.ts";

/**
 * Repeats an attempt that a short timeout ends, with a longer one each time, until it has come as far as the test needs:
 * on a busy machine, the timeout may be over before that. Returns the result with the timeout that led to it.
 */
export async function withLongerTimeouts<T>(
  firstMs: number,
  attempt: (timeoutMs: number) => Promise<T>,
  hasComeFar: (result: T) => boolean,
): Promise<{ result: T; timeoutMs: number }> {
  for (let timeoutMs = firstMs; ; timeoutMs *= 5) {
    const result = await attempt(timeoutMs);
    if (hasComeFar(result) || timeoutMs > TIMEOUT_MS) return { result, timeoutMs };
  }
}
