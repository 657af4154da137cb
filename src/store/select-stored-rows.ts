import type { PlacedComponent } from "../domain/component.ts";
import { forEachYielding, type Yield } from "../event-loop/event-loop.ts";
import type { LossRow, NamedLossRow } from "./queries/loss-rows-queries.ts";
import type { Store } from "./store.ts";
import type { Stores } from "./stores.ts";

/** Rows read by one query. */
const PAGE = 500;

type ReadAfter<T> = (read: Stores, after: number, limit: number) => Promise<T[]>;
/** Uses a row; returns about how many bytes of memory it retains of the row. */
type Visit<T> = (row: T) => number;
/** Receives the number of bytes that a page retains; may throw to end the iteration. */
type Reserve = (bytes: number) => void;

/**
 * Visits the rows of a numbered list in order, a page at a time, and yields to the event loop in between. All pages are
 * read from one snapshot of the database.
 */
async function iterateRows<T extends { seq: number }>(
  store: Pick<Store, "read" | "inReadSnapshot">,
  readAfter: ReadAfter<T>,
  visit: Visit<T>,
  yieldNow: Yield,
  reserve?: Reserve,
): Promise<void> {
  const first = await readAfter(store.read, 0, PAGE);
  // A single query is consistent without a read transaction.
  if (first.length < PAGE) return await visitAll(first, visit, yieldNow, reserve);
  await store.inReadSnapshot((read) => iteratePages(read, readAfter, visit, yieldNow, reserve));
}

/** Visits the rows of a numbered list in a snapshot that is open. */
async function iteratePages<T extends { seq: number }>(
  read: Stores,
  readAfter: ReadAfter<T>,
  visit: Visit<T>,
  yieldNow: Yield,
  reserve?: Reserve,
): Promise<void> {
  for (let after = 0; ; await yieldNow()) {
    const rows = await readAfter(read, after, PAGE);
    await visitAll(rows, visit, yieldNow, reserve);
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.seq;
  }
}

async function visitAll<T>(
  rows: readonly T[],
  visit: Visit<T>,
  yieldNow: Yield,
  reserve: Reserve = () => {},
): Promise<void> {
  let bytes = 0;
  await forEachYielding(rows, yieldNow, (row) => {
    bytes += visit(row);
  });
  reserve(bytes);
}

/** Visits a property's components in the order of their creation. */
export const selectStoredComponents = (
  store: Pick<Store, "read" | "inReadSnapshot">,
  propertyId: string,
  visit: Visit<PlacedComponent>,
  yieldNow: Yield,
  reserve?: Reserve,
): Promise<void> =>
  iterateRows(
    store,
    (read, after, limit) => read.components.rowsOfPropertyAfter(propertyId, after, limit),
    visit,
    yieldNow,
    reserve,
  );

/** Visits what losses follow from of a property's components, in the order of their creation. */
export const selectStoredLossRowsOfProperty = (
  store: Pick<Store, "read" | "inReadSnapshot">,
  propertyId: string,
  visit: Visit<NamedLossRow>,
  yieldNow: Yield,
  reserve?: Reserve,
): Promise<void> =>
  iterateRows(
    store,
    (read, after, limit) => read.lossRows.ofPropertyAfter(propertyId, after, limit),
    visit,
    yieldNow,
    reserve,
  );

/** Visits the same of all components of a partner, in a snapshot that is open. */
export const selectStoredLossRows = (
  snapshot: Stores,
  partnerId: string,
  visit: Visit<LossRow>,
  yieldNow: Yield,
  reserve?: Reserve,
): Promise<void> =>
  iteratePages(
    snapshot,
    (read, after, limit) => read.lossRows.ofPartnerAfter(partnerId, after, limit),
    visit,
    yieldNow,
    reserve,
  );
