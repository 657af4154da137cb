import { Failure, invalid } from "../domain/errors.ts";
import { type BulkResult, bulkView } from "../wire/bulk.ts";

type ParsedItem<T> = { input: T } | { error: string };

/** Parses the items before the transaction starts. Throws invalid_request if there are more than `most`. */
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

/** Saves the items one by one and collects the errors of rejected ones; yields to the event loop in between. */
export async function saveItems<T, R>(
  items: readonly ParsedItem<T>[],
  { yieldToEventLoop }: { yieldToEventLoop(): Promise<void> },
  save: (input: T) => Promise<R>,
): Promise<BulkResult<R>> {
  const result: BulkResult<R> = { saved: [], errors: [] };
  for (const [index, item] of items.entries()) {
    if ("error" in item) {
      result.errors.push({ index, error: item.error });
      continue;
    }
    try {
      result.saved.push(await save(item.input));
    } catch (error) {
      result.errors.push({ index, error: rejectionMessage(error) });
    }
    await yieldToEventLoop();
  }
  return result;
}

/** Serializes the result of a bulk request; yields to the event loop in between. */
export async function bulkReplyBody<R, View>(
  { saved, errors }: BulkResult<R>,
  { yieldToEventLoop }: { yieldToEventLoop(): Promise<void> },
  view: (item: R) => View,
) {
  const views: View[] = [];
  for (const item of saved) {
    views.push(view(item));
    await yieldToEventLoop();
  }
  return bulkView({ saved: views, errors }, (serialized) => serialized);
}

/** Rethrows unexpected errors. */
function rejectionMessage(error: unknown): string {
  if (error instanceof Failure) return error.message;
  throw error;
}
