import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { FIXTURE_TLS } from "../support/certificates.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { type Behaviour, type Received, startReceiver } from "../support/receiver.ts";

const { serve } = useMainstay();
const PASSWORD = "tr0ub4dor-and-3";
const LOGIN = { username: "mainstay", password: PASSWORD };
const BASIC = `Basic ${Buffer.from(`mainstay:${PASSWORD}`).toString("base64")}`;
const STEPS = ["configured", "dns", "tcp", "tls", "http", "credentials"];

describe("with a system that is as it should be", () => {
  // Rule: rm-preflight
  test("every step is reported with what was seen and how long it took", async () => {
    const { url } = await startSystem();
    const { ok, checked_at, checks } = await preflight({ url, ...LOGIN });
    expect(names(checks)).toEqual(STEPS);
    expect(checks.filter((check: Json) => !check.ok)).toEqual([]);
    expect(ok).toBe(true);
    expect(Math.abs(Date.now() - Date.parse(checked_at))).toBeLessThan(60_000);
    for (const { detail, duration_ms } of checks) {
      expect(detail).toMatch(/./);
      expect(duration_ms).toBeGreaterThanOrEqual(0);
    }
    expect(named(checks, "tls").detail).toMatch(/^TLSv1\.\d, certificate of .*, [\d]+ days left$/);
    expect(named(checks, "credentials").detail).toBe("accepted with 200");
  });

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
    const { url } = await startReceiver({ behave: guarded(BASIC), knowsSecrets: true });
    const { ok, checks } = await preflight({ url, ...LOGIN });
    expect(ok).toBe(true);
    expect(names(checks)).toEqual(STEPS.filter((step) => step !== "tls"));
    expect(named(checks, "configured").detail).toContain("without TLS");
  });
});

describe("the last step reported says what is wrong", () => {
  // Rule: rm-preflight-steps
  test("when nothing is configured", async () => {
    expect(await failure({})).toEqual(["configured", "rm.url is not set"]);
  });

  test("when the file of authorities is missing", async () => {
    const [step, detail] = await failure({ url: "https://127.0.0.1:1/", ca_file: "/nowhere/ca.pem" });
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
    const [step, detail] = await failure({ url, ca_file: "" });
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
    const said = await failure({ url: `https://127.0.0.1:${port}/`, timeout_ms: 200 });
    expect(said).toEqual(["tls", "no TLS handshake within 0.2 s"]);
  });

  test("when the system does not answer in time", async () => {
    const { url } = await startSystem(BASIC, FIXTURE_TLS.cert, () => "hang");
    expect(await failure({ url, timeout_ms: 300 })).toEqual(["http", "no answer within 0.3 s"]);
  });

  test("when the system is broken", async () => {
    const { url } = await startSystem(BASIC, FIXTURE_TLS.cert, () => ({ status: 503 }));
    expect(await failure({ url })).toEqual(["http", "answered 503"]);
  });

  // Rule: rm-preflight-steps
  test("when the credentials are wrong", async () => {
    const { url } = await startSystem();
    const settings = { url, username: "mainstay", password: "not-the-password" };
    expect(await failure(settings)).toEqual(["credentials", "refused with 401"]);
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

test("neither the answer nor the log has the password, the token or what the address holds", async () => {
  const { port } = await startSystem();
  const server = await serve({
    rm: {
      url: `https://someone:in-the-address@127.0.0.1:${port}/in-the-path?key=in-the-query`,
      token: "t0ken-of-ours",
      ca_file: FIXTURE_TLS.authority,
    },
  });
  const said = JSON.stringify([await ask(server), server.log]);
  for (const secret of ["in-the-address", "in-the-path", "in-the-query", "t0ken-of-ours"])
    expect(said).not.toContain(secret);
});

test("only administrators may ask", async () => {
  const server = await serve();
  expect((await fetch(`${server.adminUrl}/admin/rm-preflight`)).status).toBe(401);
  await server.anonymous.ask("GET", "/admin/rm-preflight", 404);
});

type RmSettings = Record<string, string | number>;

/** A system that answers 200 to that Authorization, else 401. */
function startSystem(authorization = BASIC, cert = FIXTURE_TLS.cert, behave = guarded(authorization)) {
  const tls = { cert: readFileSync(cert, "utf8"), key: readFileSync(FIXTURE_TLS.key, "utf8") };
  return startReceiver({ behave, tls, knowsSecrets: true });
}

function guarded(authorization: string) {
  return ({ headers }: Received): Behaviour => ({
    status: headers.authorization === authorization ? 200 : 401,
  });
}

async function preflight(settings: RmSettings): Promise<Json> {
  return await ask(await serve({ rm: { ca_file: FIXTURE_TLS.authority, ...settings } }));
}

/** The name and the detail of the one step that failed, which must be the last. */
async function failure(settings: RmSettings): Promise<[string, string]> {
  const { ok, checks } = await preflight(settings);
  expect(ok).toBe(false);
  const failed = checks.filter((check: Json) => !check.ok);
  expect(failed).toEqual([checks.at(-1)]);
  return [failed[0].name, failed[0].detail];
}

async function ask(server: Installation): Promise<Json> {
  const { admin_key } = await server.json("admin", "create", "Ada");
  const response = await fetch(`${server.adminUrl}/admin/rm-preflight`, {
    headers: { "x-api-key": admin_key },
  });
  expect(response.status).toBe(200);
  return await response.json();
}

const names = (checks: Json[]): string[] => checks.map(({ name }) => name);
const named = (checks: Json[], wanted: string): Json => checks.find(({ name }) => name === wanted);
