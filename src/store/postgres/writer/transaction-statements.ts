/* The statements around a group of writes that are committed together. */

/** So long a transaction waits for its next statement, before PostgreSQL ends it and its session. */
export const IDLE_IN_TRANSACTION_MS = 3_000;
/** Whatever holds up others for longer has lost its way; the connection may be a pooler's, so it is said with each. */
const BEGIN = [
  "BEGIN ISOLATION LEVEL READ COMMITTED",
  "SET LOCAL statement_timeout = '60s'",
  `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
].join("; ");
/** Survives a kill of every process, and not a power cut. */
const NOT_DURABLE = "SET LOCAL synchronous_commit = off";

/** Begins a transaction that waits so long for each row that another one holds. */
export const begin = (isDurable: boolean, waitMs: number): string =>
  [BEGIN, ...(isDurable ? [] : [NOT_DURABLE]), setLockTimeout(waitMs)].join("; ");

/** How long the transaction waits for rows from now on. */
export const setLockTimeout = (ms: number): string =>
  `SET LOCAL lock_timeout = ${Math.max(1, Math.round(ms))}`;

/** A writer's numbers rise. One that is behind what LOOK has left is refused, as nothing is no number. */
export const RECORD_GROUP =
  "INSERT INTO write_groups (writer, number, written_at) VALUES ($1, $2, now()) " +
  "ON CONFLICT (writer) DO UPDATE SET written_at = now(), " +
  "number = CASE WHEN write_groups.number < excluded.number THEN excluded.number END";

/** Begins to look whether a group was committed, again and again. */
export const BEGIN_OUTCOME_CHECK = begin(true, 1_000);
/**
 * Whether the group of a number was committed: its number is still there. Waits for a transaction that is about to,
 * since that holds the row; one that the database has yet to begin will not be: the number after it is taken.
 */
export const CHECK_OUTCOME =
  "INSERT INTO write_groups (writer, number, written_at) VALUES ($1, $2::bigint + 1, now()) " +
  "ON CONFLICT (writer) DO UPDATE SET written_at = now(), " +
  "number = CASE WHEN write_groups.number = $2 THEN $2 ELSE $2 + 1 END RETURNING number";

/** Waits for a transaction of the writer, as long as it has not ended. To be rolled back. */
export const LOCK_WRITER =
  "INSERT INTO write_groups (writer, number, written_at) VALUES ($1, 0, now()) " +
  "ON CONFLICT (writer) DO UPDATE SET written_at = now()";
