import type { Administrator, Partner } from "../domain/partner.ts";
import { type Instant, isoTextOfInstant, nextUtcMidnight } from "../domain/time.ts";
import { yieldToEventLoop } from "../event-loop/event-loop.ts";
import type { RevisedPartner } from "../store/queries/partners-queries.ts";
import { matchesEntityTag } from "./entity-tag.ts";
import { type Reply, replyLength } from "./http-operation.ts";
import {
  CHUNK_CHARS,
  type StartedJson,
  type StreamEnd,
  streamReplyBytes,
  streamReplyText,
  stringifyReplyYielding,
} from "./json-reply-stream.ts";
import type { ResponseDeadline } from "./response-deadline.ts";
import type { ReadReservation } from "./response-memory-limiter.ts";

/** A JSON response with its ETag, if it has one. */
export type TaggedResponse = { body: string; etag: string | undefined };

/** The data of a request that is known before it is routed, and the data for its log entry that is added later. */
export type RequestContext = {
  requestId: string;
  address: string;
  now: Instant;
  /** The time of arrival by the monotonic clock. Rate limits use it, so that a change of the wall clock has no effect. */
  monotonicMs: number;
  route?: string;
  /** The partner at the time of authentication. */
  partner?: RevisedPartner;
  administrator?: Administrator;
  /** The listener's headers and, once the partner is authenticated, the rate-limit headers. */
  headers: Record<string, string>;
  /** True once a transaction of the request is committed. */
  hasCommitted?: boolean;
  /** Aborted when the caller closes the connection. */
  caller: AbortSignal;
  deadline: ResponseDeadline;
  /** Resolves when sending a streamed response has ended. */
  streamEnd?: Promise<StreamEnd>;
};

/** The headers of every response about administration: no cache stores it, and no browser guesses its type. */
export const ADMIN_HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** Returns the function to call at the end of a response that is streamed; it releases the response's memory. */
function streaming(context: RequestContext, release: () => void): (end: StreamEnd) => void {
  const { promise, resolve } = Promise.withResolvers<StreamEnd>();
  context.streamEnd = promise;
  return (end) => {
    release();
    resolve(end);
  };
}

/** Returns the text of a reply in chunks; undefined for bytes and for an empty reply. */
export async function replyTextChunks({ body, raw }: Reply): Promise<readonly string[] | undefined> {
  if (body !== undefined && raw === undefined) return await stringifyReplyYielding(body, yieldToEventLoop);
  return typeof raw === "string" ? [raw] : undefined;
}

/** Returns the response of a reply. `release` is called when all chunks are sent, or sending is aborted. */
export function httpResponseOf(
  reply: Reply,
  context: RequestContext,
  release: () => void = () => {},
): Response {
  const headers: Record<string, string> = { "x-request-id": context.requestId, ...context.headers };
  const isJson = "body" in reply || (reply.raw === undefined && !reply.chunks);
  if (isJson) headers["content-type"] = "application/json";
  let body: BodyInit | null | undefined = reply.raw;
  if (reply.chunks) body = streamReplyText("", reply.chunks.values(), streaming(context, release));
  else if (body === undefined) body = JSON.stringify(reply.body);
  if (reply.headers) Object.assign(headers, reply.headers);
  return new Response(body, { status: reply.status ?? 200, headers });
}

/** Returns the response to a read. A large text or file is sent in chunks, and takes part in the memory limit until then. */
export function sendHttpReply(
  reply: Reply,
  request: Request,
  context: RequestContext,
  { grow, release }: ReadReservation,
): Response {
  const length = replyLength(reply);
  // Chunks are streamed whatever their length.
  if (length <= CHUNK_CHARS || request.method === "HEAD") return httpResponseOf(reply, context, release);
  grow(length);
  const { raw } = reply;
  if (raw instanceof Uint8Array)
    return httpResponseOf({ ...reply, raw: streamReplyBytes(raw, streaming(context, release)) }, context);
  return httpResponseOf(typeof raw === "string" ? { ...reply, chunks: [raw] } : reply, context, release);
}

/**
 * Sends the JSON text of a response to a read as `sendHttpReply` does. The memory of a text that is not serialized
 * completely is that of the values, which the handler has reserved.
 */
export function sendHttpJsonReply(
  { text, rest }: StartedJson,
  response: Response,
  request: Request,
  context: RequestContext,
  { grow, release }: ReadReservation,
): Response {
  if (!rest && text.length <= CHUNK_CHARS) return response;
  const { status, headers } = response;
  if (request.method === "HEAD") return new Response(null, { status, headers });
  if (!rest) grow(text.length);
  return new Response(streamReplyText(text, rest, streaming(context, release)), { status, headers });
}

/** Returns the response to a read: a 304 if the caller has it already. */
export function respondWithEntityTag(
  { body, etag }: TaggedResponse,
  request: Request,
  context: RequestContext,
): Response {
  const headers: Record<string, string> = {
    "x-request-id": context.requestId,
    ...context.headers,
    ...(etag && { etag }),
    "cache-control": "private, no-cache",
  };
  if (etag && matchesEntityTag(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  headers["content-type"] = "application/json";
  return new Response(body, { headers });
}

/** Adds the partner's daily call limit, the calls that remain and the time of the reset to the response's headers. */
export function addRateLimitHeaders(context: RequestContext, partner: Partner, remaining: number): void {
  context.headers["x-ratelimit-limit"] = String(partner.dailyBudget);
  context.headers["x-ratelimit-remaining"] = String(remaining);
  context.headers["x-ratelimit-reset"] = isoTextOfInstant(nextUtcMidnight(context.now));
}
