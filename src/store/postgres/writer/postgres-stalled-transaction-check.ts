import type { StatementRunner } from "../postgres-statement.ts";

/**
 * Finds sessions that have been idle in a transaction, or busy with one statement other than a wait for a lock, for a
 * second. A session whose state is hidden from this user counts as one.
 */
const STALLED_TRANSACTION =
  "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() " +
  "AND backend_type = 'client backend' AND (state IS NULL " +
  "OR (state LIKE 'idle in transaction%' AND clock_timestamp() - state_change > interval '1 second') " +
  "OR (state = 'active' AND wait_event_type IS DISTINCT FROM 'Lock' " +
  "AND clock_timestamp() - query_start > interval '1 second')) LIMIT 1";

/**
 * Returns whether rows may be locked by a transaction that makes no progress, such as that of a server that was paused;
 * true when that can't be determined. Waiting for such rows is useless; otherwise many writers want the same rows. A
 * lock_timeout can't tell the two apart: it either refuses writes that would have succeeded, or lets callers wait
 * for 8 s in place of 2 for rows that stay locked.
 */
export async function hasStalledPostgresTransaction(reader: StatementRunner): Promise<boolean> {
  try {
    return (await reader.read({ text: STALLED_TRANSACTION, values: [] })).rows.length > 0;
  } catch {
    return true;
  }
}
