import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { killAt, killable, untilInTime } from "../support/kill-during-work.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import {
  addProperty,
  addWornAppliance,
  dateDaysFromToday,
  PROPERTY,
  THIS_YEAR,
} from "../support/portfolio.ts";
import { testOnSqlite } from "../support/postgres.ts";
import { startReceiver } from "../support/receiver.ts";

const { install, serve } = useMainstay();

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
    await eventually(() => expect(acknowledged.length).toBeGreaterThan(100));
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

  test("leaves no partial writes: an appliance has all of its components, and the sums agree", async () => {
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
  test("lets a client repeat unanswered writes, each of which is applied once", async () => {
    const server = await serve();
    const client = server.as(await server.createPartner());
    const appliance = await addWornAppliance(client, (await addProperty(client)).id);
    const component = `/v1/components/${appliance.components[0].id}/history`;
    const log = async (nth: number) => {
      const body = {
        events: [{ appliance_id: appliance.id, event_type: "Cleaning", date: dateDaysFromToday(0) }],
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

describe("kill -9 in the middle of a snapshot", () => {
  const PROPERTIES = 300;
  const COMPONENTS = PROPERTIES * 12;
  const DUE = { snapshot: { enabled: true, at: "00:00" } };
  /**
   * The number of components that the day's run has completed, as a whole or in the shares that servers take of it.
   */
  const PROGRESS = `SELECT coalesce(sum(components), 0) FROM
    (SELECT components FROM snapshot_runs UNION ALL SELECT components FROM snapshot_shares) AS done`;

  /** Half of its appliances are worn, and none of it is announced yet. */
  async function withPortfolio(installation: Installation): Promise<Partner> {
    const numbers = Array.from({ length: PROPERTIES }, (_, nth) => nth);
    const files = {
      properties: [
        "partner_property_id,name,address,state",
        ...numbers.map((nth) => `${nth},Elm ${nth},Elm St,NY`),
      ],
      appliances: [
        "partner_property_id,type_id,serial,install_year",
        ...numbers.map((nth) => `${nth},water_heater_gas,OLD${nth},1986`),
        ...numbers.map((nth) => `${nth},water_heater_gas,NEW${nth},${THIS_YEAR}`),
      ],
    };
    const options = Object.entries(files).flatMap(([kind, lines]) => {
      const file = join(installation.folder, `${kind}.csv`);
      writeFileSync(file, `${lines.join("\n")}\n`);
      return [`--${kind}`, file];
    });
    const partner = await installation.createPartner();
    await installation.json("import", "--partner", partner.partner_id, ...options);
    return partner;
  }

  /** Returns all that a snapshot writes, except times and ids. */
  async function written(installation: Installation) {
    const rows = (sql: string) => installation.sql(sql);
    const deliveries = await rows(
      "SELECT event, order_key, body FROM webhook_deliveries ORDER BY order_key, id",
    );
    return {
      components:
        await rows(`SELECT id, risk_score, risk_tier, announced_tier, confidence, effective_age_years, acute_hazard, trend_score
          FROM components ORDER BY id`),
      trend: await rows("SELECT component_id, day, risk_score FROM risk_snapshots ORDER BY 1, 2"),
      runs: await rows(`SELECT day, components, changed, critical, warning, announced, finished_at IS NOT NULL AS over
          FROM snapshot_runs`),
      counters: await rows("SELECT * FROM component_counters ORDER BY 1, 2, 3"),
      sums: [
        await rows("SELECT * FROM property_totals ORDER BY 1"),
        (await rows("SELECT * FROM partner_totals ORDER BY 1")).map(
          ({ last_instant, last_delivery, ...sums }) => sums,
        ),
      ],
      announced: deliveries.map(({ event, order_key, body }) => {
        const { risk_tier, previous_tier } = JSON.parse(body as string).data;
        return { event, order_key, risk_tier, previous_tier };
      }),
    };
  }

  /** Kills the snapshot of a copy again and again; undefined unless it was in the middle each time, and further. */
  async function killedInTheMiddle(original: Installation): Promise<Installation | undefined> {
    const server = install();
    await original.copyTo(server);
    server.configure(DUE);
    const { read, close } = await server.watch(PROGRESS);
    const reached: number[] = [];
    for (let goal = 1; goal < COMPONENTS * 0.6; goal = reached.at(-1)! + COMPONENTS / 10) {
      const nth = reached.length;
      const serves = nth % 2 === 0;
      if (serves) await server.start();
      const process = serves
        ? { isRunning: () => server.isRunning, kill: () => server.kill() }
        : killable(server.spawn("snapshot"));
      // At the beginning of a step, which takes some 16 ms, in its middle, at its end.
      reached.push(await killAt({ goal, laterMs: (nth * 5) % 16 }, read, process));
    }
    const [latest, left] = [reached.at(-1)!, await read()];
    await close();
    if (reached.length < 4 || left >= COMPONENTS || new Set(reached).size < reached.length) return undefined;
    // A commit may be complete in the log before its response was sent: the next process to open the database finds
    // it.
    expect(left).toBeGreaterThanOrEqual(latest);
    const [run] = (await written(server)).runs;
    expect(Boolean(run!.over)).toBe(false);
    return server;
  }

  // Rule: sent-once
  test("has the result of an undisturbed snapshot, and each transition arrives once", async () => {
    const receiver = await startReceiver();
    const undisturbed = install();
    const { partner_id, api_key } = await withPortfolio(undisturbed);
    await undisturbed.run("partner", "set-webhook", partner_id, receiver.url);
    const server = await untilInTime(() => killedInTheMiddle(undisturbed));
    await server.start();
    const client = server.as({ api_key });
    await eventually(async () => expect((await client.get("/health")).body.last_snapshot).not.toBeNull());
    const found = await written(server);
    const whole = await undisturbed.json("snapshot");
    expect(whole).toMatchObject({ components: COMPONENTS, already_done: false });
    expect(found).toEqual(await written(undisturbed));

    const { critical, warning } = (await client.get("/v1/portfolio/summary", { limit: 1 })).body.totals;
    expect({ critical, warning }).toEqual({ critical: whole.critical, warning: whole.warning });
    expect(critical + warning).toBe(whole.announced);
    const arrived = () => new Map(receiver.received.map(({ id, body }) => [id, JSON.parse(`${body}`).data]));
    await eventually(() => expect(arrived().size).toBe(whole.announced));
    const components = [...arrived().values()].map((data) => data.component_id);
    expect(new Set(components).size).toBe(whole.announced);
    await receiver.close();
  });
});

describe("SIGTERM", () => {
  test("lets a request in progress finish, accepts no new one, and exits 0", async () => {
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

  testOnSqlite("leaves one complete database file, with no write-ahead log beside it", async () => {
    const server = await serve();
    await addProperty(server.as(await server.createPartner()));
    await server.stop();
    const names = await Array.fromAsync(new Bun.Glob("mainstay.db*").scan(server.dataDir));
    expect(names).toEqual(["mainstay.db"]);
  });
});
