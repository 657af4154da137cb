import type { Instant } from "../domain/time.ts";

/** A step of a connection test to a property-management system. */
export type ConnectionCheck = {
  name: "configured" | "dns" | "tcp" | "tls" | "http" | "credentials";
  ok: boolean;
  /** The finding, in words. Never contains a credential. */
  detail: string;
  durationMs: number;
};

export type ConnectionReport = { ok: boolean; checkedAt: Instant; checks: ConnectionCheck[] };
