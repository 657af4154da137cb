import { beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, dateDaysFromToday } from "../support/portfolio.ts";

const { serve, folder } = useMainstay();
let client: ApiClient;
let server: Installation;
let partner: Partner;
beforeAll(async () => {
  server = await serve();
  partner = await server.createPartner("Acme");
  client = server.as(partner);
});

const flagsOf = async (id: string): Promise<Json[]> => (await client.get(`/v1/appliances/${id}`)).body.flags;
const codes = (flags: Json[]) => flags.map(({ code, basis }) => `${code}:${basis}`);

describe("an appliance is flagged for known hazards", () => {
  // Rule: hazard-flags
  test("by brand, with the authority and what it requires, while its scores stay GOOD", async () => {
    const { id } = await addProperty(client, { year_built: 2000 });
    const { body } = await client.post(
      "/v1/appliances",
      { property_id: id, type_id: "electrical_panel", install_year: 2020, brand: "Challenger" },
      201,
    );
    expect(body.flags).toEqual([
      {
        code: "challenger",
        label: "Challenger panel",
        basis: "brand",
        authority: "Fannie Mae Form 4099.G: replace as an immediate repair",
        action: "immediate_hazard",
      },
    ]);
    const read = (await client.get(`/v1/appliances/${body.id}`)).body;
    expect(read.flags).toEqual(body.flags);
    expect(new Set(read.components.map(({ risk_tier }: Json) => risk_tier))).toEqual(new Set(["GOOD"]));
    const renamed = await client.put(`/v1/appliances/${body.id}`, { brand: "Square D" });
    expect(renamed.body.flags).toEqual([]);
    expect(await flagsOf(body.id)).toEqual([]);
  });

  // Rule: hazard-flags, plan-action
  test("whose action it is, also where its parts are replaced one by one", async () => {
    const { id } = await addProperty(client, { year_built: 2000 });
    const sprinklers = await addAppliance(client, id, { type_id: "fire_suppression", install_year: 2020 });
    const stated = await client.put(`/v1/appliances/${sprinklers.id}`, { flags_set: ["omega_sprinklers"] });
    const hazard = { action: "immediate_hazard", reason: expect.stringContaining("Omega") };
    expect(stated.body).toMatchObject(hazard);
    expect((await client.get(`/v1/appliances/${sprinklers.id}`)).body).toMatchObject(hazard);
    const cleared = await client.put(`/v1/appliances/${sprinklers.id}`, { flags_set: null });
    expect(cleared.body).toMatchObject({ action: null, reason: null });
  });

  // Rule: hazard-flags
  test("by the notes of a service event, until a replacement", async () => {
    const { id } = await addProperty(client);
    const panel = await addAppliance(client, id, { type_id: "electrical_panel", install_year: 2000 });
    const log = (event: object) =>
      client.post("/v1/service-events/bulk", { events: [{ appliance_id: panel.id, ...event }] }, 201);
    await log({
      event_type: "Inspection",
      date: dateDaysFromToday(-30),
      notes: "No Zinsco, no Stab-Lok seen",
    });
    expect(await flagsOf(panel.id)).toEqual([]);
    await log({ event_type: "Inspection", date: dateDaysFromToday(-20), notes: "Panel is a Zinsco" });
    expect(codes(await flagsOf(panel.id))).toEqual(["zinsco:notes"]);
    await log({ event_type: "Replacement", date: dateDaysFromToday(-10) });
    expect(await flagsOf(panel.id)).toEqual([]);
  });

  // Rule: hazard-flags
  test("by years alone, which the label says, and as they change", async () => {
    const { id } = await addProperty(client, { year_built: 1985 });
    const pipes = await addAppliance(client, id, { type_id: "plumbing_supply", install_year: 1985 });
    const [flag, ...others] = await flagsOf(pipes.id);
    expect(others).toEqual([]);
    expect(flag).toMatchObject({ code: "polybutylene", basis: "era", action: "inspect" });
    expect(flag!.label).toBe("Suspected only by its years: Polybutylene supply pipe");
    await client.put(`/v1/properties/${id}`, { year_built: 2001 });
    expect(await flagsOf(pipes.id)).toEqual([]);
  });
});

describe("a partner", () => {
  // Rule: hazard-flags-stated
  test("sets and clears flags", async () => {
    const { id } = await addProperty(client, { year_built: 1970 });
    const panel = await addAppliance(client, id, {
      type_id: "electrical_panel",
      install_year: 1970,
      flags_set: ["federal_pacific"],
    });
    expect(codes(panel.flags)).toEqual(["federal_pacific:stated", "aluminum_wiring:era"]);
    const put = async (change: object) => (await client.put(`/v1/appliances/${panel.id}`, change)).body;
    const cleared = await put({ flags_cleared: ["aluminum_wiring", "aluminum_wiring"] });
    expect(cleared).toMatchObject({ flags_set: ["federal_pacific"], flags_cleared: ["aluminum_wiring"] });
    expect(codes(cleared.flags)).toEqual(["federal_pacific:stated"]);
    const whole = (await client.get(`/v1/appliances/${panel.id}`)).body;
    expect((await put(whole)).flags).toEqual(cleared.flags);
    const open = await put({ flags_set: null, flags_cleared: [] });
    expect(open).toMatchObject({ flags_set: [], flags_cleared: [] });
    expect(codes(open.flags)).toEqual(["unidentified_panel:era", "aluminum_wiring:era"]);
  });

  // Rule: hazard-flags-stated
  test.each([
    [
      { flags_set: ["polybutylene"] },
      'flags_set: "polybutylene" is not a flag of this type: electrical_panel has federal_pacific',
    ],
    [{ flags_cleared: ["nothing"] }, 'flags_cleared: "nothing" is not a flag of this type'],
    [{ flags_set: ["zinsco"], flags_cleared: ["zinsco"] }, "zinsco cannot be set and cleared at once"],
    [{ flags_set: ["Zinsco!"] }, "flags_set must be a list of at most 20 codes such as federal_pacific"],
    [{ flags_set: [1] }, "flags_set.0 must be a string"],
    [{ flags_set: Array.from({ length: 21 }, (_, n) => `x${n}`) }, "flags_set must be a list of at most 20"],
    [{ flags_cleared: 7 }, "flags_cleared must be a list"],
  ])("is refused %j", async (fields, message) => {
    const { id } = await addProperty(client);
    const panel = { property_id: id, type_id: "electrical_panel", install_year: 2020 };
    const refused = await client.post("/v1/appliances", { ...panel, ...fields }, 400);
    expect(refused.body.error).toContain(message);
    const { body } = await client.post("/v1/appliances", panel, 201);
    expect((await client.put(`/v1/appliances/${body.id}`, fields, 400)).body.error).toContain(message);
    expect(await flagsOf(body.id)).toEqual([]);
  });

  // Rule: hazard-flags-stated
  test("cannot set a flag of a type that has none", async () => {
    const { id } = await addProperty(client);
    const washer = { property_id: id, type_id: "washer", install_year: 2020, flags_set: ["r22"] };
    expect((await client.post("/v1/appliances", washer, 400)).body.error).toContain("washer has none");
  });
});

describe("flagged appliances", () => {
  // Rule: hazard-flags-counted
  test("are counted in summaries and listed in the report", async () => {
    const { id } = await addProperty(client, { year_built: 1972, name: "Counted" });
    await addAppliance(client, id, { type_id: "rooftop_unit", install_year: 2004 });
    const panel = await addAppliance(client, id, { type_id: "electrical_panel", brand: "Zinsco" });
    await addAppliance(client, id, { type_id: "electrical_panel", brand: "Zinsco" });
    const counts = [
      ["zinsco", 2, 0],
      ["aluminum_wiring", 0, 2],
      ["r22", 0, 1],
    ];
    const countsOf = (flags: Json[]) =>
      flags.map(({ code, appliances, suspected }) => [code, appliances, suspected]);
    const summary = (await client.get(`/v1/property/${id}/summary`)).body;
    expect(countsOf(summary.flags)).toEqual(counts);
    expect(summary.flags.map(({ action }: Json) => action)).toEqual([
      "immediate_hazard",
      "inspect",
      "monitor",
    ]);
    const portfolio = (await client.get("/v1/portfolio/summary", { q: "Counted" })).body;
    expect(portfolio.portfolio[0]).toMatchObject({ hazard_flags: 2, suspected_hazards: 3 });
    expect(countsOf(portfolio.totals.flags)).toEqual(counts);
    const whole = (await client.get("/v1/portfolio/summary")).body.totals.flags;
    expect(countsOf(whole)).toContainEqual(["r22", 0, 1]);
    const report = (await client.get(`/v1/property/${id}/report`)).body;
    expect(codes(report.flags)).toEqual([
      "zinsco:brand",
      "zinsco:brand",
      "aluminum_wiring:era",
      "aluminum_wiring:era",
      "r22:era",
    ]);
    expect(report.flags[0]).toMatchObject({
      appliance_id: panel.id,
      appliance_type: "electrical_panel",
      unit: null,
      action: "immediate_hazard",
    });
    expect((await client.get(`/v1/property/${id}/plan`)).body.flags).toEqual(report.flags);
    await client.put(`/v1/appliances/${panel.id}`, { flags_cleared: ["zinsco", "aluminum_wiring"] });
    expect(countsOf((await client.get(`/v1/property/${id}/summary`)).body.flags)).toEqual([
      ["zinsco", 1, 0],
      ["aluminum_wiring", 0, 1],
      ["r22", 0, 1],
    ]);
  });
});

// Rule: hazard-flags-stated
test("an import sets flags, and each change is in the audit log with before and after", async () => {
  const { id } = await addProperty(client);
  const rows = (flags: string) =>
    `property_id,type_id,install_year,serial,flags_set\n${id},electrical_panel,2000,S-77,${flags}\n`;
  const importRows = async (text: string) => {
    const file = join(folder(), "panels.csv");
    writeFileSync(file, text);
    return await server.run("import", "--appliances", file, "--partner", partner.partner_id, "--update");
  };
  expect((await importRows(rows("zinsco; aluminum_wiring"))).code).toBe(0);
  const list = async () => (await client.get("/v1/appliances", { property_id: id })).body.appliances;
  const [panel] = await list();
  expect(panel.flags_set).toEqual(["aluminum_wiring", "zinsco"]);
  expect((await importRows(rows("zinsco"))).code).toBe(0);
  expect((await list())[0].flags_set).toEqual(["zinsco"]);
  await client.put(`/v1/appliances/${panel.id}`, { flags_set: null, flags_cleared: ["challenger"] });
  const { entries } = await server.json("audit", "--subject", panel.id, "--limit", "5");
  expect(entries).toContainEqual(
    expect.objectContaining({
      action: "appliance.flags",
      detail: {
        before: { flags_set: ["zinsco"], flags_cleared: [] },
        after: { flags_set: [], flags_cleared: ["challenger"] },
      },
    }),
  );
  const { stdout } = await server.run("audit", "--subject", panel.id);
  expect(stdout.replace(/\s+/g, " ")).toContain(": flags_set zinsco → none, flags_cleared none → challenger");
});

describe("properties filtered by a flag", () => {
  // Rule: hazard-flag-filter
  test("have an appliance that is flagged or suspected", async () => {
    const { id, name } = await addProperty(client, { name: "Filtered by flag", year_built: 1985 });
    await addAppliance(client, id, { type_id: "plumbing_supply", install_year: 1985 });
    const found = async (query: object) =>
      (await client.get("/v1/properties", { q: name, ...query })).body.properties.map((one: Json) => one.id);
    expect(await found({ flag: "polybutylene" })).toEqual([id]);
    expect(await found({ flag: "pushmatic" })).toEqual([]);
    const { body } = await client.get("/v1/portfolio/summary", { flag: "polybutylene", q: name });
    expect([body.total, body.totals.flags[0].suspected]).toEqual([1, 1]);
    expect(await found({ flag: "polybutylene", sandbox: "true" })).toEqual([]);
  });

  // Rule: hazard-flag-filter
  test("are refused for an unknown code", async () => {
    const { body } = await client.ask("GET", "/v1/properties?flag=nothing", 400);
    expect(body.error).toStartWith("flag must be one of federal_pacific, zinsco,");
  });
});
