import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config/load-config.ts";
import { createLogger } from "../../src/logging/logger.ts";
import { openServerDataFolder, serverDatabaseFile } from "../../src/server/server-data-folder.ts";
import { type App, startServer } from "../../src/server/start-server.ts";
import { createPartner } from "../../src/usecases/partners/create-partner-and-credentials.ts";
import { ApiClient, requestToken } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { addProperty, addWornAppliance } from "../support/portfolio.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

/*
 * Tests the whole server with a clock that the test sets: the visible effects of a change of the machine's clock.
 */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const NOON = Date.parse("2026-03-10T12:00:00Z");
const folder = mkdtempSync(join(tmpdir(), "mainstay-app-"));
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const time = { now: NOON, monotonicMs: 0 };
const log: Json[] = [];
let app: App | undefined;
let receiver: Receiver;
let partner: { id: string; apiKey: string; client_id: string; client_secret: string };

const deps = () => ({
  config: loadConfig({
    cwd: folder,
    env: {
      MAINSTAY_SERVER__PORT: "0",
      MAINSTAY_ADMIN__LISTEN: "127.0.0.1:0",
      MAINSTAY_SNAPSHOT__AT: "00:00",
      MAINSTAY_LIMITS__PER_IP_PER_MINUTE: "0",
      MAINSTAY_LIMITS__PER_PARTNER_PER_MINUTE: "40",
    },
  }),
  env: {},
  clock: () => time.now,
  monotonicMs: () => time.monotonicMs,
  random,
  log: createLogger({
    level: "info",
    format: "json",
    destination: { write: (line) => void log.push(JSON.parse(line)) },
  }),
});
/** Lets time pass, as opposed to a change of the clock. */
const pass = (ms: number) => {
  time.now += ms;
  time.monotonicMs += ms;
};
const set = (ms: number) => {
  time.now += ms;
};
const start = async () => {
  app = await startServer(deps());
};
const restart = async () => {
  await app?.stop();
  await start();
};
const clientOf = (headers: Record<string, string>) =>
  new ApiClient(
    () => app!.url,
    headers,
    () => JSON.stringify(log.slice(-20)),
  );
const asPartner = () => clientOf({ "x-api-key": partner.apiKey });
const snapshots = () => log.filter(({ msg }) => msg === "snapshot taken").map(({ date }) => date);
const trendOf = async (componentId: string): Promise<string[]> => {
  const { body } = await asPartner().get(`/v1/components/${componentId}/trend`, { limit: 200 });
  return body.trend.map(({ date }: Json) => date);
};

beforeAll(async () => {
  receiver = await startReceiver();
  const data = await openServerDataFolder(deps());
  const administration = { ...data, random, actor: "test", changed: () => {} };
  const made = await createPartner(administration, {
    name: "Acme",
    dailyBudget: 300,
    webhookUrl: receiver.url,
  });
  const { apiKey, clientId, clientSecret } = made.credentials;
  partner = { id: made.partner.id, apiKey, client_id: clientId, client_secret: clientSecret };
  await data.store.close();
  await start();
});
afterAll(async () => {
  await app?.stop();
  await receiver.close();
  rmSync(folder, { recursive: true });
  const faults = log.filter(({ level }) => level === "error");
  if (faults.length > 0) throw new Error(`faults were logged: ${JSON.stringify(faults)}`);
});

describe("a clock that is set back by a day and then forward by a year", () => {
  let componentId: string;
  let propertyId: string;

  // Rule: ids-sort, list-properties
  test("keeps the event stream in order: a client that continues from the latest timestamp misses nothing", async () => {
    const ids: string[] = [];
    const created: string[] = [];
    let since = "2026-01-01T00:00:00Z";
    const sync = async () => {
      const { body } = await asPartner().get("/v1/events", { since, limit: 200 });
      const history = body.events.filter(({ type }: Json) => type === "property.created");
      ids.push(...history.map(({ data }: Json) => data.id));
      since = history.at(-1)?.timestamp ?? since;
    };
    for (const jump of [0, -DAY, DAY + YEAR, -YEAR]) {
      set(jump);
      pass(1000);
      for (let nth = 0; nth < 2; nth++) created.push((await addProperty(asPartner())).id);
      await sync();
      pass(60_000);
    }
    expect(ids).toEqual(created);
    const { body } = await asPartner().get("/v1/properties", { limit: 200 });
    const listed = body.properties.map(({ id, created_at }: Json) => ({ id, created_at }));
    expect(listed.map(({ id }: Json) => id)).toEqual(created);
    expect(created).toEqual(created.toSorted());
    const moments = listed.map(({ created_at }: Json) => created_at);
    expect(moments).toEqual([...new Set(moments)].toSorted());
    propertyId = created[0]!;
  });

  // Rule: snapshot-clock, trend
  test("takes the snapshot of each day once, and none before a newer one", async () => {
    const appliance = await addWornAppliance(asPartner(), propertyId);
    componentId = appliance.components[0].id;
    pass(DAY);
    await restart();
    await eventually(() => expect(snapshots().at(-1)).toBe("2026-03-11"));
    set(-DAY);
    log.length = 0;
    await restart();
    const refusal = () => log.find(({ msg }) => msg.startsWith("no snapshot taken"));
    set(-DAY);
    await restart();
    await eventually(() =>
      expect(refusal()).toMatchObject({ level: "warn", date: "2026-03-09", later: "2026-03-11" }),
    );
    expect(snapshots()).toEqual([]);
    set(2 * DAY + YEAR);
    await restart();
    await eventually(() => expect(snapshots()).toEqual(["2027-03-11"]));
    await restart();
    expect(snapshots()).toEqual(["2027-03-11"]);
    set(-YEAR);
    expect(await trendOf(componentId)).toEqual(["2026-03-11", "2027-03-11"]);
    const page = await asPartner().get(`/v1/components/${componentId}/trend`, { limit: 1, offset: 1 });
    expect(page.body.trend.map(({ date }: Json) => date)).toEqual(["2027-03-11"]);
    expect(page.body).toMatchObject({ total: 2, limit: 1, offset: 1, page: 2, pages: 2 });
  });

  // Rule: token-life
  test("does not make an expired token valid again, and still issues valid ones", async () => {
    const statusOf = async (token: string) =>
      (await clientOf({ authorization: `Bearer ${token}` }).send("GET", "/v1/ping")).status;
    const token = () => requestToken(app!.url, partner);
    const old = await token();
    expect(await statusOf(old)).toBe(200);
    pass(2 * HOUR);
    expect(await statusOf(old)).toBe(401);
    for (const jump of [-1.5 * HOUR, -DAY, DAY, YEAR, -YEAR]) {
      set(jump);
      expect(await statusOf(old), `the expired one after ${jump / HOUR} h`).toBe(401);
      const fresh = await token();
      expect(await statusOf(fresh), `a new one after ${jump / HOUR} h`).toBe(200);
      pass(59 * 60_000);
      expect(await statusOf(fresh)).toBe(200);
      pass(2 * 60_000);
      expect(await statusOf(fresh)).toBe(401);
    }
  });

  test("sends a delivery that waits for its next attempt within seconds", async () => {
    for (const jump of [-DAY, DAY + YEAR, -YEAR]) {
      receiver.behave((_, nth) => ({ status: nth === 1 ? 500 : 200 }));
      const had = receiver.received.length;
      await addProperty(asPartner());
      await receiver.waitFor((received) => received.length === had + 1);
      // The attempt is recorded and the next one planned before the clock is set.
      const { id } = receiver.received.at(-1)!;
      await eventually(() =>
        expect(
          log.find(({ msg, delivery_id }) => msg === "webhook attempt" && delivery_id === id),
        ).toMatchObject({ outcome: "retry" }),
      );
      await asPartner().get("/v1/ping");
      set(jump);
      await receiver.waitFor((received) => received.length === had + 2);
      expect(receiver.received.at(-1)!.id).toBe(receiver.received.at(-2)!.id);
    }
  });

  // Rule: retry-times
  test("fails a delivery after three attempts, at 0, 5 and 35 seconds", async () => {
    receiver.behave(() => ({ status: 500 }));
    const had = receiver.received.length;
    await addProperty(asPartner());
    const outcomes = () => {
      const { id } = receiver.received.at(-1)!;
      return log
        .filter(({ msg, delivery_id }) => msg === "webhook attempt" && delivery_id === id)
        .map(({ outcome }) => outcome);
    };
    for (const [nth, waitMs] of [5_000, 30_000, DAY].entries()) {
      await receiver.waitFor((received) => received.length === had + nth + 1);
      const expected = ["retry", "retry", "failed"].slice(0, nth + 1);
      await eventually(() => expect(outcomes()).toEqual(expected));
      pass(waitMs);
    }
    receiver.behave(undefined);
    await addProperty(asPartner());
    await receiver.waitFor((received) => received.length === had + 4);
    const ids = receiver.received.slice(had).map(({ id }) => id);
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(ids[3]).not.toBe(ids[0]);
  });

  test("locks no caller out by the limit per minute", async () => {
    pass(60_000);
    const ask = async () => (await asPartner().send("GET", "/v1/ping")).status;
    for (const jump of [-DAY, DAY + YEAR, -YEAR]) {
      let admitted = 0;
      while ((await ask()) === 200) admitted++;
      expect(admitted).toBe(40);
      set(jump);
      expect(await ask(), "a change of the clock admits no further calls").toBe(429);
      pass(60_000);
      expect(await ask(), "a minute that passes does").toBe(200);
      pass(60_000);
    }
  });

  test("counts each day's calls separately, and no caller waits beyond the next midnight", async () => {
    const left = async () => {
      const reply = await asPartner().send("GET", "/v1/ping");
      pass(2_000);
      return { status: reply.status, wait: Number(reply.headers.get("retry-after")) };
    };
    let answer = await left();
    while (answer.status === 200) answer = await left();
    expect(answer.wait).toBeLessThanOrEqual(DAY / 1000);
    for (const [jump, status] of [
      [-20 * DAY, 200],
      [20 * DAY, 429],
      [YEAR + 5 * DAY, 200],
      [-YEAR - 5 * DAY, 429],
    ] as const) {
      set(jump);
      expect((await left()).status, `after ${jump / DAY} days`).toBe(status);
    }
    pass(5 * DAY);
  });

  test("repeats the reply to an Idempotency-Key, and accepts the key again after a day", async () => {
    const property = { name: "Elm", address: "1 Elm St", state: "NY" };
    const post = async () => {
      const reply = await asPartner().post("/v1/properties", property, 201, { "idempotency-key": "one" });
      return { id: reply.body.id, replayed: reply.headers.get("idempotency-replayed") };
    };
    const { id } = await post();
    set(-DAY);
    expect(await post()).toEqual({ id, replayed: "true" });
    set(DAY + YEAR);
    const again = await post();
    expect(again).toMatchObject({ replayed: null });
    expect(await post()).toEqual({ id: again.id, replayed: "true" });
    set(-YEAR);
    expect(await post()).toEqual({ id: again.id, replayed: "true" });
  });

  // Rule: health-degraded
  test("appears in the health, but not in the uptime, and leaves the database intact", async () => {
    // The newest snapshot is of the year ahead, which prevents today's.
    const { body } = await clientOf({}).get("/health", {}, 503);
    expect(body.checks.scheduler).toBe("late");
    expect(body.uptime_s).toBeGreaterThanOrEqual(0);
    expect(body.uptime_s).toBeLessThan(30 * 86_400);
    await app!.stop();
    app = undefined;
    const db = new Database(serverDatabaseFile(join(folder, "data")), { readonly: true });
    expect(db.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
    expect(db.query("PRAGMA foreign_key_check").values()).toEqual([]);
    db.close();
  });
});
