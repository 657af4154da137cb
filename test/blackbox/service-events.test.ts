import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import {
  addAppliance,
  addProperty,
  addWornAppliance,
  dateDaysFromToday,
  logEvents,
  THIS_YEAR,
} from "../support/portfolio.ts";

const { serve } = useMainstay();
let server: Installation;
let partner: Partner;
let client: ApiClient;
let appliance: Json;
beforeAll(async () => {
  server = await serve();
  partner = await server.createPartner("Acme");
  client = server.as(partner);
});
beforeEach(async () => {
  appliance = await addWornAppliance(client, (await addProperty(client)).id);
});

const EVENT_TYPES = [
  "Preventive Maintenance",
  "Inspection",
  "Filter Change",
  "Cleaning",
  "Repair",
  "Replacement",
  "Emergency Repair",
  "Warranty Claim",
  "Other",
];
const event = (fields: object = {}) => ({
  appliance_id: appliance.id,
  event_type: "Inspection",
  date: dateDaysFromToday(-1),
  ...fields,
});
const componentsNow = async (): Promise<Json[]> =>
  (await client.get(`/v1/appliances/${appliance.id}`)).body.components;

describe("creating service events", () => {
  // Rule: ids, total-cost, condition-values
  test("returns the full records", async () => {
    const component_id = appliance.components[0].id;
    const fields = {
      technician: "Kim",
      parts_cost: 10.5,
      labor_cost: 4.25,
      condition_after: "fair",
      notes: "ok",
    };
    expect(await logEvents(client, event({ component_id, ...fields }))).toEqual({
      created: 1,
      errors: 0,
      events: [
        {
          id: expect.stringMatching(/^SE_[0-9a-hjkmnp-tv-z]{26}$/),
          ...event({ component_id, ...fields }),
          total_cost: 14.75,
          condition_score: null,
          condition_scale: null,
          inspection_types: [],
          voided: false,
          voided_at: null,
          void_reason: null,
          created_at: expect.stringMatching(/Z$/),
        },
      ],
      error_details: [],
      partner: expect.any(String),
    });
  });

  // Rule: condition-scores
  test("map a score on the inspector's own scale by thirds, and keep it as given", async () => {
    const scored = (condition_score: number, condition_scale: number[], more = {}) =>
      event({ condition_score, condition_scale, ...more });
    const { events } = await logEvents(
      client,
      ...[1, 2, 3, 4, 5].map((score) => scored(score, [1, 5])),
      ...[0, 1, 2, 3].map((score) => scored(score, [0, 3])),
      scored(1, [5, 1]),
      scored(4, [1, 5], { condition_after: "poor" }),
    );
    expect(events.map((one: Json) => one.condition_after)).toEqual(
      "poor poor fair good good poor fair good good good poor".split(" "),
    );
    expect(events.at(-1)).toMatchObject({ condition_score: 4, condition_scale: [1, 5] });
    const { component_id, id } = (
      await logEvents(client, scored(5, [1, 5], { component_id: appliance.components[0].id }))
    ).events[0];
    const put = async (change: Json, status = 200) =>
      (await client.put(`/v1/service-events/${id}`, change, status)).body;
    expect(await put({ condition_score: 2, condition_scale: [1, 5] })).toMatchObject({
      condition_after: "poor",
    });
    expect(await put({ condition_after: "fair" })).toMatchObject({
      condition_after: "fair",
      condition_score: 2,
    });
    expect(await put({ condition_score: null })).toMatchObject({
      condition_after: "fair",
      condition_scale: null,
    });
    await put({ condition_score: 3, condition_scale: [1, 3] });
    const { events: history } = (await client.get(`/v1/components/${component_id}/history`)).body;
    expect(history[0]).toMatchObject({
      condition_after: "good",
      condition_score: 3,
      condition_scale: [1, 3],
    });
    for (const [fields, field] of [
      [{ condition_score: 6, condition_scale: [1, 5] }, "condition_score"],
      [{ condition_score: 3 }, "condition_scale"],
      [{ condition_scale: [1, 5] }, "condition_score"],
      [{ condition_score: 3, condition_scale: [3, 3] }, "condition_scale"],
      [{ condition_score: 3, condition_scale: [1, 2, 3] }, "condition_scale"],
      [{ condition_score: "3", condition_scale: [1, 5] }, "condition_score"],
      [{ condition_score: 3, condition_scale: [1, 1e9] }, "condition_scale.1"],
    ] as const)
      expect((await put(fields, 400)).details[0].field).toBe(field);
  });

  // Rule: event-types
  test("accepts each event type", async () => {
    const { created } = await logEvents(client, ...EVENT_TYPES.map((event_type) => event({ event_type })));
    expect(created).toBe(EVENT_TYPES.length);
  });

  // Rule: total-cost
  test("stores the given total, and none without costs", async () => {
    const { events } = await logEvents(
      client,
      event({ parts_cost: 1, labor_cost: 2, total_cost: 10 }),
      event({ labor_cost: 2.5 }),
      event(),
    );
    expect(events.map((one: Json) => one.total_cost)).toEqual([10, 2.5, null]);
  });

  // Rule: condition-values, event-dates
  test("accepts each condition, and tomorrow's date", async () => {
    const conditions = ["good", "fair", "poor", null];
    const events = conditions.map((condition_after) =>
      event({ condition_after, date: dateDaysFromToday(1) }),
    );
    const logged = await logEvents(client, ...events);
    expect(logged.events.map((one: Json) => [one.condition_after, one.date])).toEqual(
      conditions.map((condition) => [condition, dateDaysFromToday(1)]),
    );
  });

  // Rule: event-types, component-of-appliance, event-dates, bulk-service-events, bulk-partial, bulk-messages
  test("saves valid events even if others fail, and lists the errors by position", async () => {
    const other = await addAppliance(client, appliance.property_id);
    const foreign = other.components[0].id;
    const { created, errors, events, error_details } = await logEvents(
      client,
      event({ appliance_id: "A_1" }),
      event({ notes: "first" }),
      { appliance_id: appliance.id },
      event({ event_type: "Haunting" }),
      event({ component_id: "C_1" }),
      event({ component_id: foreign }),
      event({ date: "2024-02-30" }),
      event({ notes: "second" }),
      event({ appliance_id: undefined }),
      event({ date: dateDaysFromToday(2) }),
      event({ date: "1899-12-31" }),
    );
    expect([created, errors]).toEqual([2, 9]);
    expect(events.map((one: Json) => one.notes)).toEqual(["first", "second"]);
    expect(error_details).toEqual([
      { index: 0, error: "Appliance not found: A_1" },
      { index: 2, error: "event_type and date required" },
      { index: 3, error: "Unknown event_type: Haunting" },
      { index: 4, error: "Component not found: C_1" },
      { index: 5, error: `Component not found: ${foreign}` },
      { index: 6, error: "date must be a valid date in the format YYYY-MM-DD" },
      { index: 8, error: "appliance_id required" },
      { index: 9, error: expect.stringMatching(/^date must be from 1900-01-01 to /) },
      { index: 10, error: expect.stringMatching(/^date must be from 1900-01-01 to /) },
    ]);
  });

  // Rule: bulk-service-events
  test.each([[null], [7], ["text"], [[]]])(
    "rejects an item that is %o and keeps the other one",
    async (item) => {
      const { body } = await client.post("/v1/service-events/bulk", { events: [item, event()] });
      expect(body).toMatchObject({ created: 1, errors: 1, error_details: [{ index: 0 }] });
    },
  );

  // Rule: bulk-size
  test("accepts up to 1,000 events at once", async () => {
    const many = Array.from({ length: 1000 }, () => event());
    expect((await client.post("/v1/service-events/bulk", { events: many })).body.created).toBe(1000);
    const { body } = await client.post("/v1/service-events/bulk", { events: [...many, event()] }, 400);
    expect(body.error).toBe("At most 1000 items per request");
  });

  test.each([
    [{}, "events required"],
    [{ events: null }, "events required"],
    [{ events: {} }, "events must be an array"],
    [{ events: "x" }, "events must be an array"],
  ])("rejects a body of %o", async (body, error) => {
    expect((await client.post("/v1/service-events/bulk", body, 400)).body.error).toBe(error);
  });
});

describe("the effect of an event", () => {
  // Rule: replacement-renews
  test("a replacement of the appliance resets every component", async () => {
    expect((await componentsNow()).map((one) => one.risk_tier)).toContain("CRITICAL");
    await logEvents(client, event({ event_type: "Replacement", date: dateDaysFromToday(0) }));
    for (const component of await componentsNow())
      expect(component).toMatchObject({
        last_replaced: dateDaysFromToday(0),
        install_year: THIS_YEAR,
        risk_tier: "GOOD",
      });
  });

  // Rule: replacement-renews
  test("a replacement of a component resets only that component", async () => {
    const [first, ...others] = await componentsNow();
    await logEvents(client, event({ event_type: "Replacement", component_id: first!.id }));
    const [now, ...rest] = await componentsNow();
    expect(now).toMatchObject({ last_replaced: dateDaysFromToday(-1), risk_tier: "GOOD" });
    expect(rest.map((one) => one.last_replaced)).toEqual(others.map(() => null));
  });

  // Rule: last-serviced
  test("servicing sets the date of the last service, never to an earlier date", async () => {
    await logEvents(client, event({ event_type: "Cleaning", date: "2025-06-01" }));
    await logEvents(client, event({ event_type: "Repair", date: "2025-05-01" }));
    expect((await componentsNow()).map((one) => one.last_serviced)).toEqual(Array(6).fill("2025-06-01"));
  });

  // Rule: last-serviced
  test.each([
    ["Preventive Maintenance", true],
    ["Inspection", true],
    ["Filter Change", true],
    ["Cleaning", true],
    ["Repair", true],
    ["Replacement", false],
    ["Emergency Repair", false],
    ["Warranty Claim", false],
    ["Other", false],
  ])("%s is servicing: %p", async (event_type, isServicing) => {
    await logEvents(client, event({ event_type }));
    const expected = isServicing ? dateDaysFromToday(-1) : null;
    expect((await componentsNow()).map((one) => one.last_serviced)).toEqual(Array(6).fill(expected));
  });

  // Rule: event-directions
  test.each([
    ["Preventive Maintenance", "lowers"],
    ["Filter Change", "lowers"],
    ["Cleaning", "lowers"],
    ["Inspection", "lowers"],
    ["Repair", "raises"],
    ["Emergency Repair", "raises"],
    ["Replacement", "lowers"],
    ["Warranty Claim", "leaves"],
    ["Other", "leaves"],
  ])("%s %s the risk of an air conditioner in the middle of its life", async (event_type, effect) => {
    const { id } = await addAppliance(client, appliance.property_id, {
      type_id: "hvac_central",
      install_year: THIS_YEAR - 9,
    });
    // The 12-month probability has four decimals, which show smaller changes than a score.
    const sumOfRisks = async () => {
      const { components } = (await client.get(`/v1/appliances/${id}`)).body;
      const parts = components.map((one: Json) => Math.round(one.failure_probability_12m * 10_000));
      return parts.reduce((sum: number, part: number) => sum + part, 0);
    };
    const before = await sumOfRisks();
    await logEvents(client, event({ appliance_id: id, event_type }));
    const after = await sumOfRisks();
    expect(after < before ? "lowers" : after > before ? "raises" : "leaves").toBe(effect);
  });

  // Rule: event-weights, notes-scanned
  test("an emergency repair has more effect than a repair, and keywords in its notes add to it", async () => {
    const scoreAfter = async (fields: object) => {
      const { id, components } = await addAppliance(client, appliance.property_id, {
        type_id: "boiler",
        install_year: THIS_YEAR - 12,
      });
      const burner = components.find((one: Json) => one.component_def_id === "boiler_burner");
      await logEvents(client, event({ appliance_id: id, component_id: burner.id, ...fields }));
      const { components: now } = (await client.get(`/v1/appliances/${id}`)).body;
      return now.find((one: Json) => one.id === burner.id).risk_score;
    };
    const repair = await scoreAfter({ event_type: "Repair" });
    const emergency = await scoreAfter({ event_type: "Emergency Repair" });
    const words = await scoreAfter({ event_type: "Emergency Repair", notes: "Severe leaking found" });
    expect(repair).toBeLessThan(emergency);
    expect(emergency).toBeLessThan(words);
    const [good, poor] = [
      await scoreAfter({ condition_after: "good" }),
      await scoreAfter({ condition_after: "poor" }),
    ];
    expect(good).toBeLessThan(poor);
  });

  // Rule: confidence
  test("events and a known brand raise the confidence from LOW to MEDIUM and HIGH", async () => {
    const confidenceOf = async (id: string) => {
      const { components } = (await client.get(`/v1/appliances/${id}`)).body;
      return [...new Set(components.map((one: Json) => one.confidence))];
    };
    const { id } = await addAppliance(client, appliance.property_id, { type_id: "water_heater_gas" });
    expect(await confidenceOf(id)).toEqual(["LOW"]);
    await client.put(`/v1/appliances/${id}`, { brand: "Rheem" });
    expect(await confidenceOf(id)).toEqual(["MEDIUM"]);
    const two = [event({ appliance_id: id }), event({ appliance_id: id, event_type: "Cleaning" })];
    await logEvents(client, ...two);
    expect(await confidenceOf(id)).toEqual(["MEDIUM"]);
    await logEvents(client, event({ appliance_id: id, event_type: "Other", condition_after: "fair" }));
    expect(await confidenceOf(id)).toEqual(["HIGH"]);
    await client.put(`/v1/appliances/${id}`, { brand: null });
    expect(await confidenceOf(id)).toEqual(["MEDIUM"]);
  });

  /** Returns the outcomes of the created events from an export. */
  async function outcomesOf(...logged: Json[]): Promise<Json[]> {
    const ids = new Set(logged.map(({ id }) => id));
    const { stdout } = await server.run("export", "--partner", partner.partner_id);
    const lines: Json[] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    return lines.filter((line) => line.type === "outcome" && ids.has(line.service_event_id));
  }

  // Rule: outcomes
  test("a replacement and an emergency repair record an outcome of each affected component", async () => {
    const [first] = appliance.components;
    const { events } = await logEvents(
      client,
      event({ event_type: "Emergency Repair", date: dateDaysFromToday(-2) }),
      event({ event_type: "Replacement", component_id: first.id }),
      event({ event_type: "Repair", component_id: first.id }),
      event({ event_type: "Warranty Claim", date: dateDaysFromToday(-2) }),
    );
    const [failure, replacement] = events;
    const outcomes = await outcomesOf(...events);
    const of = ({ id }: Json) => outcomes.filter((one) => one.service_event_id === id);
    expect(outcomes).toHaveLength(7);
    const components = of(failure).map((one) => one.component_id);
    expect(components.sort()).toEqual(appliance.components.map(({ id }: Json) => id).sort());
    expect(of(replacement)).toEqual([
      {
        type: "outcome",
        service_event_id: replacement.id,
        component_id: first.id,
        def_id: first.component_def_id,
        event_type: "Replacement",
        date: dateDaysFromToday(-1),
        age_years: expect.any(Number),
        probability: expect.any(Number),
        risk_score: 0.99,
        risk_tier: "CRITICAL",
        model_version: "3",
        created_at: replacement.created_at,
      },
    ]);
    expect(of(replacement)[0].age_years).toBeWithin(39, 41);
  });

  test("the age in an outcome counts from the previous replacement, also in the same request", async () => {
    const [{ id }] = appliance.components;
    const replaced = (daysAgo: number) =>
      event({ event_type: "Replacement", component_id: id, date: dateDaysFromToday(-daysAgo) });
    const logged = await logEvents(client, replaced(1000), replaced(5000));
    const later = await logEvents(client, replaced(3000));
    const outcomes = await outcomesOf(...logged.events, ...later.events);
    const ages = outcomes
      .toSorted((a, b) => (a.date < b.date ? -1 : 1))
      .map((one) => Math.round(one.age_years * 100) / 100);
    expect(ages.slice(1)).toEqual([5.47, 10.95]); // 1,999 and 3,999 days
    expect(ages[0]).toBeWithin(25, 27);
  });

  test("the score in an outcome is the score before the event, including cascades", async () => {
    const scoreOf = async (id: string) => {
      const { components } = (await client.get("/v1/components", { appliance_id: washer.id })).body;
      return components.find((one: Json) => one.id === id).risk_score;
    };
    const washer = await addAppliance(client, (await addProperty(client)).id, {
      type_id: "washer",
      install_year: THIS_YEAR - 4,
    });
    const { id } = washer.components.find((one: Json) => one.component_def_id === "washer_supply_hoses");
    const alone = await scoreOf(id);
    await addAppliance(client, washer.property_id, {
      type_id: "plumbing_supply",
      install_year: THIS_YEAR - 90,
    });
    const stood = await scoreOf(id);
    expect(stood).toBeGreaterThan(alone + 0.03);
    const repair = { appliance_id: washer.id, component_id: id, event_type: "Emergency Repair" };
    const { events } = await logEvents(client, { ...repair, date: dateDaysFromToday(0) });
    const [outcome] = await outcomesOf(...events);
    expect(Math.abs(outcome.risk_score - stood)).toBeLessThan(0.015); // a day younger
  });

  // Rule: warranty-outcome
  test("a warranty claim records an outcome of the component replaced on its date, in any order", async () => {
    const [first, second, third] = appliance.components.map(({ id }: Json) => id);
    const logged: Json[] = [];
    const log = async (event_type: string, component_id: string | null) => {
      const { events } = await logEvents(client, event({ event_type, component_id }));
      logged.push(...events);
    };
    await log("Warranty Claim", first);
    await log("Replacement", first);
    await log("Replacement", second);
    await log("Warranty Claim", second);
    await log("Warranty Claim", third);
    const claimed = (await outcomesOf(...logged)).filter((one) => one.event_type === "Warranty Claim");
    expect(claimed.map((one) => [one.service_event_id, one.component_id]).sort()).toEqual(
      [
        [logged[0].id, first],
        [logged[3].id, second],
      ].sort(),
    );
    for (const one of claimed) expect(one.risk_score).toBe(0.99);
    await log("Replacement", null);
    const all = (await outcomesOf(...logged)).filter((one) => one.event_type === "Warranty Claim");
    expect(all.map((one) => one.component_id).sort()).toEqual([first, second, third].sort());
  });

  // Rule: score-with-write
  test("is visible in the next read, in scores and counts", async () => {
    await logEvents(client, event({ event_type: "Emergency Repair", notes: "leaking badly" }));
    const { counts } = (await client.get(`/v1/property/${appliance.property_id}/summary`)).body;
    expect(counts.service_events).toBe(1);
  });
});

describe("a component's history", () => {
  // Rule: component-history
  test("has its own events and those of its appliance, newest first", async () => {
    const [mine, other] = appliance.components;
    await logEvents(
      client,
      event({ date: "2024-03-01", notes: "whole" }),
      event({
        date: "2025-03-01",
        component_id: mine.id,
        notes: "mine",
        technician: "Kim",
        total_cost: 99.99,
      }),
      event({ date: "2025-04-01", component_id: other.id, notes: "other's" }),
    );
    const { body } = await client.get(`/v1/components/${mine.id}/history`);
    expect(body).toEqual({
      component: {
        id: mine.id,
        component_name: mine.component_name,
        appliance_id: appliance.id,
        appliance_type: "water_heater_gas",
        install_year: THIS_YEAR - 40,
        last_replaced: null,
        last_serviced: "2025-03-01",
      },
      events: [
        {
          id: expect.stringMatching(/^SE_/),
          event_type: "Inspection",
          date: "2025-03-01",
          technician: "Kim",
          total_cost: 99.99,
          notes: "mine",
          condition_after: null,
          condition_score: null,
          condition_scale: null,
          inspection_types: [],
        },
        {
          id: expect.stringMatching(/^SE_/),
          event_type: "Inspection",
          date: "2024-03-01",
          technician: null,
          total_cost: null,
          notes: "whole",
          condition_after: null,
          condition_score: null,
          condition_scale: null,
          inspection_types: [],
        },
      ],
      total_events: 2,
      partner: "Acme",
    });
  });
});

describe("a logged event", () => {
  const REPLACED = { event_type: "Replacement", date: dateDaysFromToday(-5), notes: "new unit" };

  // Rule: get-service-event, update-service-event
  test("is read and corrected, and what follows from it is corrected with it", async () => {
    const [made] = (await logEvents(client, event(REPLACED))).events;
    const path = `/v1/service-events/${made.id}`;
    const { body: read } = await client.get(path);
    expect(read).toEqual({ ...made, partner: "Acme" });
    expect((await componentsNow())[0]!.last_replaced).toBe(dateDaysFromToday(-5));
    const changed = await client.put(path, {
      date: dateDaysFromToday(-9),
      total_cost: 99.5,
      technician: "Kim",
    });
    expect(changed.body).toEqual({
      ...read,
      date: dateDaysFromToday(-9),
      total_cost: 99.5,
      technician: "Kim",
    });
    expect((await componentsNow())[0]!.last_replaced).toBe(dateDaysFromToday(-9));
    expect((await client.put(path, {})).body).toEqual(changed.body);
    const before = await componentsNow();
    for (const body of [
      { event_type: "Dance" },
      { event_type: null },
      { date: "2026-02-30" },
      { date: dateDaysFromToday(3) },
      { parts_cost: -1 },
      { condition_after: "great" },
      { inspection_types: ["four_hour_test"] },
      { voided: "yes" },
      { voided: true, date: dateDaysFromToday(-1) },
      { voided: true, reason: 7 },
    ])
      expect((await client.put(path, body, 400)).body.details).toHaveLength(1);
    await client.put(path, { appliance_id: "A_x" }, 404);
    await client.put(path, { component_id: "C_x" }, 404);
    expect(await componentsNow()).toEqual(before);
    expect((await client.get(path)).body).toEqual(changed.body);
  });

  // Rule: void-service-event
  test("is voided once, and no longer counts", async () => {
    const before = await componentsNow();
    const summary = async () => {
      const { assessed_at: _, ...figures } = (
        await client.get(`/v1/property/${appliance.property_id}/summary`)
      ).body;
      return figures;
    };
    const counted = await summary();
    const [made] = (await logEvents(client, event(REPLACED))).events;
    expect(await componentsNow()).not.toEqual(before);
    const path = `/v1/service-events/${made.id}`;
    const { body: voided } = await client.put(path, { voided: true, reason: "wrong house" });
    expect(voided).toEqual({
      ...made,
      voided: true,
      voided_at: expect.any(String),
      void_reason: "wrong house",
      partner: "Acme",
    });
    expect((await client.put(path, { voided: true, reason: "again" })).body).toEqual(voided);
    expect((await client.get(path)).body).toEqual(voided);
    const [other] = (await logEvents(client, event(REPLACED))).events;
    const again = { voided: true, reason: "twice" };
    await client.put(`/v1/service-events/${other.id}`, { voided: true });
    for (const body of [again, { voided: true }])
      expect((await client.put(`/v1/service-events/${other.id}`, body)).body.void_reason).toBe("twice");
    await client.put(path, { notes: "x" }, 409);
    const stable = (all: Json[]) => all.map(({ last_scored: _, ...one }) => one);
    expect(stable(await componentsNow())).toEqual(stable(before));
    expect(await summary()).toEqual(counted);
    const history = await client.get(`/v1/components/${appliance.components[0].id}/history`);
    expect(history.body.total_events).toBe(0);
    const since = new Date(Date.parse(made.created_at) - 1).toISOString();
    const stream = await client.get("/v1/events", { since });
    expect(stream.body.events.find((one: Json) => one.data.id === made.id).data.voided).toBe(true);
    const lines = (await server.run("export", "--partner", partner.partner_id)).stdout.trim().split("\n");
    const exported = lines.map((line) => JSON.parse(line)).find(({ id }) => id === made.id);
    expect(exported).toMatchObject({ voided: true, void_reason: "wrong house" });
  });

  // Rule: update-service-event, void-service-event
  test("is corrected and voided by command, in the audit log", async () => {
    const [made] = (await logEvents(client, event(REPLACED))).events;
    const changed = await server.json(
      "event",
      "update",
      made.id,
      "--set",
      "condition_after=good",
      "--clear",
      "notes",
    );
    expect(changed).toEqual({ ...made, condition_after: "good", notes: null });
    const voided = await server.json("event", "void", made.id, "--reason", "twice");
    expect(voided).toMatchObject({
      ...changed,
      voided: true,
      voided_at: expect.any(String),
      void_reason: "twice",
    });
    expect(await server.json("event", "show", made.id)).toEqual(voided);
    const { entries } = await server.json("audit", "--subject", made.id);
    expect(entries.map((one: Json) => [one.action, Object.keys(one.detail.after)])).toEqual([
      ["service_event.void", ["voided", "voided_at", "void_reason"]],
      ["service_event.update", ["notes", "condition_after"]],
    ]);
    const unknown = await server.run("event", "void", "SE_x");
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining("Service event not found: SE_x"),
    ]);
  });
});

describe("marking work", () => {
  type Mark = Record<string, unknown>;
  const mark = async (...work: Mark[]): Promise<Json> =>
    (await client.post("/v1/work-marks/bulk", { work })).body;
  const failing = async (item: Mark): Promise<string> => {
    const { created, error_details } = await mark({ by: "J. Ito", ...item });
    expect(created).toBe(0);
    return error_details[0].error;
  };
  const planNow = async (): Promise<Json> =>
    (await client.get(`/v1/property/${appliance.property_id}/plan`)).body;
  const marksOf = (lines: Json[]) =>
    lines
      .filter((line) => line.work_state !== null)
      .map(({ work_state, work_until, work_by, work_reason }) => [
        work_state,
        work_until,
        work_by,
        work_reason,
      ]);
  const withoutMarks = ({ components, units, ...plan }: Json) => ({
    ...plan,
    components: components.map(({ work_state, work_until, work_by, work_reason, ...line }: Json) => line),
    units: units.map(({ work_state, work_until, work_by, work_reason, ...line }: Json) => line),
  });
  const LATER = dateDaysFromToday(90);

  // Rule: mark-work, work-audit
  test("shows in the plan who ordered or deferred it until when and why, and changes no figure", async () => {
    const before = await planNow();
    const [first, second] = appliance.components as [Json, Json];
    const deferred = { state: "deferred", until: LATER, by: " J. Ito ", reason: "Delivered in spring" };
    const reply = await mark(
      { component_id: first.id, state: "ordered", by: "A. Cho" },
      { component_id: second.id, ...deferred },
      { appliance_id: appliance.id, state: "ordered", by: "A. Cho", reason: "Quote 17" },
    );
    expect(reply).toMatchObject({ created: 3, errors: 0 });
    expect(reply.events[1]).toEqual({
      component_id: second.id,
      appliance_id: appliance.id,
      ...deferred,
      by: "J. Ito",
      marked_at: expect.any(String),
      service_event_id: null,
    });
    const after = await planNow();
    expect(withoutMarks(after)).toEqual(withoutMarks(before));
    expect(marksOf(after.components).sort()).toEqual([
      ["deferred", LATER, "J. Ito", "Delivered in spring"],
      ["ordered", null, "A. Cho", null],
    ]);
    expect(marksOf(after.units)).toEqual([["ordered", null, "A. Cho", "Quote 17"]]);
    const csv = (await client.get(`/v1/property/${appliance.property_id}/plan`, { format: "csv" })).text;
    expect(csv.split("\n").filter((line) => line.includes("Quote 17"))).toHaveLength(1);

    await mark({ component_id: second.id, state: "open", by: "J. Ito" });
    expect(marksOf((await planNow()).components)).toEqual([["ordered", null, "A. Cho", null]]);
    const { entries } = await server.json("audit", "--subject", second.id);
    expect(entries.map((entry: Json) => [entry.action, entry.detail])).toEqual([
      [
        "work.mark",
        {
          before: { state: "deferred", until: LATER, reason: "Delivered in spring" },
          after: { state: "open", until: null, reason: null },
        },
      ],
      [
        "work.mark",
        {
          before: { state: "open", until: null, by: null, reason: null },
          after: { state: "deferred", until: LATER, by: "J. Ito", reason: "Delivered in spring" },
        },
      ],
    ]);
  });

  // Rule: work-done
  test("done logs a service event; a replacement of its day or later ends a mark, an earlier one does not", async () => {
    const [first, second] = appliance.components as [Json, Json];
    const order = { state: "ordered", by: "A. Cho" };
    await mark({ component_id: first.id, ...order });
    const { events } = await mark({
      component_id: first.id,
      state: "done",
      by: "J. Ito",
      reason: "Swapped",
      date: dateDaysFromToday(-3),
      total_cost: 640.5,
    });
    const { body } = await client.get(`/v1/service-events/${events[0].service_event_id}`);
    expect(body).toMatchObject({
      component_id: first.id,
      event_type: "Replacement",
      date: dateDaysFromToday(-3),
      technician: "J. Ito",
      notes: "Swapped",
      total_cost: 640.5,
    });
    expect(marksOf((await planNow()).components)).toEqual([]);
    expect((await componentsNow()).find(({ id }) => id === first.id)!.last_replaced).toBe(
      dateDaysFromToday(-3),
    );

    await mark(
      ...[{ component_id: second.id }, { appliance_id: appliance.id }].map((of) => ({
        ...of,
        ...order,
      })),
    );
    const replaced = { component_id: second.id, event_type: "Replacement" };
    await logEvents(client, event({ ...replaced, date: dateDaysFromToday(-400) }));
    await logEvents(client, event({ ...replaced, event_type: "Repair", date: dateDaysFromToday(0) }));
    expect(marksOf((await planNow()).components)).toHaveLength(1);
    await logEvents(client, event({ ...replaced, date: dateDaysFromToday(0) }));
    expect(marksOf((await planNow()).components)).toEqual([]);
    expect(marksOf((await planNow()).units)).toHaveLength(1);
    const inspected = { state: "done", by: "J. Ito", event_type: "Inspection", condition_after: "good" };
    const whole = await mark({ appliance_id: appliance.id, ...inspected });
    const logged = (await client.get(`/v1/service-events/${whole.events[0].service_event_id}`)).body;
    expect(logged).toMatchObject({ component_id: null, condition_after: "good", date: dateDaysFromToday(0) });
    expect(marksOf((await planNow()).units)).toEqual([]);
  });

  // Rule: mark-work
  test("follows an appliance to another property", async () => {
    await mark({ component_id: appliance.components[0].id, state: "ordered", by: "A. Cho" });
    const other = await addProperty(client);
    await client.put(`/v1/appliances/${appliance.id}`, { property_id: other.id, unit_id: null });
    appliance = { ...appliance, property_id: other.id };
    expect(marksOf((await planNow()).components)).toHaveLength(1);
  });

  // Rule: work-input
  test("names what is wrong with an item, and saves the others", async () => {
    const of = { component_id: appliance.components[0].id };
    expect(await failing({ state: "ordered" })).toBe("component_id or appliance_id required, and not both");
    expect(await failing({ ...of, appliance_id: appliance.id, state: "ordered" })).toBe(
      "component_id or appliance_id required, and not both",
    );
    expect(await failing({ ...of, state: "started" })).toContain("open, ordered, deferred, done");
    expect(await failing({ ...of, state: "ordered", by: " " })).toContain("by");
    expect(await failing({ ...of, state: "deferred", until: LATER })).toBe(
      "until and reason required for deferred work",
    );
    expect(await failing({ ...of, state: "deferred", reason: "Later" })).toBe(
      "until and reason required for deferred work",
    );
    expect(await failing({ ...of, state: "deferred", reason: "x", until: dateDaysFromToday(0) })).toBe(
      `until must be after today, ${dateDaysFromToday(0)}`,
    );
    expect(await failing({ ...of, state: "ordered", until: LATER })).toBe("until is only for deferred work");
    expect(await failing({ ...of, state: "open", total_cost: 5 })).toBe("total_cost is only for done work");
    expect(await failing({ ...of, state: "done", date: dateDaysFromToday(9) })).toContain(
      "date must be from",
    );
    const unknown = "C_00000000000000000000000000";
    expect(await failing({ component_id: unknown, state: "ordered" })).toBe(
      `Component not found: ${unknown}`,
    );
    expect(await failing({ appliance_id: unknown, state: "ordered" })).toBe(
      `Appliance not found: ${unknown}`,
    );
    const some = await mark({ ...of, state: "ordered" }, { ...of, state: "ordered", by: "A. Cho" });
    expect([some.created, some.error_details[0].index]).toEqual([1, 0]);
    await client.put(`/v1/appliances/${appliance.id}`, { retired_at: dateDaysFromToday(0) });
    expect(await failing({ ...of, state: "ordered" })).toContain("is retired");
  });
});
