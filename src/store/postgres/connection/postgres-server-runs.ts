import { VALUE_SETTING } from "./postgres-value-settings.ts";

/**
 * The run of the server that responds: it differs after a restart, and from that of a standby that has taken over. A failover
 * may lose the latest changes, and the new primary then gives the numbers of the lost revisions again, to other data.
 */
const SERVER_RUN = "extract(epoch FROM pg_postmaster_start_time())::text";
const DATABASE = "(SELECT oid FROM pg_database WHERE datname = current_database())";
/** The run, and the database of the name: it may be replaced by another, such as a restored one, on the same run. */
const RUN = `${SERVER_RUN} || ':' || ${DATABASE}`;

/** Part of every poll, and of the first statement of every later connection. */
export const SERVER_STATE = `${RUN} AS run, pg_is_in_recovery() AS standby, ${VALUE_SETTING} AS value_setting`;
export type PostgresServerState = { run: string; standby: boolean; value_setting: string | null };

/**
 * The beginning of the expression for a revision, before that for its number. It includes the identity of the table, which
 * differs after a restore by `pg_restore` into the same database.
 */
export const REVISION_OF = `${RUN} || ':' || 'partners'::regclass::oid || ':' || `;
