import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { OperatorError } from "../../../domain/errors.ts";
import { type PemFile, readTlsAuthorities, readTlsKeyPair } from "../../../tls/pem-files.ts";

/** The address of the database and the options of its connections, as in `storage.url`. */
export type DatabaseAddress = {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /** False where the connection is not encrypted. */
  ssl: false | ConnectionOptions;
  /** True if statements are prepared by name, which a PgBouncer older than 1.21 does not support. */
  preparesStatements: boolean;
  /** The most connections for reading. */
  pool: number;
  /** How long a caller waits for a database that does not answer. */
  timeoutMs: number;
  /** The address for people, without the password. */
  displayName: string;
};

const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"];
const PARAMETERS = ["sslmode", "sslrootcert", "sslcert", "sslkey", "connect_timeout", "prepared", "pool"];
const DEFAULT_PORT = 5432;
const DEFAULT_POOL = 12;
const DEFAULT_TIMEOUT_S = 2;

/**
 * Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…` and reads its certificate files. Throws an
 * OperatorError that never contains the password. Without `sslmode`, a server on another machine has to prove its name.
 */
export function parsePostgresUrl(url: string): DatabaseAddress {
  // Only behind the last @: a comma in a password does not separate hosts.
  if (/^[^/]*\/\/([^/?#]*@)?[^/?#@,]*,[^/?#@]*([/?#]|$)/.test(url))
    throw new OperatorError(
      "storage.url names several hosts",
      "Specify one host that always reaches the primary, such as a virtual IP, HAProxy or Patroni.",
    );
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !["postgres:", "postgresql:"].includes(parsed.protocol) || parsed.hash !== "")
    throw wrong("is not the URL of a PostgreSQL database");
  const host = decoded(parsed.hostname).replace(/^\[(.*)\]$/, "$1");
  const database = decoded(parsed.pathname.slice(1));
  if (host === "") throw wrong("names no host");
  if (parsed.username === "") throw wrong("names no user");
  if (database === "" || database.includes("/")) throw wrong("names no database, or more than one");
  const given = parsed.searchParams;
  for (const name of given.keys()) {
    if (!PARAMETERS.includes(name)) throw wrong(unknownParameter(name));
    if (given.getAll(name).length > 1) throw wrong(`has the parameter "${name}" twice`);
  }
  const prepared = given.get("prepared") ?? "true";
  if (!["true", "false"].includes(prepared)) throw wrong('has a "prepared" that is neither true nor false');
  const number = (name: string, fallback: number, most: number) => {
    const value = Number(given.get(name) ?? fallback);
    if (Number.isInteger(value) && value >= 1 && value <= most) return value;
    throw wrong(`has a "${name}" that is not a number from 1 to ${most}`);
  };
  const port = parsed.port === "" ? DEFAULT_PORT : Number(parsed.port);
  const user = decoded(parsed.username);
  return {
    host,
    port,
    user,
    password: decoded(parsed.password),
    database,
    ssl: encryption(host, given),
    preparesStatements: prepared === "true",
    pool: number("pool", DEFAULT_POOL, 200),
    timeoutMs: 1000 * number("connect_timeout", DEFAULT_TIMEOUT_S, 60),
    displayName: `postgres://${user}@${isIP(host) === 6 ? `[${host}]` : host}:${port}/${database}`,
  };
}

/** Leaves out what is no name: behind an unescaped ? in it, the rest of a password looks like a parameter. */
const unknownParameter = (name: string) =>
  `has ${/^\w{1,30}$/.test(name) ? `the unknown parameter "${name}"` : "an unknown parameter"}; the known ones are ${PARAMETERS.join(", ")}`;

function encryption(host: string, given: URLSearchParams): false | ConnectionOptions {
  const mode = given.get("sslmode") ?? (isLocalPostgresHost(host) ? "disable" : "verify-full");
  if (!SSL_MODES.includes(mode)) throw wrong(`has an "sslmode" that is none of ${SSL_MODES.join(", ")}`);
  const files = { ca: given.get("sslrootcert"), cert: given.get("sslcert"), key: given.get("sslkey") };
  if ((files.cert === null) !== (files.key === null))
    throw wrong("has only one of sslcert and sslkey; add the other");
  if (mode === "disable") {
    if (files.ca !== null || files.cert !== null)
      throw wrong("has certificates, but its connections are not encrypted; add sslmode=verify-full");
    return false;
  }
  const pems = {
    ...(files.ca !== null && { ca: readTlsAuthorities(pemFile("sslrootcert", files.ca)) }),
    ...(files.cert !== null &&
      files.key !== null &&
      readTlsKeyPair(pemFile("sslcert", files.cert), pemFile("sslkey", files.key))),
  };
  // As in libpq, a named authority is checked.
  if (mode === "require" && files.ca === null) return { ...pems, rejectUnauthorized: false };
  if (mode === "verify-full") return { ...pems, rejectUnauthorized: true };
  return { ...pems, rejectUnauthorized: true, checkServerIdentity: () => undefined };
}

/** Returns whether the host is this machine: a socket, or a loopback address. */
export function isLocalPostgresHost(host: string): boolean {
  return host.startsWith("/") || host === "localhost" || host === "::1" || /^127\./.test(host);
}

const pemFile = (parameter: string, path: string): PemFile => ({
  setting: `${parameter} of storage.url`,
  path,
});

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw wrong("has a % that starts no escape sequence; write % itself as %25");
  }
}

const wrong = (what: string) =>
  new OperatorError(
    `storage.url ${what}`,
    'Write it as "postgres://USER:PASSWORD@HOST:5432/DATABASE?sslmode=verify-full", and percent-encode @ / : # ? and % in a password (%40 %2F %3A %23 %3F %25).',
  );
