import type { Parameter } from "../api-schemas/api-parameter-schemas.ts";
import type { SchemaType } from "../api-schemas/definition/api-schema-type.ts";
import type { Administrator, Partner } from "../domain/partner.ts";
import type { Instant } from "../domain/time.ts";
import type { Yield } from "../event-loop/event-loop.ts";
import type { RevisedPartner } from "../store/queries/partners-queries.ts";
import type { Store, Tx } from "../store/store.ts";
import type { AdminUseCaseDeps } from "../usecases/partners/create-partner-and-credentials.ts";
import type { PortfolioWriter } from "../usecases/portfolio/portfolio-writer.ts";
import type { SumsOf } from "../usecases/revision-caches/revision-caches.ts";
import type { HttpQuery, UnknownParameters } from "./http-query-parameters.ts";
import type { Tag } from "./openapi/openapi-tags.ts";

/** Returns the name of this server in messages about the work that it does. */
export const httpServerDisplayName = (address: string): string => `the server at ${address}`;

/** The result of a handler: JSON by default. */
export type Reply<Body = unknown> = {
  status?: number;
  /** Serialized as JSON. */
  body?: Body;
  /** Sent unchanged; requires a content type among the headers. */
  raw?: string | Uint8Array<ArrayBuffer> | Blob | ReadableStream | null;
  /** Replaces `raw`: a long text, sent as fast as the client reads it. */
  chunks?: readonly string[];
  headers?: Record<string, string>;
};

/** Returns the length of a text or of bytes; 0 for other replies. */
export function replyLength({ raw, chunks }: Reply): number {
  if (chunks) return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return typeof raw === "string" || raw instanceof Uint8Array ? raw.length : 0;
}

/** A request that has passed all checks of the pipeline. */
export type Call = {
  request: Request;
  requestId: string;
  now: Instant;
  /** The decoded path parameters by name. */
  params: Readonly<Record<string, string>>;
  /** The query parameters that the operation declares. */
  query: HttpQuery;
  /** The JSON object in the body; empty for an operation without one. */
  body: Record<string, unknown>;
  /** The client's IP address. */
  address: string;
  /** Aborted once the caller has closed the connection, or the response was not ready in time. */
  signal: AbortSignal;
  /** Logs a warning, with the fields, about this request. */
  warn: (fields: Readonly<Record<string, unknown>>, message: string) => void;
  /** Yields to other requests during long reads. Rejects once `signal` is aborted, which ends the work. */
  yieldNow: Yield;
  /** Reads the body of an operation whose `body` is `raw`. Throws payload_too_large above `limit` bytes. */
  readBody(limit: number): Promise<Uint8Array<ArrayBuffer>>;
};

export type PublicCall = Call & {
  /**
   * Returns a function that reserves memory for a large response, in a limit of its own for each owner, such as an
   * embed. It throws unavailable if the limit is exceeded.
   */
  reserveMemoryFor(owner: string): (bytes: number) => void;
};

export type PartnerCall = Call & {
  /** As it was when the call was authenticated. */
  partner: RevisedPartner;
  store: Store;
  /** Reserves memory for a large response while it is made. Throws unavailable if the partner's limit is exceeded. */
  reserveMemory(bytes: number): void;
  sumsOf: SumsOf;
  /** Writes to the partner's portfolio. For an operation that accepts Idempotency-Key, stores the reply in the same transaction. */
  writePortfolio<Body>(run: (writer: PortfolioWriter) => Promise<Reply<Body>>): Promise<Reply<Body>>;
  /**
   * Runs an operation that accepts Idempotency-Key and reads its own body, unless the reply to a request with the same key
   * and content is stored. `run` calls the function that it gets within its transaction, which stores the reply.
   */
  runOnce<Body>(content: string, run: (once: WriteOnce<Body>) => Promise<Reply<Body>>): Promise<Reply<Body>>;
};

type WriteOnce<Body> = (tx: Tx, write: () => Promise<Reply<Body>>) => Promise<Reply<Body>>;

export type AdminCall = Call & {
  administrator: Administrator;
  store: Store;
  /** Reserves memory for a large response while it is made. Throws unavailable if the administrator's limit is exceeded. */
  reserveMemory(bytes: number): void;
  /** Writes to the portfolio of a partner on behalf of the administrator, whom the audit log names. */
  writePortfolio<Body>(
    partner: Partner,
    run: (writer: PortfolioWriter) => Promise<Reply<Body>>,
  ): Promise<Reply<Body>>;
  /** Makes changes on behalf of the administrator. */
  administration: AdminUseCaseDeps;
};

/** A successful reply in the API document. */
export type DocumentedReply<Body> = {
  description: string;
  /** Null for a reply without a body, or with bytes of `mediaType`. */
  type: SchemaType<Body> | null;
  mediaType?: string;
  /** Media types that the caller may request instead. */
  alternativeType?: string | readonly string[];
  alternativeExample?: string;
  /** Replaces the example that is derived from the type. */
  example?: unknown;
  headers?: Readonly<Record<string, unknown>>;
};
type Replies = Readonly<Record<number, DocumentedReply<unknown>>>;
type BodyOf<R extends Replies> = {
  [S in keyof R]: R[S] extends { type: SchemaType<infer Body> } ? Body : never;
}[keyof R];

type DocumentedRequest = {
  type: SchemaType<unknown>;
  /** A valid body. */
  example: unknown;
  /** Defaults to JSON. */
  mediaTypes?: readonly string[];
};

type Common = {
  /** The operationId in the API document. */
  id: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** A path template, such as `/v1/properties/{id}`. */
  path: string;
  summary: string;
  /** Markdown. Defaults to the summary. */
  description?: string;
  /** The group of the operation. Operations without one are not in the API document. */
  tag?: Tag;

  parameters?: readonly Parameter[];
  /** `json`: the pipeline parses an object; `optional`: the same unless the body is empty; `raw`: the handler reads it. */
  body?: "json" | "optional" | "raw";
  request?: DocumentedRequest;
  /** The successful replies by status. */
  replies?: Replies;
  /** Error statuses other than those that follow from the other properties. */
  errors?: readonly number[];
};
/** Derived from `parameters`. */
type QueryNames = { query: readonly string[]; unknownParameters: UnknownParameters };

export type PartnerOperation = Common &
  QueryNames & {
    access: "partner";
    idempotent?: boolean;
    /** The response depends only on the database, the partner and the URL, not on the time. */
    cacheable?: boolean;
    /** The work grows with a property or the portfolio. Few run at a time for a partner, and the others wait. */
    isLong?: boolean;
    handle(call: PartnerCall): Promise<Reply> | Reply;
  };

type PublicOperation = Common &
  QueryNames & {
    access: "public";
    handle(call: PublicCall): Promise<Reply> | Reply;
  };

/** An operation that requires an administrator's key. */
export type AdminOperation = Common &
  QueryNames & {
    access: "admin";
    handle(call: AdminCall): Promise<Reply> | Reply;
  };

/** A method on a path. */
export type Operation = PartnerOperation | PublicOperation | AdminOperation;

const V1 = "/v1";
/** The console's path. Its API is below it, so that browsers send the console's cookie nowhere else. */
export const CONSOLE = "/console";

/**
 * Returns all paths of the operation. Documented operations at the root are also available below `/v1`, since a generated
 * client knows one base URL. Administrative operations are also available below the console, for its cookie.
 */
export function httpOperationPaths({
  path,
  access,
  tag,
}: Pick<Operation, "path" | "access" | "tag">): string[] {
  if (access === "admin" && path.startsWith("/admin/")) return [path, CONSOLE + path];
  const isAtRootAlone = access === "admin" || tag === undefined || path.startsWith(`${V1}/`);
  return isAtRootAlone ? [path] : [path, V1 + path];
}

/** Returns the path in the API document, relative to `/v1`. */
export const httpOperationPath = (operation: Operation) =>
  httpOperationPaths(operation).at(-1)!.slice(V1.length);

/** An operation whose handler may only return bodies of its documented replies. */
type TypedOperation<O extends Operation, R extends Replies> = Omit<
  O,
  "access" | "query" | "unknownParameters" | "replies" | "handle"
> & {
  replies?: R;
  handle(call: Parameters<O["handle"]>[0]): Promise<Reply<BodyOf<R>>> | Reply<BodyOf<R>>;
};

/** The parameters that only lists and losses have: a page or a limit, and the filter for demonstration properties. */
const OF_LISTS: readonly string[] = ["limit", "sandbox"];

/** The lists without pages. A filter that was ignored would return everything. */
const UNPAGED_LISTS: readonly string[] = ["/v1/cost-book", "/v1/components/{id}/history", "/v1/search"];

/** The paths of figures: a term or format that was ignored would give a wrong one. */
const OF_FIGURES = ["/v1/property/", "/v1/portfolio/"];

function queryOf({
  method,
  path,
  parameters = [],
}: Pick<Common, "method" | "path" | "parameters">): QueryNames {
  const query = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  const isList =
    query.some((name) => OF_LISTS.includes(name)) || (method === "GET" && UNPAGED_LISTS.includes(path));
  const isFigure = method === "GET" && OF_FIGURES.some((start) => path.startsWith(start));
  return { query, unknownParameters: isList || isFigure ? "rejected" : "ignored" };
}

/**
 * Declares an operation for partners' credentials. The type of `handle` follows from `replies`.
 * @example
 * partnerOperation({
 *   id: "getUnit",
 *   method: "GET",
 *   path: "/unit/{id}",
 *   summary: "A unit",
 *   replies: okReplies("The unit", unit),
 *   handle: async ({ params, store }) => ok(serializeUnit(await requireUnit(store, params.id))),
 * })
 */
export const partnerOperation = <const R extends Replies>(
  operation: TypedOperation<PartnerOperation, R>,
): PartnerOperation => ({ ...operation, ...queryOf(operation), access: "partner" });

export const publicOperation = <const R extends Replies>(
  operation: TypedOperation<PublicOperation, R>,
): PublicOperation => ({ ...operation, ...queryOf(operation), access: "public" });

export const adminOperation = <const R extends Replies>(
  operation: TypedOperation<AdminOperation, R>,
): AdminOperation => ({ ...operation, ...queryOf(operation), access: "admin" });

/** The replies of a read: a 200 with an ETag, and a 304. */
export const readOperationReplies = <Body>(description: string, type: SchemaType<Body>) => ({
  200: { description, type, headers: ETAG },
  304: { description: "The cached response is still current", type: null, headers: ETAG },
});
const ETAG = { ETag: { $ref: "#/components/headers/ETag" } };

export const okReplies = <Body>(description: string, type: SchemaType<Body>) => ({
  200: { description, type },
});
export const createdReplies = <Body>(description: string, type: SchemaType<Body>) => ({
  201: { description, type },
});
export const acceptedReplies = <Body>(description: string, type: SchemaType<Body>) => ({
  202: { description, type },
});

export const okReply = <Body>(body: Body): Reply<Body> => ({ status: 200, body });
export const createdReply = <Body>(body: Body): Reply<Body> => ({ status: 201, body });
export const acceptedReply = <Body>(body: Body): Reply<Body> => ({ status: 202, body });
