import { beforeAll, describe, expect, test } from "bun:test";
import { operationsOf, readApiDocument } from "../support/api-document.ts";
import type { ApiClient, Asking } from "../support/client.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";

const { serve } = useMainstay();
let server: Installation;
let byKey: ApiClient;
let byToken: ApiClient;
beforeAll(async () => {
  server = await serve();
  const partner = await server.createPartner("Acme");
  byKey = server.as(partner);
  byToken = await server.withToken(partner);
});

const secured = operationsOf(readApiDocument()).filter(({ operation }) => operation.security?.length !== 0);
const named = secured.map(({ method, path, operation }) => [method, path, operation] as const);
/** A well-formed, unknown ID. */
const filled = (path: string) =>
  path.replace("{id}", "X_00000000000000000000000000").replace("{filename}", `${"0".repeat(32)}.jpg`);
const MEGABYTE = 1024 * 1024;

describe.each(named)("%s %s", (method, path, { parameters = [], requestBody }) => {
  const query: Asking["query"] = parameters.some(({ name }) => name === "since")
    ? { since: "2026-01-01" }
    : {};
  const asking: Asking = { query, ...(requestBody && { body: {} }) };

  // Rule: credential-needed
  test("requires credentials, and accepts a key and a token equally", async () => {
    const { body, headers } = await server.anonymous.ask(method, filled(path), 401, asking);
    expect(body.error).toBe("API key required. Pass it in the X-Api-Key header.");
    expect(headers.get("www-authenticate")).toMatch(/^(ApiKey|Bearer)/);
    // A second demo property is a conflict; all other operations have the same result twice.
    const [first, second] = [
      await byKey.send(method, filled(path), asking),
      await byToken.send(method, filled(path), asking),
    ];
    for (const reply of [first, second]) expect([401, 403]).not.toContain(reply.status);
    if (path !== "/v1/onboarding/demo-property") expect(second.status).toBe(first.status);
  });

  // Rule: limit-headers
  test("returns the calls remaining today, until midnight", async () => {
    const before = Date.now();
    const { headers } = await byKey.send(method, filled(path), asking);
    expect(headers.get("x-ratelimit-limit")).toBe("1000000");
    expect(Number(headers.get("x-ratelimit-remaining"))).toBeLessThan(1_000_000);
    const midnights = [before, Date.now()].map((now) => (Math.floor(now / 86_400_000) + 1) * 86_400_000);
    expect(midnights.map((at) => new Date(at).toISOString())).toContain(headers.get("x-ratelimit-reset")!);
  });

  if (requestBody?.content["application/json"])
    // Rule: credential-first
    test("checks credentials first, then the size of the body, then its content", async () => {
      const raw = `{${"x".repeat(6 * MEGABYTE)}`;
      const headers = { "content-type": "application/json" };
      await server.anonymous.ask(method, filled(path), 401, { raw, headers });
      await byKey.ask(method, filled(path), 413, { raw, headers });
    });
});
