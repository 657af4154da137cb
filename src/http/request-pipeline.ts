import type { RateWindow } from "../cluster/distributed-address-rate-window.ts";
import type { Knowledge } from "../domain/domain-knowledge.ts";
import { Failure, StorageError } from "../domain/errors.ts";
import type { Administrator } from "../domain/partner.ts";
import { dayOf, type Instant, nextUtcMidnight } from "../domain/time.ts";
import { abortableEventLoopYield, runYielding, waitForLaterIteration } from "../event-loop/event-loop.ts";
import type { Logger } from "../logging/logger.ts";
import type { Store } from "../store/store.ts";
import type { AdminUseCaseDeps } from "../usecases/partners/create-partner-and-credentials.ts";
import { writePortfolio } from "../usecases/portfolio/portfolio-writer.ts";
import {
  loadSumsByRevision,
  type RevisionCache,
  type RevisionCaches,
} from "../usecases/revision-caches/revision-caches.ts";
import type { Authenticator } from "./authenticator.ts";
import { httpErrorAfterCommit, httpStoreRecordingCommits } from "./committed-request-changes.ts";
import { acceptsCsv } from "./csv-replies.ts";
import { entityTag, entityTagOf, isEntityTagListed } from "./entity-tag.ts";
import { type HttpCallStoreWrite, storeWriteOfHttpCall } from "./http-call-store-write.ts";
import { type ConsoleSessions, isConsoleApiRequest } from "./http-console-session-cookies.ts";
import {
  CALLER_GONE,
  errorReply,
  httpDailyLimitExceeded,
  httpRateLimitExceeded,
  lateResponseOfUncertainChange,
} from "./http-errors.ts";
import { failureOfHttpHandler, isHttpAbortError } from "./http-handler-failure.ts";
import {
  type AdminCall,
  type AdminOperation,
  type Call,
  CONSOLE,
  type Operation,
  type PartnerCall,
  type PartnerOperation,
  type PublicCall,
  type Reply,
} from "./http-operation.ts";
import { parseHttpQuery } from "./http-query-parameters.ts";
import {
  ADMIN_HEADERS,
  addRateLimitHeaders,
  httpResponseOf,
  type RequestContext,
  replyTextChunks,
  respondWithEntityTag,
  sendHttpJsonReply,
  sendHttpReply,
  type TaggedResponse,
} from "./http-responses.ts";
import { Idempotency, idempotencyKey, runWithoutIdempotencyKey } from "./idempotency-key.ts";
import { CHUNK_CHARS, startJsonReplyStream } from "./json-reply-stream.ts";
import {
  checkDeclaredHttpBodySize,
  hasRequestBody,
  parseHttpRequestBody,
  readHttpBodyReserved,
  requireHttpJsonBody,
  waitForParsedHttpSegment,
} from "./request-body.ts";
import { longReadLimiter } from "./request-concurrency-limiter.ts";
import type { DailyCallLimits } from "./request-daily-call-limits.ts";
import {
  type ReadReservation,
  ResponseMemoryLimiter,
  type WriteReservation,
} from "./response-memory-limiter.ts";

/** Polling clients request the same pages repeatedly, and scores change daily; larger responses are not kept. */
const MOST_CACHED_BYTES = 131_072;

type PipelineDeps = {
  store: Store;
  knowledge: Knowledge;
  authenticator: Authenticator;
  consoleSessions: ConsoleSessions;
  budgets: DailyCallLimits;
  administration: Omit<AdminUseCaseDeps, "actor">;
  caches: RevisionCaches;
  /** Takes instants of the monotonic clock. */
  partnerWindow: RateWindow;
  perPartnerPerMinute: number;
  bodyBytes: number;
  /** The maximum number of values in a body. */
  bodyValues: number;
  clock: () => Instant;
  log: Logger;
};

/**
 * Runs a routed request through the steps before and after its handler. The order of the checks is fixed: credentials,
 * the partner's rate limit, the daily call limit, the size of the body, and only then its content.
 */
export class RequestPipeline {
  readonly #idempotency: Idempotency;
  readonly #cache: RevisionCache<TaggedResponse>;
  readonly #sums: RevisionCache<object>;
  readonly #memory = new ResponseMemoryLimiter();
  readonly #longReads = longReadLimiter();
  /** A part of every ETag that is derived from a revision: another version of the server may httpResponseOf differently. */
  readonly #instanceId = crypto.randomUUID();

  constructor(private readonly deps: PipelineDeps) {
    this.#idempotency = new Idempotency(deps.store);
    this.#cache = deps.caches.open("responses", {
      // Text that is not Latin-1 takes two bytes a character.
      bytesOf: ({ body }) => 2 * body.length,
      mostBytes: MOST_CACHED_BYTES,
    });
    this.#sums = deps.caches.open("sums", { bytesOf: (sums) => 2 * JSON.stringify(sums).length });
  }

  async run(
    operation: Operation,
    request: Request,
    params: Readonly<Record<string, string>>,
    context: RequestContext,
  ): Promise<Response> {
    context.route = operation.path;
    if (operation.access === "admin" || operation.path.startsWith(CONSOLE))
      Object.assign(context.headers, ADMIN_HEADERS);
    try {
      if (operation.access === "partner") {
        await this.#admit(request, context);
        await waitForLaterIteration();
      }
      if (operation.access === "admin") context.administrator = await this.#administratorOf(request);
      context.deadline.signal.throwIfAborted();
      if (operation.access === "public")
        return await this.#respondToPublic(operation, request, params, context);
      if (operation.method !== "GET") return await this.#change(operation, request, params, context);
      return operation.access === "partner"
        ? await this.#read(operation, request, params, context)
        : await this.#readAsAdministrator(operation, request, params, context);
    } catch (error) {
      return this.failureResponse(
        await failureOfHttpHandler(error, this.deps.store, { operation, params, context }),
        context,
      );
    }
  }

  /** Responds to a partner's read, from the cache if possible. */
  async #read(
    operation: PartnerOperation,
    request: Request,
    params: Readonly<Record<string, string>>,
    context: RequestContext,
  ): Promise<Response> {
    const { id, revision } = context.partner!;
    // Responses in CSV are not cached.
    const inCsv = acceptsCsv(request.headers);
    const isCacheable = operation.cacheable && !inCsv;
    const asked = `${inCsv ? "csv" : "json"} ${id} ${targetOf(request.url)}`;
    const shown = { partners: [{ id, revision }] };
    const cached = isCacheable ? this.#cache.get(asked, shown) : undefined;
    if (cached) return respondWithEntityTag(cached, request, context);
    // A response with an ETag depends on the revision, the date, the format and the URL; its tag ignores timestamps.
    const revisionTag = operation.replies?.[304]
      ? entityTag(`${this.#instanceId} ${revision} ${dayOf(context.now)} ${asked}`)
      : undefined;
    // Only a caller that got a response knows the tag, whereas `*` is no evidence that there is one.
    if (revisionTag && isEntityTagListed(request.headers.get("if-none-match"), revisionTag))
      return respondWithEntityTag({ body: "", etag: revisionTag }, request, context);
    return await this.#holding(this.#memory.forRead(id), request, context, async (reservation) => {
      const memory = { ...NO_RESERVATION, grow: reservation.grow };
      const reply = await this.#handle(operation, request, params, context, memory);
      if (reply.raw !== undefined || reply.chunks) return sendHttpReply(reply, request, context, reservation);
      const { text, rest } = startJsonReplyStream(reply.body);
      // A tag of a large response's content would require serializing all of it first.
      const tagged = {
        body: text,
        etag: rest ? revisionTag : revisionTag && entityTagOf(text, operation.replies?.[200]?.type),
      };
      if (isCacheable && !rest) this.#cache.set(asked, shown, tagged);
      const response = respondWithEntityTag(tagged, request, context);
      if (response.status === 304) return response;
      return sendHttpJsonReply({ text, rest }, response, request, context, reservation);
    });
  }

  /** Responds to an administrator's read. Nothing is cached: the responses are few, and depend on all partners. */
  async #readAsAdministrator(
    operation: AdminOperation,
    request: Request,
    params: Readonly<Record<string, string>>,
    context: RequestContext,
  ): Promise<Response> {
    const { id } = context.administrator!;
    return await this.#holding(this.#memory.forRead(id), request, context, async (reservation) => {
      const memory = { ...NO_RESERVATION, grow: reservation.grow };
      const reply = await this.#handle(operation, request, params, context, memory);
      if (reply.body === undefined) return sendHttpReply(reply, request, context, reservation);
      const started = startJsonReplyStream(reply.body);
      const response = httpResponseOf({ ...reply, raw: started.text }, context);
      return sendHttpJsonReply(started, response, request, context, reservation);
    });
  }

  /** Responds to a request without credentials. If the handler reserves memory, a large response is sent in chunks. */
  async #respondToPublic(
    operation: Operation,
    request: Request,
    params: Readonly<Record<string, string>>,
    context: RequestContext,
  ): Promise<Response> {
    let reserved = undefined as ReadReservation | undefined;
    const reserveMemoryFor = (owner: string) => {
      reserved ??= this.#memory.forRead(owner);
      return reserved.grow;
    };
    const release = () => reserved?.release();
    return await this.#holding({ release }, request, context, async () => {
      const memory = { ...NO_RESERVATION, reserveMemoryFor };
      const reply = await this.#handle(operation, request, params, context, memory);
      return reserved ? sendHttpReply(reply, request, context, reserved) : httpResponseOf(reply, context);
    });
  }

  /** Responds to a write. A large response is sent in chunks, as fast as the client reads it. */
  async #change(
    operation: Operation,
    request: Request,
    params: Readonly<Record<string, string>>,
    context: RequestContext,
  ): Promise<Response> {
    const { id } = context.partner ?? context.administrator!;
    return await this.#holding(this.#memory.forWrite(id), request, context, async (reservation) => {
      const memory = { ...NO_RESERVATION, reserve: reservation.reserve, settle: reservation.settle };
      const reply = await this.#handle(operation, request, params, context, memory);
      const chunks = await replyTextChunks(reply);
      const length = chunks?.reduce((sum, chunk) => sum + chunk.length, 0) ?? 0;
      if (!chunks || length <= CHUNK_CHARS)
        return httpResponseOf(chunks ? { ...reply, raw: chunks.join("") } : reply, context);
      reservation.settle(length);
      return httpResponseOf({ ...reply, chunks }, context, reservation.release);
    });
  }

  /** Releases a reservation once the response is made, unless it is sent in chunks, whose end releases it. */
  async #holding<R extends Pick<ReadReservation, "release">>(
    reservation: R,
    request: Request,
    context: RequestContext,
    httpResponseOf: (reservation: R) => Promise<Response>,
  ): Promise<Response> {
    try {
      return await httpResponseOf(reservation);
    } finally {
      if (!context.streamEnd || request.method === "HEAD") reservation.release();
    }
  }

  /** Returns the response to anything thrown. An unexpected error is logged with its stack, and not shown to the caller. */
  failureResponse(thrown: unknown, context: RequestContext): Response {
    // The response reaches nobody; its status is for the log and the metrics.
    if (context.caller.aborted && isHttpAbortError(thrown))
      return new Response(null, { status: CALLER_GONE });
    const explained = this.deps.store.explain(thrown);
    const error = httpErrorAfterCommit(explained, context);
    const about = { request_id: context.requestId, route: context.route };
    const late = lateResponseOfUncertainChange(error);
    if (late) this.deps.log.warn({ ...about, reason: late.reason }, "response late after a change");
    else if (error instanceof StorageError)
      this.deps.log.error(
        { ...about, reason: error.message, hint: error.hint },
        "request refused: no storage",
      );
    else if (!(error instanceof Failure)) this.deps.log.error({ err: error, ...about }, "request failed");
    const { status, body, headers } = errorReply(error, context.requestId);
    return new Response(body, {
      status,
      headers: {
        "content-type": "application/json",
        "x-request-id": context.requestId,
        ...context.headers,
        ...headers,
      },
    });
  }

  #administratorOf(request: Request): Promise<Administrator> {
    const { authenticator, consoleSessions } = this.deps;
    return isConsoleApiRequest(request)
      ? consoleSessions.authenticate(request)
      : authenticator.authenticateAdministrator(request.headers);
  }

  async #admit(request: Request, context: RequestContext): Promise<void> {
    const { authenticator, partnerWindow, budgets, perPartnerPerMinute } = this.deps;
    const partner = await authenticator.authenticate(request.headers);
    context.partner = partner;
    const waitMs = await partnerWindow.admit(partner.id, context.monotonicMs);
    if (waitMs !== undefined) {
      addRateLimitHeaders(context, partner, await budgets.remaining(partner));
      throw httpRateLimitExceeded(perPartnerPerMinute, waitMs);
    }
    const { allowed, remaining } = await budgets.take(partner);
    addRateLimitHeaders(context, partner, remaining);
    if (!allowed)
      throw httpDailyLimitExceeded(partner.dailyBudget, nextUtcMidnight(context.now) - context.now);
  }

  async #handle(
    operation: Operation,
    request: Request,
    params: Readonly<Record<string, string>>,
    context: RequestContext,
    memory: ResponseMemory,
  ): Promise<Reply> {
    const isJson = operation.body === "json" || (operation.body === "optional" && hasRequestBody(request));
    const bytes = isJson ? await this.#readJson(request, memory) : undefined;
    if (!bytes && operation.method !== "GET" && operation.body !== "raw")
      await waitForParsedHttpSegment(request);
    const { deadline } = context;
    if (operation.body !== "raw") deadline.start();
    const yieldNow = abortableEventLoopYield(deadline.signal);
    const call: Call = {
      request,
      requestId: context.requestId,
      now: context.now,
      params: decoded(params),
      query: parseHttpQuery(searchOf(request.url), operation.query, operation.unknownParameters),
      body: bytes ? await runYielding(parseHttpRequestBody(bytes, this.deps.bodyValues), yieldNow) : {},
      address: context.address,
      signal: deadline.signal,
      yieldNow,
      warn: (fields, message) =>
        this.deps.log.warn({ request_id: context.requestId, route: context.route, ...fields }, message),
      async readBody(limit) {
        const bytes = await readHttpBodyReserved(request, limit, memory);
        deadline.start();
        return bytes;
      },
    };
    const { reserveMemoryFor } = memory;
    const store =
      operation.method === "GET" ? this.deps.store : httpStoreRecordingCommits(this.deps.store, context);
    if (operation.access === "public") return operation.handle({ ...call, reserveMemoryFor });
    if (operation.access === "admin")
      return operation.handle(this.#adminCall(call, context.administrator!, store, memory.grow));
    return this.#handlePartnerCall(
      operation,
      { ...call, partner: context.partner!, store },
      bytes,
      memory.grow,
    );
  }

  #handlePartnerCall(
    operation: PartnerOperation,
    call: Call & Pick<PartnerCall, "partner" | "store">,
    json: Uint8Array | undefined,
    reserve: PartnerCall["reserveMemory"],
  ): Promise<Reply> | Reply {
    const { partner, request, params } = call;
    const key = operation.idempotent ? idempotencyKey(request.headers) : undefined;
    const handle = (
      write: HttpCallStoreWrite,
      { runOnce, reserveMemory }: Pick<PartnerCall, "runOnce" | "reserveMemory">,
    ) => {
      const work = () =>
        operation.handle({
          ...call,
          reserveMemory,
          runOnce,
          sumsOf: loadSumsByRevision(this.#sums, partner.id),
          writePortfolio: (run) => writePortfolio(write, this.deps.knowledge, partner, run),
        });
      return operation.isLong ? this.#longReads.run(partner.id, call.signal, async () => work()) : work();
    };
    const plainWrite = storeWriteOfHttpCall(call, call.store);
    if (key === undefined)
      return handle(plainWrite, { runOnce: runWithoutIdempotencyKey, reserveMemory: reserve });
    const path = `${operation.method} ${operation.path.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? "")}`;
    const identityOf = (content: Uint8Array | string) => {
      const bodyHash = new Bun.CryptoHasher("sha256").update(content).digest("hex");
      return { partner, operation: path, key, bodyHash };
    };
    const runOnce: PartnerCall["runOnce"] = (content, run) => {
      const identity = identityOf(content);
      return this.#idempotency.replayOrRun(identity, call.now, () =>
        run((tx, write) => this.#idempotency.once(tx, identity, write)),
      );
    };
    if (!json) return handle(plainWrite, { runOnce, reserveMemory: reserve });
    const identity = identityOf(json);
    const write: HttpCallStoreWrite = (run, options) =>
      plainWrite((tx) => this.#idempotency.once(tx, identity, () => run(tx)), options);
    return this.#idempotency.replayOrRun(identity, call.now, async () =>
      handle(write, { runOnce: runWithoutIdempotencyKey, reserveMemory: () => {} }),
    );
  }

  #adminCall(
    call: Call,
    administrator: Administrator,
    store: Store,
    reserveMemory: AdminCall["reserveMemory"],
  ): AdminCall {
    const { knowledge, administration } = this.deps;
    const { id: actor } = administrator;
    return {
      ...call,
      administrator,
      store,
      reserveMemory,
      administration: { ...administration, store, actor },
      writePortfolio: (partner, run) =>
        writePortfolio(storeWriteOfHttpCall(call, store), knowledge, partner, run, actor),
    };
  }

  async #readJson(request: Request, memory: ResponseMemory): Promise<Uint8Array> {
    const { bodyBytes } = this.deps;
    checkDeclaredHttpBodySize(request, bodyBytes);
    requireHttpJsonBody(request);
    return await readHttpBodyReserved(request, bodyBytes, memory);
  }
}

/** The reservations that a handler and its request's body make. */
type ResponseMemory = Pick<ReadReservation, "grow"> &
  Pick<WriteReservation, "reserve" | "settle"> &
  Pick<PublicCall, "reserveMemoryFor">;
const NO_RESERVATION: ResponseMemory = {
  grow: () => {},
  reserve: () => {},
  settle: () => {},
  reserveMemoryFor: () => () => {},
};

/** Returns the parameters of a path. For an invalid escape, such as `%zz`, the router sets null: an ID that nothing has. */
function decoded(params: Readonly<Record<string, string | null>>): Record<string, string> {
  for (const name in params)
    if (params[name] === null)
      return Object.fromEntries(Object.entries(params).map(([key, value]) => [key, value ?? ""]));
  return params as Record<string, string>;
}

/** Returns the path and query of a URL. */
const targetOf = (url: string) => url.slice(url.indexOf("/", url.indexOf("//") + 2));

/** Returns the query of a URL with its question mark, or "". */
function searchOf(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at);
}
