import { beforeAll, describe, expect, test } from "bun:test";
import { type Administrator, createAdministrator } from "../support/administrator.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, runMainstay, useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";
import { startReceiver } from "../support/receiver.ts";

/* The admin API's tasks on partners. */

const { serve } = useMainstay();
let server: Installation;
let admin: Administrator;
beforeAll(async () => {
  server = await serve();
  admin = await createAdministrator(server, "Jane");
});

const of = ({ partner_id }: Partner, what: string) => `/admin/partners/${partner_id}/${what}`;
const auditOf = async ({ partner_id }: Partner): Promise<Json[]> =>
  (await admin.client.get("/admin/audit", { subject: partner_id })).body.entries;
/** Returns the latest task once it has ended. */
const ended = (partner: Partner) =>
  eventually(async () => {
    const { task } = (await admin.client.get(of(partner, "task"))).body;
    expect(task?.finished_at).toBeString();
    return task as Json;
  });

/** Creates a partner with critical and warning components and no endpoint. */
async function elevated(name: string): Promise<Partner> {
  const partner = (await admin.client.post("/admin/partners", { name }, 201)).body as Partner;
  const property = await addProperty(server.as(partner));
  await addWornAppliance(server.as(partner), property.id);
  return partner;
}

test("a task that another server runs is shown with that server, and rejects a second one", async () => {
  const partner = await elevated("Elsewhere");
  const name = `partner:${partner.partner_id}`;
  const heldBy = "the server at http://10.0.0.9:8080, since 2026-01-01T00:00:00.000Z";
  await server.sql(
    `INSERT INTO locks (name, id, owner, acquired_at, expires_at)
     VALUES ('${name}', 'LOCK_1', 'the server at http://10.0.0.9:8080', ${Date.parse("2026-01-01")}, ${Date.now() + 60_000})`,
  );
  expect((await admin.client.get(of(partner, "task"))).body).toEqual({
    partner_id: partner.partner_id,
    server: expect.any(String),
    held_by: heldBy,
    task: null,
  });
  const purge = { confirm: "Elsewhere" };
  const { body } = await admin.client.post(of(partner, "purge"), purge, 409);
  expect(body.error).toContain(heldBy);
  await server.sql(`DELETE FROM locks WHERE name = '${name}'`);
  expect((await admin.client.get(of(partner, "task"))).body.held_by).toBeNull();
});

describe("sending current alerts", () => {
  // Rule: console-changes
  test("are counted, then sent to an endpoint that was added later, audited in the administrator's name", async () => {
    const receiver = await startReceiver();
    const partner = await elevated("Late Receiver");
    await admin.client.post(of(partner, "announce"), { dry_run: true }, 409);
    await server.json("partner", "set-webhook", partner.partner_id, receiver.url);
    const alerts = (await server.as(partner).get("/v1/alerts", { limit: 1 })).body;
    const counts = { critical: alerts.critical_count, warning: alerts.warning_count };
    expect(counts.critical).toBeGreaterThan(0);
    const dry = (await admin.client.post(of(partner, "announce"), { dry_run: true }, 200)).body;
    expect(dry).toEqual({
      partner_id: partner.partner_id,
      ...counts,
      queued: counts.critical + counts.warning,
      dry_run: true,
    });
    expect(dry).toEqual(await server.json("partner", "announce", partner.partner_id, "--dry-run"));
    expect((await admin.client.get(of(partner, "task"))).body).toMatchObject({ task: null, held_by: null });
    expect(receiver.received).toEqual([]);

    const begun = (await admin.client.post(of(partner, "announce"), {}, 202)).body;
    expect(begun).toMatchObject({ partner_id: partner.partner_id, task: { kind: "announce" } });
    expect(await ended(partner)).toMatchObject({
      kind: "announce",
      status: "done",
      error: null,
      counts: { ...counts, queued: counts.critical + counts.warning },
    });
    await receiver.waitFor((received) => received.length === dry.queued);
    const reported = receiver.received.filter(({ event }) => event === "component.critical");
    expect(reported).toHaveLength(counts.critical);
    const [entry] = await auditOf(partner);
    expect(entry).toMatchObject({ actor: admin.id, action: "partner.announce" });

    await server.json(
      "partner",
      "set-webhook",
      partner.partner_id,
      receiver.url,
      "--event",
      "component.critical",
    );
    const fewer = (await admin.client.post(of(partner, "announce"), { dry_run: true }, 200)).body;
    expect(fewer).toMatchObject({ ...counts, queued: counts.critical });
    await receiver.close();
  });
});

describe("checking an endpoint", () => {
  // Rule: console-changes, forged-probe
  test("distinguishes an endpoint that accepts an invalid signature from one that rejects it", async () => {
    let status = 200;
    const receiver = await startReceiver({ behave: () => ({ status }) });
    const partner = await server.createPartner("Probed", "--webhook-url", receiver.url);
    const probe = async () => (await admin.client.post(of(partner, "webhook-probe"), undefined, 200)).body;
    expect(await probe()).toMatchObject({
      verdict: "accepts",
      accepts_without_verifying: true,
      status_code: 200,
    });
    status = 401;
    expect(await probe()).toMatchObject({ verdict: "verifies", accepts_without_verifying: false });
    await receiver.close();
    expect(await probe()).toMatchObject({ verdict: "unreachable", status_code: null });
    const [entry] = await auditOf(partner);
    expect(entry).toMatchObject({ actor: admin.id, action: "partner.probe_webhook" });
    const deaf = await server.createPartner("Deaf");
    await admin.client.post(of(deaf, "webhook-probe"), undefined, 409);
  });
});

describe("an export and a purge", () => {
  // Rule: console-changes, partner-purge
  test("contain and delete all data of a partner, after its name is confirmed, audited in the administrator's name", async () => {
    const partner = await elevated('-- "Gone" & <b>Söhne</b> 🏚');
    const others = await elevated("Stays Ltd");
    const answer = await fetch(server.adminUrl + of(partner, "export"), {
      headers: { "x-api-key": admin.key },
    });
    expect(answer.headers.get("content-disposition")).toBe(
      `attachment; filename="${partner.partner_id}.ndjson"`,
    );
    const taken = (await answer.text()).trimEnd().split("\n");
    const { stdout } = await server.run("export", "--partner", partner.partner_id);
    // The last line of each has the time of the export.
    expect(taken.slice(1, -1)).toEqual(stdout.trimEnd().split("\n").slice(1, -1));
    expect(JSON.parse(taken.at(-1)!)).toMatchObject({ type: "end", counts: { property: 1, appliance: 1 } });

    for (const confirm of ["", "Gone", others.name])
      await admin.client.post(of(partner, "purge"), { confirm }, 400);
    await admin.client.post(of(partner, "purge"), {}, 400);
    await server.as(partner).get("/v1/ping");
    await admin.client.post(of(partner, "purge"), { confirm: partner.name }, 202);
    const task = await ended(partner);
    expect(task).toMatchObject({ kind: "purge", status: "done", error: null });
    expect(task.counts.rows).toBeGreaterThan(3);
    await server.as(partner).get("/v1/ping", {}, 401);
    await admin.client.get(`/admin/partners/${partner.partner_id}`, {}, 404);
    await admin.client.get(of(partner, "export"), {}, 404);
    expect((await server.as(others).get("/v1/properties")).body.total).toBe(1);
    const entries = await auditOf(partner);
    const done = entries.filter(({ action }) => action !== "partner.create");
    expect(done.map(({ actor, action }) => [actor, action])).toEqual([
      [admin.id, "partner.purged"],
      [admin.id, "partner.purge"],
      [admin.id, "partner.disable"],
    ]);
  });

  // Rule: audit-user
  test("a forged impersonation token is not accepted", async () => {
    const partner = await server.createPartner("Not Gone");
    for (const pass of ["", "x", `${admin.id}.${Date.now() + 30_000}.c2lnbmF0dXJl`]) {
      const where = ["--config", server.configFile, "--data-dir", server.dataDir];
      const command = ["partner", "disable", partner.partner_id, ...where];
      const { code, stderr } = await runMainstay(command, { env: { MAINSTAY_ACTING_PASS: pass } });
      expect(code).toBe(1);
      expect(stderr).toContain("MAINSTAY_ACTING_PASS");
    }
    expect((await admin.client.get(`/admin/partners/${partner.partner_id}`)).body.enabled).toBe(true);
  });
});

describe("lists", () => {
  // Rule: console-changes
  test("partners can be searched by name or ID, and paged beyond the first 200", async () => {
    const own = await serve();
    const { client } = await createAdministrator(own);
    for (const name of ["Ägir Re", "Northern Mutual", "Southern Mutual", "Zenith"])
      await own.createPartner(name);
    const found = async (search: string): Promise<string[]> =>
      (await client.get("/admin/partners", { search })).body.partners.map(({ name }: Json) => name);
    expect(await found("mutual")).toEqual(["Northern Mutual", "Southern Mutual"]);
    expect(await found("ÄGIR")).toEqual(["Ägir Re"]);
    expect(await found("nobody")).toEqual([]);
    const [zenith] = (await client.get("/admin/partners", { search: "zenith" })).body.partners;
    expect(await found(zenith.partner_id)).toEqual(["Zenith"]);
    const { body } = await client.get("/admin/partners", { search: "mutual", limit: 1, offset: 1 });
    expect(body).toMatchObject({ total: 2, partners: [{ name: "Southern Mutual" }] });
    for (let nth = 0; nth < 200; nth++) await client.post("/admin/partners", { name: `Small ${nth}` }, 201);
    const paged: Json[] = [];
    for (const offset of [0, 200]) {
      const page = (await client.get("/admin/partners", { limit: 200, offset })).body;
      expect(page).toMatchObject({ total: 204, pages: 2 });
      paged.push(...page.partners);
    }
    // IDs of the same millisecond have no order.
    expect(new Set(paged.map(({ name }) => name)).size).toBe(204);
    expect(await found("small 199")).toEqual(["Small 199"]);

    for (let call = 0; call < 3; call++)
      await own
        .as({ api_key: (await own.json("partner", "rotate-key", zenith.partner_id)).api_key })
        .get("/v1/ping");
    const month = new Date().toISOString().slice(0, 7);
    const pages = await Promise.all(
      [0, 200].map(async (offset) => (await client.get("/admin/usage", { month, limit: 200, offset })).body),
    );
    expect(pages[0].total).toBe(204);
    const { partners } = await own.json("partner", "usage", "--month", month);
    expect(pages.flatMap((page) => page.partners)).toEqual(partners);
    await client.get("/admin/usage", { month: "lately" }, 400);
  });

  // Rule: list-deliveries
  test("deliveries can be filtered by time, and have their partner's name", async () => {
    const receiver = await startReceiver();
    const partner = await server.createPartner("Windowed", "--webhook-url", receiver.url);
    const made: Json[] = [];
    for (let nth = 0; nth < 3; nth++) {
      const { id } = (await admin.client.post(of(partner, "webhook-test"), {}, 202)).body;
      made.push((await admin.client.get(`/admin/webhook-deliveries/${id}`)).body);
    }
    const within = async (window: Record<string, string>): Promise<Json> =>
      (await admin.client.get("/admin/webhook-deliveries", { partner_id: partner.partner_id, ...window }))
        .body;
    const all = await within({});
    expect(all.deliveries.map(({ id, partner_name }: Json) => [id, partner_name])).toEqual(
      made.map(({ id }) => [id, "Windowed"]).reverse(),
    );
    const [first, , last] = made.map(({ created_at }) => created_at as string);
    const ids = (found: Json) => found.deliveries.map(({ id }: Json) => id).reverse();
    expect(ids(await within({ until: last! }))).toEqual(
      made.filter(({ created_at }) => created_at < last!).map(({ id }) => id),
    );
    expect(ids(await within({ since: last! }))).toEqual(
      made.filter(({ created_at }) => created_at >= last!).map(({ id }) => id),
    );
    expect((await within({ until: first! })).total).toBe(0);
    expect((await within({ until: "9999-01-01T00:00:00Z" })).total).toBe(3);
    expect((await within({ since: "9999-01-01T00:00:00Z" })).total).toBe(0);
    await admin.client.get("/admin/webhook-deliveries", { until: "later" }, 400);
    await receiver.close();
  });
});
