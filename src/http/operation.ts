import type { Administrator, Partner } from "../domain/partner.ts";
import type { Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import type { Administration } from "../usecases/partners/partners.ts";
import type { PortfolioWriter } from "../usecases/portfolio/portfolio-writer.ts";
import type { Parameter } from "../wire/parameters.ts";
import type { WireType } from "../wire/schema/wire-type.ts";
import type { Tag } from "./openapi/tags.ts";

/** How a server calls itself to whoever waits for what it does. */
export const thisServer = (address: string): string => `the server at ${address}`;

/** What a handler answers: JSON by default, or bytes of its own. */
export type Reply<Body = unknown> = {
  status?: number;
  /** Written as JSON. */
  body?: Body;
  /** Sent as it is, with a content type among the headers. */
  raw?: string | Uint8Array<ArrayBuffer> | Blob | ReadableStream | null;
  /** Instead: a long text in pieces, sent no faster than it is read. */
  pieces?: readonly string[];
  headers?: Record<string, string>;
};

/** A request that passed everything that is asked before a handler runs. */
export type Call = {
  request: Request;
  requestId: string;
  now: Instant;
  /** Decoded parts of the path by name. */
  params: Readonly<Record<string, string>>;
  /** The query parameters that the operation names. */
  query: ReadonlyMap<string, string>;
  /** The JSON object sent; empty for an operation that takes none. */
  body: Record<string, unknown>;
  /** The client's address. */
  address: string;
};

export type PartnerCall = Call & {
  partner: Partner;
  store: Store;
  /**
   * Says, while an answer that may be large is made, that it holds so many bytes more until it is sent. Throws
   * unavailable where that is more than the partner may hold.
   */
  hold(bytes: number): void;
  /** A write of the partner's portfolio; for an operation that takes Idempotency-Key the reply is stored with it. */
  writePortfolio<Body>(run: (writer: PortfolioWriter) => Promise<Reply<Body>>): Promise<Reply<Body>>;
};

export type AdminCall = Call & {
  administrator: Administrator;
  store: Store;
  /** What changes are made with, in the administrator's name. */
  administration: Administration;
};

/** An answer that is no failure, as the document has it. */
export type Documented<Body> = {
  words: string;
  /** Null for an answer without a body, or with bytes of `mediaType`. */
  form: WireType<Body> | null;
  mediaType?: string;
  /** Another media type, of text, that the caller may ask for instead. */
  orText?: string;
  textExample?: string;
  /** Instead of the one that is made from the fields. */
  example?: unknown;
  headers?: Readonly<Record<string, unknown>>;
};
type Replies = Readonly<Record<number, Documented<unknown>>>;
type BodyOf<R extends Replies> = {
  [S in keyof R]: R[S] extends { form: WireType<infer Body> } ? Body : never;
}[keyof R];

export type DocumentedRequest = {
  /** What the handler reads. */
  form: WireType<unknown>;
  /** A body that works. */
  example: unknown;
  /** JSON when not given. */
  mediaTypes?: readonly string[];
};

type Common = {
  /** The document's operationId. */
  id: string;
  method: "GET" | "POST" | "PUT";
  /** With `{name}` for parts that vary, such as `/v1/properties/{id}`. */
  path: string;
  summary: string;
  /** More than the summary says. Markdown. */
  description?: string;
  /** The family of operations that it belongs to. Without one it is left out of the document: no client calls it. */
  tag?: Tag;
  /** The parts of the path that vary, and the query parameters that it reads. */
  parameters?: readonly Parameter[];
  /** `json`: an object is read and handed over; `optional`: there may be none; `raw`: the handler reads the request. */
  body?: "json" | "optional" | "raw";
  request?: DocumentedRequest;
  /** The answers that are no failures, by status. */
  replies?: Replies;
  /** Statuses of failure beyond those that follow from the rest. */
  errors?: readonly number[];
};
/** The names of the query parameters. */
type Known = { query: readonly string[] };

export type PartnerOperation = Common &
  Known & {
    access: "partner";
    idempotent?: boolean;
    /** A read whose answer depends on nothing but the database, the caller and the address: not on the time. */
    steady?: boolean;
    handle(call: PartnerCall): Promise<Reply> | Reply;
  };

export type PublicOperation = Common &
  Known & {
    access: "public";
    handle(call: Call): Promise<Reply> | Reply;
  };

/** For the holder of an administrator's key. */
export type AdminOperation = Common &
  Known & {
    access: "admin";
    handle(call: AdminCall): Promise<Reply> | Reply;
  };

/** One method on one path. */
export type Operation = PartnerOperation | PublicOperation | AdminOperation;

const V1 = "/v1";
/** Where the console stands. What it asks for stands below it, so that its cookie is sent nowhere else. */
export const CONSOLE = "/console";

/**
 * The paths that the operation answers under. What partners' programs call at the root answers below `/v1` too: a
 * client that was generated from the document knows one base address. The administrators' answers below the console
 * too, where its cookie opens it.
 */
export function pathsOf({ path, access, tag }: Pick<Operation, "path" | "access" | "tag">): string[] {
  if (access === "admin" && path.startsWith("/admin/")) return [path, CONSOLE + path];
  const isAtRootAlone = access === "admin" || tag === undefined || path.startsWith(`${V1}/`);
  return isAtRootAlone ? [path] : [path, V1 + path];
}

/** The path as the document has it, relative to `/v1`. */
export const documentedPath = (operation: Operation) => pathsOf(operation).at(-1)!.slice(V1.length);

/** An operation whose handler answers with bodies that its replies document, and with no others. */
type Typed<O extends Operation, R extends Replies> = Omit<O, "access" | "query" | "replies" | "handle"> & {
  replies?: R;
  handle(call: Parameters<O["handle"]>[0]): Promise<Reply<BodyOf<R>>> | Reply<BodyOf<R>>;
};

const queryOf = ({ parameters = [] }: Pick<Common, "parameters">) => ({
  query: parameters.filter((one) => one.in === "query").map(({ name }) => name),
});

export const partnerOperation = <const R extends Replies>(
  operation: Typed<PartnerOperation, R>,
): PartnerOperation => ({ ...operation, ...queryOf(operation), access: "partner" });

export const publicOperation = <const R extends Replies>(
  operation: Typed<PublicOperation, R>,
): PublicOperation => ({ ...operation, ...queryOf(operation), access: "public" });

export const adminOperation = <const R extends Replies>(
  operation: Typed<AdminOperation, R>,
): AdminOperation => ({ ...operation, ...queryOf(operation), access: "admin" });

/** A 200 of a read with its ETag, and the 304 that spares sending it again. */
export const read = <Body>(words: string, form: WireType<Body>) => ({
  200: { words, form, headers: ETAG },
  304: { words: "The cached response is still current", form: null, headers: ETAG },
});
const ETAG = { ETag: { $ref: "#/components/headers/ETag" } };

export const answers = <Body>(words: string, form: WireType<Body>) => ({ 200: { words, form } });
export const creates = <Body>(words: string, form: WireType<Body>) => ({ 201: { words, form } });
export const accepts = <Body>(words: string, form: WireType<Body>) => ({ 202: { words, form } });

export const ok = <Body>(body: Body): Reply<Body> => ({ status: 200, body });
export const created = <Body>(body: Body): Reply<Body> => ({ status: 201, body });
export const accepted = <Body>(body: Body): Reply<Body> => ({ status: 202, body });
