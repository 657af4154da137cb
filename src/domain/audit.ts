import type { Instant } from "./time.ts";

/** What an operator or administrator changed. */
export type AuditEntry = {
  seq: number;
  at: Instant;
  /** `cli:<user>(<user id>)` or an administrator's id. */
  actor: string;
  action: string;
  /** What was changed: a partner's id, mostly. */
  subject: string;
  /** Never holds a secret. */
  detail: Record<string, unknown>;
};
