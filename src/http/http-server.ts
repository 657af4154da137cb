import { Elysia } from "elysia";
import type { RateWindow } from "../cluster/distributed-address-rate-window.ts";
import { Failure } from "../domain/errors.ts";
import type { Instant } from "../domain/time.ts";
import type { Logger } from "../logging/logger.ts";
import type { HostCheck } from "./host-header.ts";
import { CALLER_GONE, HttpFailure, httpTooManyRequests } from "./http-errors.ts";
import type { HtmlErrorReplies } from "./http-html-error-replies.ts";
import { httpOperationPaths, type Operation } from "./http-operation.ts";
import type { RequestContext } from "./http-responses.ts";
import type { StreamEnd } from "./json-reply-stream.ts";
import type { RequestPipeline } from "./request-pipeline.ts";
import { httpRateLimitKeyOfAddress } from "./request-sliding-window.ts";
import { type HoldOpen, ResponseDeadline } from "./response-deadline.ts";

type HttpDeps = {
  operations: readonly Operation[];
  /** An optional prefix of all paths, such as `/api`. */
  basePath: string;
  pipeline: RequestPipeline;
  addressWindow: RateWindow;
  /** Limits scrapes of the metrics; `addressWindow` by default. The health is outside all limits. */
  metricsWindow?: RateWindow;
  /** Returns the client's address from the socket's address and X-Forwarded-For. */
  clientAddress: (socketAddress: string, forwardedFor: string | null) => string;
  checkHost: HostCheck;
  /** Headers of every response, unless the operation sets others. */
  headers?: Readonly<Record<string, string>>;
  clock: () => Instant;
  /** Returns milliseconds of the monotonic clock. */
  monotonicMs: () => number;
  newRequestId: () => string;
  /** The time in which a response must be ready, in seconds. */
  responseTimeoutS: number;
  log: Logger;
  /** Returns whether the server stops. Every response then asks the client to close its connection. */
  isDraining?: () => boolean;
  /** Replaces JSON errors by HTML pages where people request pages. */
  htmlErrorPages?: HtmlErrorReplies;
  /** Called for every response. */
  onResponse?: (route: string, method: string, status: number, durationMs: number) => void;
};

/** The request IDs of callers that are accepted. */
const REQUEST_ID = /^[\x20-\x7e]{1,128}$/;

const UNLIMITED: RateWindow = { admit: () => undefined };

/** Handles a request. Never rejects. */
export type Fetch = (request: Request, socketAddress: string, holdOpen: HoldOpen) => Promise<Response>;

/**
 * Routes requests to the operations. Every response has a request ID, and every error the common body.
 *
 * Elysia only matches paths, for three reasons. It reads and validates a body before the caller is authenticated. It uses
 * the last value of a repeated query parameter instead of rejecting it. It answers a wrong method with 404. Therefore the
 * pipeline handles bodies and queries, and `MethodTable` handles 405 and OPTIONS.
 */
export function createHttpHandler(deps: HttpDeps): Fetch {
  const { pipeline, addressWindow, metricsWindow = addressWindow, clock, log } = deps;
  const ownWindows = new Map<string, RateWindow>();
  for (const operation of deps.operations) {
    const window = { getHealth: UNLIMITED, getMetrics: metricsWindow }[operation.id];
    if (window) for (const path of addressesOf(operation, deps.basePath)) ownWindows.set(path, window);
  }
  // Passes the context of a request through the router.
  const contexts = new WeakMap<Request, RequestContext>();
  // With `standardHostname`, Elysia assumes a host of a minimum length and misreads the path of http://db/v1/ping.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } });
  const table = new MethodTable();
  for (const operation of deps.operations)
    for (const address of addressesOf(operation, deps.basePath)) {
      const path = address.replace(/\{(\w+)\}/g, ":$1");
      const methods = operation.method === "GET" ? ["GET", "HEAD"] : [operation.method];
      for (const method of methods)
        app.route(
          method,
          path,
          ({ request, params }: { request: Request; params?: Record<string, string> }) =>
            // A path without parameters has none at all.
            pipeline.run(operation, request, params ?? {}, contexts.get(request)!),
        );
      table.add(path, methods);
    }
  app.onError(({ error, code, request }) => {
    const context = contexts.get(request)!;
    return pipeline.failureResponse(code === "NOT_FOUND" ? table.refusal(request) : error, context);
  });

  return async (request, socketAddress, holdOpen) => {
    const requestId = request.headers.get("x-request-id");
    const context: RequestContext = {
      requestId: requestId !== null && REQUEST_ID.test(requestId) ? requestId : deps.newRequestId(),
      address: deps.clientAddress(socketAddress, request.headers.get("x-forwarded-for")),
      now: clock(),
      monotonicMs: deps.monotonicMs(),
      headers: { ...deps.headers },
      caller: request.signal,
      deadline: new ResponseDeadline(request.signal, deps.responseTimeoutS, holdOpen),
    };
    contexts.set(request, context);
    const response = await respond(request, context);
    if (deps.isDraining?.()) response.headers.set("connection", "close");
    context.deadline.end();
    const durationMs = deps.monotonicMs() - context.monotonicMs;
    if (request.signal.aborted) {
      discard(response, context);
      record(request, context, durationMs, unsent(response));
      return new Response(null, { status: CALLER_GONE });
    }
    if (context.streamEnd && request.method !== "HEAD")
      void context.streamEnd.then((end) => record(request, context, durationMs, streamed(response, end)));
    else record(request, context, durationMs, { status: response.status });
    return response;
  };

  /** Logs and counts what the caller got. */
  function record({ method }: Request, context: RequestContext, durationMs: number, outcome: Outcome): void {
    const route = context.route ?? "unmatched";
    log.info(
      {
        request_id: context.requestId,
        partner: context.partner?.id,
        administrator: context.administrator?.id,
        method,
        route,
        ...outcome,
        duration_ms: Math.round(durationMs * 100) / 100,
      },
      "request",
    );
    deps.onResponse?.(route, method, outcome.status, durationMs);
  }

  async function respond(request: Request, context: RequestContext): Promise<Response> {
    // Checked first: no code behind this can parse the URL of a request with an invalid host, or of CONNECT.
    const refusal = deps.checkHost(request.headers.get("host")) ?? connectRefusal(request);
    const response = await route(request, context, refusal);
    if (response.status < 400 || refusal || context.caller.aborted) return response;
    try {
      return (await deps.htmlErrorPages?.(request, response)) ?? response;
    } catch (error) {
      return pipeline.failureResponse(error, context);
    }
  }

  async function route(
    request: Request,
    context: RequestContext,
    refusal: Failure | undefined,
  ): Promise<Response> {
    try {
      const window = ownWindows.get(pathOf(request.url)) ?? addressWindow;
      const waitMs = await window.admit(httpRateLimitKeyOfAddress(context.address), context.monotonicMs);
      if (waitMs !== undefined) throw httpTooManyRequests(waitMs);
      if (refusal) throw refusal;
      if (pathOf(request.url).includes("//")) throw new Failure("not_found", "Not found");
      if (request.method === "OPTIONS") return table.options(request, context);
      // A write is not abandoned, since its effects must be reported.
      if (request.method !== "GET" && request.method !== "HEAD") return await app.fetch(request);
      context.deadline.start();
      const work = Promise.resolve(app.fetch(request));
      return await context.deadline.race(work).catch((failure) => {
        work.then((response) => discard(response, context)).catch(() => {});
        throw failure;
      });
    } catch (error) {
      return pipeline.failureResponse(error, context);
    }
  }
}

/** Refuses to be a proxy. The URL of such a request is the host and port that it asks for, or any other text. */
const connectRefusal = ({ method }: Request): Failure | undefined =>
  method === "CONNECT"
    ? new HttpFailure("method_not_allowed", "Method CONNECT is not allowed", {
        allow: "GET, HEAD, POST, PUT, DELETE, OPTIONS",
      })
    : undefined;

/** The outcome for a caller, in the names of the log. */
type Outcome = {
  status: number;
  /** The status of a response that the caller did not get. */
  unsent_status?: number;
  /** False if the connection was closed while the response was sent. */
  complete?: false;
};

/** Returns the outcome of a response whose caller had closed the connection before any of it was sent. */
const unsent = ({ status }: Response): Outcome =>
  status === CALLER_GONE ? { status } : { status: CALLER_GONE, unsent_status: status };

function streamed(response: Response, end: StreamEnd): Outcome {
  if (end === "unsent") return unsent(response);
  return { status: response.status, ...(end === "incomplete" && { complete: false }) };
}

/** Releases the memory of a response that is not sent. */
function discard(response: Response, { streamEnd }: RequestContext): void {
  if (streamEnd) void response.body?.cancel();
}

const addressesOf = (operation: Operation, basePath: string): string[] =>
  [...new Set(["", basePath])].flatMap((base) => httpOperationPaths(operation).map((path) => base + path));

/** The methods of each path, for OPTIONS and 405 responses: Elysia does not report them. */
class MethodTable {
  /** By the source of the pattern, so that templates that differ only in parameter names share an entry. */
  #paths = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  add(path: string, methods: readonly string[]): void {
    const source = `^${path.replace(/[.]/g, "\\.").replace(/:\w+/g, "[^/]+")}$`;
    const entry = this.#paths.get(source) ?? { pattern: new RegExp(source), methods: new Set<string>() };
    for (const method of methods) entry.methods.add(method);
    this.#paths.set(source, entry);
  }

  refusal(request: Request): Failure {
    const methods = this.#methods(request);
    if (!methods) return new Failure("not_found", "Not found");
    return new HttpFailure("method_not_allowed", `Method ${request.method} is not allowed for this path`, {
      allow: methods.join(", "),
    });
  }

  options(request: Request, context: RequestContext): Response {
    const methods = this.#methods(request);
    if (!methods) throw new Failure("not_found", "Not found");
    return new Response(null, {
      status: 204,
      headers: { ...context.headers, allow: methods.join(", "), "x-request-id": context.requestId },
    });
  }

  #methods(request: Request): string[] | undefined {
    const path = pathOf(request.url);
    const entry = this.#paths.values().find(({ pattern }) => pattern.test(path));
    return entry && [...entry.methods, "OPTIONS"];
  }
}

function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  if (start < 0) return "/";
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}
