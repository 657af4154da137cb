/**
 * One-shot timers, so that tests can hand in their own. None fires before `set` has returned, one that was cleared
 * never does, and clearing what has fired or was never set does nothing.
 */
export type Timers = {
  set(fire: () => void, delayMs: number): unknown;
  clear(timer: unknown): void;
};

export const systemTimers: Timers = {
  set: (fire, delayMs) => setTimeout(fire, delayMs),
  clear: (timer) => clearTimeout(timer as Timer),
};
