import type { HttpQuery } from "./http-query-parameters.ts";

/**
 * Returns the key of what an owner's page shows in an encoding, whatever else the request says: neither the host, the order
 * of the parameters nor one that the page does not have makes another reply. `query` has the known parameters alone.
 */
export const replyCacheKey = (owner: string, page: string, encoding: string, query: HttpQuery): string =>
  JSON.stringify([owner, page, encoding, ...[...query].sort()]);
