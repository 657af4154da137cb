import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { type Administrator, createAdministrator, createPartnerBy } from "../support/administrator.ts";
import { goTo, openApp, openConsole } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import type { ApiClient } from "../support/client.ts";
import type { HtmlTable } from "../support/html-tables.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import type { Window } from "../support/page-checks.ts";
import { addAppliance, addProperty, dateDaysFromToday, logEvents, THIS_YEAR } from "../support/portfolio.ts";
import {
  column,
  expectSentence,
  expectTable,
  figuresOf,
  replacedInCells,
  sentencePattern,
} from "../support/shown-figures.ts";

/* Every number that the app and the console show of a portfolio is one that the API answers for the same day. */

const { serve } = useMainstay();
let server: Installation;
let browser: Browser;
let client: ApiClient;
let administrator: Administrator;
let app: Window;
let operator: Window;
let elmId: string;

beforeAll(async () => {
  server = await serve();
  administrator = await createAdministrator(server);
  const partner = await createPartnerBy(administrator, { name: "Acme" });
  client = server.as(partner);
  await client.post("/onboarding/demo-property", undefined, 201);
  const properties: Json[] = [
    { name: "Elm Court", unit_count: 12, gross_area_sqft: 15_000, stories: 3, year_built: 1964 },
    { name: "Oak House", address: "2 Oak St", state: "FL", unit_count: 1, year_built: 1990 },
    { name: "Bare Lot", address: "3 Bare St", unit_count: 0 },
  ];
  const ids: string[] = [];
  for (const about of properties)
    ids.push((await addProperty(client, { ...about, records_since: "2012-05-01" })).id);
  elmId = ids[0]!;
  const add = (at: number, type_id: string, age: number, fields: object = {}) =>
    addAppliance(client, ids[at]!, { type_id, install_year: THIS_YEAR - age, ...fields });
  await add(0, "electrical_panel", 40, { brand: "Federal Pacific" });
  await add(0, "elevator", 25, { size: 6 });
  await add(0, "roof", 21);
  await add(0, "fire_suppression", 20);
  await add(0, "boiler", 22);
  await add(1, "hvac_central", 14);
  await add(1, "plumbing_supply", 36);
  const heater = await add(1, "water_heater_gas", 13);
  const dated = (days: number, fields: object) => ({
    appliance_id: heater.id,
    date: dateDaysFromToday(-days),
    ...fields,
  });
  await logEvents(client, dated(60, { event_type: "Repair", condition_after: "poor", notes: "rusty" }));
  const claim = { claim_type: "water_damage", date_of_loss: dateDaysFromToday(-200), amount: 8_200 };
  await client.post(`/v1/property/${elmId}/claims`, { ...claim, claim_number: "C-1" }, 201);
  await server.run("snapshot");
  browser = await launchBrowser();
  app = await openApp(browser, server.url, partner.api_key);
  operator = await openConsole(browser, server, administrator.key);
});
afterAll(async () => {
  expect([app.pageErrors, operator.pageErrors]).toEqual([[], []]);
  await browser.close();
});

/** Goes to a page and returns its text and its tables. */
async function shownOn({ page }: Window, place: string): Promise<{ text: string; tables: HtmlTable[] }> {
  await goTo(page, place);
  return await figuresOf(page);
}

/** A probability of 99% or more, or under 1%, is shown as a bound. */
const percentOf = (field: string) => (one: Json) => {
  const percent = Math.round(one[field] * 100);
  return Math.min(Math.max(percent, 1), 99);
};
const withoutBounds = replacedInCells(/^(Over|Under|under) /, "");
/** A rarer event has no figure. */
const withoutRare = replacedInCells(/^under 0\.01%$/, "");

const sumOf = (records: readonly Json[], field: string) =>
  records.reduce((sum: number, one) => sum + one[field], 0);
const get = async (path: string, query = {}): Promise<Json> => (await client.get(path, query)).body;
const ask = async (path: string): Promise<Json> => (await administrator.client.get(path)).body;

/** The exceedance curve and the drivers of a year's losses. */
function expectLosses(tables: readonly HtmlTable[], losses: Json, drivers: Record<string, string>): void {
  const { total, damage, insured } = losses;
  const kinds = { "All costs": total, Damage: damage, Insured: insured };
  const rows = [0, ...total.exceedance.keys(), -1].map((_, row, all) =>
    Object.fromEntries(
      Object.entries(kinds).map(([heading, of]) => [
        heading,
        row === 0
          ? of.expected
          : row === all.length - 1
            ? of.tail_value_at_risk_99.amount
            : of.exceedance[row - 1].amount,
      ]),
    ),
  );
  const errors = [
    null,
    ...total.exceedance.map((point: Json) => point.with_model_error),
    total.tail_value_at_risk_99.with_model_error,
  ];
  expectTable(
    tables,
    "Losses of the coming year",
    rows.map((row, at) => ({ ...row, error: errors[at] })),
    { "All costs": "All costs", Damage: "Damage", Insured: "Insured", "With error": "error" },
  );
  for (const [caption, by] of Object.entries(drivers))
    expectTable(
      tables,
      caption,
      losses.drivers.filter((one: Json) => one.by === by),
      {
        Expected: "expected",
        Share: (one) => 100 * one.share_of_expected,
        "Of variance": (one) => 100 * one.share_of_variance,
      },
    );
}

// Rule: app-figures
describe("the app shows", () => {
  test("the portfolio's totals, plan, systems and states", async () => {
    const { text, tables } = await shownOn(app, "#/");
    const { totals, portfolio } = await get("/v1/portfolio/summary");
    const plan = await get("/v1/portfolio/plan");
    const { alerts } = await get("/v1/alerts", { limit: 200 });
    const counted: Json[] = portfolio.filter((one: Json) => !one.is_demo);
    expectSentence(text, sentencePattern("Portfolio # propert(?:y|ies) · # appliances · # components"), [
      totals.properties,
      totals.appliances,
      totals.components,
    ]);
    expectSentence(
      text,
      sentencePattern("Critical # components? of #; high risk of failure Warning # components? plan work"),
      [totals.critical, totals.components, totals.warning],
    );
    expectSentence(
      text,
      sentencePattern(
        "Planned replacement cost # of critical and warning components Cost after failure # # more than planned",
      ),
      [totals.total_deferred, totals.total_reactive, totals.total_reactive - totals.total_deferred],
    );
    expectSentence(
      text,
      sentencePattern(
        "Expected 10-year cost: # with this plan, # if everything runs to failure \\(a saving of #\\)",
      ),
      [plan.totals.planned, plan.totals.run_to_failure, plan.totals.savings],
    );
    const { noise } = plan.level_deposit["50"];
    expectSentence(text, sentencePattern("Deposit # a year \\(# per unit per month\\) for 10 years"), [
      Math.ceil(noise.per_year),
      noise.per_unit_per_month < 100 ? noise.per_unit_per_month : Math.ceil(noise.per_unit_per_month),
    ]);
    expectTable(tables, "View by year (table)", plan.schedule, {
      "Planned replacements": "planned_cost",
      "Unplanned failures": "failure_cost",
      Repairs: "repair_cost",
      Total: "total",
      "Run to failure": "run_to_failure",
      "Total with inflation": "total_inflated",
      "Per unit with inflation": "per_unit_inflated",
    });
    expectTable(tables, "Reserve balance by year (table)", plan.balances, {
      Interest: "interest",
      Deposit: ({ deposit }) => Math.ceil(deposit),
      Needs: "needs",
      Balance: "balance",
      "Fully funded": "fully_funded",
      "Percent funded": "percent_funded",
    });
    const systems = tables.find(({ caption }) => caption === "Risk by building system")!.rows;
    const isCounted = (one: Json) => counted.some(({ property_id }) => property_id === one.property_id);
    const elevated = (tier: string) =>
      alerts.filter((one: Json) => one.risk_tier === tier && isCounted(one)).length;
    for (const [heading, tier] of [
      ["Critical", "CRITICAL"],
      ["Warning", "WARNING"],
    ] as const) {
      expect(column(systems, heading).reduce((sum, cell) => sum + Number(cell), 0)).toBe(elevated(tier));
      expect(elevated(tier)).toBe(totals[tier.toLowerCase()]);
    }
    const states = [...Map.groupBy(counted, ({ state }) => state)]
      .map(([state, some]) => ({ state, properties: some.length, some }))
      .sort(
        (a, b) => sumOf(b.some, "total_deferred_maintenance") - sumOf(a.some, "total_deferred_maintenance"),
      );
    const sum =
      (field: string) =>
      ({ some }: Json) =>
        sumOf(some, field);
    const rows = expectTable(tables, "Planned cost by state or region", states, {
      Properties: "properties",
      Components: sum("components"),
      Critical: sum("critical"),
      Warning: sum("warning"),
      "Planned cost": sum("total_deferred_maintenance"),
      "Cost after failure": sum("total_reactive_exposure"),
    });
    expect(column(rows, "State or region")).toEqual(states.map(({ state }) => state));
  });

  test("the actions with their sums, the alerts, and the properties", async () => {
    const { text, tables } = await shownOn(app, "#/actions");
    const { actions, total, totals } = await get("/v1/portfolio/actions", { limit: 200 });
    expectSentence(
      text,
      sentencePattern(
        "# actions: planned cost # if all are replaced; waiting a year is expected to cost # more; failures within 12 months, #\\.",
      ),
      [total, totals.proactive_cost, totals.cost_of_waiting_a_year, totals.expected_cost_12m],
    );
    expectTable(tables.map(withoutBounds), "Actions", actions, {
      "Chance in 12 months": percentOf("failure_probability_12m"),
      "Planned cost": "proactive_cost",
      "After failure": "reactive_cost",
      "Cost of waiting": "cost_of_waiting_a_year",
      "12-month expected cost": "expected_cost_12m",
    });
    // No action expects more failures than the forecasts of the properties.
    let forecast = 0;
    for (const { property_id } of (await get("/v1/portfolio/plan")).portfolio)
      forecast += (await get(`/v1/property/${property_id}/forecast`)).forecast.window_12_months.expected_cost;
    expect(totals.expected_cost_12m).toBeLessThanOrEqual(forecast + 0.01);

    const alertsPage = await shownOn(app, "#/alerts");
    const list = await get("/v1/alerts", { limit: 200, sort: "cost", include_demo: "true" });
    expectSentence(alertsPage.text, sentencePattern("# critical # warning"), [
      list.critical_count,
      list.warning_count,
    ]);
    const byLoss = list.alerts.toSorted((a: Json, b: Json) => b.expected_cost_12m - a.expected_cost_12m);
    expectTable(alertsPage.tables.map(withoutBounds), "Alerts", byLoss, {
      "Risk score": "risk_score",
      "Chance in 12 months": percentOf("failure_probability_12m"),
      "Expected failure": "projected_failure_year",
      "Planned cost": "proactive_cost",
      "After failure": "reactive_cost",
      "12-month expected loss": "expected_cost_12m",
    });

    const { portfolio } = await get("/v1/portfolio/summary");
    const { tables: lists } = await shownOn(app, "#/properties?sort=-deferred");
    const properties = portfolio.toSorted(
      (a: Json, b: Json) => b.total_deferred_maintenance - a.total_deferred_maintenance,
    );
    expectTable(lists, "Properties", properties, {
      Units: ({ unit_count }) => unit_count || null,
      Critical: "critical",
      Warning: "warning",
      "Planned cost": "total_deferred_maintenance",
      "Cost after failure": "total_reactive_exposure",
      "Cost per unit": ({ unit_count, deferred_per_door }) => (unit_count === 0 ? null : deferred_per_door),
    });
  });

  test("a component as its lists do, and a property's losses", async () => {
    const [first] = (await get("/v1/alerts", { limit: 1, sort: "cost", property_id: elmId })).alerts;
    const { text } = await shownOn(app, `#/components/${first.component_id}`);
    expectSentence(text, sentencePattern("risk score #, "), [first.risk_score]);
    expectSentence(
      text,
      sentencePattern(
        "12-month failure probability #%.*Planned replacement cost # # after failure;.*12-month expected loss # probability",
      ),
      [
        100 * first.failure_probability_12m,
        first.proactive_cost,
        first.reactive_cost,
        first.expected_cost_12m,
      ],
    );
    const terms = "deductible=2500&limit=50000";
    const shown = await shownOn(app, `#/properties/${elmId}/underwriting?${terms}`);
    expectUnderwriting(shown, await get(`/v1/property/${elmId}/underwriting?${terms}`));
  });
});

function expectUnderwriting({ text, tables }: Awaited<ReturnType<typeof shownOn>>, made: Json): void {
  const { losses, claims, loss_control: control } = made;
  const hundred = losses.total.exceedance.find((point: Json) => point.return_period_years === 100);
  expectSentence(
    text,
    sentencePattern(
      "Expected losses a year \\?? # # a unit Expected damage a year \\?? # # a unit Expected insured a year \\?? # Above # a damage, up to # Exceeded once in 100 years # All costs",
    ),
    [
      ...[losses.total.expected, losses.per_unit.total, losses.damage.expected, losses.per_unit.damage],
      ...[losses.insured.expected, losses.deductible, losses.limit, hundred.amount],
    ],
  );
  expectLosses(tables, losses, { "Losses by component": "kind" });
  expectSentence(text, sentencePattern("Claims # # a year Incurred # Model expects # damages a year"), [
    ...[claims.count, claims.per_year, claims.incurred, claims.expected_damages_per_year],
  ]);
  expectSentence(text, sentencePattern("Expected damage a year Water # Sewer backup # Fire #"), [
    ...losses.damage.by_peril.map(({ expected }: Json) => expected),
  ]);
  expectSentence(
    text,
    sentencePattern("Replacing the # critical or warning components? for # saves # of damage"),
    [...[control.components, control.planned_cost, control.damage_saved]],
  );
  expectTable(tables, "Planned work that saves the most damage per dollar", control.best, {
    Cost: "planned_cost",
    Saved: "damage_saved",
  });
}

// Rule: app-figures
describe("the console shows", () => {
  test("the counts of the overview, and the book with its alerts and losses", async () => {
    const { text } = await shownOn(operator, "#/");
    const book = await ask("/admin/book/summary?include_demo=true");
    expectSentence(
      text,
      sentencePattern("Properties # Components # Critical # Warning # Failed deliveries"),
      [...[book.totals.properties, book.totals.components, book.totals.critical, book.totals.warning]],
    );
    const shown = await shownOn(operator, "#/book");
    const { portfolio, totals } = await ask("/admin/book/summary");
    expectSentence(
      shown.text,
      sentencePattern("# properties, # components: # critical, # warning\\. Planned cost of both #\\."),
      [totals.properties, totals.components, totals.critical, totals.warning, totals.total_deferred],
    );
    expectTable(shown.tables, "Properties", portfolio, {
      Critical: "critical",
      Warning: "warning",
      "Planned cost": "total_deferred_maintenance",
    });
    const alertsPage = await shownOn(operator, "#/book?view=alerts");
    const { alerts } = await ask("/admin/book/alerts?sort=cost");
    const byLoss = alerts.toSorted((a: Json, b: Json) => b.expected_cost_12m - a.expected_cost_12m);
    expectTable(alertsPage.tables, "Alerts", byLoss, {
      Score: "risk_score",
      "12-month failure probability": (one) => 100 * one.failure_probability_12m,
      "Expected failure": "projected_failure_year",
      "12-month expected loss": "expected_cost_12m",
    });
    const losses = await ask("/admin/book/losses");
    const lossesPage = await shownOn(operator, "#/book?view=losses");
    expectSentence(lossesPage.text, sentencePattern("# components in # propert"), [
      losses.components,
      losses.properties,
    ]);
    expectLosses(lossesPage.tables, losses, {
      "Losses by system": "system",
      "Losses by peril": "peril",
      "Losses by state or region": "state",
      "Losses by component": "kind",
    });
    expectTable(
      lossesPage.tables.map(withoutRare),
      "Largest damage of the coming year",
      losses.largest_damage,
      {
        "Largest damage above": "amount",
        Probability: ({ probability }) => (probability < 0.0001 ? null : 100 * probability),
      },
    );
  });

  test("the price of a part and that of its unit apart, and a property's losses as the app does", async () => {
    const parts: Json[] = (await get("/v1/components", { property_id: elmId, limit: 200 })).components;
    const vessel = parts.find((one) => one.component_def_id === "boiler_heat_exchanger");
    const { decision } = await ask(`/admin/components/${vessel.id}/explanation`);
    const { text } = await shownOn(operator, `#/components/${vessel.id}`);
    expect([vessel.proactive_cost, vessel.reactive_cost]).toEqual([
      decision.unit.price,
      decision.unit.failed_price,
    ]);
    expectSentence(
      text,
      sentencePattern(
        "Whole appliance .*? # planned, # after failure Replacement cost of the part alone # planned, # after failure",
      ),
      [decision.unit.price, decision.unit.failed_price, decision.proactive_cost, decision.reactive_cost],
    );
    const terms = "deductible=2500&limit=50000";
    const shown = await shownOn(operator, `#/book/${elmId}?${terms}`);
    expectUnderwriting(shown, await ask(`/admin/properties/${elmId}/underwriting?${terms}`));
  });
});
