import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, dateDaysFromToday, logEvents, THIS_YEAR } from "../support/portfolio.ts";

const { serve } = useMainstay();

let client: ApiClient;
let stranger: ApiClient;
/** A property with a worn boiler and elevator, a middling water heater and a new refrigerator. */
let property: Json;
/** One with nothing in it, no units and no value. */
let empty: Json;
let elevator: Json;

beforeAll(async () => {
  const server = await serve();
  client = server.as(await server.createPartner("Acme"));
  stranger = server.as(await server.createPartner("Umbrella"));
  property = await addProperty(client, { unit_count: 8, estimated_value: 3_000_000 });
  empty = await addProperty(client);
  await addAppliance(client, property.id, { type_id: "boiler", install_year: THIS_YEAR - 40 });
  elevator = await addAppliance(client, property.id, { type_id: "elevator", install_year: THIS_YEAR - 90 });
  await addAppliance(client, property.id, { type_id: "water_heater_gas", install_year: THIS_YEAR - 9 });
  await addAppliance(client, property.id);
});

const read = async (figure: string, of = property): Promise<Json> =>
  (await client.get(`/v1/property/${of.id}/${figure}`)).body;
const FIGURES = ["report", "forecast", "reserve", "condition-score", "rcv", "compliance"];
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const sum = (items: Json[], field: string) => cents(items.reduce((total, item) => total + item[field], 0));
/** The kinds of the parts with which the appliances of this property are replaced as a whole. */
const PRINCIPAL: Record<string, string> = {
  boiler: "Heat exchanger / vessel",
  water_heater_gas: "Glass-lined tank",
  refrigerator: "Compressor and sealed system",
};

/** Adds up the costs of items; a unit counts at most once, at the price of its principal part. */
const limitedSum = (items: Json[], all: Json[], field: string) =>
  cents(
    [...Map.groupBy(items, (item) => item.appliance_id)].reduce((total, [applianceId, parts]) => {
      const principal = all.find(
        (item) => item.appliance_id === applianceId && item.component_name === PRINCIPAL[item.appliance_type],
      );
      return total + Math.min(sum(parts, field), principal ? principal[field] : Number.POSITIVE_INFINITY);
    }, 0),
  );
const cents = (usd: number) => Math.round(usd * 100) / 100;

describe("a report", () => {
  // Rule: property-report
  test("has every field of the specification", async () => {
    const report = await read("report");
    const { partner, ...record } = (await client.get(`/v1/properties/${property.id}`)).body;
    expect(report).toEqual({
      property: record,
      overall: { rating: "FAIL", nci_equivalent: expect.any(Number), components_assessed: 25 },
      categories: {
        boiler: TIERS_AND_DEFERRED,
        elevator: TIERS_AND_DEFERRED,
        water_heater_gas: TIERS_AND_DEFERRED,
        refrigerator: { critical: 0, warning: 0, good: 8, deferred: 0 },
      },
      critical: expect.any(Array),
      warning: expect.any(Array),
      good: expect.any(Array),
      financials: {
        total_deferred: expect.any(Number),
        total_reactive_exposure: expect.any(Number),
        deferred_per_door: expect.any(Number),
        estimated_savings_if_acted: expect.any(Number),
        recommended_monthly_reserve_per_unit: expect.any(Number),
      },
      flags: [],
      assumptions: expect.objectContaining({ model_version: "3" }),
      assessed_at: expect.stringMatching(ISO),
      partner,
    });
    expect(report.critical.length).toBeGreaterThan(0);
    for (const item of [...report.critical, ...report.warning, ...report.good])
      expect(item).toEqual({
        ...ITEM,
        age_years: expect.any(Number),
        action: expect.any(String),
        reason: expect.stringMatching(/\.$/),
      });
  });

  // Rule: property-report
  test("lists every component in its tier, highest score first", async () => {
    const { critical, warning, good } = await read("report");
    for (const [tier, items] of Object.entries({ CRITICAL: critical, WARNING: warning, GOOD: good })) {
      const scores = items.map((item: Json) => item.risk_score);
      expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
      const query = { property_id: property.id, tier, limit: 200 };
      const listed = (await client.get("/v1/components", query)).body.components;
      expect(items.map((item: Json) => item.component_id).sort()).toEqual(
        listed.map((item: Json) => item.id).sort(),
      );
    }
  });

  // Rule: report-agrees
  test("matches the summary, the portfolio, and the sum of its items", async () => {
    const report = await read("report");
    const summary = await read("summary");
    const { portfolio, totals } = (await client.get("/v1/portfolio/summary")).body;
    const row = portfolio.find((one: Json) => one.property_id === property.id);
    const elevated = [...report.critical, ...report.warning];
    const all = [...elevated, ...report.good];
    const deferred = limitedSum(elevated, all, "proactive_cost");
    const reactive = limitedSum(elevated, all, "reactive_cost");
    const perDoor = cents(deferred / 8);
    const reserve = report.financials.recommended_monthly_reserve_per_unit;
    expect(report.financials).toMatchObject({
      total_deferred: deferred,
      total_reactive_exposure: reactive,
      deferred_per_door: perDoor,
      estimated_savings_if_acted: cents(reactive - deferred),
    });
    const money = {
      total_deferred_maintenance: deferred,
      total_reactive_exposure: reactive,
      deferred_per_door: perDoor,
    };
    const counts = { critical: report.critical.length, warning: report.warning.length };
    expect(summary.financials).toEqual({ ...money, recommended_monthly_reserve_per_unit: reserve });
    expect(summary.risk).toEqual({
      ...counts,
      good: report.good.length,
      overall_rating: report.overall.rating,
    });
    expect(row).toMatchObject({ ...money, ...counts, overall_rating: report.overall.rating });
    expect(totals).toMatchObject({ ...counts, total_deferred: deferred, total_reactive: reactive });
    expect(sum(Object.values(report.categories), "deferred")).toBe(deferred);
  });
});

describe("a forecast", () => {
  // Rule: forecast
  test("has every field of the specification", async () => {
    const forecast = await read("forecast");
    expect(forecast).toEqual({
      property_id: property.id,
      name: property.name,
      forecast: {
        window_30_days: WINDOW,
        window_60_days: WINDOW,
        window_90_days: WINDOW,
        window_12_months: WINDOW,
      },
      assumptions: expect.objectContaining({ model_version: "3" }),
      generated_at: expect.stringMatching(ISO),
      partner: "Acme",
    });
    for (const item of forecast.forecast.window_90_days.components)
      expect(item).toEqual({ ...ITEM, failure_probability: expect.any(Number) });
  });

  // Rule: forecast-windows
  test("has consistent, cumulative windows with every critical component", async () => {
    const { critical, warning, good } = await read("report");
    const all = [...critical, ...warning, ...good];
    const { forecast } = await read("forecast");
    let held = critical.map((item: Json) => item.component_id);
    for (const window of [forecast.window_30_days, forecast.window_60_days, forecast.window_90_days]) {
      const ids = window.components.map((item: Json) => item.component_id);
      expect(ids).toEqual(expect.arrayContaining(held));
      expect(window.component_count).toBe(ids.length);
      expect(window.proactive_cost).toBe(limitedSum(window.components, all, "proactive_cost"));
      expect(window.emergency_cost_if_ignored).toBe(limitedSum(window.components, all, "reactive_cost"));
      expect(window.savings_potential).toBe(cents(window.emergency_cost_if_ignored - window.proactive_cost));
      held = ids;
    }
  });
});

describe("a reserve", () => {
  // Rule: reserve
  test("has every field of the specification", async () => {
    const { financials } = await read("report");
    const reserve = await read("reserve");
    expect(reserve).toEqual({
      property_id: property.id,
      name: property.name,
      unit_count: 8,
      unit_label: null,
      total_deferred: financials.total_deferred,
      reserves: {
        "12_month": RESERVE,
        "24_month": RESERVE,
        "36_month": RESERVE,
        "10_year_full_replacement": RESERVE,
      },
      assumptions: expect.objectContaining({ model_version: "3" }),
      generated_at: expect.stringMatching(ISO),
      partner: "Acme",
    });
    expect(reserve.reserves["12_month"].per_unit_per_month).toBe(
      financials.recommended_monthly_reserve_per_unit,
    );
  });

  // Rule: reserve
  test("covers at least the critical components, and in ten years the replacement cost value", async () => {
    const { reserves } = await read("reserve");
    const { critical, warning, good } = await read("report");
    const due = limitedSum(critical, [...critical, ...warning, ...good], "proactive_cost");
    for (const months of [12, 24, 36])
      expect(reserves[`${months}_month`].property_per_month).toBeGreaterThanOrEqual(cents(due / months));
    // In New York, 1.18 times: boiler 13,930, elevator 150,000, water heater 1,500, refrigerator 1,200.
    // 196,623.40 / 120 = 1,638.52833
    expect(reserves["10_year_full_replacement"]).toMatchObject({
      property_per_month: 1638.53,
      per_unit_per_month: 204.82,
      per_unit_per_year: 2457.79,
    });
  });
});

// Rule: condition-score
test("a condition score has every field of the specification and agrees with the report", async () => {
  const { overall, critical, warning, good } = await read("report");
  expect(await read("condition-score")).toEqual({
    property_id: property.id,
    name: property.name,
    condition_score: overall.nci_equivalent,
    grade: "F",
    rating: overall.rating,
    components_assessed: 25,
    critical: critical.length,
    warning: warning.length,
    good: good.length,
    fci: expect.objectContaining({ basis: "equipment" }),
    methodology: expect.stringMatching(/^Condition index: .* scoring model 3\.$/),
    retired_at: null,
    assumptions: expect.objectContaining({ model_version: "3" }),
    assessed_at: expect.stringMatching(ISO),
    partner: "Acme",
  });
  expect(Number.isInteger(overall.nci_equivalent)).toBe(true);
});

// Rule: unknown-parameters
test("figures and lists without pages refuse a parameter that they do not know, and name those that they do", async () => {
  for (const name of [...FIGURES, "plan", "losses", "underwriting"]) {
    const path = `/v1/property/${property.id}/${name}`;
    expect((await client.get(`${path}?_=1`)).status).toBe(200);
    const { body } = await client.ask("GET", `${path}?infation=9`, 400);
    expect(body.error).toMatch(/^Unknown query parameter: infation; this request takes /);
    if (name === "plan") expect(body.error).toContain("inflation");
    if (name === "report") {
      expect(body.error).toEndWith("takes none");
      await client.ask("GET", `${path}?format=csv`, 400);
    }
  }
  const [{ id }] = (await client.get("/v1/components?limit=1")).body.components;
  for (const list of ["/v1/cost-book?state=NY", `/v1/components/${id}/history?limit=1`])
    expect((await client.ask("GET", list, 400)).body.error).toEndWith("takes none");
  const search = (await client.ask("GET", "/v1/search?q=a&state=NY", 400)).body;
  expect(search.error).toBe("Unknown query parameter: state; this request takes q");
});

// Rule: deferred-percent-text, rcv
test("a replacement cost valuation has every field of the specification, by system", async () => {
  const { critical, warning, good, financials } = await read("report");
  const all = [...critical, ...warning, ...good];
  const exposure = limitedSum([...critical, ...warning], all, "reactive_cost");
  const rcv = await read("rcv");
  const SYSTEM = { critical: expect.any(Number), warning: expect.any(Number), good: expect.any(Number) };
  expect(rcv).toEqual({
    property_id: property.id,
    name: property.name,
    unit_count: 8,
    unit_label: null,
    total_replacement_cost: 196_623.4,
    rcv_per_unit: 24_577.93,
    critical_exposure: limitedSum(critical, all, "reactive_cost"),
    warning_exposure: cents(exposure - limitedSum(critical, all, "reactive_cost")),
    systems: [
      { system: "conveyance", total_rcv: 177_000, components: 5, ...SYSTEM },
      { system: "hvac", total_rcv: 16_437.4, components: 6, ...SYSTEM },
      { system: "plumbing", total_rcv: 1770, components: 6, ...SYSTEM },
      { system: "appliance", total_rcv: 1416, components: 8, ...SYSTEM },
    ],
    estimated_value: 3_000_000,
    deferred_as_pct_of_value: expect.stringMatching(/^\d+\.\d%$/),
    assumptions: expect.objectContaining({ model_version: "3" }),
    assessed_at: expect.stringMatching(ISO),
    partner: "Acme",
  });
  expect(cents(rcv.critical_exposure + rcv.warning_exposure)).toBe(financials.total_reactive_exposure);
  const percent = Number(rcv.deferred_as_pct_of_value.slice(0, -1));
  expect(Math.abs(percent - financials.total_deferred / 30_000)).toBeLessThanOrEqual(0.05);
});

describe("compliance", () => {
  // Rule: compliance-item, compliance
  test("has one item per appliance and inspection, earliest due date first", async () => {
    const compliance = await read("compliance");
    expect(compliance).toEqual({
      property_id: property.id,
      name: property.name,
      compliance_items: expect.any(Array),
      overdue: compliance.compliance_items.filter((item: Json) => item.status === "OVERDUE").length,
      overdue_mandatory: compliance.compliance_items.filter(
        (item: Json) => item.status === "OVERDUE" && item.mandatory,
      ).length,
      notice: expect.stringContaining("Local law decides"),
      partner: "Acme",
    });
    const due = compliance.compliance_items.map((item: Json) => item.due_date);
    expect(due).toEqual(due.toSorted());
    expect(compliance.compliance_items).toHaveLength(2 + 3 + 1 + 1);
    for (const item of compliance.compliance_items)
      expect(item).toEqual({
        appliance_id: expect.stringMatching(/^A_/),
        appliance_type: expect.any(String),
        brand: null,
        unit: null,
        inspection_type: expect.any(String),
        authority: expect.any(String),
        mandatory: expect.any(Boolean),
        interval_months: expect.any(Number),
        last_inspection: null,
        result: null,
        deficiency_open: false,
        basis: "none",
        last_event_id: null,
        due_date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
        days_until_due: expect.any(Number),
        status: expect.stringMatching(/^(OVERDUE|DUE_SOON|UPCOMING|OK)$/),
      });
  });

  // Rule: compliance
  test("has the brand and the unit of the appliance", async () => {
    const home = await addProperty(client, { unit_count: 1 });
    const [unit] = (await client.get(`/v1/property/${home.id}/units`)).body.units;
    await addAppliance(client, home.id, { type_id: "elevator", brand: "Otis", unit_id: unit.id });
    for (const item of (await read("compliance", home)).compliance_items)
      expect(item).toMatchObject({ brand: "Otis", unit: unit.id });
  });

  // Rule: inspection-clock
  test("restarts the interval with a passed inspection, not with a failed one", async () => {
    const test = async () =>
      (await read("compliance")).compliance_items.find(
        (item: Json) => item.inspection_type === "category_1_annual_test",
      );
    const event = { appliance_id: elevator.id, event_type: "Inspection" };
    // The survey of a building rates its condition, and is no inspection by a code.
    const survey = { ...event, date: dateDaysFromToday(-4), condition_score: 4, condition_scale: [1, 5] };
    await logEvents(client, survey);
    expect(await test()).toMatchObject({
      due_date: `${THIS_YEAR - 89}-07-01`,
      status: "OVERDUE",
      basis: "none",
    });
    await logEvents(client, { ...event, date: dateDaysFromToday(-3), condition_after: "poor" });
    expect(await test()).toMatchObject({
      last_inspection: dateDaysFromToday(-3),
      result: "failed",
      deficiency_open: true,
      status: "OVERDUE",
    });
    const { events } = await logEvents(client, {
      ...event,
      date: dateDaysFromToday(-2),
      condition_after: "good",
    });
    expect(await test()).toMatchObject({
      last_inspection: dateDaysFromToday(-2),
      result: "passed",
      deficiency_open: false,
      basis: "assumed",
      last_event_id: events[0].id,
      status: "OK",
    });
  });

  // Rule: inspection-basis, inspection-types
  test("counts a visit only for the inspections that it names, or that its notes name", async () => {
    const home = await addProperty(client);
    const sprinklers = await addAppliance(client, home.id, {
      type_id: "fire_suppression",
      install_year: 2010,
    });
    const types = (await client.get("/v1/appliance-types")).body.appliance_types.find(
      (type: Json) => type.type_id === "fire_suppression",
    );
    const allowed = types.inspections.map((one: Json) => one.inspection_type);
    expect(allowed).toHaveLength(6);
    const event = { appliance_id: sprinklers.id, event_type: "Inspection", date: dateDaysFromToday(-1) };
    const refused = await client.post("/v1/service-events/bulk", {
      events: [
        { ...event, inspection_types: ["category_1_annual_test"] },
        { ...event, inspection_types: "internal_pipe_inspection" },
        { ...event, inspection_types: [7] },
      ],
    });
    expect(refused.body.created).toBe(0);
    expect(refused.body.error_details[0].error).toBe(
      `inspection_types must be among those of type fire_suppression: ${allowed.join(", ")}`,
    );
    const { events } = await logEvents(client, {
      ...event,
      inspection_types: ["internal_pipe_inspection", "fire_pump_flow_test", "internal_pipe_inspection"],
    });
    expect(events[0].inspection_types).toEqual(["internal_pipe_inspection", "fire_pump_flow_test"]);
    await logEvents(client, { ...event, notes: "Backflow tested and passed; five-year due next spring" });
    const { compliance_items: items, overdue_mandatory } = await read("compliance", home);
    const basis = Object.fromEntries(items.map((one: Json) => [one.inspection_type, one.basis]));
    expect(basis).toEqual({
      sprinkler_annual_inspection: "none",
      waterflow_and_valve_quarterly: "none",
      internal_pipe_inspection: "named",
      fire_pump_flow_test: "named",
      fire_line_backflow_test: "notes",
      portable_extinguisher_annual: "none",
    });
    expect(overdue_mandatory).toBe(3);
  });
});

describe("an empty property without units and value", () => {
  const NOTHING = { per_unit_per_month: 0, per_unit_per_year: 0, property_per_month: 0 };

  // Rule: empty-property
  test("has a report", async () => {
    expect(await read("report", empty)).toMatchObject({
      property: { id: empty.id, unit_count: 0, estimated_value: null },
      overall: { rating: "GOOD", nci_equivalent: 100, components_assessed: 0 },
      categories: {},
      critical: [],
      warning: [],
      good: [],
      financials: {
        total_deferred: 0,
        total_reactive_exposure: 0,
        deferred_per_door: 0,
        estimated_savings_if_acted: 0,
        recommended_monthly_reserve_per_unit: 0,
      },
    });
  });

  // Rule: empty-property
  test("has a forecast and reserves", async () => {
    const costs = { proactive_cost: 0, emergency_cost_if_ignored: 0, savings_potential: 0 };
    const window = { component_count: 0, ...costs, components: [] };
    expect((await read("forecast", empty)).forecast).toMatchObject({
      window_30_days: window,
      window_60_days: window,
      window_90_days: window,
    });
    expect(await read("reserve", empty)).toMatchObject({
      unit_count: 0,
      total_deferred: 0,
      reserves: { "12_month": NOTHING, "36_month": NOTHING, "10_year_full_replacement": NOTHING },
    });
  });

  // Rule: deferred-percent-text, empty-property
  test("has a condition score, a valuation and no inspections", async () => {
    expect(await read("condition-score", empty)).toMatchObject({
      condition_score: 100,
      grade: "A",
      rating: "GOOD",
      components_assessed: 0,
      critical: 0,
      warning: 0,
    });
    expect(await read("rcv", empty)).toMatchObject({
      unit_count: 0,
      total_replacement_cost: 0,
      rcv_per_unit: 0,
      critical_exposure: 0,
      warning_exposure: 0,
      systems: [],
      estimated_value: null,
      deferred_as_pct_of_value: null,
    });
    expect(await read("compliance", empty)).toMatchObject({ compliance_items: [], overdue: 0 });
  });
});

// Rule: money
test("amounts have at most two decimals after any division", async () => {
  const odd = await addProperty(client, { unit_count: 7, estimated_value: 1_000_000.01 });
  await addAppliance(client, odd.id, { type_id: "boiler", install_year: THIS_YEAR - 40 });
  for (const figure of ["summary", "report", "forecast", "reserve", "rcv"]) {
    const text = JSON.stringify(await read(figure, odd));
    const numbers = [...text.matchAll(/"(\w+)":(-?\d[\d.e+-]*)/g)].filter(
      ([, name]) => name !== "failure_probability" && name !== "expected_failures",
    );
    expect(numbers.length).toBeGreaterThan(0);
    for (const [, name, value] of numbers) expect(value, `${figure} ${name}`).toMatch(/^-?\d+(\.\d{1,2})?$/);
  }
});

// Rule: unknown-is-404
test("an unknown property, or another partner's, has no figures", async () => {
  const unknown = "P_00000000000000000000000000";
  for (const figure of FIGURES) {
    const foreign = await stranger.get(`/v1/property/${property.id}/${figure}`, {}, 404);
    const none = await client.get(`/v1/property/${unknown}/${figure}`, {}, 404);
    for (const { body } of [foreign, none])
      expect(body).toMatchObject({ error: "Property not found", code: "not_found" });
  }
});

const TIERS_AND_DEFERRED = {
  critical: expect.any(Number),
  warning: expect.any(Number),
  good: expect.any(Number),
  deferred: expect.any(Number),
};

const ITEM = {
  component_id: expect.stringMatching(/^C_/),
  component_name: expect.any(String),
  appliance_id: expect.stringMatching(/^A_/),
  appliance_type: expect.any(String),
  unit: null,
  risk_score: expect.any(Number),
  risk_tier: expect.stringMatching(/^(CRITICAL|WARNING|GOOD)$/),
  confidence: "LOW",
  projected_failure_year: expect.any(Number),
  proactive_cost: expect.any(Number),
  reactive_cost: expect.any(Number),
  cost_basis: "reference",
  size: null,
  cost_factor: 1.18,
};

const WINDOW = {
  label: expect.stringMatching(/^Next (\d0 days|12 months)$/),
  component_count: expect.any(Number),
  proactive_cost: expect.any(Number),
  emergency_cost_if_ignored: expect.any(Number),
  savings_potential: expect.any(Number),
  expected_failures: expect.any(Number),
  expected_cost: expect.any(Number),
  expected_cost_80: { low: expect.any(Number), high: expect.any(Number) },
  components: expect.any(Array),
};

const RESERVE = {
  label: expect.any(String),
  per_unit_per_month: expect.any(Number),
  per_unit_per_year: expect.any(Number),
  property_per_month: expect.any(Number),
};
