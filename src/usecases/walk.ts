import type { PlacedComponent } from "../domain/component.ts";
import type { Steps } from "../domain/steps.ts";
import type { Store } from "../store/store.ts";
import type { Stores } from "../store/stores.ts";

/** Lets others have their turn between two steps. */
export type Pause = () => Promise<void>;
const TURN_MS = 2;

/** Lets others have their turn. */
export const takeTurns: Pause = () => new Promise((resolve) => setImmediate(resolve));

/** Visits each item, with a pause whenever that has held the event loop for a few milliseconds. */
export async function inTurns<T>(items: Iterable<T>, pause: Pause, visit: (item: T) => void): Promise<void> {
  let since = performance.now();
  for (const item of items) {
    visit(item);
    if (performance.now() - since < TURN_MS) continue;
    await pause();
    since = performance.now();
  }
}

/** What is made of each item, with the same pauses. */
export async function madeInTurns<T, Made>(
  items: Iterable<T>,
  pause: Pause,
  make: (item: T) => Made,
): Promise<Made[]> {
  const made: Made[] = [];
  await inTurns(items, pause, (item) => {
    made.push(make(item));
  });
  return made;
}

/** What steps make, with the same pauses between them. */
export async function finishedInTurns<Made>(steps: Steps<Made>, pause: Pause): Promise<Made> {
  let since = performance.now();
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
    if (performance.now() - since < TURN_MS) continue;
    await pause();
    since = performance.now();
  }
}

/** Rows that are read in one step. */
const STEP = 500;

type ReadAfter<T> = (read: Stores, after: number, limit: number) => Promise<T[]>;
/** Uses a row; returns about how many bytes of memory it keeps of it. */
type Visit<T> = (row: T) => number;
/** Told of the bytes that are kept; what it throws ends the walk. */
type Hold = (bytes: number) => void;

/**
 * Visits the rows of a numbered list in its order, in steps between which others have their turn, and all as they
 * stood at one moment.
 */
export async function walk<T extends { seq: number }>(
  store: Pick<Store, "read" | "inReadSnapshot">,
  readAfter: ReadAfter<T>,
  visit: Visit<T>,
  hold: Hold = () => {},
): Promise<void> {
  const visitAll = async (rows: readonly T[]) => {
    let bytes = 0;
    await inTurns(rows, takeTurns, (row) => {
      bytes += visit(row);
    });
    hold(bytes);
  };
  const first = await readAfter(store.read, 0, STEP);
  // One step sees one moment by itself.
  if (first.length < STEP) return await visitAll(first);
  await store.inReadSnapshot(async (read) => {
    for (let after = 0; ; await takeTurns()) {
      const rows = await readAfter(read, after, STEP);
      await visitAll(rows);
      if (rows.length < STEP) return;
      after = rows.at(-1)!.seq;
    }
  });
}

/** Visits a property's components in the order of their creation. */
export const walkComponents = (
  store: Pick<Store, "read" | "inReadSnapshot">,
  propertyId: string,
  visit: Visit<PlacedComponent>,
  hold?: Hold,
): Promise<void> =>
  walk(
    store,
    (read, after, limit) => read.components.rowsOfPropertyAfter(propertyId, after, limit),
    visit,
    hold,
  );
