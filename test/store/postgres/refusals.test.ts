import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OperatorError } from "../../../src/domain/errors.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { FIXTURE_TLS } from "../../support/certificates.ts";
import { PostgresServer, SUPERUSER } from "../../support/postgres-server.ts";

const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
/** The time that an unavailable server gets to return: longer than any other error takes on a busy machine. */
const CONNECT_TIMEOUT_S = 60;
/** For a server that is unavailable, which an error reports only after that time. */
const SHORT_TIMEOUT_S = 2;
let plain: PostgresServer;
let encrypted: PostgresServer;
beforeAll(async () => {
  plain = await PostgresServer.start();
  encrypted = await PostgresServer.start({ tls: FIXTURE_TLS });
});
afterAll(async () => {
  await plain.end();
  await encrypted.end();
});

/** Returns the error for the operator, which comes within the time that the server gets to return. */
async function refusalOf(
  url: string,
  timeoutS = CONNECT_TIMEOUT_S,
): Promise<{ message: string; hint: string | undefined }> {
  const startedAt = performance.now();
  const address = `${url}${url.includes("?") ? "&" : "?"}connect_timeout=${timeoutS}`;
  const error = await openPostgresStore(address, { clock: Date.now, random }).then(
    async (store) => void (await store.close()),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OperatorError);
  expect(performance.now() - startedAt).toBeLessThan(CONNECT_TIMEOUT_S * 1000);
  const { message, hint } = error as OperatorError;
  expect(message + hint).not.toContain(SUPERUSER.password);
  expect(hint).toBeTruthy();
  return { message, hint };
}
const changed = (server: PostgresServer, parts: Partial<URL>) =>
  Object.assign(new URL(server.url()), parts).href;

describe("is rejected with an explanation", () => {
  test("a wrong password", async () => {
    const { message } = await refusalOf(changed(plain, { password: "not-this-one" }));
    expect(message).toContain("PostgreSQL rejects the user mainstay");
    expect(message).not.toContain("not-this-one");
  });

  test("no password where one is required", async () => {
    const { message } = await refusalOf(changed(plain, { password: "" }));
    expect(message).toContain("PostgreSQL requires a password, and storage.url has none");
  });

  test("an unknown host", async () => {
    const { message, hint } = await refusalOf(
      changed(plain, { hostname: "nowhere.invalid", search: "?sslmode=disable" }),
      SHORT_TIMEOUT_S,
    );
    expect(message).toContain("the host name nowhere.invalid cannot be resolved");
    expect(hint).toContain("storage.url");
  });

  test("a port without a listener", async () => {
    const { message } = await refusalOf(changed(plain, { port: "1" }), SHORT_TIMEOUT_S);
    expect(message).toContain("PostgreSQL does not answer at 127.0.0.1:1");
  });

  test("a missing database", async () => {
    const { message, hint } = await refusalOf(changed(plain, { pathname: "/nothing" }));
    expect(message).toContain('the database "nothing" does not exist');
    expect(hint).toContain("CREATE DATABASE nothing");
  });

  test("a server without encryption, where it is required", async () => {
    const { message, hint } = await refusalOf(`${plain.url()}?sslmode=verify-full`);
    expect(message).toContain("the server does not support encrypted connections");
    expect(hint).toContain("sslmode=disable");
  });

  test("a certificate of an unknown authority", async () => {
    const { message, hint } = await refusalOf(`${encrypted.url()}?sslmode=verify-full`);
    expect(message).toContain("the server's certificate is not trusted");
    expect(hint).toContain("sslrootcert");
  });

  test("an expired certificate, distinguished from one of an unknown authority", async () => {
    const ended = await PostgresServer.start({ tls: { cert: FIXTURE_TLS.expired, key: FIXTURE_TLS.key } });
    const { message, hint } = await refusalOf(
      `${ended.url()}?sslmode=verify-full&sslrootcert=${FIXTURE_TLS.authority}`,
    );
    await ended.end();
    expect(message).toContain("the server's certificate is not trusted: it has expired");
    expect(hint).toContain("ssl_cert_file");
  });

  test("a program other than PostgreSQL, with its own response to a request for encryption", async () => {
    const other = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { open: (socket) => void socket.write("SSH-2.0-OpenSSH_9.2\r\n"), data: () => {} },
    });
    const { message, hint } = await refusalOf(`postgres://a:b@127.0.0.1:${other.port}/d?sslmode=require`);
    other.stop(true);
    expect(message).toContain(`127.0.0.1:${other.port} does not speak TLS as PostgreSQL does`);
    expect(hint).toContain("another service may listen there");
  });

  test("a certificate for another name", async () => {
    const url = changed(encrypted, { hostname: "localhost" });
    const { message, hint } = await refusalOf(
      `${url}?sslmode=verify-full&sslrootcert=${FIXTURE_TLS.authority}`,
    );
    expect(message).toContain("the server's certificate is not for the name localhost");
    expect(hint).toContain("verify-ca");
  });

  test.each([
    ["mysql://a:b@c/d", "is not the URL of a PostgreSQL database"],
    ["postgres://a:b@host/", "names no database"],
    ["postgres://host/d", "names no user"],
    ["postgres://a@host/d?ssl=on", 'has the unknown parameter "ssl"'],
    ["postgres://a@host/d?sslmode=maybe", 'has an "sslmode" that is none of'],
    ["postgres://a@host/d?prepared=no", 'has a "prepared"'],
    ["postgres://a@host/d?pool=0", 'has a "pool"'],
    ["postgres://a:%zz@host/d", "starts no escape sequence"],
    [
      "postgres://a@host/d?sslmode=verify-full&sslrootcert=/nowhere/ca.crt",
      "sslrootcert of storage.url: file not found: /nowhere/ca.crt",
    ],
    [`postgres://a@host/d?sslrootcert=${import.meta.path}`, "does not contain a PEM certificate"],
    [`postgres://a@host/d?sslrootcert=${FIXTURE_TLS.key}`, "does not contain a PEM certificate"],
    [
      `postgres://a@host/d?sslcert=${FIXTURE_TLS.key}&sslkey=${FIXTURE_TLS.key}`,
      `sslcert of storage.url: ${FIXTURE_TLS.key} does not contain`,
    ],
    [
      `postgres://a@host/d?sslcert=${FIXTURE_TLS.cert}&sslkey=${FIXTURE_TLS.cert}`,
      `sslkey of storage.url: ${FIXTURE_TLS.cert} does not contain`,
    ],
    [
      `postgres://a@host/d?sslcert=${FIXTURE_TLS.authority}&sslkey=${FIXTURE_TLS.key}`,
      `does not belong to the certificate in ${FIXTURE_TLS.authority}`,
    ],
    ["postgres://a:b@one:5432,two:5432/d", "names several hosts"],
    ["postgres://a:b#c@host/d", "is not the URL of a PostgreSQL database"],
    ["postgres://a:b@host:99999/d", "is not the URL of a PostgreSQL database"],
  ])("the address %s", async (url, message) => {
    expect((await refusalOf(url)).message).toContain(message);
  });
});

describe("is connected to over TLS", () => {
  test.each([
    ["verify-full", "127.0.0.1", `&sslrootcert=${FIXTURE_TLS.authority}`],
    ["verify-ca", "localhost", `&sslrootcert=${FIXTURE_TLS.authority}`],
    ["require", "localhost", ""],
  ])("with sslmode=%s at %s", async (mode, host, more) => {
    const url = changed(encrypted, { hostname: host });
    const store = await openPostgresStore(`${url}?sslmode=${mode}${more}`, { clock: Date.now, random });
    expect(await store.read.partners.list()).toEqual([]);
    await store.close();
  });
});
