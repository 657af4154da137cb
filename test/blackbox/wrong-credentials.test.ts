import { beforeAll, describe, expect, test } from "bun:test";
import {
  type Administrator,
  adminClient,
  createAdministrator,
  createPartnerBy,
} from "../support/administrator.ts";
import { type ApiClient, type Asking, type Credential, requestToken } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { everythingOf, goodBody, JSON_BODIES, pathOf } from "../support/json-bodies.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addRecords, photoForm, type RecordIds } from "../support/records.ts";
import { shapeOf } from "../support/reply-shape.ts";
import {
  ADMIN_ROUTES,
  adminPath,
  EMBED_ROUTES,
  PARTNER_OPERATIONS,
  pathsOf,
  type Route,
  unknownIds,
} from "../support/routes.ts";

/*
 * Sends each kind of wrong credential to every route that requires one, with the ID of a record and with that of none.
 * All routes respond with the same bytes, so that a caller without a credential learns nothing from any of them.
 */

const { serve } = useMainstay();
let server: Installation;
let admin: Administrator;
let acme: Partner;
let own: RecordIds;
let ids: RecordIds;
let embedToken: string;
/** Credentials that were valid, or are for something else, by name. */
const once: Record<string, string> = {};

const MISSING = "API key required. Pass it in the X-Api-Key header.";
const KEY = "Invalid or inactive API key.";
const TOKEN = "Invalid or expired token. Re-authenticate at POST /oauth/token.";
const SESSION = "Your session has ended. Sign in again.";
const CHALLENGE = 'Bearer realm="mainstay", ApiKey realm="mainstay"';
const HOUR_MS = 3_600_000;

beforeAll(async () => {
  server = await serve();
  admin = await createAdministrator(server);
  const { partner_id: _, ...aged } = await newPartner("Aged");
  once.expiredToken = await requestToken(server.url, aged);
  once.expiredSession = (await signIn(admin.key)).cookie;
  // Tokens and sessions expire by the latest time in the database.
  await server.stop();
  await server.sql(`UPDATE clock SET last_instant = ${Date.now() + 13 * HOUR_MS}`);
  await server.start();

  acme = await newPartner("Acme");
  const client = server.as(acme);
  own = await addRecords(client);
  once.token = await requestToken(server.url, acme);
  const embed = await newEmbed(own.P_!);
  embedToken = embed.token;
  ids = { ...own, PARTNER_: acme.partner_id, EMB_: embed.embed_id, job: "prune-idempotency-keys" };

  const rotated = await newPartner("Rotated");
  once.rotatedKey = rotated.api_key;
  await change(rotated, "rotate-key");
  const revoked = await newPartner("Revoked");
  once.revokedToken = await requestToken(server.url, revoked);
  await change(revoked, "revoke-tokens");

  const disabled = await newPartner("Disabled");
  once.disabledKey = disabled.api_key;
  once.disabledToken = await requestToken(server.url, disabled);
  const hidden = await newEmbed((await addRecords(server.as(disabled))).P_!);
  await change(disabled, "disable");
  const purged = await newPartner("Purged");
  once.purgedKey = purged.api_key;
  once.purgedToken = await requestToken(server.url, purged);
  const gone = await newEmbed((await addRecords(server.as(purged))).P_!);
  await admin.client.post(`/admin/partners/${purged.partner_id}/purge`, { confirm: "Purged" }, 202);
  await eventually(() => admin.client.get(`/admin/partners/${purged.partner_id}`, {}, 404));

  const revokedEmbed = await newEmbed(own.P_!);
  await admin.client.post(`/admin/embeds/${revokedEmbed.embed_id}/revoke`, undefined, 200);
  const expiredEmbed = await newEmbed(own.P_!);
  await server.sql(`UPDATE embeds SET expires_at = 1 WHERE id = '${expiredEmbed.embed_id}'`);
  Object.assign(once, {
    hiddenEmbed: hidden.token,
    purgedEmbed: gone.token,
    revokedEmbed: revokedEmbed.token,
    expiredEmbed: expiredEmbed.token,
  });

  const leaving = await createAdministrator(server, "Leaving");
  once.revokedAdminKey = leaving.key;
  once.revokedSession = (await signIn(leaving.key)).cookie;
  await server.json("admin", "revoke", leaving.id);
  const ended = await signIn(admin.key);
  once.endedSession = ended.cookie;
  await admin.client.ask("POST", "/console/session/end", 200, {
    headers: { cookie: ended.cookie, "x-csrf-token": ended.csrf },
  });
  const session = await signIn(admin.key);
  once.session = session.cookie;
  once.csrf = session.csrf;
});

const newPartner = (name: string) => createPartnerBy(admin, { name });
const change = (partner: Partner, action: string) =>
  admin.client.post(`/admin/partners/${partner.partner_id}/${action}`, undefined, 200);
const newEmbed = async (property_id: string): Promise<{ embed_id: string; token: string }> =>
  (await admin.client.post("/admin/embeds", { property_id })).body;

async function signIn(admin_key: string): Promise<{ cookie: string; csrf: string }> {
  const { headers, body } = await admin.client.post("/console/session", { admin_key }, 200);
  return { cookie: headers.get("set-cookie")!.split(";")[0]!, csrf: body.csrf_token };
}

/** A credential with its headers, or the query string that it is in. */
type Wrong = [name: string, error: string, credential: () => Credential | string];
const key = (value: string) => ({ "x-api-key": value });
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});

/** Returns the token with another header, signed with a key, or unsigned. */
function resigned(token: string, alg: string, secret?: string): string {
  const [, payload] = token.split(".");
  const text = `${Buffer.from(JSON.stringify({ alg, typ: "JWT" })).toString("base64url")}.${payload}`;
  const signature =
    secret === undefined ? "" : new Bun.CryptoHasher("sha256", secret).update(text).digest("base64url");
  return `svct_${text}.${signature}`;
}

const WRONG_FOR_PARTNERS: readonly Wrong[] = [
  ["no credential", MISSING, () => ({})],
  ["an empty key", MISSING, () => key("")],
  ["an empty Authorization", MISSING, () => ({ authorization: "" })],
  ["a scheme without a token", MISSING, () => ({ authorization: "Bearer" })],
  ["a key without a scheme", MISSING, () => ({ authorization: acme.api_key })],
  ["a key with the scheme ApiKey", MISSING, () => ({ authorization: `ApiKey ${acme.api_key}` })],
  ["client credentials in HTTP Basic", MISSING, () => basic(acme.client_id, acme.client_secret)],
  ["a token with the scheme Basic", MISSING, () => ({ authorization: `Basic ${once.token}` })],
  ["a token with a space", MISSING, () => bearer(once.token!.replace(".", " "))],
  ["a key in the query", MISSING, () => `x-api-key=${acme.api_key}&api_key=${acme.api_key}`],
  ["a token in the query", MISSING, () => `access_token=${once.token}`],
  ["a key in a cookie", MISSING, () => ({ cookie: `x-api-key=${acme.api_key}` })],
  ["the console's session", MISSING, () => ({ cookie: once.session!, "x-csrf-token": once.csrf! })],
  ["an unknown key", KEY, () => key(`svc_live_${"0".repeat(48)}`)],
  ["a key of another form", KEY, () => key("' OR 1=1 --")],
  ["a key in upper case", KEY, () => key(acme.api_key.toUpperCase())],
  ["a key with a character more", KEY, () => key(`${acme.api_key}0`)],
  ["a key given twice", KEY, () => key(`${acme.api_key}, ${acme.api_key}`)],
  ["a client ID as a key", KEY, () => key(acme.client_id)],
  ["a client secret as a key", KEY, () => key(acme.client_secret)],
  ["a webhook secret as a key", KEY, () => key(acme.webhook_secret)],
  ["a token as a key", KEY, () => key(once.token!)],
  ["an administrator's key", KEY, () => key(admin.key)],
  ["an embed's token as a key", KEY, () => key(embedToken)],
  ["a wrong key beside a valid token", KEY, () => ({ ...key("x"), ...bearer(once.token!) })],
  ["a rotated key", KEY, () => key(once.rotatedKey!)],
  ["a disabled partner's key", KEY, () => key(once.disabledKey!)],
  ["a purged partner's key", KEY, () => key(once.purgedKey!)],
  ["a token of another form", TOKEN, () => bearer("x")],
  ["a key as a token", TOKEN, () => bearer(acme.api_key)],
  ["an administrator's key as a token", TOKEN, () => bearer(admin.key)],
  ["an embed's token as a token", TOKEN, () => bearer(embedToken)],
  ["an expired token", TOKEN, () => bearer(once.expiredToken!)],
  ["a revoked token", TOKEN, () => bearer(once.revokedToken!)],
  ["a disabled partner's token", TOKEN, () => bearer(once.disabledToken!)],
  ["a purged partner's token", TOKEN, () => bearer(once.purgedToken!)],
  ["a token signed with another key", TOKEN, () => bearer(resigned(once.token!, "HS256", "another key"))],
  ["a token with alg none", TOKEN, () => bearer(resigned(once.token!, "none"))],
  ["a token for an administrator's task", TOKEN, () => bearer(`${admin.id}.${Date.now() + 30_000}.c2ln`)],
];

const WRONG_FOR_ADMINISTRATORS: readonly Wrong[] = [
  ["no credential", MISSING, () => ({})],
  ["an empty key", MISSING, () => key("")],
  ["a key as a token", MISSING, () => bearer(admin.key)],
  ["a key in HTTP Basic", MISSING, () => basic(admin.key, "")],
  ["a key in the query", MISSING, () => `x-api-key=${admin.key}&admin_key=${admin.key}`],
  ["a partner's token", MISSING, () => bearer(once.token!)],
  ["the console's session", MISSING, () => ({ cookie: once.session!, "x-csrf-token": once.csrf! })],
  ["a partner's key", KEY, () => key(acme.api_key)],
  ["a partner's token as a key", KEY, () => key(once.token!)],
  ["an embed's token", KEY, () => key(embedToken)],
  ["an unknown key", KEY, () => key(`svc_admin_${"0".repeat(48)}`)],
  ["a key in upper case", KEY, () => key(admin.key.toUpperCase())],
  ["a key given twice", KEY, () => key(`${admin.key}, ${admin.key}`)],
  ["an administrator's ID", KEY, () => key(admin.id)],
  ["a revoked key", KEY, () => key(once.revokedAdminKey!)],
];

const cookie = (token: string) => ({ cookie: `mainstay_console=${token}` });
const tokenIn = (session: string) => session.slice(session.indexOf("=") + 1);
const WRONG_FOR_THE_CONSOLE: readonly Wrong[] = [
  ["no cookie", SESSION, () => ({})],
  ["an administrator's key", SESSION, () => key(admin.key)],
  ["an empty cookie", SESSION, () => cookie("")],
  ["another cookie", SESSION, () => ({ cookie: `session=${tokenIn(once.session!)}` })],
  ["a partner's key in the cookie", SESSION, () => cookie(acme.api_key)],
  ["an administrator's key in the cookie", SESSION, () => cookie(admin.key)],
  ["the CSRF token in the cookie", SESSION, () => cookie(once.csrf!)],
  ["a cookie with a character more", SESSION, () => ({ cookie: `${once.session}A` })],
  ["a hash in the cookie", SESSION, () => cookie(hashOf(tokenIn(once.session!)))],
  ["a session that has ended", SESSION, () => ({ cookie: once.endedSession! })],
  ["a session that has expired", SESSION, () => ({ cookie: once.expiredSession! })],
  ["a session of a revoked key", SESSION, () => ({ cookie: once.revokedSession! })],
];
const hashOf = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");

type Request = Route & { asking?: Asking };

/** The records that a path is tried with: one that exists and one that does not. */
const recordsFor = ({ path }: Pick<Route, "path">) => (path.includes("{") ? [ids, unknownIds(ids)] : [ids]);

/** Sends the requests with the credential; returns the shapes of the responses, each once. */
async function shapesOf(client: ApiClient, requests: readonly Request[], wrong: Credential | string) {
  const [query, headers] = typeof wrong === "string" ? [`?${wrong}`, {}] : ["", wrong];
  const shapes = new Set<string>();
  for (const { method, path, asking = {} } of requests)
    shapes.add(shapeOf(await client.send(method, path + query, { ...asking, headers })));
  return [...shapes].map((shape) => JSON.parse(shape));
}

const refusal = (error: string, more: Record<string, string> = {}) => [
  401,
  {
    "content-type": "application/json",
    "content-length": expect.any(String),
    "www-authenticate": CHALLENGE,
    ...more,
  },
  JSON.stringify({ error, code: "unauthorized", request_id: "(the request)" }),
];

describe("every route of partners", () => {
  /** All operations with the ID of a record and with that of none, and with a body that is accepted. */
  const requests = (): Request[] =>
    PARTNER_OPERATIONS.flatMap((at) =>
      recordsFor(at).map((records) => ({ ...at, path: pathOf(at.path, records), asking: bodyOf(at) })),
    );
  const bodyOf = ({ method, path }: Route): Asking => {
    const body = JSON_BODIES.find((one) => one.path === path && one.method === method);
    if (body) return { body: goodBody(body, own) };
    return path.endsWith("/photos") && method === "POST" ? { raw: photoForm() } : {};
  };

  // Rule: credential-needed, credential-messages, credential-first
  test.each(WRONG_FOR_PARTNERS)("rejects %s with the same response", async (_, error, wrong) => {
    const shapes = await shapesOf(server.anonymous, requests(), wrong());
    expect(shapes).toEqual([refusal(error)]);
  });

  // Rule: credential-needed
  test("requires a credential at each of its paths", async () => {
    const everywhere = PARTNER_OPERATIONS.flatMap((at) =>
      pathsOf(at).map((path) => ({ ...at, path: path.replace(/\{\w+\}/, "x") })),
    );
    expect(everywhere.length).toBeGreaterThan(2 * PARTNER_OPERATIONS.length);
    expect(await shapesOf(server.anonymous, everywhere, {})).toEqual([refusal(MISSING)]);
  });

  test("changes nothing without a valid credential", async () => {
    const before = await everythingOf(server.as(acme), own);
    for (const [, , wrong] of WRONG_FOR_PARTNERS.slice(0, 5))
      await shapesOf(server.anonymous, requests(), wrong());
    expect(await everythingOf(server.as(acme), own)).toEqual(before);
  });

  // Rule: admin-keys-only
  test("does not exist on the administrators' listener", async () => {
    const asked = requests().map(({ method, path }) => ({ method, path }));
    const shapes = new Set<string>();
    for (const { method, path } of [...asked, { method: "GET", path: "/v1/nothing" }]) {
      const { status } = await fetch(server.adminUrl + path, { method, headers: { "x-api-key": admin.key } });
      shapes.add(`${status}`);
    }
    expect([...shapes]).toEqual(["404"]);
  });
});

describe("every route of administrators", () => {
  const PRIVATE = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
  const requests = (prefix = ""): Request[] =>
    ADMIN_ROUTES.flatMap(({ method, path }) =>
      recordsFor({ path }).map((records) => ({ method, path: prefix + adminPath(path, records) })),
    );

  // Rule: admin-keys-only, admin-key
  test.each(WRONG_FOR_ADMINISTRATORS)("rejects %s with the same response", async (_, error, wrong) => {
    expect(await shapesOf(adminClient(server, {}), requests(), wrong())).toEqual([refusal(error, PRIVATE)]);
  });

  // Rule: admin-keys-only
  test("requires a key below the base path, too", async () => {
    const shapes = await shapesOf(adminClient(server, {}), requests("/api"), key(acme.api_key));
    expect(shapes).toEqual([refusal(KEY, PRIVATE)]);
  });

  // Rule: console-session
  test.each(WRONG_FOR_THE_CONSOLE)("rejects %s below /console", async (_, error, wrong) => {
    expect(await shapesOf(adminClient(server, {}), requests("/console"), wrong())).toEqual([
      refusal(error, PRIVATE),
    ]);
  });

  // Rule: admin-keys-only
  test("does not exist on the partners' listener", async () => {
    const shapes = [];
    for (const prefix of ["", "/api", "/console"])
      shapes.push(...(await shapesOf(server.anonymous, requests(prefix), key(admin.key))));
    const [unknown] = await shapesOf(server.anonymous, [{ method: "GET", path: "/nothing" }], {});
    for (const shape of shapes) expect(shape).toEqual(unknown);
  });
});

describe("every page and file of an embed", () => {
  const FILES = ["components.csv", "plan.csv", "nothing.csv"];
  const requests = (token: string): Request[] =>
    EMBED_ROUTES.flatMap(({ method, path }) =>
      (path.includes("{file}") ? FILES : [""]).map((file) => ({
        method,
        path: path.replace("{token}", token).replace("{file}", file),
      })),
    );
  const WRONG: [string, () => string][] = [
    ["an expired token", () => once.expiredEmbed!],
    ["a revoked token", () => once.revokedEmbed!],
    ["a token of a disabled partner", () => once.hiddenEmbed!],
    ["a token of a purged partner", () => once.purgedEmbed!],
    ["a token in upper case", () => embedToken.toUpperCase()],
    ["a token without a character", () => embedToken.slice(0, -1)],
    ["the ID of an embed", () => ids.EMB_!],
    ["the ID of a property", () => ids.P_!],
    ["a partner's key", () => acme.api_key],
    ["a partner's token", () => once.token!],
    ["a token's hash", () => hashOf(embedToken)],
    ["a wildcard", () => "%25"],
    ["a NUL", () => "%00"],
  ];

  /** Returns the shape of the response to a browser, which gets errors as pages. */
  const pageAt = async ({ method, path }: Request, headers: Credential) => {
    const response = await fetch(server.url + path, { method, headers });
    const { status, headers: sent } = response;
    return shapeOf({ status, headers: sent, text: await response.text(), body: undefined });
  };

  // Rule: embed
  test.each(WRONG)("responds to %s as to one that never existed, whoever asks", async (_, token) => {
    const unknown = requests(`svc_embed_${"0".repeat(48)}`);
    for (const [at, request] of requests(token()).entries()) {
      const expected = await pageAt(unknown[at]!, {});
      expect(expected).toStartWith("[404,");
      for (const credential of [{}, key(acme.api_key), bearer(once.token!)])
        expect(await pageAt(request, credential), request.path).toBe(expected);
    }
  });

  test("responds to a valid token", async () => {
    for (const { path } of requests(embedToken).filter(
      ({ method, path }) => method === "GET" && !path.includes("nothing"),
    ))
      expect((await server.anonymous.get(path)).text, path).not.toBe("");
  });
});
