import type { Instant } from "./time.ts";

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
  /** The partner that the entry names; null for one about the installation. */
  partnerId: string | null;
};

/** An entry as people read it. */
export type NamedAuditEntry = AuditEntry & {
  /** The names of the actor and of the partner; their IDs where they have none. */
  actorName: string;
  partnerName: string | null;
  /** The predicate of a sentence whose subject is the actor. */
  sentence: string;
};

/** The entries of a list: all that have the given values, from `since` until before `until`. */
export type AuditFilter = {
  subject?: string | undefined;
  actor?: string | undefined;
  action?: string | undefined;
  partnerId?: string | undefined;
  since?: Instant | undefined;
  until?: Instant | undefined;
};
