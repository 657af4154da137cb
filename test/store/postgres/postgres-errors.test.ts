import { describe, expect, test } from "bun:test";
import { OperatorError, StorageError } from "../../../src/domain/errors.ts";
import { parsePostgresUrl } from "../../../src/store/postgres/connection/postgres-address.ts";
import {
  explainPostgresError,
  isPostgresConnectionLost,
} from "../../../src/store/postgres/postgres-errors.ts";

const address = parsePostgresUrl("postgres://mainstay:secret@127.0.0.1:6432/absent");
const refusal = (code: string, message: string) =>
  Object.assign(new Error(message), { code, severity: "FATAL" });

/**
 * The messages of PgBouncer, verbatim (1.18, and later ones where they differ). All but the last have the same
 * code.
 */
describe("an error of PgBouncer", () => {
  test.each([
    ["08P01", "SASL authentication failed", "rejects the user mainstay", "auth_file"],
    ["08P01", "password authentication failed", "rejects the user mainstay", "auth_file"],
    ["08P01", "no such user: mainstay", "rejects the user mainstay", "auth_file"],
    [
      "08P01",
      'database "absent" does not exist',
      'the database "absent" does not exist',
      "CREATE DATABASE absent",
    ],
    ["08P01", "no such database: absent", 'the database "absent" does not exist', "CREATE DATABASE absent"],
    [
      "26000",
      'prepared statement "mainstay_1" does not exist',
      "a connection pooler mixes up",
      "?prepared=false",
    ],
    [
      "42P05",
      'prepared statement "mainstay_1" already exists',
      "a connection pooler mixes up",
      "?prepared=false",
    ],
  ])("%s %s: the operator must fix it, and it is not tried again", (code, message, what, hint) => {
    const error = refusal(code, message);
    expect(isPostgresConnectionLost(error)).toBe(false);
    const reported = explainPostgresError(error, address) as OperatorError;
    expect(reported).toBeInstanceOf(OperatorError);
    expect([reported.message, reported.hint]).toEqual([
      expect.stringContaining(what),
      expect.stringContaining(hint),
    ]);
  });

  test.each(["server conn crashed?", "query_wait_timeout", "pgbouncer cannot connect to server"])(
    "08P01 %s: the database is unavailable, and the connection is tried again",
    (message) => {
      const error = refusal("08P01", message);
      expect(isPostgresConnectionLost(error)).toBe(true);
      expect(explainPostgresError(error, address)).toBeInstanceOf(StorageError);
    },
  );
});

test.each([
  ["57014", "canceling statement due to statement timeout", "canceled a statement", "what else runs"],
  [
    "55P03",
    "canceling statement due to lock timeout",
    "another transaction has locked rows",
    "idle in transaction",
  ],
])("%s %s: is distinguished, because it has a different cause", (code, message, what, hint) => {
  const reported = explainPostgresError(refusal(code, message), address) as StorageError;
  expect(reported).toBeInstanceOf(StorageError);
  expect([reported.message, reported.hint]).toEqual([
    expect.stringContaining(what),
    expect.stringContaining(hint),
  ]);
});

test.each([
  [
    "28000",
    'no pg_hba.conf entry for host "10.0.0.1", no encryption',
    "only on an encrypted connection",
    "sslmode=",
  ],
  ["28000", "connection requires a valid client certificate", "only with a client certificate", "sslcert="],
  [
    "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA",
    "TLSV1_ALERT_UNKNOWN_CA",
    "does not trust the client certificate",
    "ssl_ca_file",
  ],
  ["42501", "permission denied for table partners", "lacks a privilege", "owner of the database"],
])("%s %s: is reported with the missing right and how to grant it", (code, message, what, hint) => {
  const reported = explainPostgresError(refusal(code, message), address) as OperatorError;
  expect(reported).toBeInstanceOf(OperatorError);
  expect([reported.message, reported.hint]).toEqual([
    expect.stringContaining(what),
    expect.stringContaining(hint),
  ]);
});

test("names no part of a password with an unescaped ? in it", () => {
  const read = (url: string) => () => parsePostgresUrl(url);
  expect(read("postgres://a:12?secret@host/d")).toThrow("names no user");
  expect(read("postgres://a@b:12/d?secret@host/d")).toThrow("has an unknown parameter; the known ones");
  expect(read("postgres://a@b/d?sslmod=require")).toThrow(`the unknown parameter "sslmod"`);
});

test("a comma in a password starts no second host", () => {
  expect(parsePostgresUrl("postgres://a:b,c@host/d")).toMatchObject({ password: "b,c", host: "host" });
});
