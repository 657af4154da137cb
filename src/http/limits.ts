import { parseAddress } from "../networks.ts";

const WINDOW_MS = 60_000;
/** Beyond this many callers the ones longest idle are forgotten first. */
const MAX_CALLERS = 100_000;

/**
 * An exact sliding window: of any 60 seconds, none holds more than `limit` admitted calls of one caller. The instants
 * of the last `limit` calls are kept in a ring; a call is admitted when the oldest of them has left the window.
 */
export class SlidingWindow {
  #callers = new Map<string, { ring: Float64Array; next: number; count: number }>();

  /** A limit of 0 admits everything. */
  constructor(private readonly limit: number) {}

  /**
   * Undefined when the call is admitted, else the milliseconds until one would be. `now` is of a clock that nobody
   * sets: one set back by a day would lock callers out for a day.
   */
  admit(caller: string, now: number): number | undefined {
    if (this.limit === 0) return undefined;
    let calls = this.#callers.get(caller);
    if (!calls) {
      if (this.#callers.size >= MAX_CALLERS) this.#forgetIdle(now);
      calls = { ring: new Float64Array(this.limit), next: 0, count: 0 };
      this.#callers.set(caller, calls);
    }
    if (calls.count === this.limit) {
      const wait = calls.ring[calls.next]! + WINDOW_MS - now;
      if (wait > 0) return wait;
    } else calls.count++;
    calls.ring[calls.next] = now;
    calls.next = (calls.next + 1) % this.limit;
    return undefined;
  }

  #forgetIdle(now: number): void {
    for (const [caller, { ring, next }] of this.#callers) {
      const latest = ring[(next + this.limit - 1) % this.limit]!;
      if (now - latest >= WINDOW_MS) this.#callers.delete(caller);
    }
    // All of them are active: the earliest to come goes, and starts a new window.
    if (this.#callers.size >= MAX_CALLERS) this.#callers.delete(this.#callers.keys().next().value!);
  }
}

/** What a caller's address is counted under: an IPv4 address whole, an IPv6 address by its /64, any other text as it is. */
export function addressKey(address: string): string {
  if (!address.includes(":")) return address;
  const parsed = parseAddress(address);
  if (!parsed) return address;
  if (!("parts" in parsed)) return parsed.toString(); // IPv4 mapped into IPv6
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":");
}
