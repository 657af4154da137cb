import type { Administrator, Partner } from "../domain/partner.ts";
import { type Instant, nextMidnight, toIso } from "../domain/time.ts";
import { yieldToEventLoop } from "../event-loop.ts";
import type { RevisedPartner } from "../store/queries/partners.ts";
import { isHeld } from "./entity-tag.ts";
import { streamText, stringifyYielding } from "./json-pieces.ts";
import type { Reply } from "./operation.ts";
import type { Answer } from "./steady-answers.ts";

/** What is known of a request before it is routed, and learned on its way for the log. */
export type Visit = {
  requestId: string;
  address: string;
  now: Instant;
  /** When it came in, by a clock that nobody sets: for limits, which a clock that is set must not lengthen. */
  ticksMs: number;
  route?: string;
  /** As it stood when it was let in. */
  partner?: RevisedPartner;
  administrator?: Administrator;
  /** The rate-limit headers, once the caller is known. */
  headers: Record<string, string>;
};

/** The text of a reply as it is to be sent in pieces; undefined for bytes, or none. */
export async function piecesOf({ body, raw }: Reply): Promise<readonly string[] | undefined> {
  if (body !== undefined && raw === undefined) return await stringifyYielding(body, yieldToEventLoop);
  return typeof raw === "string" ? [raw] : undefined;
}

/** `onSent` is told when pieces are sent or given up. */
export function respond(reply: Reply, visit: Visit, onSent: () => void = () => {}): Response {
  const headers: Record<string, string> = { "x-request-id": visit.requestId, ...visit.headers };
  const isJson = "body" in reply || (reply.raw === undefined && !reply.pieces);
  if (isJson) headers["content-type"] = "application/json";
  let body: BodyInit | null | undefined = reply.raw;
  if (reply.pieces) body = streamText("", reply.pieces.values(), onSent);
  else if (body === undefined) body = JSON.stringify(reply.body);
  if (reply.headers) Object.assign(headers, reply.headers);
  return new Response(body, { status: reply.status ?? 200, headers });
}

/** A read's answer, or that the one which the caller holds still stands. */
export function respondTagged({ body, etag }: Answer, request: Request, visit: Visit): Response {
  const headers: Record<string, string> = {
    "x-request-id": visit.requestId,
    ...visit.headers,
    ...(etag && { etag }),
    "cache-control": "private, no-cache",
  };
  if (etag && isHeld(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  headers["content-type"] = "application/json";
  return new Response(body, { headers });
}

/** Says on an answer how much of the day's budget is left. */
export function budgetHeaders(visit: Visit, partner: Partner, remaining: number): void {
  visit.headers["x-ratelimit-limit"] = String(partner.dailyBudget);
  visit.headers["x-ratelimit-remaining"] = String(remaining);
  visit.headers["x-ratelimit-reset"] = toIso(nextMidnight(visit.now));
}
