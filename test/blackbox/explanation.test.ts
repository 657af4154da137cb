import { beforeAll, describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { type Administrator, createAdministrator } from "../support/administrator.ts";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, dateDaysFromToday, logEvents, THIS_YEAR } from "../support/portfolio.ts";

const { serve } = useMainstay();

let server: Installation;
let admin: Administrator;
let partner: Partner;
let client: ApiClient;
let property: Json;
let heater: Json;

const TODAY = dateDaysFromToday(0);
const UNKNOWN = "C_01m7xtfbnkegg9j7dstwvcm1r5";

beforeAll(async () => {
  server = await serve();
  admin = await createAdministrator(server);
  partner = await server.createPartner("Acme");
  client = server.as(partner);
  property = await addProperty(client);
  heater = await addHeater();
  const on = { appliance_id: heater.id };
  await logEvents(
    client,
    { ...on, event_type: "Repair", date: dateDaysFromToday(-200) },
    {
      ...on,
      event_type: "Emergency Repair",
      date: dateDaysFromToday(-100),
      component_id: componentOf(heater).id,
    },
    {
      ...on,
      event_type: "Inspection",
      date: dateDaysFromToday(-50),
      condition_after: "poor",
      notes: "leaking",
    },
  );
  await client.post(`/v1/property/${property.id}/claims`, {
    claim_type: "water_damage",
    date_of_loss: dateDaysFromToday(-300),
    amount: 5000,
  });
  const leak = { event_type: "water_leak", severity: "low", appliance: { appliance_id: heater.id } };
  await client.post("/v1/meter-event/smart/v2", leak);
});

const addHeater = () =>
  addAppliance(client, property.id, {
    type_id: "water_heater_gas",
    install_year: THIS_YEAR - 6,
    brand: "Rheem",
    usage_intensity: 1.3,
  });
const componentOf = (appliance: Json, def = "wh_gas_tank"): Json =>
  appliance.components.find((one: Json) => one.component_def_id === def);
const shown = async (id: string): Promise<Json> =>
  (await client.get(`/v1/components?property_id=${property.id}&limit=200`)).body.components.find(
    (one: Json) => one.id === id,
  );
const explain = async (id: string): Promise<Json> =>
  (await admin.client.get(`/admin/components/${id}/explanation`)).body;
const explainText = async (id: string) => (await server.run("explain", id)).stdout;

describe("an explanation", () => {
  // Rule: explain-component
  test("explains the score that partners see, with all evidence", async () => {
    const { id } = componentOf(heater);
    const explained = await explain(id);
    const seen = await shown(id);
    expect(explained.score).toMatchObject({ risk_score: seen.risk_score, risk_tier: seen.risk_tier });
    expect(explained.shown).toEqual({ risk_score: seen.risk_score, risk_tier: seen.risk_tier });
    expect(explained.score.failure_probability_12m).toBeCloseTo(seen.failure_probability_12m, 4);
    expect(explained.confidence.level).toBe(seen.confidence);
    expect(explained.projection).toMatchObject({
      projected_failure_year: seen.projected_failure_year,
      earliest: seen.projected_failure_range.earliest,
      latest: seen.projected_failure_range.latest,
      failure_window_80: seen.failure_window_80,
    });
    expect(explained).toMatchObject({ as_of: TODAY, model_version: "3" });
    expect(explained.component).toMatchObject({ component_def_id: "wh_gas_tank", appliance_brand: "Rheem" });
    expect(explained.evidence.map((one: Json) => [one.kind, one.date]).toSorted()).toEqual([
      ["cascade", null],
      ["cascade", null],
      ["claim", dateDaysFromToday(-300)],
      ["condition", dateDaysFromToday(-50)],
      ["emergency_repair", dateDaysFromToday(-100)],
      ["repair", dateDaysFromToday(-200)],
      ["smart_event", TODAY],
    ]);
    expect(explained.hazard.acute_hazard).toBeCloseTo(0.15 * (1.4 - 1), 9);
    expect(explained.age.reason).toBe("installation");
    expect(explained.rate.usage_factor).toBeCloseTo(1.3 ** 0.6, 12);
    const plan = (await client.get(`/v1/property/${property.id}/plan`)).body;
    const planned = plan.components.find((one: Json) => one.component_id === id);
    expect(explained.decision).toMatchObject({ policy: planned.policy, replace_on: planned.replace_on });
    expect(explained.decision.cost_of_waiting_a_year).toBeCloseTo(planned.cost_of_waiting_a_year, 1);
  });

  // Rule: countries
  test("takes a mean climate and location factor 1 outside the US, and says so", async () => {
    const { id } = componentOf(heater);
    const at = async (place: Json) => {
      await client.put(`/v1/properties/${property.id}`, { zip: null, ...place });
      const { rate, costs } = await explain(id);
      return { basis: rate.environment_basis, values: rate.environment.map((one: Json) => one.value), costs };
    };
    const abroad = await at({ country: "AU", state: "WA" });
    expect(abroad).toMatchObject({ basis: "mean", costs: { location_factor: 1, location_edition: null } });
    expect(new Set(abroad.values)).toEqual(new Set([0.35]));
    const { country, state } = property;
    const home = await at({ country, state });
    expect(home.basis).toBe("state");
    expect(home.costs.location_factor).not.toBe(1);
    expect(home.costs.location_edition).toStartWith("EM 1110-2-1304");
  });

  // Rule: explain-component
  test("lists every cited source", async () => {
    const explained = await explain(componentOf(heater).id);
    const known = new Set(explained.sources.map(({ token }: Json) => token));
    const named = [...JSON.stringify(explained).matchAll(/"source":"([^"]+)"/g)].map(([, token]) => token);
    expect(named.length).toBeGreaterThan(10);
    for (const token of named) expect(known).toContain(token);
    expect(known.size).toBe(new Set(named).size);
  });

  // Rule: explain-component
  test("explains the lower age of a component with unknown history", async () => {
    const late = await addProperty(client, { name: "Late Lot", records_since: dateDaysFromToday(-400) });
    const old = await addAppliance(client, late.id, {
      type_id: "water_heater_gas",
      install_year: THIS_YEAR - 7,
    });
    const { age } = await explain(componentOf(old, "wh_gas_anode").id);
    expect(age).toMatchObject({
      reason: "unknown_past",
      counted_from: dateDaysFromToday(-400),
      counted_days: 400,
    });
    expect(age.unknown_past.probability_original_then).toBeLessThan(0.5);
    expect(age.unknown_past.probability_original_now).toBeLessThan(
      age.unknown_past.probability_original_then,
    );
    expect(age.effective_age_years).toBeLessThan(age.age_years);
    const { age: tank } = await explain(componentOf(old).id);
    expect(tank).toMatchObject({ reason: "installation", unknown_past: null });
  });

  // Rule: explain-changes
  test.each([
    ["replacement", { event_type: "Replacement" }],
    ["preventive_visit", { event_type: "Preventive Maintenance" }],
    ["inspection_good", { event_type: "Inspection", condition_after: "good" }],
    ["inspection_poor", { event_type: "Inspection", condition_after: "poor" }],
  ])("predicts the resulting score: %s", async (change, event) => {
    const own = await addHeater();
    const { id } = componentOf(own);
    await logEvents(client, {
      appliance_id: own.id,
      event_type: "Emergency Repair",
      date: dateDaysFromToday(-30),
    });
    const { changes, score } = await explain(id);
    const foretold = changes.find((one: Json) => one.change === change);
    await logEvents(client, { appliance_id: own.id, component_id: id, date: TODAY, ...event });
    const after = await explain(id);
    expect(await shown(id)).toMatchObject({
      risk_score: foretold.risk_score,
      risk_tier: foretold.risk_tier,
      confidence: foretold.confidence,
    });
    expect(after.score.q).toBeCloseTo(foretold.q, 12);
    expect(after.score.q).not.toBe(score.q);
  });

  test("is not found for an unknown component", async () => {
    const { body } = await admin.client.get(`/admin/components/${UNKNOWN}/explanation`, {}, 404);
    expect(body.error).toBe("Component not found");
  });
});

describe("mainstay explain", () => {
  // Rule: explain-component
  test("prints the explanation of the admin API as JSON", async () => {
    const { id } = componentOf(heater);
    expect(await server.json("explain", id)).toEqual(await explain(id));
  });

  // Rule: explain-component
  test("prints a readable explanation", async () => {
    const { id } = componentOf(heater);
    const text = await explainText(id);
    const { score, evidence, sources } = await explain(id);
    expect(text).toStartWith("Glass-lined tank (Gas storage water heater, Rheem), Elm Court\n");
    expect(text).toContain(`Score ${score.risk_score.toFixed(2)}, ${score.risk_tier}:`);
    for (const heading of [
      ...["Lifetime", "Aging rate", "Age", "Evidence"],
      ...[
        "Hazard and score",
        "Confidence and projected failure",
        "What-if scenarios",
        "Recommended action",
        "Sources",
      ],
    ])
      expect(text).toContain(`\n${heading}`);
    for (const one of evidence) expect(text).toContain(one.ends_on ?? one.label.slice(0, 15));
    for (const { token } of sources) expect(text).toContain(`${token}: `);
    // A pipe receives every column of the table; the rest has lines of the usual length.
    const table = text.slice(text.indexOf("\nEvidence"), text.indexOf("\n  Hazard ratio θ"));
    expect(table).toMatch(/^ {2}Date .* Exponent +Now +Ends +Source +Ended early by$/m);
    for (const line of text.replace(table, "").split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(text).not.toContain("undefined");
    expect(text).not.toContain("NaN");
  });

  test("rejects an ID that is not a component's", async () => {
    const { code, stderr } = await server.run("explain", UNKNOWN);
    expect(code).toBe(1);
    expect(stderr).toContain(`Component not found: ${UNKNOWN}`);
  });
});

describe("mainstay scores", () => {
  const lines = async (...options: string[]): Promise<Json[]> => {
    const { stdout, code } = await server.run("scores", ...options, "--format", "ndjson");
    expect(code).toBe(0);
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line)));
  };

  // Rule: scores-command
  test("prints one row per component, as CSV or JSON, that agrees with its explanation", async () => {
    const of = ["--partner", partner.partner_id];
    const listed = (await client.get("/v1/components?limit=200")).body;
    const found = await lines(...of);
    expect(found.map((one) => one.component_id)).toEqual(listed.components.map(({ id }: Json) => id));
    expect(found.map((one) => one.risk_score)).toEqual(listed.components.map((one: Json) => one.risk_score));
    const line = found.find((one) => one.component_id === componentOf(heater).id)!;
    const { score, hazard, age, projection, costs } = await explain(line.component_id);
    expect(line).toMatchObject({
      risk_score: score.risk_score,
      risk_tier: score.risk_tier,
      acute_hazard: hazard.acute_hazard,
      projected_failure_earliest: projection.earliest,
      projected_failure_latest: projection.latest,
      proactive_cost: costs.proactive_cost,
      reactive_cost: costs.reactive_cost,
      cost_basis: costs.cost_basis,
    });
    expect(line.q).toBeCloseTo(score.q, 12);
    expect(line.hazard_ratio).toBeCloseTo(hazard.hazard_ratio, 12);
    expect(line.effective_age_years).toBeCloseTo(age.effective_age_years, 12);
    expect(line.effective_virtual_age_years).toBeCloseTo(age.effective_virtual_age_years, 12);
    const { stdout } = await server.run("scores", ...of);
    const rows: Json[] = parse(stdout, { columns: true });
    expect(rows).toHaveLength(found.length);
    expect(Object.keys(rows[0]!)).toEqual(Object.keys(found[0]!));
    expect(rows.map((row) => Number(row.q))).toEqual(found.map((one) => one.q));
  });

  // Rule: scores-command
  test("prefixes values that a spreadsheet would read as formulas", async () => {
    const name = '=HYPERLINK("http://x")';
    const { id } = await addProperty(client, { name });
    await addAppliance(client, id);
    const { stdout } = await server.run("scores", "--property", id);
    const rows: Json[] = parse(stdout, { columns: true });
    expect(new Set(rows.map((row) => row.property_name))).toEqual(new Set([`'${name}`]));
    const [line] = await lines("--property", id);
    expect(line!.property_name).toBe(name);
  });

  // Rule: scores-command
  test("filters by property and tier", async () => {
    const of = ["--partner", partner.partner_id];
    const all = await lines(...of);
    const ofProperty = all.filter((one) => one.property_id === property.id);
    expect(ofProperty.length).toBeLessThan(all.length);
    expect(await lines(...of, "--property", property.id)).toEqual(ofProperty);
    expect(await lines("--property", property.id)).toEqual(ofProperty);
    const critical = all.filter((one) => one.risk_tier === "CRITICAL");
    expect(critical.length).toBeGreaterThan(0);
    expect(await lines(...of, "--tier", "critical")).toEqual(critical);
    expect(await lines(...of, "--property", property.id, "--tier", "GOOD")).toEqual(
      ofProperty.filter((one) => one.risk_tier === "GOOD"),
    );
  });

  test("rejects a property of another partner, and a call without a partner", async () => {
    const other = await server.createPartner("Umbrella");
    const strange = await server.run("scores", "--partner", other.partner_id, "--property", property.id);
    expect(strange.code).toBe(1);
    expect(strange.stderr).toContain(property.id);
    expect((await server.run("scores")).code).toBe(2);
    expect(await lines("--partner", other.partner_id)).toEqual([]);
  });
});

describe("listing components to explain", () => {
  const listed = async (query: Record<string, string>): Promise<Json[]> =>
    (await admin.client.get("/admin/components", query)).body.components;

  // Rule: components-of-any
  test("lists critical and warning components of a partner and a property, highest score first", async () => {
    const { alerts } = (await client.get("/v1/alerts", { limit: 200 })).body;
    const ofPartner = await listed({ partner_id: partner.partner_id, limit: "200" });
    expect(ofPartner.map(({ component_id }) => component_id)).toEqual(
      alerts.map(({ component_id }: Json) => component_id),
    );
    expect(ofPartner.every((one) => one.partner_id === partner.partner_id)).toBe(true);
    const scores = (await listed({ property_id: property.id })).map(({ risk_score }) => risk_score);
    expect(scores.length).toBeGreaterThan(1);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  // Rule: components-of-any
  test("lists all components of an appliance, or those of a tier, in pages", async () => {
    const all = await listed({ appliance_id: heater.id });
    expect(all.map(({ component_id }) => component_id)).toEqual(heater.components.map(({ id }: Json) => id));
    const tiers = ["CRITICAL", "WARNING", "GOOD"];
    const owners: Record<string, string>[] = [
      { appliance_id: heater.id },
      { property_id: property.id },
      { partner_id: partner.partner_id },
    ];
    for (const owner of owners) {
      const found = await Promise.all(tiers.map((tier) => listed({ ...owner, tier, limit: "200" })));
      for (const [at, ofTier] of found.entries())
        expect(ofTier.every(({ risk_tier }) => risk_tier === tiers[at])).toBe(true);
      const { body } = await admin.client.get("/admin/components", {
        ...owner,
        tier: "GOOD",
        limit: 1,
        offset: 1,
      });
      expect(body).toMatchObject({ total: found[2]!.length, limit: 1, offset: 1 });
      expect(body.components).toEqual(found[2]!.slice(1, 2));
    }
  });

  // Rule: components-of-any
  test("requires exactly one existing owner", async () => {
    await admin.client.get("/admin/components", {}, 400);
    await admin.client.get("/admin/components", { property_id: property.id, appliance_id: heater.id }, 400);
    await admin.client.get("/admin/components", { tier: "BAD", appliance_id: heater.id }, 400);
    for (const name of ["partner_id", "property_id", "appliance_id"])
      await admin.client.get("/admin/components", { [name]: UNKNOWN }, 404);
  });
});
