import type { Database } from "bun:sqlite";

/** What a doctor wants to know of the rows. Instants are epoch milliseconds. */
export type DatabaseState = {
  lastInstant: number;
  /** The newest snapshot that was finished. */
  snapshot: { day: string; finishedAt: number } | undefined;
  /** Deliveries that wait, and since when the oldest does. */
  outbox: { waiting: number; oldestAt: number | null };
  /** Where partners' webhooks go. */
  receivers: { partnerId: string; partner: string; url: string; pausedAt: number | null }[];
};

export function readDatabaseState(db: Database): DatabaseState {
  const one = <Row>(sql: string) => db.query<Row, []>(sql).get() ?? undefined;
  return {
    lastInstant: one<{ at: number }>("SELECT last_instant AS at FROM clock")?.at ?? 0,
    snapshot: one(
      "SELECT day, finished_at AS finishedAt FROM snapshot_runs WHERE finished_at IS NOT NULL ORDER BY day DESC LIMIT 1",
    ),
    outbox: one(
      "SELECT count(*) AS waiting, min(created_at) AS oldestAt FROM webhook_deliveries WHERE status = 'pending'",
    )!,
    receivers: db
      .query<DatabaseState["receivers"][number], []>(
        `SELECT p.id AS partnerId, p.name AS partner, r.url, r.paused_at AS pausedAt
         FROM webhook_receivers r JOIN partners p ON p.id = r.partner_id
         WHERE r.url IS NOT NULL AND p.enabled = 1 ORDER BY p.id`,
      )
      .all(),
  };
}
