import { DrizzleQueryError } from "drizzle-orm";
import { OperatorError, StorageError } from "../../domain/errors.ts";
import type { DatabaseAddress } from "./connection/address.ts";

/** What the driver rejects with: PostgreSQL's own errors have its codes, the system's those of Node.js. */
type DriverError = Error & {
  code?: string;
  severity?: string;
  table?: string;
  constraint?: string;
  syscall?: string;
};

/** The driver's error, taken out of what the query builder wraps it in. */
export function causeOf(error: unknown): DriverError {
  return (error instanceof DrizzleQueryError && error.cause ? error.cause : error) as DriverError;
}

/** PostgreSQL cannot be spoken to just now; nothing says that anything is wrong with what was asked. */
const LOST =
  /^(08...|57P0[1235]|25P0[34]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND)$/;
const LOST_MESSAGE =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout)/;

/** What a PgBouncer refuses with the code of a connection that failed, though trying again is in vain. */
const REFUSED_BY_POOLER = {
  login: /authentication failed|no such user/i,
  database: /^(database ".*" does not exist|no such database)/,
};
const isPooler = (cause: DriverError | undefined, what: keyof typeof REFUSED_BY_POOLER) =>
  cause?.code === "08P01" && REFUSED_BY_POOLER[what].test(cause.message);

/** Whether the connection is gone, or none can be had: what was asked may be asked again where it changes nothing. */
export function isConnectionLost(error: unknown): boolean {
  const cause = causeOf(error);
  if (isPooler(cause, "login") || isPooler(cause, "database")) return false;
  const { code = "", message = "", syscall } = cause ?? {};
  const isNoSocket = code === "ENOENT" && syscall === "connect";
  return LOST.test(code) || isNoSocket || LOST_MESSAGE.test(message);
}

/** Whether PostgreSQL has undone a transaction only because of another: it is to be run again. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(causeOf(error)?.code ?? "");
}

/** Whether a row was held by another transaction for longer than was waited: only what needs that row is undone. */
export function isLockTimeout(error: unknown): boolean {
  return causeOf(error)?.code === "55P03";
}

/** The failure of a whole transaction, whichever of its jobs met it. */
export function failsTransaction(error: unknown): boolean {
  const { code = "" } = causeOf(error) ?? {};
  // No room, out of memory, locks or connections; read-only after a failover; a time-out that this program has set.
  return isConnectionLost(error) || isConflict(error) || /^(53...|25006|57014|58...|XX...)$/.test(code);
}

/** The error as it may be logged, without the values of the query, which are the partners'. */
export function withoutValues(error: unknown): unknown {
  const cause = causeOf(error);
  const { code, severity } = cause;
  if (code === undefined || severity === undefined)
    return error instanceof DrizzleQueryError ? new Error(`a query failed: ${error.query}`) : error;
  // What is wrong with a value is said by repeating it.
  const said = code.startsWith("22") ? "a value was refused" : cause.message;
  const where = [cause.table, cause.constraint].filter(Boolean).join(", ");
  const clean = new Error(`${said} (${[`SQLSTATE ${code}`, where].filter(Boolean).join("; ")})`);
  if (cause.stack) clean.stack = `${clean.message}\n${cause.stack.split("\n").slice(1).join("\n")}`;
  return Object.assign(clean, { code });
}

const AWAY = "A server that runs goes on by itself once it is back.";

/** The driver's error in an operator's words where there is something to do about it, else the error without values. */
export function explainError(error: unknown, address: DatabaseAddress): unknown {
  const cause = causeOf(error);
  if (cause instanceof OperatorError) return cause;
  const { code = "", message = "" } = cause ?? {};
  const { displayName, host, port, user, database } = address;
  const operator = (what: string, hint: string) => new OperatorError(`${displayName}: ${what}`, hint);
  const storage = (what: string, hint: string) => new StorageError(`${displayName}: ${what}`, hint);
  if (message.startsWith("SASL: ") && address.password === "")
    return operator(
      "PostgreSQL wants a password, and storage.url has none",
      `Write it into the address: postgres://${user}:PASSWORD@…, signs like @ / : # ? and % as escapes.`,
    );
  if (code === "28000" && message.endsWith("no encryption"))
    return operator(
      `PostgreSQL lets the user ${user} in by an encrypted connection alone (${message})`,
      "Add ?sslmode=verify-full&sslrootcert=/path/to/authority.crt to storage.url; on this machine sslmode=require will do.",
    );
  if (code === "28000" && message.includes("client certificate"))
    return operator(
      `PostgreSQL lets the user ${user} in with a certificate alone (${message})`,
      "Name one that is made out for the user, and its key: &sslcert=/path/to/user.crt&sslkey=/path/to/user.key in storage.url.",
    );
  if (["28P01", "28000"].includes(code) || message.startsWith("SASL: ") || isPooler(cause, "login"))
    return operator(
      `PostgreSQL refuses the user ${user} (${message})`,
      "Check user and password in storage.url, and what pg_hba.conf, or a PgBouncer's auth_file, lets that user do from this machine.",
    );
  if (code === "26000" || code === "42P05")
    return operator(
      `a pooler in between gives statements that were prepared to others (${message})`,
      "Set max_prepared_statements of a PgBouncer 1.21 or newer to 200, or add ?prepared=false to storage.url.",
    );
  if (code === "3D000" || isPooler(cause, "database"))
    return operator(
      `there is no database "${database}"`,
      `Make it: CREATE DATABASE ${database} OWNER ${user} ENCODING 'UTF8' TEMPLATE template0;`,
    );
  if (code === "42501")
    return operator(
      `the user ${user} lacks a privilege (${message})`,
      "Let it own the database, or grant it, in this very database, CONNECT, CREATE and USAGE on the schema, and all rights to its tables.",
    );
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return storage(`the host ${host} is unknown (${code})`, `Check the name in storage.url. ${AWAY}`);
  if (message === "The server does not support SSL connections")
    return operator(
      "the server does not encrypt connections",
      "Turn ssl on in postgresql.conf. Where nobody can listen between the two, add ?sslmode=disable to storage.url.",
    );
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return operator(
      `the server's certificate is not for the name ${host} (${message})`,
      "Use the name that the certificate has, or have one made for this name. sslmode=verify-ca takes any name of the same authority.",
    );
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return operator(
      `the server's certificate is not to be trusted: it ${code === "CERT_HAS_EXPIRED" ? "has expired" : "is not valid yet"}`,
      "Look at this machine's clock; else give PostgreSQL a new one (ssl_cert_file) and reload it: SELECT pg_reload_conf();",
    );
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code) && message !== "")
    return operator(
      `the server's certificate is not to be trusted (${message || code})`,
      "Name the authority that signed it: ?sslmode=verify-full&sslrootcert=/path/to/authority.crt in storage.url.",
    );
  if (message.includes("TLSV1_ALERT_UNKNOWN_CA") || message.includes("TLSV1_ALERT_CERTIFICATE"))
    return operator(
      "PostgreSQL does not trust the certificate of sslcert",
      "Name one that an authority in its ssl_ca_file has signed, and that has not expired.",
    );
  if (message === "There was an error establishing an SSL connection" || message.includes("SSL routines"))
    return operator(
      `what answers at ${host}:${port} does not encrypt as PostgreSQL does (${message})`,
      "Check host and port in storage.url: something else may listen there.",
    );
  if (code === "25006")
    return storage(
      "the database takes no writes (it is read-only, or a standby)",
      "Point storage.url at the primary, or end default_transaction_read_only.",
    );
  if (code === "53100" || code === "53200")
    return storage(
      `PostgreSQL is out of ${code === "53100" ? "disk space" : "memory"}`,
      `Give it more. ${AWAY}`,
    );
  if (code === "53300")
    return storage(
      "PostgreSQL takes no more connections",
      `Raise its max_connections, or lower ?pool= in storage.url. ${AWAY}`,
    );
  if (code === "57014")
    return storage(
      `PostgreSQL has ended a statement before it was done (${message})`,
      "Nothing of it has happened. Look what else it is busy with: SELECT * FROM pg_stat_activity WHERE state <> 'idle'. A statement may take a minute.",
    );
  if (isLockTimeout(cause))
    return storage(
      "rows that this needs are held by another transaction; nothing of it has happened",
      "Look whose: SELECT * FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'. A server's own end by themselves.",
    );
  if (isConflict(cause))
    return storage(
      `other transactions were in the way of this one again and again (${message})`,
      "Nothing of it has happened. Look which ones: SELECT * FROM pg_stat_activity WHERE state <> 'idle'.",
    );
  if (code === "57P03") return storage("PostgreSQL is starting up or shutting down", `Wait for it. ${AWAY}`);
  if (isConnectionLost(error))
    return storage(
      `PostgreSQL does not answer at ${host}:${port} (${message || code})`,
      `Check that it runs, and that this machine may reach it. ${AWAY}`,
    );
  return withoutValues(error);
}
