import { Failure, StorageError, UnfinishedChange, UnknownOutcome } from "../domain/errors.ts";
import type { Store } from "../store/store.ts";
import type { RequestContext } from "./http-responses.ts";

/* A failure after a commit, such as where the view of a new record cannot be read, must not say that nothing was changed. */

/** Returns the store, whose `write` records in the context that the request has committed something. */
export const httpStoreRecordingCommits = (store: Store, context: RequestContext): Store => ({
  ...store,
  async write(run, options) {
    const result = await store.write(run, options);
    context.hasCommitted = true;
    return result;
  },
});

/** Returns the error of a failed request as its response states it. */
export function httpErrorAfterCommit(error: unknown, { hasCommitted }: RequestContext): unknown {
  if (!hasCommitted || error instanceof UnfinishedChange) return error;
  if (error instanceof StorageError) return new UnknownOutcome(error.message, error.hint);
  const isLate = error instanceof Failure && error.code === "unavailable";
  return isLate ? new UnknownOutcome(error.message, undefined, error) : error;
}
