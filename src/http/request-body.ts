import { Failure, invalid } from "../domain/errors.ts";
import { runSteps, type Steps } from "../domain/steps/computation-steps.ts";
import { yieldUntilAborted } from "../event-loop/event-loop.ts";
import type { WriteReservation } from "./response-memory-limiter.ts";

const MAX_DEPTH = 32;
/** More than an item of any list has fields. */
const VALUES_PER_ITEM = 30;
const OTHER_VALUES = 1000;

/** Returns the maximum number of values in a body, for the maximum number of items in a list. */
export const maxHttpBodyValues = (bulkItems: number): number => bulkItems * VALUES_PER_ITEM + OTHER_VALUES;

/** Returns the size of the body according to the headers; undefined if it is sent in chunks. */
function declaredRequestBodyBytes({ headers }: Request): number | undefined {
  const declared = headers.get("content-length");
  return declared === null ? undefined : Number(declared);
}

/** Returns whether the headers declare a body that is not empty. */
export function hasRequestBody({ headers }: Request): boolean {
  const length = headers.get("content-length");
  return length === null ? headers.has("transfer-encoding") : length !== "0";
}

/** Throws payload_too_large if the headers declare a body of more than `limit` bytes. */
export function checkDeclaredHttpBodySize(request: Request, limit: number): void {
  if ((declaredRequestBodyBytes(request) ?? 0) > limit) throw httpBodyTooLargeFailure(limit);
}

/**
 * Resolves when the runtime has parsed what the client sent in one segment with the request; rejects if that has ended the
 * connection. The runtime closes it without a response if another request follows (pipelining), and responds with a 400 to
 * any other bytes. The client cannot tell whether a write was made then, so one that has not started must not start.
 */
export const waitForParsedHttpSegment = ({ signal }: Request): Promise<void> => yieldUntilAborted(signal)();

/**
 * Reads the raw body, and waits until the runtime has parsed what follows it. Throws payload_too_large as soon as it exceeds
 * `limit` bytes, invalid_request if the client disconnects before the end, and an AbortError if it does right behind it.
 */
export async function readHttpBodyBytes(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  checkDeclaredHttpBodySize(request, limit);
  const bytes = await readWhole(request, limit);
  await waitForParsedHttpSegment(request);
  return bytes;
}

async function readWhole(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return request.headers.has("content-length")
      ? await readDeclared(request, limit)
      : await readChunks(request, limit);
  } catch (error) {
    if (error instanceof Failure) throw error;
    // The client is disconnected and gets no response. A Failure keeps this from being logged as an error.
    throw invalid("Request body is incomplete");
  }
}

async function readDeclared(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.length > limit) throw httpBodyTooLargeFailure(limit);
  return bytes;
}

async function readChunks(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > limit) throw httpBodyTooLargeFailure(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the media type of the body, in lower case and without parameters. */
export function requestMediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** Throws unsupported_media_type unless the headers declare an uncompressed JSON body. */
export function requireHttpJsonBody(request: Request): void {
  const encoding = request.headers.get("content-encoding") || "identity";
  if (encoding.toLowerCase() !== "identity")
    throw new Failure(
      "unsupported_media_type",
      "Content-Encoding is not supported. Send the body uncompressed.",
    );
  const declared = requestMediaType(request);
  if (declared === "application/json" || /^application\/[\w.-]+\+json$/.test(declared)) return;
  throw httpNotJsonFailure();
}

export const httpNotJsonFailure = () =>
  new Failure("unsupported_media_type", "Content-Type must be application/json");

/** Parses a short body, as `parseHttpRequestBody` does. */
export const parseHttpRequestBodyObject = (bytes: Uint8Array, maxValues: number): Record<string, unknown> =>
  runSteps(parseHttpRequestBody(bytes, maxValues));

/**
 * Parses a JSON object. Stricter than JSON.parse: rejects invalid UTF-8, duplicate names, more than 32 levels or
 * `maxValues` values, and anything but an object at the top level.
 */
export function* parseHttpRequestBody(bytes: Uint8Array, maxValues: number): Steps<Record<string, unknown>> {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid("Body is not valid UTF-8");
  }
  if (text.trim() === "") throw invalid("Body is empty. A JSON object is required.");
  checkShape(text, maxValues);
  yield;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid("Body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid("Body must be a JSON object");
  yield;
  const duplicate = duplicateName(text);
  if (duplicate !== undefined)
    throw invalid("Duplicate field in body", [
      { field: duplicate.slice(0, 64), message: "is a duplicate field" },
    ]);
  return value as Record<string, unknown>;
}

/**
 * Runs before JSON.parse, which recurses to any depth, and blocks the event loop for half a second with the smallest
 * values and the most names that fit in a body.
 */
function checkShape(text: string, maxValues: number): void {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === COMMA) values++;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      values++;
      if (++depth > MAX_DEPTH) throw invalid(`Body is nested deeper than ${MAX_DEPTH} levels`);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    if (values > maxValues)
      throw invalid(`Body contains more than ${maxValues} values. Send fewer items per request.`);
  }
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const COLON = 58;
const COMMA = 44;

/** Returns the first name that occurs twice in an object of a valid JSON text. */
function duplicateName(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === OPEN_BRACE) open.push(new Set());
    else if (code === OPEN_BRACKET) open.push(undefined);
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) open.pop();
    else if (code === QUOTE) {
      const start = i;
      i = endOfString(text, i);
      const names = open.at(-1);
      if (!names || !isFollowedByColon(text, i + 1)) continue;
      const raw = text.slice(start + 1, i);
      const name = raw.includes("\\") ? (JSON.parse(text.slice(start, i + 1)) as string) : raw;
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return undefined;
}

/** Characters of a string that are looked at one by one, before its end is searched for. */
const SHORT_STRING = 64;

/** Returns the position of the quote that ends the string whose first quote is at `start`, or the text's length. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; ; i++) {
    for (const shortEnd = i + SHORT_STRING; i < shortEnd; i++) {
      const code = text.charCodeAt(i);
      if (code === QUOTE) return i;
      if (code === BACKSLASH) i++;
    }
    // Many times as fast as looking at each character, but slow where quotes are close together.
    const quote = text.indexOf('"', i);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (quote - backslashes > i && text.charCodeAt(quote - backslashes - 1) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
    i = quote;
  }
}

/** Returns whether a colon follows, after white space: a string is then a name, not a value. */
function isFollowedByColon(text: string, from: number): boolean {
  let i = from;
  while (text.charCodeAt(i) <= 32) i++;
  return text.charCodeAt(i) === COLON;
}

/** Returns the failure of a request whose body exceeds the limit, in bytes. */
export function httpBodyTooLargeFailure(limit: number): Failure {
  return new Failure("payload_too_large", `Body is larger than ${limit} bytes`);
}

/** Reads a body whose memory is reserved before: a client may send most of it and never the rest. */
export async function readHttpBodyReserved(
  request: Request,
  limit: number,
  { reserve, settle }: Pick<WriteReservation, "reserve" | "settle">,
): Promise<Uint8Array<ArrayBuffer>> {
  checkDeclaredHttpBodySize(request, limit);
  reserve(declaredRequestBodyBytes(request) ?? limit);
  const bytes = await readHttpBodyBytes(request, limit);
  settle(bytes.length);
  return bytes;
}
