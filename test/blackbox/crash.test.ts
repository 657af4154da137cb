import { describe, expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { addProperty, addWornAppliance, daysFromToday, PROPERTY } from "../support/portfolio.ts";

const { serve } = useMainstay();

/** Everything of a paginated list. */
async function all(client: ApiClient, path: string, name: string): Promise<Json[]> {
  const rows: Json[] = [];
  for (;;) {
    const { body } = await client.get(path, { limit: 200, offset: rows.length });
    rows.push(...body[name]);
    if (rows.length >= body.total) return rows;
  }
}

describe("kill -9 in the middle of a write load", () => {
  /** Writes from many clients until the server is killed, once `acknowledged` holds so much; returns what it holds. */
  async function writeUntilKilled(
    server: Installation,
    write: (nth: number) => Promise<string>,
  ): Promise<string[]> {
    const acknowledged: string[] = [];
    let started = 0;
    let isAlive = true;
    const writers = Array.from({ length: 16 }, async () => {
      while (isAlive) {
        const id = await write(started++).catch(() => undefined);
        if (id !== undefined) acknowledged.push(id);
      }
    });
    await eventually(() => expect(acknowledged.length).toBeGreaterThan(200));
    await server.kill();
    isAlive = false;
    await Promise.all(writers);
    await server.start();
    return acknowledged;
  }

  test("loses no property that was acknowledged, and numbers on without a gap", async () => {
    const server = await serve();
    const client = server.as(await server.createPartner());
    const acknowledged = await writeUntilKilled(
      server,
      async () => (await addProperty(client, { unit_count: 2 })).id,
    );
    const found = (await all(client, "/v1/properties", "properties")).map((row) => row.id);
    expect(found).toEqual(expect.arrayContaining(acknowledged));
    expect(new Set(found).size).toBe(found.length);
    const { totals } = (await client.get("/v1/portfolio/summary", { limit: 1 })).body;
    expect(totals.properties).toBe(found.length);
    const { id } = await addProperty(client);
    expect((await all(client, "/v1/properties", "properties")).at(-1).id).toBe(id);
  });

  test("leaves whole writes only: an appliance has all of its components, and the sums agree", async () => {
    const server = await serve();
    const client = server.as(await server.createPartner());
    const property = await addProperty(client);
    const acknowledged = await writeUntilKilled(
      server,
      async () => (await addWornAppliance(client, property.id)).id,
    );
    const appliances = await all(client, "/v1/appliances", "appliances");
    expect(appliances.map((row) => row.id)).toEqual(expect.arrayContaining(acknowledged));
    const components = await all(client, "/v1/components", "components");
    expect(components).toHaveLength(6 * appliances.length);
    const { counts, risk } = (await client.get(`/v1/property/${property.id}/summary`)).body;
    expect(counts).toMatchObject({ appliances: appliances.length, components: components.length });
    expect(risk.critical).toBe(components.filter((row) => row.risk_tier === "CRITICAL").length);
    expect((await client.get("/v1/alerts", { limit: 1 })).body.total).toBe(risk.critical + risk.warning);
  });

  // Rule: key-transaction
  test("lets a client that repeats what it heard nothing of do each thing once", async () => {
    const server = await serve();
    const client = server.as(await server.createPartner());
    const appliance = await addWornAppliance(client, (await addProperty(client)).id);
    const component = `/v1/components/${appliance.components[0].id}/history`;
    const log = async (nth: number) => {
      const body = {
        events: [{ appliance_id: appliance.id, event_type: "Cleaning", date: daysFromToday(0) }],
      };
      const { body: logged } = await client.post("/v1/service-events/bulk", body, 201, {
        "idempotency-key": `${nth}`,
      });
      return logged.events[0].id as string;
    };
    let last = 0;
    const acknowledged = await writeUntilKilled(server, (nth) => {
      last = Math.max(last, nth);
      return log(nth);
    });
    const repeated = [];
    for (let nth = 0; nth <= last; nth++) repeated.push(await log(nth));
    expect(repeated).toEqual(expect.arrayContaining(acknowledged));
    expect((await client.get(component)).body.total_events).toBe(last + 1);
  });
});

// Rule: announced-once
test("kill -9 in the middle of a snapshot: the next start finishes it, announcing each transition once", async () => {
  const server = await serve();
  const client = server.as(await server.createPartner());
  const property = await addProperty(client);
  await Promise.all(Array.from({ length: 200 }, () => addWornAppliance(client, property.id)));
  await server.stop();
  server.configure({ snapshot: { enabled: true, at: "00:00" } });
  await server.start();
  await server.kill();
  await server.start();
  await eventually(async () => expect((await client.get("/health")).body.last_snapshot).not.toBeNull());
  const { components, critical, announced, already_done } = await server.json("snapshot");
  expect({ components, announced, already_done }).toEqual({
    components: 1200,
    announced: critical,
    already_done: true,
  });
});

describe("SIGTERM", () => {
  test("lets a request under way finish, takes no new one, and exits 0", async () => {
    const server = await serve();
    const { api_key } = await server.createPartner();
    const { url } = server;
    const text = JSON.stringify(PROPERTY);
    let finishBody = () => {};
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(text.slice(0, 10)));
        finishBody = () => {
          controller.enqueue(Buffer.from(text.slice(10)));
          controller.close();
        };
      },
    });
    const client = server.as({ api_key });
    const headers = { "content-type": "application/json" };
    const created = client.ask("POST", "/v1/properties", 201, { raw: body, headers });
    const before = (await client.get("/v1/ping")).headers.get("x-ratelimit-remaining");
    expect(before).toBeTruthy();
    const stopped = server.stop();
    await eventually(() => expect(server.log.map((line) => line.msg)).toContain("stopping"));
    await eventually(() => expect(fetch(`${url}/health`, { keepalive: false })).rejects.toThrow());
    finishBody();
    const { id } = (await created).body;
    expect(await stopped).toBe(0);
    await server.start();
    expect((await client.get(`/v1/properties/${id}`)).body.name).toBe(PROPERTY.name);
  });

  test("cuts off a request that takes longer than the grace", async () => {
    const server = await serve({ server: { shutdown_grace_s: 0 } });
    const client = server.as(await server.createPartner());
    const endless = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("{")) });
    const headers = { "content-type": "application/json" };
    const cut = client
      .send("POST", "/v1/properties", { raw: endless, headers })
      .catch((error: Error) => error);
    await client.get("/v1/ping");
    expect(await server.stop()).toBe(0);
    expect(await cut).toBeInstanceOf(Error);
  });

  test("leaves one whole database file behind, with no write-ahead log beside it", async () => {
    const server = await serve();
    await addProperty(server.as(await server.createPartner()));
    await server.stop();
    const names = await Array.fromAsync(new Bun.Glob("mainstay.db*").scan(server.dataDir));
    expect(names).toEqual(["mainstay.db"]);
  });
});
