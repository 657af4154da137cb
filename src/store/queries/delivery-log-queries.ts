import { and, asc, count, desc, eq, gt, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import {
  type Delivery,
  type FailedDeliveryWindow,
  type FailureGroup,
  type LoggedDelivery,
  MAX_GROUP_COUNT,
} from "../../domain/delivery.ts";
import { createdAtOfDeliveryId, deliveryIdLowerBound } from "../../domain/ids/record-ids.ts";
import type { DeliveryStatus } from "../../domain/partner.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import type { StoredRowRange } from "../stored-row-range.ts";

type DeliveryFilter = {
  partnerId?: string | undefined;
  status?: DeliveryStatus | undefined;
  event?: string | undefined;
  /** The earliest creation, inclusive. */
  since?: Instant | undefined;
  /** The latest creation, exclusive. */
  until?: Instant | undefined;
};

/** The filter of a partner's deliveries: those created from `from` until before `to`. */
type OwnDeliveryFilter = {
  partnerId: string;
  status?: DeliveryStatus | undefined;
  event?: string | undefined;
  from?: Instant | undefined;
  to?: Instant | undefined;
};

/** The highest count of deliveries; counting stops there. */
export const MOST_COUNTED = 100_000;
/** An instant after all deliveries, with the same number of digits. */
const LATEST = 9_999_999_999_999;

/** The log of deliveries and their attempts: reading it, sending deliveries again, and deleting old ones. */
export function deliveryLogStore(engine: Engine) {
  const { db } = engine;
  const { partners, webhookAttempts, webhookDeliveries } = engine.tables;
  const d = webhookDeliveries;
  // A literal, not a bound value, so that SQLite uses the partial indexes.
  const STATUS_IS: Record<DeliveryStatus, SQL> = {
    pending: sql`${d.status} = 'pending'`,
    delivered: sql`${d.status} = 'delivered'`,
    failed: sql`${d.status} = 'failed'`,
  };

  const matching = ({ partnerId, status, event, since, until }: DeliveryFilter) =>
    and(
      partnerId === undefined ? undefined : eq(d.partnerId, partnerId),
      status && STATUS_IS[status],
      event === undefined ? undefined : eq(d.event, event),
      since === undefined ? undefined : gte(d.id, deliveryIdLowerBound(Math.min(since, LATEST))),
      until === undefined ? undefined : lt(d.id, deliveryIdLowerBound(Math.min(until, LATEST))),
    );
  /**
   * The order of the page. It is an expression if few rows may match, so that they are found by the index of their state
   * and sorted: a scan of the whole log by id could block the server for seconds.
   */
  const newestFirst = ({ partnerId, status, event }: DeliveryFilter) => {
    const isRare = status === "pending" || status === "failed";
    return isRare && partnerId === undefined && event === undefined ? desc(sql`${d.id} || ''`) : desc(d.id);
  };
  // As in the index of errors.
  const lastError = sql<string>`coalesce(${d.lastError}, '')`;
  const failedWithin = ({ partnerId, from, to, error }: FailedDeliveryWindow) =>
    and(
      eq(d.partnerId, partnerId),
      STATUS_IS.failed,
      error === undefined ? undefined : eq(lastError, error),
      gte(d.id, deliveryIdLowerBound(Math.min(from, LATEST))),
      lt(d.id, deliveryIdLowerBound(Math.min(to, LATEST))),
    );
  /** Starts a new cycle of attempts now. Earlier attempts stay in the log. */
  const again = (now: Instant) => ({
    status: "pending" as const,
    cycleAttempts: 0,
    nextAttemptAt: now,
    finishedAt: null,
  });

  /**
   * The newest of a partner's deliveries in the period, up to the number that is searched, from an index that includes
   * the status: 100,000 took 27 ms.
   */
  const newestOwn = ({ partnerId, event, from = 0, to = LATEST }: OwnDeliveryFilter) =>
    db
      .select({ id: d.id, status: d.status })
      .from(d)
      .where(
        and(
          eq(d.partnerId, partnerId),
          event === undefined ? undefined : eq(d.event, event),
          gte(d.id, deliveryIdLowerBound(Math.min(from, LATEST))),
          lt(d.id, deliveryIdLowerBound(Math.min(to, LATEST))),
        ),
      )
      .orderBy(desc(d.id))
      .limit(MOST_COUNTED)
      .as("newest_own");
  const ownIds = (filter: OwnDeliveryFilter) => {
    const newest = newestOwn(filter);
    const { status } = filter;
    return db
      .select({ id: newest.id })
      .from(newest)
      .where(status && eq(newest.status, status))
      .orderBy(desc(newest.id))
      .$dynamic();
  };

  async function withAttempts(deliveries: Delivery[]): Promise<LoggedDelivery[]> {
    if (deliveries.length === 0) return [];
    const ids = deliveries.map(({ id }) => id);
    const attempts = await db
      .select()
      .from(webhookAttempts)
      .where(inArray(webhookAttempts.deliveryId, ids))
      .orderBy(asc(webhookAttempts.deliveryId), asc(webhookAttempts.attempt));
    const byDelivery = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
    return deliveries.map((delivery) => ({ delivery, attempts: byDelivery.get(delivery.id) ?? [] }));
  }

  const matchesOf = (condition: SQL | undefined) =>
    db.select({ id: d.id }).from(d).where(condition).$dynamic();

  return {
    async find(id: string): Promise<LoggedDelivery | undefined> {
      return (await withAttempts(await db.select().from(d).where(eq(d.id, id))))[0];
    },
    /** Ordered from the newest. */
    async page(filter: DeliveryFilter, { limit, offset }: StoredRowRange): Promise<LoggedDelivery[]> {
      const rows = await db
        .select()
        .from(d)
        .where(matching(filter))
        .orderBy(newestFirst(filter))
        .limit(limit)
        .offset(offset);
      return await withAttempts(rows);
    },
    /** Counts at most 100,000, so that a page never scans a log of years. */
    async count(filter: DeliveryFilter): Promise<number> {
      const matches = matchesOf(matching(filter)).limit(MOST_COUNTED).as("matches");
      return (await db.select({ n: count() }).from(matches))[0]!.n;
    },
    /** Counts the failed deliveries created since an instant, up to 100,000, from an index that has failed ones alone. */
    async countFailedSince(since: Instant): Promise<number> {
      const matches = db
        .select({ id: d.id })
        .from(d)
        .where(
          and(
            eq(d.partnerId, partners.id),
            STATUS_IS.failed,
            gte(d.id, deliveryIdLowerBound(Math.min(since, LATEST))),
          ),
        )
        .limit(MOST_COUNTED)
        .as("matches");
      const ofPartner = db.select({ n: count() }).from(matches);
      const [sum] = await db
        .select({ n: sql<number>`coalesce(sum((${ofPartner})), 0)`.mapWith(Number) })
        .from(partners);
      return Math.min(sum!.n, MOST_COUNTED);
    },
    /** Returns a partner's deliveries, ordered from the newest. */
    async pageOfPartner(
      filter: OwnDeliveryFilter,
      { limit, offset }: StoredRowRange,
    ): Promise<LoggedDelivery[]> {
      const ids = ownIds(filter).limit(limit).offset(offset);
      return await withAttempts(await db.select().from(d).where(inArray(d.id, ids)).orderBy(desc(d.id)));
    },
    /** Counts the matches among the partner's newest 100,000 deliveries in the period. */
    async countOfPartner(filter: OwnDeliveryFilter): Promise<number> {
      return (await db.select({ n: count() }).from(ownIds(filter).as("matches")))[0]!.n;
    },
    async countFailed(window: FailedDeliveryWindow): Promise<number> {
      return (await db.select({ n: count() }).from(matchesOf(failedWithin(window)).as("matches")))[0]!.n;
    },
    /** Returns the next partner after one that has failed deliveries, or the first. */
    async nextFailing(after = ""): Promise<string | undefined> {
      const rows = await db
        .select({ partnerId: d.partnerId })
        .from(d)
        .where(and(STATUS_IS.failed, gt(d.partnerId, after)))
        .orderBy(asc(d.partnerId))
        .limit(1);
      return rows[0]?.partnerId;
    },
    /** Returns the next error after one in a partner's failed deliveries, or its first. */
    async nextError(partnerId: string, after?: string): Promise<string | undefined> {
      const rows = await db
        .select({ error: lastError })
        .from(d)
        .where(
          and(
            eq(d.partnerId, partnerId),
            STATUS_IS.failed,
            after === undefined ? gte(lastError, "") : gt(lastError, after),
          ),
        )
        .orderBy(asc(lastError))
        .limit(1);
      return rows[0]?.error;
    },
    /** Returns the newest failed deliveries with an error in a period; undefined if there are none. */
    async failureGroup(window: Required<FailedDeliveryWindow>): Promise<FailureGroup | undefined> {
      const matches = matchesOf(failedWithin(window))
        .orderBy(desc(d.id))
        .limit(MAX_GROUP_COUNT)
        .as("matches");
      const [found] = await db
        .select({
          count: count(),
          first: sql<string | null>`min(${matches.id})`,
          last: sql<string | null>`max(${matches.id})`,
        })
        .from(matches);
      if (!found?.first || !found.last) return undefined;
      const { partnerId, error } = window;
      const times = {
        firstAt: createdAtOfDeliveryId(found.first),
        lastAt: createdAtOfDeliveryId(found.last),
      };
      return { partnerId, error, count: found.count, ...times };
    },
    /** Returns false if the delivery no longer exists. */
    async resend(id: string, now: Instant): Promise<boolean> {
      const resent = await db.update(d).set(again(now)).where(eq(d.id, id)).returning({ id: d.id });
      return resent.length > 0;
    },
    /**
     * Starts new cycles for up to `limit` deliveries of a period with ids after `afterId`; returns their ids in order.
     */
    async resendFailed(
      window: FailedDeliveryWindow,
      afterId: string,
      limit: number,
      now: Instant,
    ): Promise<string[]> {
      const chosen = await db
        .select({ id: d.id })
        .from(d)
        .where(and(failedWithin(window), gt(d.id, afterId)))
        .orderBy(asc(d.id))
        .limit(limit);
      const ids = chosen.map(({ id }) => id);
      await db.update(d).set(again(now)).where(inArray(d.id, ids));
      return ids;
    },
    /** Deletes up to `limit` deliveries with the status that finished before the instant; returns their number. */
    async prune(status: "delivered" | "failed", before: Instant, limit: number): Promise<number> {
      // Locked from here on; rows that another server sends again at the moment are skipped.
      const chosen = await db
        .select({ id: d.id })
        .from(d)
        .where(
          sql`${d.id} in (
            select old.id from ${d} old where old.status = ${status} and old.finished_at < ${before}
            order by old.finished_at limit ${limit} ${engine.skipLocked})`,
        );
      const ids = chosen.map(({ id }) => id);
      await db.delete(webhookAttempts).where(inArray(webhookAttempts.deliveryId, ids));
      await db.delete(d).where(inArray(d.id, ids));
      return ids.length;
    },
  };
}
