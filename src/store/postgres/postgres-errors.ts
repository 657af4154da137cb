import { DrizzleQueryError } from "drizzle-orm";
import { FullStorageError, OperatorError, StorageError } from "../../domain/errors.ts";
import type { DatabaseAddress } from "./connection/postgres-address.ts";

/**
 * An error of the driver. Errors of PostgreSQL have an SQLSTATE as their code, those of the system a code of Node.js.
 */
type DriverError = Error & {
  code?: string;
  severity?: string;
  table?: string;
  constraint?: string;
  syscall?: string;
};

/** Returns the driver's error without the wrapper of the query builder. */
export function postgresErrorOf(error: unknown): DriverError {
  return (error instanceof DrizzleQueryError && error.cause ? error.cause : error) as DriverError;
}

/** Codes and messages of a database that can't be reached at present; they say nothing about the statement. */
const LOST =
  /^(08...|57P0[1235]|25P0[34]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND)$/;
const LOST_MESSAGE =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout)/;

/** Messages of a PgBouncer that have the code of a lost connection although a retry can't succeed. */
const REFUSED_BY_POOLER = {
  login: /authentication failed|no such user/i,
  database: /^(database ".*" does not exist|no such database)/,
};
const isPooler = (cause: DriverError | undefined, what: keyof typeof REFUSED_BY_POOLER) =>
  cause?.code === "08P01" && REFUSED_BY_POOLER[what].test(cause.message);

/** Returns whether the connection is lost, or none can be made. A statement that changes nothing can be repeated. */
export function isPostgresConnectionLost(error: unknown): boolean {
  const cause = postgresErrorOf(error);
  if (isPooler(cause, "login") || isPooler(cause, "database")) return false;
  const { code = "", message = "", syscall } = cause ?? {};
  const isNoSocket = code === "ENOENT" && syscall === "connect";
  return LOST.test(code) || isNoSocket || LOST_MESSAGE.test(message);
}

/** Returns the error of a connection to a standby, which counts as lost: the address is about to reach the primary. */
export const postgresStandbyError = () =>
  Object.assign(new Error("Connection terminated: the server is a standby"), { code: READ_ONLY });
const READ_ONLY = "25006";

/** Returns whether a statement had no answer within its limit. */
export const isPostgresReadTimeout = (error: unknown): boolean =>
  postgresErrorOf(error)?.message === READ_TIMEOUT;
const READ_TIMEOUT = "Query read timeout";

/** Returns whether PostgreSQL rolled the transaction back in favor of another one, so that it can be repeated. */
export function isRetryablePostgresConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(postgresErrorOf(error)?.code ?? "");
}

/** Returns whether another transaction had a row locked for longer than the lock timeout. */
export function isPostgresLockTimeout(error: unknown): boolean {
  return postgresErrorOf(error)?.code === "55P03";
}

/**
 * Returns whether PostgreSQL lacks disk space, memory, locks or connections, or has failed. At a commit, the error may be that
 * of a crash after the commit was stored.
 */
export function isPostgresSystemFailure(error: unknown): boolean {
  return /^(53|58|XX)...$/.test(postgresErrorOf(error)?.code ?? "");
}

/** Returns whether the error fails a whole transaction, whichever of its jobs ran into it. */
export function failsWholePostgresTransaction(error: unknown): boolean {
  // Read-only after a failover; a timeout that this program has set.
  return (
    isPostgresConnectionLost(error) ||
    isRetryablePostgresConflict(error) ||
    isPostgresSystemFailure(error) ||
    /^(25006|57014)$/.test(postgresErrorOf(error)?.code ?? "")
  );
}

/** Returns the error without the values of the query, which are the partners', so that it can be logged. */
function withoutValues(error: unknown): unknown {
  const cause = postgresErrorOf(error);
  const { code, severity } = cause;
  if (code === undefined || severity === undefined)
    return error instanceof DrizzleQueryError ? new Error(`a query failed: ${error.query}`) : error;
  // Messages of this class repeat the value.
  const text = code.startsWith("22") ? "a value was refused" : cause.message;
  const where = [cause.table, cause.constraint].filter(Boolean).join(", ");
  const clean = new Error(`${text} (${[`SQLSTATE ${code}`, where].filter(Boolean).join("; ")})`);
  if (cause.stack) clean.stack = `${clean.message}\n${cause.stack.split("\n").slice(1).join("\n")}`;
  return Object.assign(clean, { code });
}

const RECONNECTS = "A running server reconnects automatically.";

/**
 * Returns an error that tells the operator what to do, or the driver's error without values if there is nothing to do.
 */
export function explainPostgresError(error: unknown, address: DatabaseAddress): unknown {
  const cause = postgresErrorOf(error);
  if (cause instanceof OperatorError) return cause;
  const { code = "", message = "" } = cause ?? {};
  const { displayName, host, port, user, database } = address;
  const storage = (what: string, hint: string) => new StorageError(`${displayName}: ${what}`, hint);
  if (message.startsWith("SASL: ") && address.password === "")
    return storage(
      "PostgreSQL requires a password, and storage.url has none",
      `Add it to the URL: postgres://${user}:PASSWORD@…. Percent-encode characters such as @ / : # ? and %.`,
    );
  if (code === "28000" && message.endsWith("no encryption"))
    return storage(
      `PostgreSQL accepts the user ${user} only on an encrypted connection (${message})`,
      "Add ?sslmode=verify-full&sslrootcert=/path/to/authority.crt to storage.url; for a server on this machine, sslmode=require is enough.",
    );
  if (code === "28000" && message.includes("client certificate"))
    return storage(
      `PostgreSQL accepts the user ${user} only with a client certificate (${message})`,
      "Add a certificate for this user, and its key, to storage.url: &sslcert=/path/to/user.crt&sslkey=/path/to/user.key.",
    );
  if (["28P01", "28000"].includes(code) || message.startsWith("SASL: ") || isPooler(cause, "login"))
    return storage(
      `PostgreSQL rejects the user ${user} (${message})`,
      "Check the user and password in storage.url, and the user's entry in pg_hba.conf, or in the auth_file of a PgBouncer.",
    );
  if (code === "26000" || code === "42P05")
    return storage(
      `a connection pooler mixes up prepared statements (${message})`,
      "Set max_prepared_statements to 200 in PgBouncer 1.21 or newer, or add ?prepared=false to storage.url.",
    );
  if (code === "3D000" || isPooler(cause, "database"))
    return storage(
      `the database "${database}" does not exist`,
      `Create it: CREATE DATABASE ${database} OWNER ${user} ENCODING 'UTF8' TEMPLATE template0;`,
    );
  if (code === "55000" && message.includes("not currently accepting connections"))
    return storage(
      `the database "${database}" accepts no connections`,
      `Allow them: ALTER DATABASE ${database} ALLOW_CONNECTIONS true; ${RECONNECTS}`,
    );
  if (code === "42P01")
    return storage(
      `the database lacks a table of Mainstay (${message})`,
      "It was replaced or emptied: restore it from a backup. A server that starts on an empty database creates the tables.",
    );
  if (code === "42501")
    return storage(
      `the user ${user} lacks a privilege (${message})`,
      "Make it the owner of the database, or grant it CONNECT on the database, CREATE and USAGE on the schema, and all privileges on its tables.",
    );
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return storage(
      `the host name ${host} cannot be resolved (${code})`,
      `Check the name in storage.url. ${RECONNECTS}`,
    );
  if (message === "The server does not support SSL connections")
    return storage(
      "the server does not support encrypted connections",
      "Turn on ssl in postgresql.conf. If the network between the two is trusted, add ?sslmode=disable to storage.url.",
    );
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return storage(
      `the server's certificate is not for the name ${host} (${message})`,
      "Use a host name that the certificate contains, or issue one for this name. sslmode=verify-ca accepts any name from the same authority.",
    );
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return storage(
      `the server's certificate is not trusted: it ${code === "CERT_HAS_EXPIRED" ? "has expired" : "is not valid yet"}`,
      "Check this machine's clock. If it is right, install a new certificate (ssl_cert_file) and reload PostgreSQL: SELECT pg_reload_conf();",
    );
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code) && message !== "")
    return storage(
      `the server's certificate is not trusted (${message || code})`,
      "Add the certificate authority that signed it: ?sslmode=verify-full&sslrootcert=/path/to/authority.crt in storage.url.",
    );
  if (message.includes("TLSV1_ALERT_UNKNOWN_CA") || message.includes("TLSV1_ALERT_CERTIFICATE"))
    return storage(
      "PostgreSQL does not trust the client certificate in sslcert",
      "Use a certificate that an authority in PostgreSQL's ssl_ca_file has signed, and that has not expired.",
    );
  if (message === "There was an error establishing an SSL connection" || message.includes("SSL routines"))
    return storage(
      `the service at ${host}:${port} does not speak TLS as PostgreSQL does (${message})`,
      "Check the host and port in storage.url: another service may listen there.",
    );
  if (code === READ_ONLY)
    return storage(
      "the database is read-only, or a standby",
      "Point storage.url at the primary, or reset default_transaction_read_only.",
    );
  if (code === "53100")
    return new FullStorageError(
      `${displayName}: PostgreSQL is out of disk space`,
      `Free or add some. ${RECONNECTS}`,
    );
  if (code === "53200") return storage("PostgreSQL is out of memory", `Free or add some. ${RECONNECTS}`);
  if (code === "53300")
    return storage(
      "PostgreSQL has no connections left",
      `Raise max_connections, or lower ?pool= in storage.url. ${RECONNECTS}`,
    );
  if (code === "57014")
    return storage(
      `PostgreSQL canceled a statement (${message})`,
      "Nothing was changed. A statement may take one minute; check what else runs: SELECT * FROM pg_stat_activity WHERE state <> 'idle'.",
    );
  if (isPostgresLockTimeout(cause))
    return storage(
      "another transaction has locked rows that this write needs; nothing was changed",
      "Find it: SELECT * FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'. A transaction of a Mainstay server ends within seconds.",
    );
  if (isRetryablePostgresConflict(cause))
    return storage(
      `the write conflicted with other transactions too often (${message})`,
      "Nothing was changed. Check which transactions run: SELECT * FROM pg_stat_activity WHERE state <> 'idle'.",
    );
  if (code === "57P03") return storage("PostgreSQL is starting up or shutting down", RECONNECTS);
  if (isPostgresConnectionLost(error))
    return storage(
      `PostgreSQL does not answer at ${host}:${port} (${message || code})`,
      `Check that it runs and that this machine can reach it. ${RECONNECTS}`,
    );
  return withoutValues(error);
}
