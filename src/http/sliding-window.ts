import { parseAddress } from "../networks.ts";

const WINDOW_MS = 60_000;
/** Callers of a generation; two generations are remembered. */
const MAX_CALLERS = 50_000;

/**
 * An exact sliding window: of any 60 seconds, none holds more than `limit` admitted calls of one caller. The instants
 * of the last `limit` calls are kept in a ring; a call is admitted when the oldest of them has left the window.
 */
export class SlidingWindow {
  /** Two generations: who has not called while the younger one filled is forgotten with the elder. */
  #young = new Map<string, Calls>();
  #old = new Map<string, Calls>();

  /** A limit of 0 admits everything. Where several servers admit calls each has its share of the limit. */
  constructor(
    private readonly limit: number,
    private readonly servers: () => number = () => 1,
  ) {}

  /**
   * Undefined when the call is admitted, else the milliseconds until one would be. `now` is of a clock that nobody
   * sets: one set back by a day would lock callers out for a day.
   */
  admit(caller: string, now: number): number | undefined {
    if (this.limit === 0) return undefined;
    const calls = this.#young.get(caller) ?? this.#join(caller);
    const first = this.#firstOf(calls, Math.max(1, Math.floor(this.limit / this.servers())));
    if (first !== undefined) {
      const wait = first + WINDOW_MS - now;
      if (wait > 0) return wait;
    }
    calls.ring[calls.next] = now;
    calls.next = (calls.next + 1) % this.limit;
    return undefined;
  }

  /** The instant of the first of the caller's last so many calls; undefined where there were fewer. */
  #firstOf({ ring, next }: Calls, count: number): number | undefined {
    if (next >= count) return ring[next - count];
    return ring.length === this.limit ? ring[next - count + this.limit] : undefined;
  }

  /** Puts a caller into the younger generation, with what the elder one knows of it. */
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

/** The instants of a caller's last calls, and where the next one is put: in the place of the oldest once it is full. */
type Calls = { ring: number[]; next: number };

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
