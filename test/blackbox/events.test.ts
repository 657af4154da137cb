import { beforeAll, describe, expect, test } from "bun:test";
import { type Administrator, createAdministrator, createPartnerBy } from "../support/administrator.ts";
import type { ApiClient } from "../support/client.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import {
  addAppliance,
  addProperty,
  addWornAppliance,
  dateDaysFromToday,
  logEvents,
} from "../support/portfolio.ts";

const { serve } = useMainstay();
let server: Installation;
let admin: Administrator;
beforeAll(async () => {
  server = await serve();
  admin = await createAdministrator(server);
});

const newPartner = async () => server.as(await createPartnerBy(admin, { name: "Acme" }));
const HISTORY = new Set(["property.created", "appliance.created", "service_event.created"]);
const ELEVATED = new Set(["component.critical", "component.warning"]);
const ofHistory = (events: Json[]) => events.filter((one) => HISTORY.has(one.type));
const ofScoring = (events: Json[]) => events.filter((one) => ELEVATED.has(one.type));
const idsOf = (events: Json[]): string[] => events.map((one) => one.data.id);

/**
 * One round of the specification's sync pattern, word for word: walk pages until events is empty or
 * offset + limit >= total, and store the latest timestamp.
 */
async function syncOnce(client: ApiClient, since: string, limit: number) {
  const events: Json[] = [];
  let latest = since;
  for (let offset = 0; ; offset += limit) {
    const { body } = await client.get("/v1/events", { since, limit, offset });
    if (body.events.length === 0) break;
    events.push(...body.events);
    for (const { timestamp } of body.events) if (timestamp > latest) latest = timestamp;
    if (offset + limit >= body.total) break;
  }
  return { events, latest };
}

describe("the event stream", () => {
  // Rule: events
  test("has the envelope of the specification, with history before elevated components", async () => {
    const client = await newPartner();
    const property = await addProperty(client);
    const worn = await addWornAppliance(client, property.id);
    const event = {
      appliance_id: worn.id,
      event_type: "Inspection",
      date: dateDaysFromToday(0),
      parts_cost: 7,
    };
    const logged = (await logEvents(client, event)).events[0];
    const since = "2026-01-01T00:00:00+00:00";
    const { body } = await client.get("/v1/events", { since, limit: 200 });
    expect(body).toMatchObject({
      total: 3 + worn.components.length,
      limit: 200,
      offset: 0,
      page: 1,
      pages: 1,
    });
    expect(body).toMatchObject({ since, partner: "Acme" });
    const { id, name, address, city, country, state, source } = property;
    expect(ofHistory(body.events)).toEqual([
      {
        type: "property.created",
        timestamp: property.created_at,
        data: { id, name, address, city, country, state, source },
      },
      {
        type: "appliance.created",
        timestamp: worn.created_at,
        data: { id: worn.id, type_id: worn.type_id, property_id: id },
      },
      {
        type: "service_event.created",
        timestamp: logged.created_at,
        data: {
          id: logged.id,
          event_type: "Inspection",
          appliance_id: worn.id,
          total_cost: 7,
          voided: false,
          date: dateDaysFromToday(0),
        },
      },
    ]);
    expect(body.events.slice(3)).toEqual(ofScoring(body.events));
    expect(body.events[3]).toMatchObject({
      type: "component.critical",
      data: { id: expect.stringMatching(/^C_/), risk_tier: "CRITICAL", property_id: id },
    });
  });

  // Rule: events-component
  test("describes each elevated component, with the time of its score", async () => {
    const client = await newPartner();
    const property = await addProperty(client);
    const appliances = Array.from({ length: 25 }, (_, age) => ({
      property_id: property.id,
      type_id: "water_heater_gas",
      install_year: new Date().getUTCFullYear() - age,
    }));
    await client.post("/v1/appliances/bulk", { appliances });
    const { components } = (await client.get("/v1/components", { limit: 200 })).body;
    const { events } = (await client.get("/v1/events", { since: "2026-01-01", limit: 200 })).body;
    const elevated: Json[] = components.filter((one: Json) => one.risk_tier !== "GOOD");
    expect(new Set(elevated.map((one) => one.risk_tier))).toEqual(new Set(["CRITICAL", "WARNING"]));
    const byId = (a: Json, b: Json) => (a.data.id < b.data.id ? -1 : 1);
    expect(ofScoring(events).sort(byId)).toEqual(
      elevated
        .map((one) => ({
          type: one.risk_tier === "CRITICAL" ? "component.critical" : "component.warning",
          timestamp: one.last_scored,
          data: {
            id: one.id,
            component_name: one.component_name,
            component_def_id: one.component_def_id,
            appliance_id: one.appliance_id,
            appliance_type: "water_heater_gas",
            risk_score: one.risk_score,
            risk_tier: one.risk_tier,
            property_id: property.id,
          },
        }))
        .sort(byId),
    );
  });

  // Rule: events-contents
  test("has history after since, to the millisecond, and elevated components regardless of since", async () => {
    const client = await newPartner();
    const first = await addProperty(client);
    const second = await addProperty(client);
    const worn = await addWornAppliance(client, second.id);
    const { body } = await client.get("/v1/events", { since: first.created_at });
    expect(idsOf(ofHistory(body.events))).toEqual([second.id, worn.id]);
    const later = (await client.get("/v1/events", { since: "2999-01-01T00:00:00Z" })).body;
    expect(ofHistory(later.events)).toEqual([]);
    expect(ofScoring(later.events).length).toBe(worn.components.length);
    expect(later.total).toBe(worn.components.length);
  });

  // Rule: events-since
  test("accepts dates and timestamps of any time zone", async () => {
    const client = await newPartner();
    for (const since of ["2026-01-01", "2026-01-01T00:00Z", "2026-01-01T00:00:00.123+05:30"])
      expect((await client.get("/v1/events", { since })).body.since).toBe(since);
  });

  // Rule: events-since
  test("accepts the unescaped plus of a time zone", async () => {
    const client = await newPartner();
    const since = "2026-01-01T00:00:00+05:30";
    for (const plus of ["+", "%2B"])
      expect((await client.get(`/v1/events?since=${since.replace("+", plus)}`)).body.since).toBe(since);
  });

  // Rule: events-since
  test.each([
    ["", "?"],
    ["nothing", "?since="],
    ["a word", "?since=yesterday"],
    ["a day that the calendar lacks", "?since=2026-02-30"],
    ["a number", "?since=1700000000"],
    ["year 275760", "?since=%2B275760-09-13T00:00:00Z"],
    ["year 275760 without a sign", "?since=275760-09-13T00:00:00Z"],
    ["no zone", "?since=2026-01-01T00:00:00"],
    ["hour 25", "?since=2026-01-01T25:00:00Z"],
    ["two of them", "?since=2026-01-01&since=2026-01-02"],
    ["an escape that is none", "?since=%zz"],
  ])("rejects a missing or invalid since: %s", async (_, query) => {
    const client = await newPartner();
    const { body } = await client.get(`/v1/events${query}`, {}, 400);
    expect(body.code).toBe("invalid_request");
  });

  test("is empty beyond its end, with the correct total", async () => {
    const client = await newPartner();
    await addProperty(client);
    const { body } = await client.get("/v1/events", { since: "2026-01-01", offset: 10 });
    expect(body).toMatchObject({ events: [], total: 1, pages: 1 });
  });

  // Rule: events-sync
  test("is the same in pages of any size", async () => {
    const client = await newPartner();
    const property = await addProperty(client);
    for (let i = 0; i < 4; i++) await addAppliance(client, property.id);
    await addWornAppliance(client, property.id);
    const whole = await syncOnce(client, "2026-01-01", 200);
    expect(whole.events.length).toBe(6 + 6);
    for (const limit of [1, 2, 5, 7]) expect(await syncOnce(client, "2026-01-01", limit)).toEqual(whole);
  });
});

describe("a client that follows the sync pattern", () => {
  // Rule: events-sync
  test("sees every event exactly once, and all elevated components each time, during concurrent writes", async () => {
    const client = await newPartner();
    const home = await addProperty(client);
    const worn = await Promise.all(Array.from({ length: 4 }, () => addWornAppliance(client, home.id)));
    const elevated: string[] = worn.flatMap((one) => one.components.map(({ id }: Json) => id));
    const written: string[] = [home.id, ...worn.map(({ id }) => id)];

    let writing = true;
    const log = async (...events: object[]) => {
      const logged = await logEvents(
        client,
        ...events.map((one) => ({ ...one, date: dateDaysFromToday(0) })),
      );
      written.push(...logged.events.map((one: Json) => one.id));
    };
    const grow = async () => {
      for (let i = 0; i < 12; i++) {
        const property = await addProperty(client);
        const appliance = await addAppliance(client, property.id);
        written.push(property.id, appliance.id);
        const event = { appliance_id: appliance.id, event_type: "Cleaning" };
        await log(event, event, event);
      }
    };
    // Rescoring changes the position of an elevated component.
    const rescore = async () => {
      for (let i = 0; i < 40; i++) await log({ appliance_id: worn[i % 4].id, event_type: "Other" });
    };
    const snapshot = server.json("snapshot");
    const finished = Promise.all([grow(), grow(), grow(), rescore(), snapshot]).then(() => {
      writing = false;
    });

    const seen = new Map<string, number>();
    let since = new Date(Date.now() - 30 * 86_400_000).toISOString();
    let rounds = 0;
    const round = async () => {
      const { events, latest } = await syncOnce(client, since, 25);
      // Deduplicated by data.id, within this round and all previous ones.
      for (const id of new Set(idsOf(ofHistory(events)))) seen.set(id, (seen.get(id) ?? 0) + 1);
      expect([...new Set(idsOf(ofScoring(events)))].sort()).toEqual(elevated.toSorted());
      since = latest;
      rounds++;
    };
    while (writing) await round();
    await finished;
    await round();

    expect([...seen.keys()].sort()).toEqual(written.sort());
    expect([...seen.values()].filter((times) => times > 1)).toEqual([]);
    expect(rounds).toBeGreaterThan(2);
  });

  // Rule: events-order
  test("sees strictly increasing timestamps, so that no event shares the latest one", async () => {
    const client = await newPartner();
    const property = await addProperty(client);
    await Promise.all(Array.from({ length: 30 }, () => addAppliance(client, property.id)));
    const { events } = await syncOnce(client, "2026-01-01", 200);
    const times = ofHistory(events).map((one) => one.timestamp);
    expect(times).toEqual([...new Set(times)].sort());
    expect(times.length).toBe(31);
  });

  // Rule: events-sync
  test("sees every elevated component when the server restarts between two pages", async () => {
    const partner = await createPartnerBy(admin, { name: "Acme" });
    const property = await addProperty(server.as(partner));
    const worn = await Promise.all([1, 2].map(() => addWornAppliance(server.as(partner), property.id)));
    const elevated = worn.flatMap((one) => one.components.map(({ id }: Json) => id));
    const limit = 5;
    const page = async (offset: number) =>
      (await server.as(partner).get("/v1/events", { since: "2026-01-01", limit, offset })).body;
    const first = await page(0);
    expect(first.total).toBe(3 + elevated.length);
    expect(elevated.length).toBeGreaterThan(limit);
    // Later history moves the components behind it by as many places.
    for (let i = 0; i < limit; i++) await addProperty(server.as(partner));
    await server.stop();
    await server.start();
    const events = [...first.events];
    for (let offset = limit; offset < first.total; offset += limit)
      events.push(...(await page(offset)).events);
    expect(idsOf(ofScoring(events)).toSorted()).toEqual(elevated.toSorted());
  });
});
