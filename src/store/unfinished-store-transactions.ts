import { Failure, StorageError, UnfinishedChange } from "../domain/errors.ts";
import type { Store } from "./store.ts";

/**
 * Runs work that writes several transactions, each of which stays, and which the caller completes by repeating it. Throws an
 * UnfinishedChange where the storage fails, or the time for the response ends.
 */
export async function reportUnfinishedStoreTransactions<T>(
  { explain }: Pick<Store, "explain">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = explain(thrown);
    if (error instanceof StorageError) throw new UnfinishedChange(error.message, error.hint);
    if (error instanceof Failure && error.code === "unavailable")
      throw new UnfinishedChange(error.message, undefined, error);
    throw thrown;
  }
}
