import { Failure, StorageError } from "../domain/errors.ts";
import { propertyNotFound } from "../domain/property.ts";
import type { Store } from "../store/store.ts";
import { httpInvalidApiKeyFailure } from "./authenticator.ts";
import type { Operation } from "./http-operation.ts";
import type { RequestContext } from "./http-responses.ts";

type FailedCall = {
  operation: Operation;
  params: Readonly<Record<string, string>>;
  context: RequestContext;
};

/** Returns the error of a failed call. One in progress while its partner was deleted may fail anywhere. */
export async function failureOfHttpHandler(
  thrown: unknown,
  { explain, read }: Pick<Store, "explain" | "read">,
  { operation: { path }, params: { id }, context: { partner } }: FailedCall,
): Promise<unknown> {
  const error = explain(thrown);
  if (error instanceof Failure || error instanceof StorageError || isHttpAbortError(thrown)) return thrown;
  const reason = async () => {
    if (partner)
      return (await read.partners.revision(partner.id)) === undefined ? httpInvalidApiKeyFailure() : thrown;
    if (id === undefined || !path.includes("/properties/{id}")) return thrown;
    return (await read.properties.ownerOf(id)) === undefined ? propertyNotFound() : thrown;
  };
  return await reason().catch(() => thrown);
}

export const isHttpAbortError = (error: unknown) => error instanceof Error && error.name === "AbortError";
