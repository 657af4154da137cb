import type { Database } from "bun:sqlite";
import type { Db } from "../engine.ts";

/** What a step of a purge has deleted. */
export type Purged = {
  rows: number;
  /** Pictures whose photos are gone; their files are to follow. */
  files: string[];
  /** Nothing of the partner is left but what `finish` deletes. */
  isEmpty: boolean;
};

/** Rows that one statement deletes at most. */
const PER_STATEMENT = 200;

/** Of an appliance, the rows that refer to others before those. `?1` is the appliance, `?2` how many at most. */
const OF_APPLIANCE = [
  `DELETE FROM risk_snapshots WHERE (component_id, day) IN (SELECT s.component_id, s.day FROM components c
     JOIN risk_snapshots s ON s.component_id = c.id WHERE c.appliance_id = ?1 LIMIT ?2)`,
  `DELETE FROM outcomes WHERE (service_event_id, component_id) IN (SELECT o.service_event_id, o.component_id
     FROM components c JOIN outcomes o ON o.component_id = c.id WHERE c.appliance_id = ?1 LIMIT ?2)`,
  // Each kind has an index of its own.
  ...["smart", "meter"].map(
    (kind) =>
      `DELETE FROM sensor_events WHERE id IN (SELECT id FROM sensor_events
         WHERE appliance_id = ?1 AND kind = '${kind}' LIMIT ?2)`,
  ),
  "DELETE FROM service_events WHERE id IN (SELECT id FROM service_events WHERE appliance_id = ?1 LIMIT ?2)",
  "DELETE FROM components WHERE id IN (SELECT id FROM components WHERE appliance_id = ?1 LIMIT ?2)",
  "DELETE FROM appliances WHERE id = ?1 AND ?2 > 0",
];

/** The same of a property that has no appliances any more. */
const OF_PROPERTY = [
  "DELETE FROM claims WHERE id IN (SELECT id FROM claims WHERE property_id = ?1 LIMIT ?2)",
  "DELETE FROM embeds WHERE id IN (SELECT id FROM embeds WHERE property_id = ?1 LIMIT ?2)",
  `DELETE FROM plan_candidates WHERE (property_id, component_id) IN (SELECT property_id, component_id
     FROM plan_candidates WHERE property_id = ?1 LIMIT ?2)`,
  "DELETE FROM units WHERE id IN (SELECT id FROM units WHERE property_id = ?1 LIMIT ?2)",
  "DELETE FROM property_plans WHERE property_id = ?1 AND ?2 > 0",
  "DELETE FROM property_totals WHERE property_id = ?1 AND ?2 > 0",
  "DELETE FROM properties WHERE id = ?1 AND ?2 > 0",
];

/** Of a partner that has no properties any more, what may be many. `?1` is the partner. */
const OF_PARTNER = [
  `DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT id FROM webhook_deliveries WHERE partner_id = ?1
     ORDER BY id LIMIT ?2)`,
  `DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries WHERE partner_id = ?1
     ORDER BY id LIMIT ?2)`,
  `DELETE FROM event_log WHERE (partner_id, seq) IN (SELECT partner_id, seq FROM event_log WHERE partner_id = ?1
     LIMIT ?2)`,
  `DELETE FROM component_tallies WHERE (partner_id, bucket, block) IN (SELECT partner_id, bucket, block
     FROM component_tallies WHERE partner_id = ?1 LIMIT ?2)`,
  `DELETE FROM idempotency_keys WHERE (partner_id, operation, key) IN (SELECT partner_id, operation, key
     FROM idempotency_keys WHERE partner_id = ?1 LIMIT ?2)`,
  `DELETE FROM daily_budgets WHERE (partner_id, day) IN (SELECT partner_id, day FROM daily_budgets
     WHERE partner_id = ?1 LIMIT ?2)`,
];

/** One row or a few each. */
const LAST = [
  "DELETE FROM daily_budgets WHERE partner_id = ?1",
  "DELETE FROM partner_plans WHERE partner_id = ?1",
  "DELETE FROM credentials WHERE partner_id = ?1",
  "DELETE FROM webhook_receivers WHERE partner_id = ?1",
  "DELETE FROM partner_totals WHERE partner_id = ?1",
  "DELETE FROM partners WHERE id = ?1",
];

/** What is run as often as there are rows to delete. */
export const PURGE_STATEMENTS: readonly string[] = [...OF_APPLIANCE, ...OF_PROPERTY, ...OF_PARTNER];

/**
 * Deletes a partner with all that it owns, a few hundred rows a step, found by indexes alone: children before what
 * they refer to, since a connection that purges looks for no references. The statements are written for SQLite itself, whose row limits no query builder knows.
 */
export function purgeStore(db: Db) {
  const client = (db as unknown as { $client: Database }).$client;
  const run = (sql: string, id: string) => client.query(sql).run(id, PER_STATEMENT).changes;
  const first = (sql: string, id: string) => client.query<{ id: string }, [string]>(sql).get(id)?.id;

  /** Runs the statements in their order, up to the first that leaves something for another step. */
  function runAll(statements: readonly string[], id: string): number {
    let rows = 0;
    for (const statement of statements) {
      const changes = run(statement, id);
      rows += changes;
      if (changes >= PER_STATEMENT) break;
    }
    return rows;
  }

  return {
    async step(partnerId: string): Promise<Purged> {
      const applianceId = first(
        "SELECT id FROM appliances WHERE partner_id = ?1 ORDER BY seq LIMIT 1",
        partnerId,
      );
      if (applianceId !== undefined) {
        const photos = client
          .query<{ filename: string }, [string, number]>(
            "DELETE FROM photos WHERE id IN (SELECT id FROM photos WHERE appliance_id = ?1 LIMIT ?2) RETURNING filename",
          )
          .all(applianceId, PER_STATEMENT);
        const files = photos.map(({ filename }) => filename);
        if (files.length >= PER_STATEMENT) return { rows: files.length, files, isEmpty: false };
        return { rows: files.length + runAll(OF_APPLIANCE, applianceId), files, isEmpty: false };
      }
      const propertyId = first(
        "SELECT id FROM properties WHERE partner_id = ?1 ORDER BY seq LIMIT 1",
        partnerId,
      );
      if (propertyId !== undefined)
        return { rows: runAll(OF_PROPERTY, propertyId), files: [], isEmpty: false };
      const rows = runAll(OF_PARTNER, partnerId);
      return { rows, files: [], isEmpty: rows === 0 };
    },
    /** Deletes the partner itself. Throws when something is left that refers to it. */
    async finish(partnerId: string): Promise<void> {
      for (const statement of LAST) client.query(statement).run(partnerId);
    },
  };
}
