import { and, eq, lt, sql } from "drizzle-orm";
import { type Instant, MS_PER_DAY } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import type { Tables } from "../store-schema.ts";

const { placeholder } = sql;

type StoredReply = Tables["idempotencyKeys"]["$inferSelect"];

/** The retention of replies to requests with an idempotency key. */
export const REPLIES_KEPT_MS = MS_PER_DAY;

/** The stored replies to requests with an idempotency key. */
export function idempotencyStore(engine: Engine) {
  const { db } = engine;
  const { idempotencyKeys } = engine.tables;
  const find = engine.prepared(() =>
    db
      .select()
      .from(idempotencyKeys)
      .where(
        and(
          eq(idempotencyKeys.partnerId, placeholder("partnerId")),
          eq(idempotencyKeys.operation, placeholder("operation")),
          eq(idempotencyKeys.key, placeholder("key")),
        ),
      ),
  );
  return {
    async find(partnerId: string, operation: string, key: string): Promise<StoredReply | undefined> {
      return (await find().execute({ partnerId, operation, key }))[0];
    },
    /** Stores a reply; replaces an expired one with the same key. */
    async save(reply: StoredReply): Promise<void> {
      await db
        .insert(idempotencyKeys)
        .values(reply)
        .onConflictDoUpdate({
          target: [idempotencyKeys.partnerId, idempotencyKeys.operation, idempotencyKeys.key],
          set: reply,
        });
    },
    /** Deletes up to `limit` replies from before the instant; returns their number. */
    async prune(before: Instant, limit: number): Promise<number> {
      const { partnerId, operation, key, createdAt } = idempotencyKeys;
      const old = db
        .select({ partnerId, operation, key })
        .from(idempotencyKeys)
        .where(lt(createdAt, before))
        .limit(limit);
      // Another server may have replaced an old reply with a new one meanwhile.
      const deleted = await db
        .delete(idempotencyKeys)
        .where(and(sql`(${partnerId}, ${operation}, ${key}) in ${old}`, lt(createdAt, before)))
        .returning({ key });
      return deleted.length;
    },
  };
}
