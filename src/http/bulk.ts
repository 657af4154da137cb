import { Failure, invalid } from "../domain/errors.ts";
import { type BulkResult, bulkView } from "../wire/bulk.ts";

/** An item as it was read, or what it was refused for. */
type ParsedItem<T> = { input: T } | { error: string };

/** Reads the items one by one, ahead of the transaction that takes them. Throws invalid_request for too many. */
export function parseItems<T>(
  items: readonly unknown[],
  most: number,
  read: (item: unknown) => T,
): ParsedItem<T>[] {
  if (items.length > most) throw invalid(`At most ${most} items per request`);
  return items.map((item) => {
    try {
      return { input: read(item) };
    } catch (error) {
      return { error: rejectionMessage(error) };
    }
  });
}

/** Takes what was read, item by item; a refused one is reported at its position. Others have their turn in between. */
export async function saveItems<T, R>(
  items: readonly ParsedItem<T>[],
  { yieldToEventLoop }: { yieldToEventLoop(): Promise<void> },
  take: (input: T) => Promise<R>,
): Promise<BulkResult<R>> {
  const result: BulkResult<R> = { saved: [], errors: [] };
  for (const [index, item] of items.entries()) {
    if ("error" in item) {
      result.errors.push({ index, error: item.error });
      continue;
    }
    try {
      result.saved.push(await take(item.input));
    } catch (error) {
      result.errors.push({ index, error: rejectionMessage(error) });
    }
    await yieldToEventLoop();
  }
  return result;
}

/** The body that a bulk request is answered with, its records made with others' turns in between. */
export async function bulkReplyBody<R, View>(
  { saved: kept, errors }: BulkResult<R>,
  { yieldToEventLoop }: { yieldToEventLoop(): Promise<void> },
  view: (item: R) => View,
) {
  const views: View[] = [];
  for (const item of kept) {
    views.push(view(item));
    await yieldToEventLoop();
  }
  return bulkView({ saved: views, errors }, (made) => made);
}

/** What is no refusal of the item is thrown on. */
function rejectionMessage(error: unknown): string {
  if (error instanceof Failure) return error.message;
  throw error;
}
