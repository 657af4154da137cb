import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";

const { serve } = useMainstay();
let server: Installation;
let partner: ApiClient;
beforeAll(async () => {
  server = await serve();
  partner = server.as(await server.createPartner("Acme"));
});

describe("the public routes", () => {
  // Rule: health
  test("report that a new server is healthy and has no snapshot yet", async () => {
    const { body } = await server.anonymous.get("/health");
    expect(body).toEqual({
      status: "ok",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      uptime_s: expect.any(Number),
      checks: {
        database: "ok",
        scheduler: "off",
        outbox: "ok",
        pages: expect.stringMatching(/^(ok|checking)$/),
        clock: "ok",
      },
      last_snapshot: null,
      last_backup: null,
    });
  });

  // Rule: auth-methods
  test("list both authentication methods", async () => {
    const { body } = await server.anonymous.get("/v1/auth/methods");
    expect(body).toEqual({
      methods: [
        { type: "api_key", header: "X-Api-Key", description: expect.any(String) },
        {
          type: "oauth2",
          grant: "client_credentials",
          token_endpoint: "/oauth/token",
          description: expect.any(String),
        },
      ],
      docs: expect.any(String),
    });
  });
});

// Rule: document-paths
test.each(["", "/v1", "/api", "/api/v1"])(
  "operations without a version are available below %s",
  async (base) => {
    expect((await server.anonymous.get(`${base}/health`)).body.status).toBe("ok");
    await server.anonymous.ask("POST", `${base}/oauth/token`, 400, { body: {} });
    await partner.ask("GET", `${base}/uploads/none.jpg`, 404);
    const { status } = await partner.send("POST", `${base}/onboarding/demo-property`, {});
    expect(status).toBe(base === "" ? 201 : 409);
  },
);

test("administrative operations are not below /v1", async () => {
  await server.anonymous.ask("GET", "/v1/admin/partners", 404);
  await server.anonymous.ask("GET", "/v1/docs", 404);
});

// Rule: partner-name, ping
test("ping returns the partner and the time", async () => {
  const { body, headers } = await partner.get("/v1/ping");
  expect(body).toEqual({
    ok: true,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
    partner: "Acme",
  });
  expect(headers.get("x-ratelimit-limit")).toBe("1000000");
});

test("ping returns 304 to If-None-Match: *", async () => {
  await partner.ask("GET", "/v1/ping", 304, { headers: { "if-none-match": "*" } });
});

test("a query string is ignored by operations without parameters", async () => {
  for (const query of ["%zz", "%", "__proto__=%00", "a[b]=%ff"]) await partner.get(`/v1/ping?${query}`);
});

describe("every route", () => {
  // Rule: base-path
  test("is available with and without the base path", async () => {
    expect((await partner.get("/api/v1/ping")).body).toMatchObject({ ok: true });
    expect((await server.anonymous.get("/api/health")).body).toMatchObject({ status: "ok" });
    expect((await server.anonymous.get("/api/v1/auth/methods")).body.methods).toHaveLength(2);
    await server.anonymous.ask("POST", "/api/oauth/token", 400, { body: {} });
    for (const base of ["", "/api"]) {
      await server.anonymous.ask("POST", `${base}/onboarding/demo-property`, 401);
      const { body } = await partner.get(`${base}/uploads/${"0".repeat(32)}.jpg`, {}, 404);
      expect(body.error).toBe("Photo not found");
    }
  });

  test("supports HEAD like GET, without a body", async () => {
    const { text, headers } = await partner.ask("HEAD", "/v1/properties", 200);
    expect(text).toBe("");
    expect(headers.get("content-type")).toStartWith("application/json");
  });

  test("lists its methods for OPTIONS, without credentials", async () => {
    const { headers } = await server.anonymous.ask("OPTIONS", "/v1/properties", 204);
    expect(headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS");
  });

  // Rule: error-form, wrong-method
  test.each([
    ["DELETE", "/v1/properties", "GET, HEAD, POST, OPTIONS"],
    ["POST", "/v1/ping", "GET, HEAD, OPTIONS"],
    ["PATCH", "/v1/appliances/A_1", "GET, HEAD, PUT, OPTIONS"],
    ["GET", "/oauth/token", "POST, OPTIONS"],
  ] as const)("rejects %s %s and lists its methods", async (method, path, allow) => {
    const { body, headers } = await partner.ask(method, path, 405);
    expect(body.code).toBe("method_not_allowed");
    expect(headers.get("allow")).toBe(allow);
  });

  // Rule: error-form, versioning
  test.each(["/v1", "/v1/nothing", "/v1/ping/", "/v1//ping", "/V1/ping", "/api/api/v1/ping"])(
    "that does not exist is a 404: %s",
    async (path) => {
      expect((await partner.ask("GET", path, 404)).body).toMatchObject({
        error: "Not found",
        code: "not_found",
      });
    },
  );
});

describe("a request ID", () => {
  // Rule: request-id
  test("is the caller's if it has 1 to 128 printable characters", async () => {
    for (const id of ["a", "Order 7/b", "x".repeat(128)]) {
      const { headers } = await partner.ask("GET", "/v1/ping", 200, { headers: { "x-request-id": id } });
      expect(headers.get("x-request-id")).toBe(id);
    }
  });

  test("is in the error", async () => {
    const headers = { "x-request-id": "mine" };
    expect((await server.anonymous.ask("GET", "/v1/ping", 401, { headers })).body.request_id).toBe("mine");
  });

  // Rule: request-id
  test("is generated if the caller's is too long or missing", async () => {
    const asked: Record<string, string>[] = [{}, {}, { "x-request-id": "x".repeat(129) }];
    const ids = await Promise.all(
      asked.map(async (headers) =>
        (await partner.ask("GET", "/v1/ping", 200, { headers })).headers.get("x-request-id"),
      ),
    );
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id!.length).toBeLessThan(129);
  });
});

// Rule: log-lines
test("the log has a line per request, with route and partner, and without secrets", async () => {
  const headers = { "x-request-id": "find-me" };
  await partner.ask("GET", "/v1/properties/P_1", 404, { headers, query: { note: "from-the-query" } });
  const line = await server.logged((one) => one.request_id === "find-me");
  expect(line).toMatchObject({
    msg: "request",
    method: "GET",
    route: "/v1/properties/{id}",
    status: 404,
    partner: expect.stringMatching(/^PARTNER_/),
    duration_ms: expect.any(Number),
  });
  const logged = JSON.stringify(server.log);
  expect(logged).not.toContain(partner.credential["x-api-key"]!);
  expect(logged).not.toContain("from-the-query");
});
