import type { Instant } from "../domain/time.ts";

/** Calls granted by slot of time, earliest first. Slots are numbered from the epoch. */
export type CallSlots = readonly (readonly [slot: number, calls: number])[];

type GrantedCalls = {
  granted: number;
  /** With the new grant, and without slots older than a minute. */
  slots: CallSlots;
  /** How long the granted calls may be used. */
  validMs: number;
  /** If none was granted: the time until some may be. */
  waitMs: number;
};

/** The table of granted calls by caller. */
export type RateWindowRows = {
  /** Locks the caller's row until the transaction ends, so that grants of several servers are serialized. */
  lock(caller: string): Promise<{ slots: CallSlots; now: Instant }>;
  save(caller: string, slots: CallSlots): Promise<void>;
  /**
   * Deletes the expired rows among the next `limit` callers after `after`, in order; returns the last caller read,
   * undefined at the end.
   */
  prune(
    after: string,
    isExpired: (slots: CallSlots, now: Instant) => boolean,
    limit: number,
  ): Promise<string | undefined>;
};

export const SLOT_MS = 5_000;
/** The most slots that one minute overlaps. */
const SLOTS_OF_MINUTE = 60_000 / SLOT_MS + 1;

/**
 * Grants up to `most` calls, to be used within their slot, so that no minute has more than `limit` calls in all. A caller
 * that stays below the limit by one slot's share in each minute is never refused.
 */
export function grantCalls(slots: CallSlots, now: number, limit: number, most: number): GrantedCalls {
  const current = Math.floor(now / SLOT_MS);
  const counted = slots.filter(([slot]) => slot > current - SLOTS_OF_MINUTE);
  const used = counted.reduce((sum, [, calls]) => sum + calls, 0);
  const granted = Math.max(0, Math.min(most, limit - used));
  const before = counted.filter(([slot]) => slot !== current);
  const here = (counted.find(([slot]) => slot === current)?.[1] ?? 0) + granted;
  const [oldest = current] = counted.map(([slot]) => slot);
  return {
    granted,
    slots: here === 0 ? before : [...before, [current, here]],
    validMs: (current + 1) * SLOT_MS - now,
    waitMs: granted > 0 ? 0 : (oldest + SLOTS_OF_MINUTE) * SLOT_MS - now,
  };
}

/** Returns whether all slots are older than a minute. */
export function isExpired(slots: CallSlots, now: number): boolean {
  const current = Math.floor(now / SLOT_MS);
  return slots.every(([slot]) => slot <= current - SLOTS_OF_MINUTE);
}
