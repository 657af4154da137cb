import { type BulkResult, serializeBulkResult } from "../api-schemas/bulk-schema.ts";
import { conflict, Failure, invalid } from "../domain/errors.ts";
import { mapYielding, type Yield } from "../event-loop/event-loop.ts";
import type { PortfolioWriter } from "../usecases/portfolio/portfolio-writer.ts";
import { MOST_RESCORED, RescoreLimit } from "../usecases/rescoring/rescore-limit.ts";
import type { Call } from "./http-operation.ts";

type ParsedItem<T> = { input: T } | { error: string };

type ParseOptions<T> = {
  /** The maximum number of items. */
  most: number;
  read: (item: unknown) => T;
  yieldNow: Yield;
};

/**
 * Parses the items before the transaction starts; yields in between, since a rejected item takes as long as many others.
 * Throws invalid_request if there are too many.
 */
export async function parseHttpBulkItems<T>(
  items: readonly unknown[],
  { most, read, yieldNow }: ParseOptions<T>,
): Promise<ParsedItem<T>[]> {
  if (items.length > most) throw invalid(`At most ${most} items per request`);
  return await mapYielding(items, yieldNow, (item) => {
    try {
      return { input: read(item) };
    } catch (error) {
      return { error: rejectionMessage(error) };
    }
  });
}

/** Items rejected halfway for which the write runs again, each time from its first item. */
const MOST_REPEATS = 10;

/**
 * Runs the transaction of a bulk request, which calls `saveHttpBulkItems`. It runs again without an item that is rejected
 * after a part of it was written, so that nothing of that stays. Throws a conflict if too many are.
 */
export async function writeHttpBulkRequest<T, Result>(
  items: readonly ParsedItem<T>[],
  warn: Call["warn"],
  write: (items: readonly ParsedItem<T>[]) => Promise<Result>,
): Promise<Result> {
  let left = items;
  for (let repeats = 0; ; repeats++)
    try {
      return await write(left);
    } catch (error) {
      if (!(error instanceof RejectedHalfway)) throw error;
      const { index, reason } = error;
      if (repeats === MOST_REPEATS) throw conflict(`Nothing was saved. Remove item ${index}: ${reason}`);
      // Each check of an item belongs before its first write.
      warn(
        { index, reason },
        "bulk item rejected after a part of it was written, request repeated without it",
      );
      left = left.with(index, { error: reason });
    }
}

/** An item was rejected after a part of it was written, and takes its transaction with it. */
class RejectedHalfway extends Error {
  constructor(
    readonly index: number,
    readonly reason: string,
  ) {
    super(`item ${index} was rejected halfway: ${reason}`);
  }
}

/** More than the components of any appliance: where an operator allows more items, their own components do not exceed the limit. */
const RESCORED_PER_ITEM = 20;

type BulkWriter = Pick<PortfolioWriter, "rescoreLimit"> & {
  tx: Pick<PortfolioWriter["tx"], "changes" | "yieldToEventLoop">;
};

/**
 * Saves the items one by one and collects the errors of rejected ones; yields to the event loop in between.
 * Limits what the items rescore: some are rejected for it as they are saved, and the whole request when it is scored.
 */
export async function saveHttpBulkItems<T, R>(
  items: readonly ParsedItem<T>[],
  writer: BulkWriter,
  save: (input: T) => Promise<R>,
): Promise<BulkResult<R>> {
  const { changes, yieldToEventLoop } = writer.tx;
  writer.rescoreLimit = new RescoreLimit(Math.max(MOST_RESCORED, items.length * RESCORED_PER_ITEM));
  const result: BulkResult<R> = { saved: [], errors: [] };
  for (const [index, item] of items.entries()) {
    if ("error" in item) {
      result.errors.push({ index, error: item.error });
      continue;
    }
    const changesBefore = changes();
    try {
      result.saved.push(await save(item.input));
    } catch (error) {
      const reason = rejectionMessage(error);
      if (changes() !== changesBefore) throw new RejectedHalfway(index, reason);
      result.errors.push({ index, error: reason });
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
  return serializeBulkResult({ saved: views, errors }, (serialized) => serialized);
}

/** Rethrows unexpected errors. */
function rejectionMessage(error: unknown): string {
  if (error instanceof Failure) return error.message;
  throw error;
}
