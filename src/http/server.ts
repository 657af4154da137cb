import { Elysia } from "elysia";
import type { RateWindow } from "../cluster/address-rate-window.ts";
import { Failure } from "../domain/errors.ts";
import type { Instant } from "../domain/time.ts";
import type { Logger } from "../log.ts";
import { HttpFailure, tooManyRequests } from "./errors.ts";
import { addressKey } from "./limits.ts";
import { type Operation, pathsOf } from "./operation.ts";
import type { RefusalPages } from "./page-refusals.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Visit } from "./responses.ts";

export type HttpParts = {
  operations: readonly Operation[];
  /** Such as `/api`; the same routes answer with and without it. */
  basePath: string;
  pipeline: Pipeline;
  addressWindow: RateWindow;
  /** Counts what asks for the server's health, which is asked of each of several alone. */
  healthWindow?: RateWindow;
  /** The client's address, from the socket's and X-Forwarded-For as the trusted proxies allow. */
  clientAddress: (socketAddress: string, forwardedFor: string | null) => string;
  clock: () => Instant;
  /** Milliseconds of a clock that nobody sets. */
  ticks: () => number;
  newRequestId: () => string;
  log: Logger;
  /** Where people ask for pages, what they are shown for a refusal. */
  refusalPages?: RefusalPages;
  /** Told of every answer, for the metrics. */
  onAnswer?: (route: string, method: string, status: number, durationMs: number) => void;
};

/** A request id of the caller's that is taken over. */
const REQUEST_ID = /^[\x20-\x7e]{1,128}$/;

/** A request to its answer: the function that a server, or a test, calls. */
export type Fetch = (request: Request, socketAddress: string) => Promise<Response>;

/**
 * Routes the operations. Every answer, whatever went wrong, has a request id and, for an error, the common body.
 *
 * Elysia is the router and no more: it finds a path's operation and its parts. It would read, check and refuse a body
 * before anyone asked who sends it, takes the last of a query key that is repeated, and calls a wrong method no such
 * path; so the pipeline does the first two, and a table of methods beside the routes knows a 405 and its Allow.
 */
export function createHttp(parts: HttpParts): Fetch {
  const { pipeline, addressWindow, healthWindow = addressWindow, clock, log } = parts;
  const isHealth = (path: string) => path === "/health" || path === `${parts.basePath}/health`;
  // What stands outside of the router hands each request's visit through it.
  const visits = new WeakMap<Request, Visit>();
  // Or Elysia takes the host of http://db/v1/ping, shorter than a public one can be, for a part of the path.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } });
  const table = new MethodTable();
  for (const operation of parts.operations)
    for (const address of addressesOf(operation, parts.basePath)) {
      const path = address.replace(/\{(\w+)\}/g, ":$1");
      const methods = operation.method === "GET" ? ["GET", "HEAD"] : [operation.method];
      for (const method of methods)
        app.route(method, path, ({ request, params }: { request: Request; params: Record<string, string> }) =>
          pipeline.run(operation, request, params, visits.get(request)!),
        );
      table.add(path, methods);
    }
  app.onError(({ error, code, request }) => {
    const visit = visits.get(request)!;
    return pipeline.refuse(code === "NOT_FOUND" ? table.refusal(request) : error, visit);
  });

  return async (request, socketAddress) => {
    const requestId = request.headers.get("x-request-id");
    const visit: Visit = {
      requestId: requestId !== null && REQUEST_ID.test(requestId) ? requestId : parts.newRequestId(),
      address: parts.clientAddress(socketAddress, request.headers.get("x-forwarded-for")),
      now: clock(),
      ticksMs: parts.ticks(),
      headers: {},
    };
    visits.set(request, visit);
    const given = await answer(request, visit);
    const response = (given.status >= 400 && (await parts.refusalPages?.(request, given))) || given;
    const durationMs = parts.ticks() - visit.ticksMs;
    const route = visit.route ?? "unmatched";
    log.info(
      {
        request_id: visit.requestId,
        partner: visit.partner?.id,
        administrator: visit.administrator?.id,
        method: request.method,
        route,
        status: response.status,
        duration_ms: Math.round(durationMs * 100) / 100,
      },
      "request",
    );
    parts.onAnswer?.(route, request.method, response.status, durationMs);
    return response;
  };

  async function answer(request: Request, visit: Visit): Promise<Response> {
    try {
      const window = isHealth(pathOf(request.url)) ? healthWindow : addressWindow;
      const waitMs = await window.admit(addressKey(visit.address), visit.ticksMs);
      if (waitMs !== undefined) throw tooManyRequests(waitMs);
      if (pathOf(request.url).includes("//")) throw new Failure("not_found", "Not found");
      if (request.method === "OPTIONS") return table.options(request, visit);
      return await app.fetch(request);
    } catch (error) {
      return pipeline.refuse(error, visit);
    }
  }
}

const addressesOf = (operation: Operation, basePath: string): string[] =>
  [...new Set(["", basePath])].flatMap((base) => pathsOf(operation).map((path) => base + path));

/** Which methods each path has, for OPTIONS and for a 405: Elysia only knows that a pair is none of its own. */
class MethodTable {
  /** By the source of the pattern, which paths that differ in the names of their parts alone have in common. */
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

  options(request: Request, visit: Visit): Response {
    const methods = this.#methods(request);
    if (!methods) throw new Failure("not_found", "Not found");
    return new Response(null, {
      status: 204,
      headers: { allow: methods.join(", "), "x-request-id": visit.requestId },
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
