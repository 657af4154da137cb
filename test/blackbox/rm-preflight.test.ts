import { describe, expect, test } from "bun:test";
import { FIXTURE_TLS } from "../support/certificates.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { LOGIN, startSystem } from "../support/property-management-system.ts";

/*
 * The steps of the check are tested in test/pms. These tests cover the endpoint: that it uses the server's settings
 * and reports the result.
 */

const { serve } = useMainstay();
const STEPS = ["configured", "dns", "tcp", "tls", "http", "credentials"];

describe("a system that works", () => {
  // Rule: rm-preflight
  test("passes every step, each with a detail and a duration", async () => {
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
    expect(named(checks, "tls").detail).toMatch(/^TLSv1\.\d, certificate of .*, expires in [\d]+ days$/);
    expect(named(checks, "credentials").detail).toBe("credentials accepted (HTTP 200)");
  });
});

describe("the last step reports", () => {
  // Rule: rm-preflight-steps
  test("a missing configuration", async () => {
    expect(await failure({})).toEqual(["configured", "rm.url is not set"]);
  });

  // Rule: rm-preflight-steps
  test("wrong credentials", async () => {
    const { url } = await startSystem();
    const settings = { url, username: "mainstay", password: "not-the-password" };
    expect(await failure(settings)).toEqual(["credentials", "credentials rejected (HTTP 401)"]);
  });
});

test("neither the response nor the log contains the password, the token or parts of the URL", async () => {
  const { port } = await startSystem();
  const server = await serve({
    rm: {
      url: `https://someone:in-the-address@127.0.0.1:${port}/in-the-path?key=in-the-query`,
      token: "t0ken-of-ours",
      ca_file: FIXTURE_TLS.authority,
    },
  });
  const output = JSON.stringify([await ask(server), server.log]);
  for (const secret of ["in-the-address", "in-the-path", "in-the-query", "t0ken-of-ours"])
    expect(output).not.toContain(secret);
});

test("requires an administrator", async () => {
  const server = await serve();
  expect((await fetch(`${server.adminUrl}/admin/rm-preflight`)).status).toBe(401);
  await server.anonymous.ask("GET", "/admin/rm-preflight", 404);
});

type RmSettings = Record<string, string | number>;

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
