import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";

const { serve } = useMainstay();
let server: Installation;
let acme: Partner;
let withKey: ApiClient;
let withToken: ApiClient;
beforeAll(async () => {
  server = await serve();
  acme = await server.createPartner("Acme");
  withKey = server.as(acme);
  withToken = await server.withToken(acme);
});

/** The operations that require credentials, with the status of a request with valid credentials alone. */
const PARTNER_OPERATIONS = [
  ["GET", "/v1/ping", 200],
  ["GET", "/v1/properties", 200],
  ["POST", "/v1/properties", 400],
  ["GET", "/v1/properties/P_1", 404],
  ["PUT", "/v1/properties/P_1", 404],
  ["GET", "/v1/property/P_1/units", 404],
  ["GET", "/v1/property/P_1/summary", 404],
  ["GET", "/v1/portfolio/summary", 200],
  ["GET", "/v1/appliance-types", 200],
  ["GET", "/v1/appliances", 200],
  ["POST", "/v1/appliances", 400],
  ["GET", "/v1/appliances/A_1", 404],
  ["PUT", "/v1/appliances/A_1", 404],
  ["POST", "/v1/service-events/bulk", 400],
  ["GET", "/v1/components", 200],
  ["GET", "/v1/components/C_1/history", 404],
  ["GET", "/v1/components/C_1/trend", 404],
  ["GET", "/v1/alerts", 200],
] as const;

const asking = (method: string) => (method === "GET" ? {} : { body: {} });

describe.each(PARTNER_OPERATIONS)("%s %s", (method, path, status) => {
  // Rule: key-or-token
  test("accepts an API key", () => withKey.ask(method, path, status, asking(method)));

  // Rule: key-or-token
  test("accepts a bearer token", () => withToken.ask(method, path, status, asking(method)));

  // Rule: credential-first
  test("checks credentials first", async () => {
    const raw = method === "GET" ? {} : { raw: "{no JSON", headers: { "content-type": "text/plain" } };
    const { body } = await server.anonymous.ask(method, path, 401, raw);
    expect(body.error).toBe("API key required. Pass it in the X-Api-Key header.");
  });
});

describe("an invalid credential", () => {
  const KEY = "Invalid or inactive API key.";
  const TOKEN = "Invalid or expired token. Re-authenticate at POST /oauth/token.";
  const NONE = "API key required. Pass it in the X-Api-Key header.";

  // Rule: credential-messages
  test.each([
    ["an unknown key", { "x-api-key": `svc_live_${"0".repeat(48)}` }, KEY],
    ["a key of another form", { "x-api-key": "hunter2" }, KEY],
    ["an empty key", { "x-api-key": "" }, NONE],
    ["an unknown token", { authorization: "Bearer svct_a.b.c" }, TOKEN],
    ["a token without its prefix", { authorization: "Bearer abc" }, TOKEN],
    ["a bearer header without a token", { authorization: "Bearer" }, NONE],
    ["HTTP Basic", { authorization: `Basic ${btoa("a:b")}` }, NONE],
  ])("is rejected with a message: %s", async (_, headers, message) => {
    expect((await server.anonymous.ask("GET", "/v1/ping", 401, { headers })).body.error).toBe(message);
  });

  test("may be a token with one changed character", async () => {
    const token = withToken.credential.authorization!;
    const at = token.lastIndexOf(".") + 5;
    const headers = {
      authorization: token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1),
    };
    expect((await server.anonymous.ask("GET", "/v1/ping", 401, { headers })).body.error).toBe(TOKEN);
  });

  /** Returns the token with another payload, signed by `sign` or with its old signature. */
  const forged = (
    change: object,
    header: object = { alg: "HS256", typ: "JWT" },
    sign = (_: string) => withToken.credential.authorization!.split(".")[2]!,
  ) => {
    const [, payload = ""] = withToken.credential.authorization!.split(".");
    const claims = { ...JSON.parse(Buffer.from(payload, "base64url").toString()), ...change };
    const text = [header, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    return `Bearer svct_${text}.${sign(text)}`;
  };
  const hmac = (key: string | Uint8Array) => (text: string) =>
    new Bun.CryptoHasher("sha256", key).update(text).digest("base64url");
  const inAnHour = Math.floor(Date.now() / 1000) + 3600;
  const whole = () => withToken.credential.authorization!;

  // Rule: token-form
  test.each([
    ["signed with another key", () => forged({}, undefined, hmac("another key"))],
    ["signed with an empty key", () => forged({}, undefined, hmac(new Uint8Array(1)))],
    ["without an algorithm and without a signature", () => forged({}, { alg: "none", typ: "JWT" }, () => "")],
    ["without an algorithm, with a signature", () => forged({}, { alg: "none", typ: "JWT" })],
    ["of another algorithm", () => forged({}, { alg: "HS512", typ: "JWT" })],
    ["of another type", () => forged({}, { alg: "HS256", typ: "at+jwt" })],
    [
      "that names the key to check it with",
      () => forged({}, { alg: "HS256", typ: "JWT", jwk: {} }, hmac("k")),
    ],
    ["made to live longer", () => forged({ iat: inAnHour, exp: inAnHour + 3600 })],
    ["of another partner", () => forged({ sub: "PARTNER_00000000000000000000000000" })],
    ["truncated by a character", () => whole().slice(0, -1)],
    ["without its signature", () => whole().slice(0, whole().lastIndexOf("."))],
    ["with a character more", () => `${whole()}A`],
    ["of ten thousand characters", () => whole() + "A".repeat(10_000)],
  ])("may be a token %s", async (_, make) => {
    const headers = { authorization: make() };
    const { body, text } = await server.anonymous.ask("GET", "/v1/ping", 401, { headers });
    expect(body.error).toBe(TOKEN);
    expect(text).not.toContain("svct_");
  });

  // Rule: admin-key
  test("may be an administrator's key, on routes for partners", async () => {
    const { admin_key } = await server.json("admin", "create", "Night shift");
    expect(admin_key).toMatch(/^svc_admin_[0-9a-f]{48}$/);
    const headers = { "x-api-key": admin_key };
    expect((await server.anonymous.ask("GET", "/v1/ping", 401, { headers })).body.error).toBe(KEY);
  });
});

describe("POST /oauth/token", () => {
  const asked = () => ({
    grant_type: "client_credentials",
    client_id: acme.client_id,
    client_secret: acme.client_secret,
  });
  const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });
  const form = (fields: Record<string, string>, headers: Record<string, string> = {}) => ({
    raw: new URLSearchParams(fields),
    headers,
  });
  const token = (status: number, asking: object) =>
    server.anonymous.ask("POST", "/oauth/token", status, asking);

  // Rule: token
  test("issues a token for one hour, with Cache-Control: no-store", async () => {
    const { body, headers } = await token(200, { body: asked() });
    expect(body).toEqual({
      access_token: expect.stringMatching(/^svct_/),
      token_type: "Bearer",
      expires_in: 3600,
      scope: "read write",
      partner: "Acme",
    });
    expect(headers.get("cache-control")).toBe("no-store");
  });

  // Rule: token-forms
  test("accepts a form or JSON", async () => {
    expect((await token(200, form(asked()))).body.token_type).toBe("Bearer");
  });

  // Rule: token-forms
  test("accepts client credentials in HTTP Basic", async () => {
    const headers = basic(acme.client_id, acme.client_secret);
    const fields = { grant_type: "client_credentials" };
    expect((await token(200, form(fields, headers))).body.token_type).toBe("Bearer");
    expect((await token(200, { body: fields, headers })).body.token_type).toBe("Bearer");
  });

  test("issues tokens that remain valid after a restart", async () => {
    await server.stop();
    await server.start();
    await withToken.get("/v1/ping");
  });

  // Rule: token-refusals
  test.each([
    ["another grant", { grant_type: "password" }, 400, "unsupported_grant_type"],
    ["no grant", { grant_type: undefined }, 400, "invalid_request"],
    ["a grant that is no text", { grant_type: 7 }, 400, "invalid_request"],
    ["no client id", { client_id: undefined }, 400, "invalid_request"],
    ["no secret", { client_secret: undefined }, 400, "invalid_request"],
    ["a secret that is no text", { client_secret: {} }, 400, "invalid_request"],
    ["an unknown client", { client_id: "svc_client_0" }, 401, "invalid_client"],
    ["a wrong secret", { client_secret: "wrong" }, 401, "invalid_client"],
  ] as const)("rejects %s with the code of RFC 6749", async (_, change, status, code) => {
    const { body, headers } = await token(status, { body: { ...asked(), ...change } });
    expect(body).toMatchObject({ error: code, error_description: expect.any(String) });
    expect(headers.get("cache-control")).toBe("no-store");
  });

  // Rule: token-refusals
  test("rejects a wrong secret in HTTP Basic with WWW-Authenticate", async () => {
    const headers = basic(acme.client_id, "wrong");
    const refused = await token(401, form({ grant_type: "client_credentials" }, headers));
    expect(refused.body.error).toBe("invalid_client");
    expect(refused.headers.get("www-authenticate")).toStartWith("Basic ");
  });

  // Rule: token-refusals
  test.each([
    ["no JSON", { raw: "{", headers: { "content-type": "application/json" } }],
    ["an array", { raw: "[]", headers: { "content-type": "application/json" } }],
    ["nothing", {}],
    ["a field given twice", { raw: "grant_type=a&grant_type=client_credentials" }],
  ])("rejects a body that is %s", async (_, asking) => {
    expect((await token(400, asking)).body.error).toBe("invalid_request");
  });

  test("rejects a large body", async () => {
    await token(413, { body: { ...asked(), more: "x".repeat(10_000) } });
  });
});
