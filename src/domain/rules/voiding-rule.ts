import type { Instant } from "../time.ts";

/** The voiding of a record, which is kept, and no longer counts. */
type Voided = { voidedAt: Instant | null; voidReason: string | null };

/** Returns the voiding that a request leads to: a new one, or a reason for one without; undefined if nothing changes. */
export function voidingByRule(before: Voided, reason: string | null, now: Instant): Voided | undefined {
  if (before.voidedAt === null) return { voidedAt: now, voidReason: reason };
  if (before.voidReason !== null || reason === null) return undefined;
  return { voidedAt: before.voidedAt, voidReason: reason };
}
