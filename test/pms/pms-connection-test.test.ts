import { describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import type { Config } from "../../src/config/settings.ts";
import { testPmsConnection } from "../../src/pms/pms-connection-test.ts";
import { createWebhookResolver } from "../../src/webhooks/webhook-dns-resolver.ts";
import { FIXTURE_TLS } from "../support/certificates.ts";
import { TIMEOUT_MS } from "../support/eventually.ts";
import { withLongerTimeouts } from "../support/longer-timeouts.ts";
import { BASIC, LOGIN, startPlainSystem, startSystem } from "../support/property-management-system.ts";

type Settings = Config["rm"];

const SETTINGS: Settings = {
  url: "",
  username: "",
  password: "",
  token: "",
  caFile: FIXTURE_TLS.authority,
  timeoutMs: TIMEOUT_MS,
};

const preflight = (settings: Partial<Settings>) =>
  testPmsConnection({
    settings: { ...SETTINGS, ...settings },
    resolve: createWebhookResolver(),
    clock: Date.now,
  });

/** Returns the name and the detail of the only failed step, which must be the last one. */
async function failure(settings: Partial<Settings>): Promise<[string, string]> {
  const { ok, checks } = await preflight(settings);
  expect(ok).toBe(false);
  const failed = checks.filter((check) => !check.ok);
  expect(failed).toEqual([checks.at(-1)!]);
  return [failed[0]!.name, failed[0]!.detail];
}

describe("a system that works", () => {
  test("accepts a bearer token", async () => {
    const { url } = await startSystem("Bearer t0ken-of-ours");
    expect((await preflight({ url, token: "t0ken-of-ours" })).ok).toBe(true);
  });

  test("receives no credentials before the other steps have passed", async () => {
    const system = await startSystem();
    await preflight({ url: system.url, ...LOGIN });
    expect(system.received.map(({ headers }) => headers.authorization)).toEqual([undefined, BASIC]);
  });

  test("may be without TLS, which skips that step", async () => {
    const { url } = await startPlainSystem();
    const { ok, checks } = await preflight({ url, ...LOGIN });
    expect(ok).toBe(true);
    expect(checks.map(({ name }) => name)).toEqual(["configured", "dns", "tcp", "http", "credentials"]);
    expect(checks[0]!.detail).toContain("without TLS");
  });
});

describe("the last step reports", () => {
  test("a missing file of authorities", async () => {
    const [step, detail] = await failure({ url: "https://127.0.0.1:1/", caFile: "/nowhere/ca.pem" });
    expect(step).toBe("configured");
    expect(detail).toContain("/nowhere/ca.pem");
  });

  test("an unknown host", async () => {
    expect(await failure({ url: "https://rm.invalid/" })).toEqual(["dns", "host not found: rm.invalid"]);
  });

  test("a closed port", async () => {
    const system = await startSystem();
    await system.close();
    const [step, detail] = await failure({ url: system.url });
    expect(step).toBe("tcp");
    expect(detail).toContain(`connection refused by 127.0.0.1:${system.port}`);
  });

  test("an untrusted authority", async () => {
    const { url } = await startSystem();
    const [step, detail] = await failure({ url, caFile: "" });
    expect(step).toBe("tls");
    expect(detail).toContain("not signed by a trusted authority");
  });

  test("an expired certificate", async () => {
    const { url } = await startSystem(BASIC, FIXTURE_TLS.expired);
    expect(await failure({ url })).toEqual(["tls", "certificate expired"]);
  });

  test("a certificate of another host", async () => {
    const { port } = await startSystem();
    expect(await failure({ url: `https://localhost:${port}/` })).toEqual([
      "tls",
      "certificate is not valid for localhost",
    ]);
  });

  test("a handshake that times out", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const { result, timeoutMs } = await withLongerTimeouts(
      200,
      (timeoutMs) => failure({ url: `https://127.0.0.1:${port}/`, timeoutMs }),
      ([step]) => step !== "tcp",
    );
    expect(result).toEqual(["tls", `no TLS handshake within ${timeoutMs / 1000} s`]);
  });

  test("a response that times out", async () => {
    const { url } = await startSystem(BASIC, FIXTURE_TLS.cert, () => "hang");
    const { result, timeoutMs } = await withLongerTimeouts(
      300,
      (timeoutMs) => failure({ url, timeoutMs }),
      ([step]) => step !== "tcp" && step !== "tls",
    );
    expect(result).toEqual(["http", `no response within ${timeoutMs / 1000} s`]);
  });

  test("a server error", async () => {
    const { url } = await startSystem(BASIC, FIXTURE_TLS.cert, () => ({ status: 503 }));
    expect(await failure({ url })).toEqual(["http", "HTTP 503"]);
  });

  test("missing credentials", async () => {
    const { url } = await startSystem();
    expect(await failure({ url })).toEqual([
      "credentials",
      "no credentials are set, and the system requires them (HTTP 401)",
    ]);
  });

  test("a wrong path", async () => {
    const { url } = await startSystem(BASIC, FIXTURE_TLS.cert, () => ({ status: 404 }));
    const [step, detail] = await failure({ url, ...LOGIN });
    expect(step).toBe("credentials");
    expect(detail).toStartWith("HTTP 404");
  });
});
