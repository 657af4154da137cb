import type { Runner } from "../engine.ts";

/** Sessions that have done nothing, or one thing alone, for a second; of those that may not be seen it is supposed. */
const STANDING_STILL =
  "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() " +
  "AND backend_type = 'client backend' AND (state IS NULL " +
  "OR (state LIKE 'idle in transaction%' AND clock_timestamp() - state_change > interval '1 second') " +
  "OR (state = 'active' AND wait_event_type IS DISTINCT FROM 'Lock' " +
  "AND clock_timestamp() - query_start > interval '1 second')) LIMIT 1";

/**
 * Whether rows may be held by somebody who does not go on, such as a server that was paused in the midst of a
 * transaction: then it is no use to wait for them. Otherwise they are only wanted by many.
 */
export async function hasStalledTransaction(reader: Runner): Promise<boolean> {
  try {
    return (await reader.read({ text: STANDING_STILL, values: [] })).rows.length > 0;
  } catch {
    return true;
  }
}
