import { and, asc, eq, sql } from "drizzle-orm";
import type { DeliveryStatus } from "../../domain/partner.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

type NewDelivery = {
  id: string;
  partnerId: string;
  event: string;
  orderKey: string | null;
  /** The id of the request whose change it announces; null without one. */
  requestId: string | null;
  /** The exact text that each attempt sends. */
  body: string;
  createdAt: Instant;
};

/** A delivery that is due. `attempts` counts those of its cycle. */
type DueDelivery = Omit<NewDelivery, "createdAt"> & { attempts: number };

/** A finished attempt, and the resulting state of its delivery. */
type MadeAttempt = {
  deliveryId: string;
  startedAt: Instant;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  address: string | null;
  responseHead: string;
  status: DeliveryStatus;
  /** The attempts of the cycle that are used up. */
  cycleAttempts: number;
  nextAttemptAt: Instant | null;
};

/** The webhook outbox: pending deliveries and their results. `delivery-log-queries.ts` has the queries of the past. */
export function deliveryStore(engine: Engine) {
  const { db, isAmong } = engine;
  const { partners, webhookAttempts, webhookDeliveries } = engine.tables;
  const d = webhookDeliveries;
  // A literal, not a bound value, so that SQLite uses the partial indexes.
  const pending = sql`${d.status} = 'pending'`;
  /** Due now, or planned so far ahead that the clock must have been set back. */
  const isDue = sql`(${d.nextAttemptAt} <= ${placeholder("now")} or ${d.nextAttemptAt} > ${placeholder("horizon")})`;

  const insert = engine.insertRow(d, [
    "id",
    "partnerId",
    "event",
    "orderKey",
    "requestId",
    "body",
    "status",
    "nextAttemptAt",
    "createdAt",
  ]);
  const duePartners = engine.read<{ id: string }>(() =>
    db
      .select(aliasedSqlColumns({ id: partners.id }))
      .from(partners)
      .where(
        sql`${engine.isTrue(partners.enabled)} and exists (
          select 1 from ${d} where ${d.partnerId} = ${partners.id} and ${pending} and ${isDue})`,
      ),
  );
  const due = engine.read<DueDelivery>(() =>
    db
      .select(
        aliasedSqlColumns({
          id: d.id,
          partnerId: d.partnerId,
          event: d.event,
          orderKey: d.orderKey,
          requestId: d.requestId,
          body: d.body,
          attempts: d.cycleAttempts,
        }),
      )
      .from(d)
      .where(
        and(
          eq(d.partnerId, placeholder("partnerId")),
          pending,
          isDue,
          sql`not ${isAmong(d.id, "excluding")}`,
          sql`not exists (
            select 1 from ${d} older
            where older.order_key = ${d.orderKey} and older.id < ${d.id} and older.status = 'pending'
              and older.next_attempt_at > ${placeholder("now")} and older.next_attempt_at <= ${placeholder("horizon")})`,
        ),
      )
      .orderBy(asc(d.id))
      .limit(placeholder("limit")),
  );
  // The columns are literal: Drizzle omits the table name in a query of one table, so that both sides of
  // `partner_id = id` would refer to the delivery.
  const nextDueAt = engine.read<{ at: Instant | null }>(() =>
    db
      .select({
        at: sql`min((
          select min(planned.next_attempt_at) from ${d} planned
          where planned.partner_id = partners.id and planned.status = 'pending'
            and planned.next_attempt_at > ${placeholder("now")}))`.as("at"),
      })
      .from(partners),
  );
  const withoutAttempt = engine.read<{ id: string }>(() =>
    db
      .select(aliasedSqlColumns({ id: d.id }))
      .from(d)
      .where(
        and(
          eq(d.id, placeholder("deliveryId")),
          sql`not exists (
            select 1 from ${webhookAttempts} made
            where made.delivery_id = ${d.id} and made.started_at = ${placeholder("startedAt")})`,
        ),
      ),
  );
  const insertAttempt = engine.write(() =>
    db.insert(webhookAttempts).values({
      deliveryId: placeholder("deliveryId"),
      attempt: sql`(select ${d.attempts} + 1 from ${d} where ${d.id} = ${placeholder("deliveryId")})`,
      startedAt: placeholder("startedAt"),
      durationMs: placeholder("durationMs"),
      statusCode: placeholder("statusCode"),
      error: placeholder("error"),
      address: placeholder("address"),
      responseHead: placeholder("responseHead"),
    }),
  );
  const settle = engine.write(() =>
    db
      .update(d)
      .set({
        attempts: sql`${d.attempts} + 1`,
        cycleAttempts: sql`${placeholder("cycleAttempts")}`,
        status: sql`${placeholder("status")}`,
        nextAttemptAt: sql`${placeholder("nextAttemptAt")}`,
        finishedAt: sql`${placeholder("finishedAt")}`,
        lastError: sql`${placeholder("error")}`,
      })
      .where(eq(d.id, placeholder("deliveryId"))),
  );

  return {
    async insert(delivery: NewDelivery): Promise<void> {
      return insert({ ...delivery, status: "pending", nextAttemptAt: delivery.createdAt });
    },
    /**
     * Returns enabled partners with a due delivery. `horizon` is the latest instant for which an attempt may be
     * planned.
     */
    async duePartners(now: Instant, horizon: Instant): Promise<string[]> {
      return (await duePartners({ now, horizon })).map((row) => row.id);
    },
    /**
     * Returns a partner's oldest due deliveries, except those excluded and those behind an older one with the same key.
     */
    async due(
      partnerId: string,
      now: Instant,
      horizon: Instant,
      limit: number,
      excluding: ReadonlySet<string>,
    ): Promise<DueDelivery[]> {
      const ids = engine.list([...excluding]);
      return due({ partnerId, now, horizon, limit, excluding: ids });
    },
    async nextDueAt(now: Instant): Promise<Instant | null> {
      return (await nextDueAt({ now }))[0]?.at ?? null;
    },
    /**
     * Logs an attempt and updates its delivery, unless the delivery was purged meanwhile. Does nothing for an attempt that
     * is logged already, as after a commit whose result could not be determined.
     */
    async recordAttempt(made: MadeAttempt): Promise<void> {
      const { deliveryId, startedAt } = made;
      if ((await withoutAttempt({ deliveryId, startedAt })).length === 0) return;
      await insertAttempt({ ...made });
      const finishedAt = made.status === "pending" ? null : made.startedAt + made.durationMs;
      return settle({ ...made, finishedAt });
    },
  };
}
