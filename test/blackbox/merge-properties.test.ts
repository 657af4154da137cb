import { beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, addWornAppliance, dateDaysFromToday } from "../support/portfolio.ts";

const mainstay = useMainstay();
let server: Awaited<ReturnType<typeof mainstay.serve>>;
let partner: Awaited<ReturnType<typeof server.createPartner>>;
let client: ApiClient;
beforeAll(async () => {
  server = await mainstay.serve();
  partner = await server.createPartner("Acme");
  client = server.as(partner);
});

const get = async (path: string, query = {}): Promise<Json> => (await client.get(path, query)).body;

describe("a second property with the same address", () => {
  // Rule: duplicate-address
  test("is created, and warns of the first, until it is merged or has another address", async () => {
    const address = { address: "9 West Mill Road, Suite 4", city: "Barre", state: "VT" };
    const first = await addProperty(client, { ...address, name: "Mill" });
    const second = await addProperty(client, { ...address, address: "9 W. MILL RD STE 4", name: "The mill" });
    expect(first.warnings).toEqual([]);
    expect(second.warnings).toEqual([
      `property ${first.id} ("Mill") has the same address. If it is the same building, merge this one into it: POST /v1/properties/${first.id}/merge with from: ${second.id}`,
    ]);
    const put = async (id: string, body: object) => (await client.put(`/v1/properties/${id}`, body)).body;
    expect((await put(second.id, { unit_count: 2 })).warnings).toHaveLength(1);
    expect((await put(first.id, { unit_count: 2 })).warnings).toEqual([]);
    expect((await put(second.id, { address: "10 W Mill Rd" })).warnings).toEqual([]);
  });
});

describe("a merge of two properties", () => {
  // Rule: merge-properties
  test("leaves one with the records of both, and is answered again", async () => {
    const kept = await addProperty(client, { name: "Kept", address: "1 Oak St", unit_count: 1 });
    const duplicate = await addProperty(client, { name: "Twice", address: "1 Oak Street", unit_count: 3 });
    const heater = await addWornAppliance(client, duplicate.id);
    const loss = {
      claim_type: "water_damage",
      date_of_loss: "2026-01-05",
      amount: 5000,
      claim_number: "C-9",
    };
    await client.post(`/v1/property/${duplicate.id}/claims`, loss);
    const embed = await server.json("embed", "create", duplicate.id);
    const path = `/v1/properties/${kept.id}/merge`;
    const merged = (await client.ask("POST", path, 200, { body: { from: duplicate.id } })).body;
    expect(merged).toMatchObject({
      id: kept.id,
      name: "Kept",
      unit_count: 3,
      warnings: [expect.stringMatching(/^unit_count is now 3, .* instead of 1: /)],
    });
    expect(await get(`/v1/properties/${duplicate.id}`)).toMatchObject({
      merged_into: kept.id,
      retired_reason: `Merged into ${kept.id}`,
    });
    const { appliances } = await get("/v1/appliances", { property_id: kept.id });
    expect(appliances.map(({ id }: Json) => id)).toEqual([heater.id]);
    expect((await get("/v1/components", { property_id: kept.id })).total).toBe(heater.components.length);
    expect((await get(`/v1/property/${kept.id}/claims`)).claims).toMatchObject([{ claim_number: "C-9" }]);
    const page = await fetch(embed.url.replace(/^http:..[^/]+/, server.url));
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("Kept");
    const again = (await client.ask("POST", path, 200, { body: { from: duplicate.id } })).body;
    expect(again).toEqual({ ...merged, warnings: [] });
    await server.json("doctor", "--full");
  });

  // Rule: merge-properties
  test("keeps the marks on work of appliances that are retired, and of components of a former type", async () => {
    const kept = await addProperty(client, { address: "3 Oak St" });
    const duplicate = await addProperty(client, { address: "3 Oak Street" });
    const panel = { type_id: "electrical_panel", install_year: 1970 };
    const retired = await addAppliance(client, duplicate.id, panel);
    const changed = await addAppliance(client, duplicate.id, panel);
    const parts = [retired, changed].map((one) => one.components[0].id);
    const work = parts.map((id) => ({ component_id: id, state: "ordered", by: "J. Ito" }));
    await client.post("/v1/work-marks/bulk", { work });
    const marked = async (property: Json) =>
      (await get(`/v1/property/${property.id}/plan`)).components
        .filter((one: Json) => one.work_state === "ordered")
        .map((one: Json) => one.component_id)
        .sort();
    expect(await marked(duplicate)).toEqual(parts.toSorted());
    const change = (one: Json, body: object) => client.put(`/v1/appliances/${one.id}`, body, 200);
    await change(retired, { retired_at: dateDaysFromToday(0) });
    await change(changed, { type_id: "boiler" });
    await client.ask("POST", `/v1/properties/${kept.id}/merge`, 200, { body: { from: duplicate.id } });
    await change(retired, { retired_at: null });
    await change(changed, { type_id: "electrical_panel" });
    expect(await marked(kept)).toEqual(parts.toSorted());
  });

  // Rule: merge-claims
  test("loses no claim whose number the property has, and names it", async () => {
    const [kept, duplicate] = [await addProperty(client), await addProperty(client)];
    const add = async (property: Json, claim_type: string, claim_number: string): Promise<string> => {
      const loss = { claim_type, claim_number, date_of_loss: "2026-01-05", amount: 5000 };
      return (await client.post(`/v1/property/${property.id}/claims`, loss)).body.id;
    };
    const first = await add(kept, "water_damage", "Q1");
    const fire = await add(duplicate, "fire_electrical", "Q1");
    await add(duplicate, "fire_electrical", "Q1 (2)");
    const theSame = await add(kept, "water_damage", "Q2");
    const twice = await add(duplicate, "water_damage", "Q2");
    const path = `/v1/properties/${kept.id}/merge`;
    const { warnings } = (await client.ask("POST", path, 200, { body: { from: duplicate.id } })).body;
    expect(warnings).toEqual([
      `claim ${fire} has the claim_number "Q1 (3)" now: claim ${first} of the property has "Q1". If they are one claim, void one; otherwise give it its own number`,
      expect.stringContaining(
        `claim ${twice} stays with the duplicate: claim ${theSame} has its number, Q2,`,
      ),
    ]);
    const { claims } = await get(`/v1/property/${kept.id}/claims`);
    expect(claims.map(({ claim_number }: Json) => claim_number).toSorted()).toEqual([
      ...["Q1", "Q1 (2)", "Q1 (3)", "Q2"],
    ]);
    const [entry] = (await server.json("audit", "--subject", kept.id)).entries;
    expect(entry.detail).toMatchObject({
      before: { claims: null },
      after: { from: duplicate.id, claims: 2, claims_left: 1, claims_to_check: warnings },
    });
    const [renumbered] = (await server.json("audit", "--subject", fire)).entries;
    expect(renumbered.detail).toEqual({
      before: { claim_number: "Q1" },
      after: { claim_number: "Q1 (3)" },
    });
  });

  // Rule: merge-properties, import-same-address
  test("follows the summary of an import by command, in the audit log", async () => {
    const file = join(server.folder, "doubles.csv");
    const rows = ["partner_property_id,name,address,city,state"];
    rows.push(
      "D-1,First,77 Pine St,Barre,VT",
      "D-2,Second,77 Pine Street,Barre,VT",
      "D-3,Third,78 Pine St,,VT",
    );
    writeFileSync(file, `${rows.join("\n")}\n`);
    const run = async (...options: string[]) =>
      await server.json("import", "--partner", partner.partner_id, "--properties", file, ...options);
    const same = { property_id: expect.any(String), first_property_id: expect.any(String), first_line: null };
    const rolledBack = { property_id: null, first_property_id: null, first_line: 2 };
    expect((await run("--dry-run")).same_address).toEqual({
      properties: 1,
      first: [{ line: 3, ...rolledBack }],
    });
    const { same_address } = await run();
    expect(same_address).toEqual({ properties: 1, first: [{ line: 3, ...same }] });
    const { property_id: duplicate, first_property_id: first } = same_address.first[0];
    expect((await run()).same_address).toEqual({ properties: 0, first: [] });
    writeFileSync(file, `${rows[0]}\n${rows[3]!.replace("78", "77").replace(",,", ",Barre,")}\n`);
    const moved = await server.run(
      "import",
      "--partner",
      partner.partner_id,
      "--properties",
      file,
      "--update",
    );
    expect(moved.stdout).toContain("1 property has the address of another property:\n  line 2: if P_");
    expect(moved.stdout).toContain(`run: mainstay property merge ${first} P_`);

    await addWornAppliance(client, duplicate);
    expect(await server.json("property", "merge", first, duplicate)).toMatchObject({
      id: first,
      name: "First",
      warnings: [],
    });
    expect(await server.json("property", "show", duplicate)).toMatchObject({ merged_into: first });
    expect((await get("/v1/appliances", { property_id: first })).total).toBe(1);
    const { entries } = await server.json("audit", "--subject", first);
    expect(entries[0]).toMatchObject({
      action: "property.merge",
      actor: expect.stringMatching(/^cli:/),
      detail: { after: { from: duplicate, appliances: 1 } },
    });
    const itself = await server.run("property", "merge", first, first);
    expect([itself.code, itself.stderr]).toEqual([1, expect.stringContaining("merged with itself")]);
    const unknown = await server.run("property", "merge", first, "P_none");
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining("Property not found: P_none"),
    ]);
    const foreign = await addProperty(server.as(await server.createPartner("Fourth")));
    const refused = await server.run("property", "merge", first, foreign.id);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("not a property of the partner"),
    ]);
  });

  // Rule: appliance-move
  test("and a move of a single appliance by command leave it with its history", async () => {
    const [from, to] = [await addProperty(client), await addProperty(client)];
    const heater = await addWornAppliance(client, from.id);
    const shown = await server.json("appliance", "show", heater.id);
    expect(shown).toMatchObject({ id: heater.id, property_id: from.id, type_id: "water_heater_gas" });
    const type = ["--type", "water_heater_electric"];
    const moved = await server.json("appliance", "move", heater.id, "--property", to.id, ...type);
    expect(moved).toMatchObject({ property_id: to.id, type_id: "water_heater_electric", warnings: [] });
    expect((await get("/v1/components", { property_id: to.id })).total).toBe(moved.components.length);
    expect((await get("/v1/components", { property_id: from.id })).total).toBe(0);
    const { entries } = await server.json("audit", "--subject", heater.id);
    expect(entries).toMatchObject([
      {
        action: "appliance.move",
        actor: expect.stringMatching(/^cli:/),
        detail: { before: { property_id: from.id }, after: { property_id: to.id } },
      },
    ]);
    const foreign = await addProperty(server.as(await server.createPartner("Third")));
    for (const [options, code, message] of [
      [["--property", foreign.id], 1, "Property not found"],
      [["--type", "spaceship"], 1, "spaceship"],
      [["--unit", "UNIT_none"], 1, "Unit not found"],
      [[], 2, "no destination specified"],
    ] as const) {
      const refused = await server.run("appliance", "move", heater.id, ...options);
      expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(message)]);
    }
    await server.json("doctor", "--full");
  });

  // Rule: merge-refusals
  test("is refused with itself, with a retired, unknown or foreign property, and without a name", async () => {
    const [kept, retired] = [await addProperty(client), await addProperty(client)];
    await client.put(`/v1/properties/${retired.id}`, { retired_at: "2024-01-01" });
    const foreign = await addProperty(server.as(await server.createPartner("Other")));
    const path = `/v1/properties/${kept.id}/merge`;
    for (const [from, status] of [
      [kept.id, 400],
      [5, 400],
      [null, 400],
      [undefined, 400],
      ["P_none", 404],
      [foreign.id, 404],
      [retired.id, 409],
    ] as const) {
      const { body } = await client.ask("POST", path, status, { body: { from } });
      if (status === 400) expect(body.details[0].field).toBe("from");
    }
    await client.ask("POST", `/v1/properties/${foreign.id}/merge`, 404, { body: { from: kept.id } });
    await client.ask("POST", `/v1/properties/${retired.id}/merge`, 409, { body: { from: kept.id } });
  });
});
