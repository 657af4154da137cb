import type { Administrator, Partner } from "../domain/partner.ts";
import type { Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import type { Administration } from "../usecases/partners.ts";
import type { PortfolioWriter } from "../usecases/portfolio-writer.ts";

/** What a handler answers: JSON by default, or bytes of its own. */
export type Reply = {
  status?: number;
  /** Written as JSON. */
  body?: unknown;
  /** Sent as it is, with a content type among the headers. */
  raw?: string | Uint8Array<ArrayBuffer> | Blob | null;
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
  /** A write of the partner's portfolio; for an operation that takes Idempotency-Key the reply is stored with it. */
  writePortfolio(run: (writer: PortfolioWriter) => Promise<Reply>): Promise<Reply>;
};

export type AdminCall = Call & {
  administrator: Administrator;
  store: Store;
  /** What changes are made with, in the administrator's name. */
  administration: Administration;
};

type Common = {
  /** The document's operationId. */
  id: string;
  method: "GET" | "POST" | "PUT";
  /** With `{name}` for parts that vary, such as `/v1/properties/{id}`. */
  path: string;
  summary: string;
  /** Query parameters that it reads. */
  query?: readonly string[];
  /** `json`: an object is read and handed over; `optional`: there may be none; `raw`: the handler reads the request. */
  body?: "json" | "optional" | "raw";
};

export type PartnerOperation = Common & {
  access: "partner";
  idempotent?: boolean;
  /** A read whose answer depends on nothing but the database, the caller and the address: not on the time. */
  steady?: boolean;
  handle(call: PartnerCall): Promise<Reply> | Reply;
};

export type PublicOperation = Common & {
  access: "public";
  handle(call: Call): Promise<Reply> | Reply;
};

/** For the holder of an administrator's key. */
export type AdminOperation = Common & {
  access: "admin";
  handle(call: AdminCall): Promise<Reply> | Reply;
};

/** One method on one path. */
export type Operation = PartnerOperation | PublicOperation | AdminOperation;

export const partnerOperation = (operation: Omit<PartnerOperation, "access">): PartnerOperation => ({
  ...operation,
  access: "partner",
});

export const publicOperation = (operation: Omit<PublicOperation, "access">): PublicOperation => ({
  ...operation,
  access: "public",
});

export const adminOperation = (operation: Omit<AdminOperation, "access">): AdminOperation => ({
  ...operation,
  access: "admin",
});

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const created = (body: unknown): Reply => ({ status: 201, body });
export const accepted = (body: unknown): Reply => ({ status: 202, body });
