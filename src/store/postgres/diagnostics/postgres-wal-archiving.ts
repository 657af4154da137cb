import type { Instant } from "../../../domain/time.ts";
import type { WalArchiving } from "../../store.ts";

/** Reads the state of archiving; no row if it is turned off. Every user may read the view. */
export const WAL_ARCHIVING = `
  SELECT (extract(epoch FROM last_archived_time) * 1000)::float8 AS archived_at,
    coalesce(last_archived_time IS NULL OR last_failed_time > last_archived_time, false)
      AND last_failed_time IS NOT NULL AS is_failing
  FROM pg_stat_archiver WHERE current_setting('archive_mode') <> 'off'`;

/** A row of `pg_stat_archiver` with the settings of archiving. */
export type WalArchivingRow = { archived_at: Instant | null; is_failing: boolean };

/** Returns the state of archiving; undefined without a row. */
export function postgresWalArchivingOf([row]: readonly WalArchivingRow[]): WalArchiving | undefined {
  return row && { archivedAt: row.archived_at, isFailing: row.is_failing };
}
