/* The statements around a group of writes that is committed in one transaction. */

/** PostgreSQL ends a transaction, with its session, that waits for its next statement for longer. */
export const IDLE_IN_TRANSACTION_MS = 3_000;
/** Set for each transaction, since the connection may be a pooler's. */
const BEGIN = [
  "BEGIN ISOLATION LEVEL READ COMMITTED",
  "SET LOCAL statement_timeout = '60s'",
  `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
].join("; ");
/** Such a commit survives a power cut, also where the database or the role has a setting that would not wait for the disk. */
const DURABLE =
  "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'";
/** Such a commit survives the end of any process, but not a power cut. */
const NOT_DURABLE = "SET LOCAL synchronous_commit = off";
/** Makes the commit survive a crash of the database server, without waiting for a standby. */
export const SURVIVE_CRASH = "SET LOCAL synchronous_commit = local";

/** Begins a transaction that waits up to `lockTimeoutMs` for each row that another transaction has locked. */
export const postgresBeginStatement = (isDurable: boolean, lockTimeoutMs: number): string =>
  [BEGIN, isDurable ? DURABLE : NOT_DURABLE, postgresLockTimeoutStatement(lockTimeoutMs)].join("; ");

/** Returns the statement that limits how long a transaction waits for locks. */
export const postgresLockTimeoutStatement = (ms: number): string =>
  `SET LOCAL lock_timeout = ${Math.max(1, Math.round(ms))}`;

/**
 * Records a group's number for its writer. The numbers of a writer rise. A group that CHECK_OUTCOME has overtaken is
 * refused: its number becomes null, which the column does not allow.
 */
export const RECORD_GROUP =
  "INSERT INTO write_groups (writer, number, written_at) VALUES ($1, $2, now()) " +
  "ON CONFLICT (writer) DO UPDATE SET written_at = now(), " +
  "number = CASE WHEN write_groups.number < excluded.number THEN excluded.number END";

/** Begins the transaction that checks whether a group was committed. */
export const BEGIN_OUTCOME_CHECK = postgresBeginStatement(true, 1_000);
/**
 * Checks whether the group with a number was committed: then the writer's row still has that number. Waits for a
 * transaction that is about to commit, since that has the row locked. Takes the next number otherwise, so that a
 * transaction that reaches PostgreSQL only later is refused.
 */
export const CHECK_OUTCOME =
  "INSERT INTO write_groups (writer, number, written_at) VALUES ($1, $2::bigint + 1, now()) " +
  "ON CONFLICT (writer) DO UPDATE SET written_at = now(), " +
  "number = CASE WHEN write_groups.number = $2 THEN $2 ELSE $2 + 1 END RETURNING number";

/** Locks the writer's row, which waits until the writer's transaction has ended. The caller rolls it back. */
export const LOCK_WRITER =
  "INSERT INTO write_groups (writer, number, written_at) VALUES ($1, 0, now()) " +
  "ON CONFLICT (writer) DO UPDATE SET written_at = now()";
