import type { Reply } from "./reply.ts";

/** Headers that differ between any two responses, and the limits that each call of a partner reduces. */
const OF_ONE_RESPONSE = ["date", "x-request-id", "x-ratelimit-remaining"];

/**
 * Returns all that a caller sees of a response, apart from what differs between any two: callers cannot distinguish
 * responses of the same shape.
 */
export function shapeOf({ status, headers, text }: Reply): string {
  const requestId = headers.get("x-request-id")!;
  const shown = [...headers].filter(([name]) => !OF_ONE_RESPONSE.includes(name)).toSorted();
  return JSON.stringify([status, Object.fromEntries(shown), text.replaceAll(requestId, "(the request)")]);
}
