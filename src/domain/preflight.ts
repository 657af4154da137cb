import type { Instant } from "./time.ts";

/** What was tried of a connection to a property-management system, whether it worked, and what was seen, in words. */
export type Check = {
  name: "configured" | "dns" | "tcp" | "tls" | "http" | "credentials";
  ok: boolean;
  /** Never a credential. */
  detail: string;
  durationMs: number;
};

export type Preflight = { ok: boolean; checkedAt: Instant; checks: Check[] };
