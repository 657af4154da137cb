import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createAdministrator } from "../support/administrator.ts";
import type { ApiClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import {
  addAppliance,
  addProperty,
  addWornAppliance,
  dateDaysFromToday,
  logEvents,
} from "../support/portfolio.ts";
import { testOnSqlite } from "../support/postgres.ts";
import { startReceiver } from "../support/receiver.ts";

const { serve } = useMainstay();
const PNG = Buffer.from("89504e470d0a1a0a0000000d", "hex");
const SECRETIVE = "Villa Unutterable";

/** Creates a record of every kind that a partner can own. */
async function fill(client: ApiClient, nth = "once"): Promise<void> {
  const property = await addProperty(client, { name: SECRETIVE, notes: SECRETIVE, unit_count: 300 });
  const appliance = await addWornAppliance(client, property.id);
  await addWornAppliance(client, property.id);
  const replacement = { appliance_id: appliance.id, event_type: "Replacement", notes: SECRETIVE };
  const dates = ["2024-05-06", dateDaysFromToday(0)];
  const [replaced] = (await logEvents(client, ...dates.map((date) => ({ ...replacement, date })))).events;
  await client.put(`/v1/service-events/${replaced.id}`, { technician: SECRETIVE });
  await client.post(`/v1/property/${property.id}/claims`, {
    claim_type: "water_damage",
    date_of_loss: "2025-03-14",
    amount: 900,
    description: SECRETIVE,
  });
  await client.ask("POST", "/v1/properties", 201, {
    body: { name: SECRETIVE, address: "1 Elm St", state: "NY" },
    headers: { "idempotency-key": nth },
  });
  await client.post("/v1/work-marks/bulk", {
    work: [{ component_id: appliance.components[0].id, state: "ordered", by: SECRETIVE, reason: SECRETIVE }],
  });
  await client.put("/v1/saved-filters", { name: SECRETIVE, query: "state=NY" });
  await client.put("/v1/cost-book", { lines: [{ type_id: "boiler", proactive_cost: 9000 }] });
  const old = await addProperty(client, { name: "Old" });
  await client.put(`/v1/properties/${old.id}`, {
    retired_at: dateDaysFromToday(0),
    retired_reason: SECRETIVE,
  });
  const rows = { columns: ["Address", "State"], rows: [["9 Elm St", "NY"]] };
  await client.post("/v1/import-rows", { file: SECRETIVE, ...rows });
  await client.post("/v1/meter-event", { appliance_id: appliance.id, metric: "m", value: 1 });
  await client.post("/v1/meter-event/smart/v2", {
    event_type: "water_leak",
    appliance: { appliance_id: appliance.id },
  });
  await addAppliance(client, property.id, { type_id: "electrical_panel", brand: "Federal Pacific" });
  const form = new FormData();
  form.append("file", new File([PNG], "leak.png", { type: "image/png" }));
  await client.ask("POST", `/v1/appliances/${appliance.id}/photos`, 201, { raw: form });
  await client.get(`/v1/property/${property.id}/plan`);
  await client.get("/v1/portfolio/plan");
}

/** Returns the number of rows with the partner's ID by table, without the audit log: what was done is never deleted. */
async function rowsOf(installation: Installation, partnerId: string): Promise<Record<string, number>> {
  const tables = (await installation.tablesWith("partner_id")).filter((table) => table !== "audit_log");
  const counts = tables.map(
    (table) => `(SELECT count(*) FROM ${table} WHERE partner_id = '${partnerId}') AS ${table}`,
  );
  const [row] = await installation.sql(`SELECT ${counts.join(", ")}`);
  return row as Record<string, number>;
}

/** Returns the units of all partners. */
const unitsOf = async (installation: Installation) =>
  Number((await installation.sql("SELECT count(*) AS n FROM units"))[0]!.n);

describe("mainstay partner purge", () => {
  // Rule: partner-purge
  test("deletes a partner and all its data beside the running server, and no other data", async () => {
    const server = await serve();
    const receiver = await startReceiver();
    const gone = await server.createPartner("Gone Ltd", "--webhook-url", receiver.url);
    const stays = await server.createPartner("Stays Ltd", "--webhook-url", receiver.url);
    const [client, other] = [server.as(gone), server.as(stays)];
    await fill(client);
    await fill(other);
    await server.json("snapshot");
    const admin = await createAdministrator(server);
    await eventually(async () => {
      await admin.client.send("POST", "/admin/jobs/compare-properties/run");
      expect(await server.sql("SELECT 1 FROM snapshot_runs WHERE compared_at IS NOT NULL")).toHaveLength(1);
    });
    await server.json("embed", "create", (await client.get("/v1/properties")).body.properties[0].id);
    await server.json("partner", "brand", gone.partner_id, "--name", "Gone");
    const before = await rowsOf(server, stays.partner_id);
    const empty = Object.entries(await rowsOf(server, gone.partner_id)).filter(([, rows]) => rows === 0);
    // Every table with partner IDs has rows, except those for several servers and for large portfolios.
    expect(empty.map(([table]) => table)).toEqual([...["feed_cursors", "recalculations", "snapshot_shares"]]);
    const [kept] = (await other.get("/v1/properties")).body.properties;

    const purged = await server.json("partner", "purge", gone.partner_id, "--confirm", "Gone Ltd");
    expect(purged).toMatchObject({ partner_id: gone.partner_id, deleted_files: 1 });
    expect(new Set(Object.values(await rowsOf(server, gone.partner_id)))).toEqual(new Set([0]));
    expect(await server.brokenReferences()).toEqual([]);
    await client.get("/v1/ping", {}, 401);
    expect((await other.get(`/v1/properties/${kept.id}`)).body.name).toBe(SECRETIVE);
    const { partners } = await server.json("partner", "list");
    expect(partners.map(({ name }: { name: string }) => name)).toEqual(["Stays Ltd"]);
    const { entries } = await server.json("audit", "--subject", gone.partner_id);
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      ...["partner.purged", "partner.purge", "partner.disable", "partner.set_brand"],
      ...["portfolio.import", "cost_book.change", "partner.create"],
    ]);
    const detailOf = (action: string) =>
      entries.find((entry: { action: string }) => entry.action === action).detail;
    expect(detailOf("portfolio.import")).toEqual({ files: [{ kind: "properties", rows: 1 }] });
    expect(detailOf("cost_book.change")).toEqual({ first: 1, changes_in_all: 1 });
    expect(await server.uploads()).toHaveLength(1);
    await server.stop();
    await server.start();
    const after = await rowsOf(server, stays.partner_id);
    expect(after).toEqual({ ...before, daily_budgets: after.daily_budgets! });
    expect((await rowsOf(server, gone.partner_id)).daily_budgets).toBe(0);
    await receiver.close();
  });

  testOnSqlite("leaves nothing of it to be read in the database's file", async () => {
    const server = await serve();
    const gone = await server.createPartner("Gone Ltd");
    const client = server.as(gone);
    await fill(client);
    // Text that was changed before stays in gaps of pages and in free ones.
    for (let nth = 0; nth < 30; nth++) {
      const { id } = await addProperty(client, { notes: `${SECRETIVE}\n`.repeat(90) });
      for (const notes of ["", null]) await client.put(`/v1/properties/${id}`, { notes });
    }
    await server.stop();
    const file = join(server.dataDir, "mainstay.db");
    expect(readFileSync(file).includes(SECRETIVE)).toBe(true);
    await server.json("partner", "purge", gone.partner_id, "--confirm", "Gone Ltd");
    expect(readFileSync(file).includes(SECRETIVE)).toBe(false);
  });

  test("that is killed at any point resumes when repeated", async () => {
    const server = await serve();
    const filled = async () => {
      const partner = await server.createPartner("Gone Ltd");
      const client = server.as(partner);
      await fill(client);
      for (let nth = 0; nth < 5; nth++) await addProperty(client, { unit_count: 10_000 });
      return partner.partner_id;
    };
    let gone = await filled();
    const left = async () => {
      const { event_log: _last, ...counts } = await rowsOf(server, gone);
      const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
      return { rows, units: await unitsOf(server) };
    };
    const command = () => ["partner", "purge", gone, "--confirm", "Gone Ltd"];
    for (let cut = 0; cut < 5; ) {
      const had = await left();
      const child = server.spawn(...command());
      let hasEnded = false;
      const ended = child.exited.then(() => {
        hasEnded = true;
      });
      while (!hasEnded) {
        const { units, rows } = await left();
        if (units !== had.units || rows !== had.rows) break;
        await Bun.sleep(1);
      }
      child.kill("SIGKILL");
      await ended;
      expect(await server.brokenReferences()).toEqual([]);
      if ((await left()).rows > 0) cut++;
      // On a busy machine, everything may be deleted before the first change is seen.
      else gone = await filled();
    }
    await server.json(...command());
    expect(await left()).toEqual({ rows: 0, units: 0 });
    expect(await server.brokenReferences()).toEqual([]);
  });

  test("without the name or with a wrong one suggests an export and deletes nothing", async () => {
    const server = await serve();
    const partner = await server.createPartner("Acme Ltd");
    await addProperty(server.as(partner));
    const asked = await server.run("partner", "purge", partner.partner_id);
    expect({ code: asked.code, stdout: asked.stdout }).toEqual({ code: 1, stdout: "" });
    expect(asked.stderr).toContain("with 1 properties and 0 components; nothing was deleted");
    expect(asked.stderr).toContain(`mainstay export --partner ${partner.partner_id} --output`);
    expect(asked.stderr).toContain('--confirm "Acme Ltd"');
    const wrong = await server.run("partner", "purge", partner.partner_id, "--confirm", "Acme");
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain("nothing was deleted");
    const none = await server.run("partner", "purge", "PARTNER_1", "--confirm", "Acme Ltd");
    expect(none.stderr).toContain("partner not found: PARTNER_1");
    expect((await server.as(partner).get("/v1/properties")).body.total).toBe(1);
  });
});
