/**
 * The run of the server that responds: it differs after a restart, and from that of a standby that has taken over. A failover
 * may lose the latest changes, and the new primary then gives the numbers of the lost revisions again, to other data.
 */
const SERVER_RUN = "extract(epoch FROM pg_postmaster_start_time())::text";

/** Part of every poll, and of the first statement of every later connection. */
export const SERVER_STATE = `${SERVER_RUN} AS run, pg_is_in_recovery() AS standby`;
export type PostgresServerState = { run: string; standby: boolean };

const DATABASE = "(SELECT oid FROM pg_database WHERE datname = current_database())";

/**
 * The beginning of the expression for a revision, before that for its number. It includes the identities of the database and
 * the table, of which one differs after a restore by `pg_restore` or from a template on the same run of a server.
 */
export const REVISION_OF = `${SERVER_RUN} || ':' || ${DATABASE} || ':' || 'partners'::regclass::oid || ':' || `;
