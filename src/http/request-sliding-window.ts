import { parseIpAddress } from "../ip-networks/ip-network.ts";

const WINDOW_MS = 60_000;
/** The callers in a generation. Two generations are stored. */
const MAX_CALLERS = 50_000;

/**
 * An exact sliding window: any period of 60 seconds has at most `limit` admitted calls of a caller. The times of the last
 * `limit` calls are stored in a ring; a call is admitted if the oldest of them is outside the window.
 */
export class RequestSlidingWindow {
  /** When the young generation is full, it becomes the old one, and callers that are only in the old one are dropped. */
  #young = new Map<string, Calls>();
  #old = new Map<string, Calls>();

  /** A limit of 0 admits all calls. */
  constructor(private readonly limit: number) {}

  /**
   * Admits the call and returns undefined, or returns the milliseconds until a call can be admitted. `now` is an instant
   * of the monotonic clock: a wall clock that is set back by a day would lock callers out for a day.
   */
  admit(caller: string, now: number): number | undefined {
    if (this.limit === 0) return undefined;
    const calls = this.#young.get(caller) ?? this.#join(caller);
    const first = calls.ring[calls.next];
    if (first !== undefined) {
      const wait = first + WINDOW_MS - now;
      if (wait > 0) return wait;
    }
    calls.ring[calls.next] = now;
    calls.next = (calls.next + 1) % this.limit;
    return undefined;
  }

  /** Adds a caller to the young generation, with its calls from the old one. */
  #join(caller: string): Calls {
    const calls = this.#old.get(caller) ?? { ring: [], next: 0 };
    if (this.#young.size === MAX_CALLERS) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(caller, calls);
    return calls;
  }
}

/** A ring of the times of a caller's last calls, and the position of the next one. */
type Calls = { ring: number[]; next: number };

/** Returns the key under which an address is limited: an IPv4 address, the /64 of an IPv6 address, or any other text. */
export function httpRateLimitKeyOfAddress(address: string): string {
  if (!address.includes(":")) return address;
  const parsed = parseIpAddress(address);
  if (!parsed) return address;
  if (!("parts" in parsed)) return parsed.toString(); // IPv4 mapped into IPv6
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":");
}
