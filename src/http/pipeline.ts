import type { RateWindow } from "../cluster/address-rate-window.ts";
import { Failure, StorageError } from "../domain/errors.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { Administrator, Partner } from "../domain/partner.ts";
import { dayOf, type Instant, nextMidnight } from "../domain/time.ts";
import type { Logger } from "../log.ts";
import type { Store, Tx, WriteOptions } from "../store/store.ts";
import type { DailyCallLimits } from "../usecases/partners/daily-call-limits.ts";
import type { Administration } from "../usecases/partners/partners.ts";
import { writePortfolio } from "../usecases/portfolio/portfolio-writer.ts";
import type { Authenticator } from "./auth.ts";
import { checkDeclaredSize, parseJsonObject, readBytes, requireJson } from "./body.ts";
import { type ConsoleSessions, isConsoleRequest } from "./console-sessions.ts";
import { acceptsCsv } from "./csv-lists.ts";
import { entityTag, isHeld } from "./entity-tag.ts";
import { dailyLimitExceeded, errorReply, rateLimitExceeded } from "./errors.ts";
import { HeldAnswers, type Holding, type WriteHolding } from "./held-answers.ts";
import { Idempotency, idempotencyKey, type RequestIdentity } from "./idempotency.ts";
import { beginJson, PIECE, streamText } from "./json-pieces.ts";
import type { AdminCall, Call, Operation, PartnerCall, PartnerOperation, Reply } from "./operation.ts";
import { parseQuery } from "./query.ts";
import { budgetHeaders, piecesOf, respond, respondTagged, type Visit } from "./responses.ts";
import { SteadyAnswers } from "./steady-answers.ts";

/** What the pipeline asks of the rest of the house. */
export type PipelineParts = {
  store: Store;
  knowledge: Knowledge;
  authenticator: Authenticator;
  consoleSessions: ConsoleSessions;
  budgets: DailyCallLimits;
  administration: Omit<Administration, "actor">;
  /** By a clock that nobody sets. */
  partnerWindow: RateWindow;
  perPartnerPerMinute: number;
  bodyBytes: number;
  clock: () => Instant;
  log: Logger;
};

/**
 * Takes a routed request through everything that comes before and after its handler, in the order of the decisions:
 * credentials, the partner's limit, the budget, the body's size, and only then what the body says.
 */
export class Pipeline {
  readonly #idempotency: Idempotency;
  readonly #steady = new SteadyAnswers();
  readonly #held = new HeldAnswers();
  /** Another program may answer otherwise from the same database: what was tagged by a revision ends with the process. */
  readonly #era = crypto.randomUUID();

  constructor(private readonly parts: PipelineParts) {
    this.#idempotency = new Idempotency(parts.store);
  }

  async run(
    operation: Operation,
    request: Request,
    params: Readonly<Record<string, string>>,
    visit: Visit,
  ): Promise<Response> {
    visit.route = operation.path;
    let reply: Reply;
    try {
      if (operation.access === "partner") await this.#admit(request, visit);
      if (operation.access === "admin") visit.administrator = await this.#administratorOf(request);
      if (operation.access === "partner" && operation.method === "GET")
        return await this.#read(operation, request, params, visit);
      if (operation.access === "partner") return await this.#change(operation, request, params, visit);
      reply = await this.#handle(operation, request, params, visit, NOTHING_HELD);
    } catch (error) {
      return this.refuse(error, visit);
    }
    return respond(reply, visit);
  }

  /** Answers a partner's read, from what was answered before where that still stands. */
  async #read(
    operation: PartnerOperation,
    request: Request,
    params: Readonly<Record<string, string>>,
    visit: Visit,
  ): Promise<Response> {
    const { id, revision } = visit.partner!;
    // Of an answer that may be had as CSV too, the JSON alone is kept.
    const isSteady = operation.steady && !acceptsCsv(request.headers);
    const key = isSteady ? `${id} ${targetOf(request.url)}` : "";
    const known = isSteady ? this.#steady.find(revision, key) : undefined;
    if (known) return respondTagged(known, request, visit);
    // Besides what a tag leaves out, an answer with a tag depends on the day at most.
    const revisionTag = operation.replies?.[304]
      ? entityTag(`${this.#era} ${revision} ${dayOf(visit.now)} ${id} ${targetOf(request.url)}`)
      : undefined;
    if (revisionTag && isHeld(request.headers.get("if-none-match"), revisionTag))
      return respondTagged({ body: "", etag: revisionTag }, request, visit);
    const holding = this.#held.open(id);
    let isSending = false;
    try {
      const reply = await this.#handle(operation, request, params, visit, { ...NOTHING_HELD, ...holding });
      isSending = reply.pieces !== undefined && request.method !== "HEAD";
      if (reply.raw !== undefined || reply.pieces) return respond(reply, visit, holding.release);
      const { text, rest } = beginJson(reply.body);
      // All of a larger one would have to be made to tell whether it is the one that the caller holds.
      const answer = { body: text, etag: rest ? revisionTag : revisionTag && entityTag(text) };
      if (isSteady && !rest) this.#steady.keep(revision, key, answer);
      const response = respondTagged(answer, request, visit);
      if (response.status === 304 || (!rest && text.length <= PIECE)) return response;
      const { headers } = response;
      if (request.method === "HEAD") return new Response(null, { headers });
      if (!rest) holding.hold(text.length);
      isSending = true;
      return new Response(streamText(text, rest, holding.release), { headers });
    } finally {
      if (!isSending) holding.release();
    }
  }

  /** Answers a partner's write, however much there is to say, in pieces and no faster than it is read. */
  async #change(
    operation: PartnerOperation,
    request: Request,
    params: Readonly<Record<string, string>>,
    visit: Visit,
  ): Promise<Response> {
    const holding = this.#held.openForWrite(visit.partner!.id);
    let isSending = false;
    try {
      const { hold } = NOTHING_HELD;
      const reply = await this.#handle(operation, request, params, visit, { ...holding, hold });
      const pieces = await piecesOf(reply);
      const length = pieces?.reduce((sum, piece) => sum + piece.length, 0) ?? 0;
      if (!pieces || length <= PIECE)
        return respond(pieces ? { ...reply, raw: pieces.join("") } : reply, visit);
      holding.settle(length);
      isSending = true;
      return respond({ ...reply, pieces }, visit, holding.release);
    } finally {
      if (!isSending) holding.release();
    }
  }

  /** The answer to a failure; what is no Failure is logged whole and told to nobody. */
  refuse(thrown: unknown, visit: Visit): Response {
    const error = this.parts.store.explain(thrown);
    const about = { request_id: visit.requestId, route: visit.route };
    if (error instanceof StorageError)
      this.parts.log.error(
        { ...about, reason: error.message, hint: error.hint },
        "request refused: no storage",
      );
    else if (!(error instanceof Failure)) this.parts.log.error({ err: error, ...about }, "request failed");
    const { status, body, headers } = errorReply(error, visit.requestId);
    return new Response(body, {
      status,
      headers: {
        "content-type": "application/json",
        "x-request-id": visit.requestId,
        ...visit.headers,
        ...headers,
      },
    });
  }

  #administratorOf(request: Request): Promise<Administrator> {
    const { authenticator, consoleSessions } = this.parts;
    return isConsoleRequest(request)
      ? consoleSessions.authenticate(request)
      : authenticator.authenticateAdministrator(request.headers);
  }

  async #admit(request: Request, visit: Visit): Promise<void> {
    const { authenticator, partnerWindow, budgets, perPartnerPerMinute } = this.parts;
    const partner = await authenticator.authenticate(request.headers);
    visit.partner = partner;
    const waitMs = await partnerWindow.admit(partner.id, visit.ticksMs);
    if (waitMs !== undefined) {
      budgetHeaders(visit, partner, await budgets.remaining(partner));
      throw rateLimitExceeded(perPartnerPerMinute, waitMs);
    }
    const { allowed, remaining } = await budgets.take(partner);
    budgetHeaders(visit, partner, remaining);
    if (!allowed) throw dailyLimitExceeded(partner.dailyBudget, nextMidnight(visit.now) - visit.now);
  }

  async #handle(
    operation: Operation,
    request: Request,
    params: Readonly<Record<string, string>>,
    visit: Visit,
    held: Held,
  ): Promise<Reply> {
    const isJson = operation.body === "json" || (operation.body === "optional" && hasBody(request));
    const bytes = isJson ? await this.#readJson(request) : undefined;
    if (bytes) held.reserve(bytes.length);
    const call: Call = {
      request,
      requestId: visit.requestId,
      now: visit.now,
      params,
      query: parseQuery(searchOf(request.url), operation.query),
      body: bytes ? parseJsonObject(bytes) : {},
      address: visit.address,
    };
    if (operation.access === "public") return operation.handle(call);
    if (operation.access === "admin") return operation.handle(this.#adminCall(call, visit.administrator!));
    const partner = visit.partner!;
    const key = operation.idempotent ? idempotencyKey(request.headers) : undefined;
    if (key === undefined) return this.#handlePlain(operation, call, partner, held.hold);
    const path = `${operation.method} ${operation.path.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? "")}`;
    const bodyHash = new Bun.CryptoHasher("sha256").update(bytes!).digest("hex");
    return this.#handleOnce(operation, call, { partner, operation: path, key, bodyHash });
  }

  #adminCall(call: Call, administrator: Administrator): AdminCall {
    const { store, administration } = this.parts;
    return { ...call, administrator, store, administration: { ...administration, actor: administrator.id } };
  }

  #handlePlain(
    operation: PartnerOperation,
    call: Call,
    partner: Partner,
    hold: PartnerCall["hold"],
  ): Promise<Reply> | Reply {
    const { store, knowledge } = this.parts;
    const write: Write = (run, options) => store.write(ofCall(call, run), options);
    return operation.handle({
      ...call,
      partner,
      store,
      hold,
      writePortfolio: (run) => writePortfolio(write, knowledge, partner, run),
    });
  }

  async #handleOnce(operation: PartnerOperation, call: Call, identity: RequestIdentity): Promise<Reply> {
    const { store, knowledge } = this.parts;
    const { partner } = identity;
    const write: Write = (run, options) =>
      store.write(
        ofCall(call, (tx) => this.#idempotency.once(tx, identity, () => run(tx))),
        options,
      );
    return await this.#idempotency.run(identity, async () => {
      const known = await this.#idempotency.replay(identity, call.now);
      if (known) return known;
      return await operation.handle({
        ...call,
        partner,
        store,
        hold: () => {},
        writePortfolio: (run) => writePortfolio(write, knowledge, partner, run),
      });
    });
  }

  async #readJson(request: Request): Promise<Uint8Array> {
    const { bodyBytes } = this.parts;
    checkDeclaredSize(request, bodyBytes);
    requireJson(request);
    return await readBytes(request, bodyBytes);
  }
}

type Write = <Body>(run: (tx: Tx) => Promise<Reply<Body>>, options: WriteOptions) => Promise<Reply<Body>>;

/** What an answer says of the memory that it holds. */
type Held = Pick<Holding, "hold"> & Pick<WriteHolding, "reserve">;
const NOTHING_HELD: Held = { hold: () => {}, reserve: () => {} };

/** The write with the call's request id, which what it sends to receivers carries on. */
function ofCall<T>({ requestId }: Call, run: (tx: Tx) => Promise<T>): (tx: Tx) => Promise<T> {
  return (tx) => run({ ...tx, requestId });
}

/** Whether anything was sent, as far as the headers tell; a client may declare an empty body. */
function hasBody({ headers }: Request): boolean {
  const length = headers.get("content-length");
  return length === null ? headers.has("transfer-encoding") : length !== "0";
}

/** Path and query of a URL. */
const targetOf = (url: string) => url.slice(url.indexOf("/", url.indexOf("//") + 2));

/** The query string of a URL with its question mark, or "". */
function searchOf(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at);
}
