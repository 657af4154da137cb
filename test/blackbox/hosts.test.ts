import { beforeAll, describe, expect, test } from "bun:test";
import { hostname } from "node:os";
import fc from "fast-check";
import { type Administrator, adminClient, createAdministrator } from "../support/administrator.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { exchange, rawRequest } from "../support/raw-http.ts";

const { serve } = useMainstay();
let server: Installation;
let partner: Partner;
let admin: Administrator;
beforeAll(async () => {
  server = await serve({
    server: { public_url: "https://risk.example.com/api", trusted_proxies: ["127.0.0.1"] },
    admin: { allowed_hosts: ["ops.example.com", "fd00::A"] },
  });
  partner = await server.createPartner();
  admin = await createAdministrator(server);
});

const LISTENERS = [
  ["partners", () => server.url],
  ["administrators", () => server.adminUrl],
] as const;

/** Asks for a path with the lines as the only Host headers. */
async function ask(url: string, path: string, hosts: readonly string[]) {
  const lines = hosts.map((host) => `Host: ${host}`);
  const { responses } = await exchange(url, `${[`GET ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`);
  const { status, head, body } = responses[0]!;
  return { status, head, body: body.startsWith("{") ? JSON.parse(body) : undefined };
}

const INVALID = [
  "x:99999",
  "x:80:80",
  "x:abc",
  "[::",
  "[::1",
  "::1",
  "[::1]x",
  "[1.2.3.4]",
  "%00",
  "%41",
  "",
  " ",
  "a b",
  "a\tb",
  "1.2.3.4.5",
  "x/y",
  "x?y",
  "x#y",
  "x\\y",
  "user@x",
  "x, y",
  "<b>",
  "ex\xe4mple.com",
  "\xff",
  "a".repeat(300),
  "a".repeat(8000),
];

describe.each(LISTENERS)("the listener for %s", (_, url) => {
  // Rule: invalid-host
  test.each(INVALID.map((host) => [host.slice(0, 40), host]))(
    "rejects the host %j with the common body",
    async (_, host) => {
      for (const path of ["/health", "/embed/property/none", "/.well-known/oauth-authorization-server"]) {
        const { status, head, body } = await ask(url(), path, [host]);
        expect({ path, status }).toEqual({ path, status: 400 });
        expect(body).toEqual({
          error: "The request must have one Host header with a valid host, such as risk.example.com:8080",
          code: "invalid_request",
          request_id: expect.stringMatching(/^[\w-]{16}$/),
        });
        expect(head).toContain(`x-request-id: ${body.request_id}`);
      }
    },
  );

  // Rule: invalid-host
  test.each([
    ["different", ["localhost", "risk.example.com"]],
    ["equal", ["localhost", "localhost"]],
    ["an empty and a valid", ["", "localhost"]],
  ])("rejects two %s Host headers", async (_, hosts) => {
    expect(await ask(url(), "/health", hosts)).toMatchObject({
      status: 400,
      body: { code: "invalid_request" },
    });
  });

  test.each([
    "localhost",
    "LOCALHOST:1",
    "127.0.0.1",
    "[::1]:65535",
    "risk.example.com",
    "risk.example.com.",
  ])("accepts the host %s", async (host) => {
    expect((await ask(url(), "/health", [host])).status).toBe(200);
  });
});

describe("the administrators' listener", () => {
  // Rule: admin-hosts
  test.each([
    "evil.example",
    "localhost.evil.example",
    "ops.example.com.evil.example",
    "10.1.2.3:8081",
    "[fd00::b]",
  ])("refuses the foreign host %s on every path", async (host) => {
    for (const path of [
      "/",
      "/console",
      "/console/session",
      "/metrics",
      "/health",
      "/admin/partners",
      "/none",
    ]) {
      const { status, body } = await ask(server.adminUrl, path, [host]);
      expect({ path, status }).toEqual({ path, status: 421 });
      expect(body).toMatchObject({ code: "misdirected_request", request_id: expect.any(String) });
      expect(body.error).toContain("admin.allowed_hosts");
    }
  });

  // Rule: admin-hosts
  test.each([
    "127.0.0.1:8081",
    "127.9.9.9",
    hostname(),
    "ops.example.com",
    "OPS.example.com:8443",
    "[fd00::a]:8081",
    "[FD00:0:0::A]",
    "risk.example.com",
  ])("answers its own host %s", async (host) => {
    expect((await ask(server.adminUrl, "/metrics", [host])).head).toStartWith("HTTP/1.1 200");
  });

  test("answers partners by any host", async () => {
    expect((await ask(server.url, "/health", ["evil.example"])).status).toBe(200);
  });

  test("answers a health check of HTTP/1.0 without a host", async () => {
    const { responses } = await exchange(server.adminUrl, "GET /health HTTP/1.0\r\n\r\n");
    expect(responses).toMatchObject([{ status: 200 }]);
  });

  test("on all interfaces answers by each address of the machine", async () => {
    const open = await serve({ admin: { listen: "0.0.0.0:0" } });
    const { address } = Object.values((await import("node:os")).networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family }) => family === "IPv4")!;
    const { port } = new URL(open.adminUrl);
    const local = `http://127.0.0.1:${port}`;
    expect((await ask(local, "/health", [`${address}:${port}`])).status).toBe(200);
    expect((await ask(local, "/health", ["evil.example"])).status).toBe(421);
  });

  // Rule: admin-not-stored
  test("lets no cache store a response, and no browser guess its type", async () => {
    const paths = ["/metrics", "/health", "/none", "/console", "/console/session", "/console/admin/partners"];
    for (const path of [...paths, "/admin/partners", "/admin/audit", "/admin/server", "/admin/deliveries"]) {
      for (const credential of [{}, { "x-api-key": admin.key }] as Record<string, string>[]) {
        const { headers } = await fetch(server.adminUrl + path, { headers: credential });
        expect({ path, cached: headers.get("cache-control") }).toEqual({ path, cached: "no-store" });
        expect({ path, type: headers.get("x-content-type-options") }).toEqual({ path, type: "nosniff" });
      }
    }
    const client = adminClient(server, { "x-api-key": admin.key });
    const refused = await client.ask("PUT", "/admin/partners", 405);
    expect(refused.headers.get("cache-control")).toBe("no-store");
  });
});

// Rule: wrong-method
test.each(["[::", "*", "%00", "://", "x:80", "x:99999", "/health", "/embed/property/none"])(
  "CONNECT to %s is a 405 with the common body",
  async (target) => {
    for (const [, url] of LISTENERS) {
      const { responses } = await exchange(url(), rawRequest(`CONNECT ${target}`));
      expect(responses).toMatchObject([{ status: 405 }]);
      expect(responses[0]!.head).toMatch(/^allow: GET, HEAD, POST, PUT, DELETE, OPTIONS\r?$/im);
      expect(JSON.parse(responses[0]!.body).code).toBe("method_not_allowed");
    }
  },
);

test.each([
  ["partners", "/embed/property/", 404],
  ["partners", "/v1/components/", 404],
  ["administrators", "/admin/partners/", 404],
] as const)("a path for %s with an invalid escape, %s…, is a %i", async (listener, path, status) => {
  const [url, key] = listener === "partners" ? [server.url, partner.api_key] : [server.adminUrl, admin.key];
  for (const id of ["%", "%zz", "%ff", "%c3%28", "a%"]) {
    const { responses } = await exchange(url, rawRequest(`GET ${path}${id}`, [`X-Api-Key: ${key}`]));
    expect({ id, responses }).toMatchObject({ id, responses: [{ status }] });
  }
});

// Rule: one-log-line
test("no bytes of a request add a line to the log, or anything beside it", async () => {
  // With line ends, brackets, escapes and invalid UTF-8.
  const bytes = fc.string({
    unit: fc.constantFrom(
      ...'\r\n\0\t \x1b\x7f\x80\xc3\xff%"\\{}[]@?#/:;,<>&=+0a',
      "\r\n",
      "%0a",
      "\\n",
      '"}\n{"',
    ),
    maxLength: 40,
  });
  const inLine = bytes.map((text) => text.replaceAll(/[\r\n\0]/g, ""));
  const hostile = fc.oneof(inLine, inLine, bytes);
  const header = fc.tuple(
    fc.constantFrom(
      ...["Host", "X-Request-Id", "X-Api-Key", "Authorization", "X-Forwarded-For", "Cookie", "Origin"],
      ...[
        "Accept",
        "Accept-Encoding",
        "Content-Type",
        "If-None-Match",
        "Idempotency-Key",
        "Range",
        "X-Csrf-Token",
      ],
    ),
    hostile,
  );
  const path = fc.tuple(
    fc.constantFrom(
      "",
      "/v1/components/",
      "/embed/property/",
      "/console/admin/partners/",
      "/v1/events?since=",
    ),
    inLine,
  );
  const request = fc.record({
    isForPartners: fc.boolean(),
    method: fc.constantFrom("GET", "GET", "GET", "OPTIONS", "CONNECT", "DELETE", "get", "FOO"),
    target: fc.tuple(fc.constantFrom("/", "/", "http://x", "http://[::", "//", ""), path),
    host: fc.oneof(fc.constant("localhost"), hostile),
    headers: fc.array(header, { maxLength: 3 }),
    post: fc.option(fc.tuple(fc.constantFrom("/v1/properties", "/oauth/token", "/console/session"), bytes)),
  });
  const before = server.log.length;
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(request, async ({ isForPartners, method, target, host, headers, post }) => {
      const lines = headers.map(([name, value]) => `${name}: ${value}`);
      const head = [`X-Api-Key: ${partner.api_key}`, ...lines, `Content-Length: ${post?.[1].length ?? 0}`];
      const text = post
        ? rawRequest(`POST ${post[0]}`, [...head, "Content-Type: application/json"], post[1])
        : rawRequest(`${method} ${target.flat().join("")}`, head);
      const url = isForPartners ? server.url : server.adminUrl;
      const { responses } = await exchange(url, text.replace("Host: localhost", `Host: ${host}`));
      sent++;
      for (const { status, body } of responses) {
        expect(status).toBeLessThan(500 + 6 * Number(body === ""));
        if (status >= 400 && body.startsWith("{"))
          expect(JSON.parse(body)).toMatchObject({ error: expect.any(String) });
      }
    }),
    { numRuns: 400, seed: 1 },
  );
  // The last response may precede its line.
  await server.anonymous.get("/health");
  await server.logged((line) => line.msg === "request" && line.route === "/health");
  const lines = server.log.slice(before);
  expect(lines.length).toBeLessThanOrEqual(sent + 1);
  expect(lines.length).toBeGreaterThan(sent / 2);
  expect(server.faults()).toEqual([]);
});
