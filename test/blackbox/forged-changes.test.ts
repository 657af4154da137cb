import { beforeAll, describe, expect, test } from "bun:test";
import { type Administrator, createAdministrator, createPartnerBy } from "../support/administrator.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addRecords, type RecordIds } from "../support/records.ts";
import { ADMIN_ROUTES, adminPath, type Route } from "../support/routes.ts";

/*
 * Sends every change of the console as a page of another site could make a browser send it: with the cookie, but without
 * the session's token or from another origin. None is accepted, and nothing has changed afterward.
 */

const { serve } = useMainstay();
let server: Installation;
let admin: Administrator;
let ids: RecordIds;
let reads: Record<string, string>;
let changes: Record<string, string>;
let elsewhere: string;

beforeAll(async () => {
  server = await serve();
  admin = await createAdministrator(server);
  const partner = await createPartnerBy(admin, { name: "Target" });
  const records = await addRecords(server.as(partner));
  const { embed_id } = (await admin.client.post("/admin/embeds", { property_id: records.P_ })).body;
  const test = await admin.client.post(`/admin/partners/${partner.partner_id}/webhook-test`, undefined, 409);
  expect(test.body.error).toContain("webhook");
  ids = { ...records, PARTNER_: partner.partner_id, EMB_: embed_id, job: "prune-idempotency-keys" };
  const session = await signIn();
  reads = { cookie: session.cookie };
  changes = { ...reads, "x-csrf-token": session.csrf };
  elsewhere = (await signIn()).csrf;
});

async function signIn() {
  const { headers, body } = await admin.client.post("/console/session", { admin_key: admin.key }, 200);
  return { cookie: headers.get("set-cookie")!.split(";")[0]!, csrf: String(body.csrf_token) };
}

const CHANGES = ADMIN_ROUTES.filter(({ method }) => method !== "GET").map(({ method, path }) => ({
  method,
  path: `/console${path}`,
}));
/** The changes, and the end of the session. */
const targets = (): Route[] => [
  ...CHANGES.map(({ method, path }) => ({ method, path: adminPath(path, ids) })),
  { method: "POST", path: "/console/session/end" },
];

/** No body, which most changes accept, and one; signing out takes none. */
const bodiesFor = ({ path }: Route) =>
  path.endsWith("/session/end") ? [""] : ["", '{"name":"Forged","confirm":"Target"}'];

const send = ({ method, path }: Route, headers: Record<string, string>, body = "") =>
  admin.client.send(method, path, { headers: { "x-api-key": "", ...headers }, ...(body && { raw: body }) });

/**
 * Returns all that the console's changes could affect. The times of jobs are left out, since most start by themselves each
 * minute; the audit log has those that an administrator starts.
 */
async function state(): Promise<unknown> {
  const { partners } = (await admin.client.get("/admin/partners")).body;
  const others = ["audit", "embeds", "administrators", "model", "model/proposal", "webhook-deliveries"];
  others.push(`properties/${ids.P_}`, `property/${ids.P_}/claims`, `appliances/${ids.A_}`);
  others.push(`components/${ids.C_}`, `service-events/${ids.SE_}`);
  const lists = await Promise.all(others.map((name) => admin.client.send("GET", `/admin/${name}`)));
  const session = await send({ method: "GET", path: "/console/session" }, reads);
  return [partners, session.body, lists.map(({ status, body }) => [status, { ...body, request_id: "" }])];
}

const FORGED: [string, () => Record<string, string>][] = [
  ["without the session's token", () => reads],
  ["with an empty token", () => ({ ...reads, "x-csrf-token": "" })],
  ["with a wrong token", () => ({ ...reads, "x-csrf-token": "x" })],
  ["with the token of another session", () => ({ ...reads, "x-csrf-token": elsewhere })],
  [
    "with the cookie's value as the token",
    () => ({ ...reads, "x-csrf-token": reads.cookie!.split("=")[1]! }),
  ],
  ["by a form, as text", () => ({ ...reads, "content-type": "text/plain" })],
  ["by a form, URL-encoded", () => ({ ...reads, "content-type": "application/x-www-form-urlencoded" })],
  ["by a form with a file", () => ({ ...reads, "content-type": "multipart/form-data; boundary=x" })],
  ["by a page of another site", () => ({ ...changes, "sec-fetch-site": "cross-site" })],
  ["by a page of a sibling site", () => ({ ...changes, "sec-fetch-site": "same-site" })],
  ["by a page of an unknown site", () => ({ ...changes, "sec-fetch-site": "x" })],
  ["with another origin", () => ({ ...changes, origin: "https://evil.example" })],
  ["with the origin of another port", () => ({ ...changes, origin: server.url })],
  ["with a sandboxed page's origin", () => ({ ...changes, origin: "null" })],
  [
    "with an origin that contains the console's",
    () => ({ ...changes, origin: `${server.adminUrl}.evil.example` }),
  ],
];

describe("every change in the console", () => {
  // Rule: console-forgery
  test.each(FORGED)("is rejected %s", async (_, headers) => {
    const before = await state();
    expect(targets().length).toBeGreaterThan(20);
    for (const target of targets())
      for (const body of bodiesFor(target)) {
        const { status, body: answer } = await send(target, headers(), body);
        expect([target.path, status, answer.code]).toEqual([target.path, 403, "forbidden"]);
      }
    expect(await state()).toEqual(before);
  });

  // Rule: console-forgery
  test("reaches its content with the session's token and the console's origin", async () => {
    const before = await state();
    const own = { ...changes, "sec-fetch-site": "same-origin", origin: server.adminUrl };
    for (const target of targets().slice(0, -1)) {
      const { status } = await send(target, { ...own, "content-type": "application/json" }, "{");
      expect([target.path, status]).toEqual([target.path, 400]);
    }
    expect(await state()).toEqual(before);
    const disable = { method: "POST", path: adminPath("/console/admin/partners/{id}/disable", ids) } as const;
    expect((await send(disable, own)).body.enabled).toBe(false);
  });
});

// Rule: console-forgery
test("signing in is rejected for a page of another site, and for the content types of a form", async () => {
  const target = { method: "POST", path: "/console/session" } as const;
  const body = JSON.stringify({ admin_key: admin.key });
  const json = { "content-type": "application/json" };
  for (const headers of [
    { ...json, "sec-fetch-site": "cross-site" },
    { ...json, "sec-fetch-site": "same-site" },
    { ...json, origin: "https://evil.example" },
    { ...json, origin: "null" },
  ]) {
    const reply = await send(target, headers, body);
    expect([reply.status, reply.headers.get("set-cookie")]).toEqual([403, null]);
  }
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
    const reply = await send(target, { "content-type": type }, body);
    expect([reply.status, reply.headers.get("set-cookie")]).toEqual([415, null]);
  }
});

describe("a page of another site", () => {
  const asked = {
    origin: "https://evil.example",
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type,x-csrf-token,x-api-key",
  };
  const grants = (headers: Headers) =>
    [...headers.keys()].filter((name) => name.startsWith("access-control-"));

  // Rule: console-forgery
  test("gets no permission to send another header or to read a response, on either listener", async () => {
    for (const { path } of targets()) {
      const preflight = await fetch(server.adminUrl + path, { method: "OPTIONS", headers: asked });
      expect([path, preflight.status, grants(preflight.headers)]).toEqual([path, 204, []]);
    }
    for (const url of [`${server.url}/v1/ping`, `${server.adminUrl}/console/admin/partners`])
      for (const method of ["GET", "OPTIONS"])
        expect(grants((await fetch(url, { method, headers: asked })).headers)).toEqual([]);
  });
});
