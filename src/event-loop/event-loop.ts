/*
 * The event loop is shared by every request: long work runs in short slices and yields between them. Timers stand here
 * too, as a port, so that tests can control them.
 */

/** Yields to other work on the event loop. Resolves when the caller may continue; rejects to stop the caller. */
export type Yield = () => Promise<void>;

/** The time in an iteration of the event loop after which callers that have yielded, and new requests, wait for the next one. */
const ITERATION_MS = 8;
/** The most callers that continue in an iteration. */
const CALLERS_PER_ITERATION = 16;
/** The callers that have yielded, first in, first out. */
const waitingCallers = new Set<() => void>();
let isIterationScheduled = false;

/** Resolves after the callbacks and timers that are due have run, and the callers that have yielded before. */
export const yieldToEventLoop: Yield = () =>
  new Promise((resolve) => {
    waitingCallers.add(resolve);
    scheduleIteration();
  });

/** Resolves in the next iteration, before the callers that have yielded: for the writer of a store, for which others wait. */
export const yieldToNextIteration: Yield = () => new Promise((resolve) => setImmediate(resolve));

/** Lets callers continue in the next iteration, one after the other, until their work has taken long enough. */
function scheduleIteration(): void {
  if (isIterationScheduled || waitingCallers.size === 0) return;
  isIterationScheduled = true;
  let endsAt: number | undefined;
  const continueNext = () => {
    if (endsAt === undefined) {
      endsAt = performance.now() + ITERATION_MS;
      isIterationScheduled = false;
    } else if (performance.now() >= endsAt) return;
    const [next] = waitingCallers;
    if (!next) return;
    waitingCallers.delete(next);
    scheduleIteration();
    next();
  };
  for (let n = Math.min(waitingCallers.size, CALLERS_PER_ITERATION); n > 0; n--) setImmediate(continueNext);
}

/** The start of the first request of this iteration. */
let requestsStartedAt: number | undefined;

/** Returns what a new request waits for if those that arrived with it have taken long: it then starts in a later iteration. */
export function waitForLaterIteration(): Promise<void> | undefined {
  if (requestsStartedAt === undefined) {
    requestsStartedAt = performance.now();
    setImmediate(() => {
      requestsStartedAt = undefined;
    });
    return undefined;
  }
  return performance.now() - requestsStartedAt < ITERATION_MS ? undefined : yieldToEventLoop();
}

/** Returns a Yield that rejects with the reason of the signal once it is aborted, and so ends the caller's work. */
export function yieldUntilAborted(signal: AbortSignal | undefined): Yield {
  return async () => {
    await yieldToEventLoop();
    signal?.throwIfAborted();
  };
}

/** The requests that have yielded before their work was done. */
let unfinishedRequests = 0;

/** Returns the Yield of a request, which rejects once the signal is aborted. */
export function abortableEventLoopYield(signal: AbortSignal): Yield {
  return async () => {
    unfinishedRequests++;
    await yieldToEventLoop();
    unfinishedRequests--;
    signal.throwIfAborted();
  };
}

/** Times that background work yields in a row while a request has work left, so that it gets a small share of the time. */
const BACKGROUND_YIELDS = 8;
/** The longest that background work waits for requests between two of its slices: it may have rows of a snapshot open. */
const BACKGROUND_WAIT_MS = 40;

/** Returns the Yield of background work that has no deadline, which rejects once the signal is aborted. */
export function yieldInBackground(signal: AbortSignal, monotonicMs = () => performance.now()): Yield {
  return async () => {
    const startedAt = monotonicMs();
    for (let n = 0; n < BACKGROUND_YIELDS; n++) {
      await yieldToEventLoop();
      signal.throwIfAborted();
      if (unfinishedRequests === 0 || monotonicMs() - startedAt >= BACKGROUND_WAIT_MS) return;
    }
  };
}

/** The length of a slice of work, in milliseconds, unless the caller has another. */
const SLICE_MS = 2;

/** Measures how long work has run since the last yield. */
export class TimeSlice {
  #startedAt: number;

  constructor(
    private readonly sliceMs: number = SLICE_MS,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {
    this.#startedAt = monotonicMs();
  }

  restart(): void {
    this.#startedAt = this.monotonicMs();
  }

  isOver(): boolean {
    return this.monotonicMs() - this.#startedAt >= this.sliceMs;
  }

  /** Yields and starts the next slice, if this one is over. */
  async yieldIfOver(yieldNow: Yield = yieldToEventLoop): Promise<void> {
    if (!this.isOver()) return;
    await yieldNow();
    this.restart();
  }
}

/** Calls `visit` for each item and yields after each slice. */
export async function forEachYielding<T>(
  items: Iterable<T>,
  yieldNow: Yield,
  visit: (item: T) => void,
  sliceMs?: number,
): Promise<void> {
  const slice = new TimeSlice(sliceMs);
  for (const item of items) {
    visit(item);
    // An await for each item would cost more than most items do.
    if (slice.isOver()) await slice.yieldIfOver(yieldNow);
  }
}

/**
 * Maps the items as `Array.from` does and yields after each slice.
 * @example
 * const records = await mapYielding(rows, yieldToEventLoop, serializeComponent);
 */
export async function mapYielding<T, Mapped>(
  items: Iterable<T>,
  yieldNow: Yield,
  map: (item: T) => Mapped,
  sliceMs?: number,
): Promise<Mapped[]> {
  const mapped: Mapped[] = [];
  await forEachYielding(items, yieldNow, (item) => void mapped.push(map(item)), sliceMs);
  return mapped;
}

/** Runs a generator to its end, yields after each slice, and returns the generator's value. */
export async function runYielding<Result>(
  steps: Generator<undefined, Result>,
  yieldNow: Yield,
): Promise<Result> {
  const slice = new TimeSlice();
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
    if (slice.isOver()) await slice.yieldIfOver(yieldNow);
  }
}

/**
 * One-shot timers. A timer never fires before `set` has returned, and never after it was cleared. Clearing a timer that
 * has fired, or a value that is no timer, does nothing.
 */
export type Timers = {
  set(fire: () => void, delayMs: number): unknown;
  clear(timer: unknown): void;
};

export const systemTimers: Timers = {
  set: (fire, delayMs) => setTimeout(fire, delayMs),
  clear: (timer) => clearTimeout(timer as Timer),
};
