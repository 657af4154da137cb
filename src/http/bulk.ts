import { Failure, invalid } from "../domain/errors.ts";

/** What became of a bulk request's items: those that were taken, and those that were refused by their position. */
export type BulkResult<T> = { kept: T[]; errors: { index: number; error: string }[] };

/** Handles items one by one; a refused one is reported at its position. Throws invalid_request for too many. */
export async function eachItem<T>(
  items: readonly unknown[],
  most: number,
  handle: (item: unknown) => Promise<T>,
): Promise<BulkResult<T>> {
  if (items.length > most) throw invalid(`At most ${most} items per request`);
  const result: BulkResult<T> = { kept: [], errors: [] };
  for (const [index, item] of items.entries()) {
    try {
      result.kept.push(await handle(item));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      result.errors.push({ index, error: error.message });
    }
  }
  return result;
}

/** The partial-success body. The created records stand under `events` whatever they are, as the specification has it. */
export function bulkReply<T>({ kept, errors }: BulkResult<T>, view: (item: T) => unknown) {
  return {
    created: kept.length,
    errors: errors.length,
    events: kept.map(view),
    error_details: errors,
  };
}
