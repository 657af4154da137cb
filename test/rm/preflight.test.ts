import { describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import type { Config } from "../../src/config/settings.ts";
import { runPreflight } from "../../src/rm/preflight.ts";
import { createResolver } from "../../src/webhooks/resolve.ts";
import { FIXTURE_TLS } from "../support/certificates.ts";
import { BASIC, LOGIN, startPlainSystem, startSystem } from "../support/rm-system.ts";

type Settings = Config["rm"];

const SETTINGS: Settings = {
  ...{ url: "", username: "", password: "", token: "" },
  ...{ caFile: FIXTURE_TLS.authority, timeoutMs: 5_000 },
};

const preflight = (settings: Partial<Settings>) =>
  runPreflight({ settings: { ...SETTINGS, ...settings }, resolve: createResolver(), clock: Date.now });

/** The name and the detail of the one step that failed, which must be the last. */
async function failure(settings: Partial<Settings>): Promise<[string, string]> {
  const { ok, checks } = await preflight(settings);
  expect(ok).toBe(false);
  const failed = checks.filter((check) => !check.ok);
  expect(failed).toEqual([checks.at(-1)!]);
  return [failed[0]!.name, failed[0]!.detail];
}

describe("with a system that is as it should be", () => {
  test("a bearer token does as well", async () => {
    const { url } = await startSystem("Bearer t0ken-of-ours");
    expect((await preflight({ url, token: "t0ken-of-ours" })).ok).toBe(true);
  });

  test("credentials are first sent when everything before them has worked", async () => {
    const system = await startSystem();
    await preflight({ url: system.url, ...LOGIN });
    expect(system.received.map(({ headers }) => headers.authorization)).toEqual([undefined, BASIC]);
  });

  test("one without TLS is asked as well, and the step is left out", async () => {
    const { url } = await startPlainSystem();
    const { ok, checks } = await preflight({ url, ...LOGIN });
    expect(ok).toBe(true);
    expect(checks.map(({ name }) => name)).toEqual(["configured", "dns", "tcp", "http", "credentials"]);
    expect(checks[0]!.detail).toContain("without TLS");
  });
});

describe("the last step reported says what is wrong", () => {
  test("when the file of authorities is missing", async () => {
    const [step, detail] = await failure({ url: "https://127.0.0.1:1/", caFile: "/nowhere/ca.pem" });
    expect(step).toBe("configured");
    expect(detail).toContain("/nowhere/ca.pem");
  });

  test("when there is no such host", async () => {
    expect(await failure({ url: "https://rm.invalid/" })).toEqual(["dns", "host rm.invalid not found"]);
  });

  test("when nobody listens", async () => {
    const system = await startSystem();
    await system.close();
    const [step, detail] = await failure({ url: system.url });
    expect(step).toBe("tcp");
    expect(detail).toContain(`connection refused by 127.0.0.1:${system.port}`);
  });

  test("when the certificate's authority is not trusted", async () => {
    const { url } = await startSystem();
    const [step, detail] = await failure({ url, caFile: "" });
    expect(step).toBe("tls");
    expect(detail).toContain("not signed by a trusted authority");
  });

  test("when the certificate has expired", async () => {
    const { url } = await startSystem(BASIC, FIXTURE_TLS.expired);
    expect(await failure({ url })).toEqual(["tls", "certificate expired"]);
  });

  test("when the certificate is another host's", async () => {
    const { port } = await startSystem();
    expect(await failure({ url: `https://localhost:${port}/` })).toEqual([
      "tls",
      "certificate is not for localhost",
    ]);
  });

  test("when the handshake is not answered in time", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const said = await failure({ url: `https://127.0.0.1:${port}/`, timeoutMs: 200 });
    expect(said).toEqual(["tls", "no TLS handshake within 0.2 s"]);
  });

  test("when the system does not answer in time", async () => {
    const { url } = await startSystem(BASIC, FIXTURE_TLS.cert, () => "hang");
    expect(await failure({ url, timeoutMs: 300 })).toEqual(["http", "no answer within 0.3 s"]);
  });

  test("when the system is broken", async () => {
    const { url } = await startSystem(BASIC, FIXTURE_TLS.cert, () => ({ status: 503 }));
    expect(await failure({ url })).toEqual(["http", "answered 503"]);
  });

  test("when none are set and the system wants some", async () => {
    const { url } = await startSystem();
    expect(await failure({ url })).toEqual([
      "credentials",
      "none are set, and the system answers 401 without any",
    ]);
  });

  test("when the path is wrong", async () => {
    const { url } = await startSystem(BASIC, FIXTURE_TLS.cert, () => ({ status: 404 }));
    const [step, detail] = await failure({ url, ...LOGIN });
    expect(step).toBe("credentials");
    expect(detail).toStartWith("answered 404");
  });
});
