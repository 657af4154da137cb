import { extendStores, type Store, type Tx, type WriteOptions } from "../store/store.ts";
import type { Call, Reply } from "./http-operation.ts";

export type HttpCallStoreWrite = <Body>(
  run: (tx: Tx) => Promise<Reply<Body>>,
  options: WriteOptions,
) => Promise<Reply<Body>>;

/** Returns the store's `write`, for a transaction of the call. */
export const storeWriteOfHttpCall =
  (call: Call, store: Store): HttpCallStoreWrite =>
  (run, options) =>
    store.write(withRequestId(call, run), options);

/**
 * Adds the request ID to the transaction, which passes it on to the webhook deliveries. The transaction is not started
 * for a caller that has closed the connection while it waited, nor after the deadline; one that has started is completed.
 */
function withRequestId<T>({ requestId, signal }: Call, run: (tx: Tx) => Promise<T>): (tx: Tx) => Promise<T> {
  return async (tx) => {
    signal.throwIfAborted();
    return await run(extendStores(tx, { requestId }));
  };
}
