import { beforeAll, describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, addWornAppliance, dateDaysFromToday } from "../support/portfolio.ts";

const { serve, install } = useMainstay();

const TODAY = dateDaysFromToday(0);
/** Its time of day has always come, so a start catches up. */
const DUE = { snapshot: { enabled: true, at: "00:00" } };

async function portfolio(server: Installation, name = "Acme") {
  const client = server.as(await server.createPartner(name));
  const property = await addProperty(client);
  return {
    client,
    worn: await addWornAppliance(client, property.id),
    fresh: await addAppliance(client, property.id),
  };
}
const takenBy = (server: Installation) => server.log.filter((line) => line.msg === "snapshot taken");

const trendOf = async (client: ApiClient, { components }: Json) =>
  (await client.get(`/v1/components/${components[0].id}/trend`)).body;

describe("mainstay snapshot", () => {
  let server: Installation;
  let acme: Awaited<ReturnType<typeof portfolio>>;
  let before: { scored: string[]; trend: Json };
  let first: Json;
  const lastScored = async () =>
    (await acme.client.get("/v1/components", { appliance_id: acme.worn.id })).body.components.map(
      (one: Json) => one.last_scored,
    );
  beforeAll(async () => {
    server = await serve();
    acme = await portfolio(server);
    before = { scored: await lastScored(), trend: await trendOf(acme.client, acme.worn) };
    first = await server.json("snapshot");
  });

  // Rule: health, snapshot-command
  test("scores every component beside the running server, and reports the result", async () => {
    const { client, worn, fresh } = acme;
    expect(first).toEqual({
      date: TODAY,
      components: worn.components_created + fresh.components_created,
      changed: 0,
      critical: worn.components_created,
      warning: 0,
      good: fresh.components_created,
      announced: worn.components_created,
      queued: 0,
      without_receiver: [{ partner_id: expect.stringMatching(/^PARTNER_/), name: "Acme" }],
      taken_in: null,
      held_back: 0,
      duration_ms: expect.any(Number),
      already_done: false,
    });
    const { checks, last_snapshot } = (await client.get("/health")).body;
    expect(last_snapshot).toEqual({ date: TODAY, finished_at: expect.stringMatching(/Z$/) });
    expect(checks.scheduler, "it is not the scheduler's business").toBe("off");
  });

  test("sets last_scored of every component, also if its score has not changed", async () => {
    for (const moment of before.scored) expect(moment < acme.fresh.created_at).toBe(true);
    for (const moment of await lastScored()) expect(moment >= acme.fresh.created_at).toBe(true);
  });

  // Rule: trend
  test("adds a trend point for its day, and none for earlier days", async () => {
    const { client, worn, fresh } = acme;
    expect(before.trend).toMatchObject({ trend: [], total: 0, pages: 0 });
    expect(await trendOf(client, worn)).toEqual({
      component_id: worn.components[0].id,
      trend: [{ date: TODAY, risk_score: 0.99, risk_tier: "CRITICAL" }],
      total: 1,
      limit: 50,
      offset: 0,
      page: 1,
      pages: 1,
      partner: "Acme",
    });
    expect((await trendOf(client, fresh)).trend).toMatchObject([{ date: TODAY, risk_tier: "GOOD" }]);
  });

  // Rule: snapshot-twice
  test("run a second time on the same day changes nothing and sends no events", async () => {
    const { client, worn } = acme;
    await client.post("/v1/service-events/bulk", {
      events: [{ appliance_id: worn.id, event_type: "Replacement", date: TODAY }],
    });
    const { duration_ms, ...again } = await server.json("snapshot");
    expect(again).toEqual({ ...first, duration_ms: undefined, already_done: true });
    expect((await trendOf(client, worn)).trend).toHaveLength(1);
  });

  test("adds no trend point for a component created later", async () => {
    const { client, worn } = await portfolio(server, "Later");
    expect((await trendOf(client, worn)).total).toBe(0);
  });

  // Rule: sent-once
  test("run by several processes at once is one snapshot", async () => {
    const server = await serve();
    const { client, worn } = await portfolio(server);
    for (let i = 0; i < 10; i++) await addWornAppliance(client, worn.property_id);
    const results = await Promise.all([1, 2, 3].map(() => server.json("snapshot")));
    for (const { components, announced } of results) expect([components, announced]).toEqual([74, 66]);
  });

  test("does not block the server while it runs", async () => {
    const server = await serve();
    const { client, worn } = await portfolio(server);
    const adding = Array.from({ length: 60 }, () =>
      addWornAppliance(client, worn.property_id, { type_id: "hvac_central" }),
    );
    await Promise.all(adding);
    let isRunning = true;
    const snapshot = server.json("snapshot").finally(() => {
      isRunning = false;
    });
    const answered: number[] = [];
    while (isRunning) answered.push((await client.send("GET", "/health")).status);
    expect((await snapshot).components).toBe(60 * 8 + 14);
    expect(new Set(answered)).toEqual(new Set([200]));
  });
});

describe("a server", () => {
  // Rule: snapshot-time, missed-snapshot
  test("started after the time of day takes the missed snapshot, once", async () => {
    const server = await serve(DUE);
    await eventually(() => expect(takenBy(server)).toHaveLength(1));
    expect(takenBy(server)[0]).toMatchObject({ date: TODAY, components: 0, already_done: false });
    await server.stop();
    await server.start();
    const { checks, last_snapshot } = (await server.anonymous.get("/health")).body;
    expect([checks.scheduler, last_snapshot.date]).toEqual(["ok", TODAY]);
    expect((await server.json("snapshot")).already_done).toBe(true);
    await server.stop();
    expect(takenBy(server)).toHaveLength(1);
  });

  test("scores at its start the components that were added while snapshots were off", async () => {
    const server = await serve();
    const { worn } = await portfolio(server);
    await server.stop();
    server.configure(DUE);
    await server.start();
    await eventually(() =>
      expect(takenBy(server)).toMatchObject([{ components: 14, announced: worn.components_created }]),
    );
  });

  test("started before the time of day waits for it", async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString().slice(11, 16);
    // An hour before midnight there is no later time of this day: then it is due, as it should be.
    const isToday = later > new Date().toISOString().slice(11, 16);
    const server = await serve({ snapshot: { enabled: true, at: later } });
    await server.json("partner", "list");
    await eventually(async () => {
      const { last_snapshot } = (await server.anonymous.get("/health")).body;
      expect(last_snapshot === null).toBe(isToday);
    });
  });
});

// Rule: snapshot-command
test("a snapshot needs no server", async () => {
  const installation = install();
  await installation.createPartner();
  expect(await installation.json("snapshot")).toMatchObject({ components: 0, already_done: false });
});
