import type { Instant } from "../domain/time.ts";

/** A change made by an operator or an administrator, or a partner's correction of a record. */
export type AuditEntry = {
  seq: number;
  at: Instant;
  /** `cli:<user>(<user id>)`, or an administrator's or partner's id. */
  actor: string;
  action: string;
  /** The id of what was changed, usually a partner's. */
  subject: string;
  /** Never holds a secret. */
  detail: Record<string, unknown>;
};
