/** Calls that were given out in slots of time, the earliest first: the number of the slot since the epoch, and how many. */
export type CallSlots = readonly (readonly [slot: number, calls: number])[];

export type GrantedCalls = {
  granted: number;
  /** With what was granted, and without what no minute has any more. */
  slots: CallSlots;
  /** How long those that were granted may be used. */
  validMs: number;
  /** Where none was granted: when some will be. */
  waitMs: number;
};

export const SLOT_MS = 5_000;
/** A minute touches at most so many slots. */
const SLOTS_OF_MINUTE = 60_000 / SLOT_MS + 1;

/**
 * Grants up to `most` calls, to be used within their slot: of any minute, none has more than `limit` in all, whoever
 * was granted them. A caller that stays below the limit by one slot's share in a minute is never refused.
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

/** Whether none of these counts any more. */
export function isPast(slots: CallSlots, now: number): boolean {
  const current = Math.floor(now / SLOT_MS);
  return slots.every(([slot]) => slot <= current - SLOTS_OF_MINUTE);
}
