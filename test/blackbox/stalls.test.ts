import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { createAdministrator } from "../support/administrator.ts";
import type { ApiClient } from "../support/client.ts";
import { cpuMs } from "../support/cpu-ms.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, logEvents } from "../support/portfolio.ts";
import { onPostgres } from "../support/postgres.ts";

/**
 * A limit of processor time. Correct code takes a tenth of it, and half of it for the largest response where other
 * work shares the cores.
 */
const BODY_MS = 10_000;
/**
 * The processor time that the server may spend while half of the pings wait. The slowest may wait for the write itself,
 * to count the call; `bun run bench --only stalls` measures that.
 */
const PING_MS = 250;
const PING_REST_MS = 20;
const ITEMS = 1000;

const { serve } = useMainstay();
let server: Installation;
let partner: Partner;
let client: ApiClient;
let other: ApiClient;
let property: Json;
beforeAll(async () => {
  server = await serve();
  partner = await server.createPartner("Acme");
  client = server.as(partner);
  other = server.as(await server.createPartner("Other"));
  property = await addProperty(client);
});

/** Returns the processor time that the server spends until the answer is there, in milliseconds. */
async function ping(): Promise<number> {
  const before = cpuMs(server.pid);
  await other.get("/v1/properties");
  return cpuMs(server.pid) - before;
}
const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;

/** Sends a request and checks that it takes little processor time and does not delay another partner. */
async function measured<T>(send: () => Promise<T>): Promise<T> {
  let isRunning = true;
  const times: number[] = [];
  const pings = (async () => {
    while (isRunning) {
      times.push(await ping());
      // Without a pause, the pings alone would use up the processor time limit.
      await Bun.sleep(PING_REST_MS);
    }
  })();
  const before = cpuMs(server.pid);
  const answer = await send();
  const tookMs = cpuMs(server.pid) - before;
  isRunning = false;
  await pings;
  expect(tookMs).toBeLessThan(BODY_MS);
  expect(median(times)).toBeLessThan(PING_MS);
  return answer;
}

const day = (i: number) => new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10);
const items = (make: (i: number) => object) => Array.from({ length: ITEMS }, (_, i) => make(i));

describe("a full body delays no other request", () => {
  test.each<[string, (i: number) => object]>([
    [
      "as many warranty claims as replacements, of one day",
      (i) => ({ event_type: i % 2 === 0 ? "Warranty Claim" : "Replacement", date: "2024-03-01" }),
    ],
    ["replacements, each of a day of its own", (i) => ({ event_type: "Replacement", date: day(i) })],
  ])("of service events of one appliance: %s", async (_, event) => {
    const { id } = await addAppliance(client, property.id, {
      type_id: "water_heater_gas",
      install_year: 2000,
    });
    const answer = await measured(() =>
      logEvents(client, ...items((i) => ({ appliance_id: id, ...event(i) }))),
    );
    expect(answer.created).toBe(ITEMS);
  });

  // Rule: event-loop-yields
  test("of long notes holds up another partner's writes only while it stores them", async () => {
    const property = await addProperty(client);
    const { id } = await addAppliance(client, property.id, { type_id: "washer", install_year: 2010 });
    const note = (i: number) => `${i} ${"failed leak test ".repeat(600)}`.slice(0, 9900);
    const events = Array.from({ length: 450 }, (_, i) => ({
      appliance_id: id,
      event_type: "Inspection",
      date: "2024-03-01",
      notes: note(i),
    }));
    let isDone = false;
    const bulk = logEvents(client, ...events).finally(() => {
      isDone = true;
    });
    let written = 0;
    while (!isDone) {
      await addProperty(other);
      written++;
    }
    expect((await bulk).created).toBe(events.length);
    // One waits until the request's transaction has ended.
    expect(written).toBeGreaterThan(10);
  });
});

describe("a large response", () => {
  const MEGABYTE = 1_048_576;
  const LONGEST_NOTE = 10_000;
  /** They fill a body, and so does what is answered. */
  const LONG_EVENTS = 450;
  let large: Json;
  let components: number;

  beforeAll(async () => {
    const types = ["plumbing_supply", "washer", "water_heater_gas"];
    large = await addProperty(client);
    // The property is scored only once for any number of its appliances.
    for (let body = 0; body < 2; body++) {
      const answer = await measured(async () => {
        const appliances = items((i) => ({
          property_id: large.id,
          type_id: types[i % 3],
          install_year: 1950,
        }));
        return (await client.post("/v1/appliances/bulk", { appliances })).body;
      });
      expect(answer.created).toBe(ITEMS);
    }
    components = (await client.get(`/v1/property/${large.id}/summary`)).body.counts.components;
  });

  const figures = [
    ...["forecast", "reserve", "condition-score", "rcv", "compliance", "claims/impact"],
    ...["plan?years=30", "plan?years=30&format=csv"],
  ];
  test.each(figures)(
    "%s of a property with thousands of appliances delays no other request",
    async (figure) => {
      const answer = await measured(() => client.get(`/v1/property/${large.id}/${figure}`));
      expect(answer.status).toBe(200);
    },
  );

  test("delays no other request, is complete, and is not sent again while nothing has changed", async () => {
    const path = `/v1/property/${large.id}/report`;
    const { body } = await measured(() => client.get(path));
    const listed = [...body.critical, ...body.warning, ...body.good].map((item: Json) => item.component_id);
    expect(listed).toHaveLength(components);
    expect(new Set(listed).size).toBe(components);
    // Plans and comparisons of the new property are renewed in the background, also between two requests.
    const again = await eventually(async () => {
      const { headers } = await client.get(path);
      const again = { "if-none-match": headers.get("etag")! };
      expect((await client.send("GET", path, { headers: again })).status).toBe(304);
      return again;
    });
    await client.put(`/v1/properties/${large.id}`, { name: "Oak Court" });
    expect((await client.send("GET", path, { headers: again })).status).toBe(200);
  });

  // Rule: large-responses
  test("that no client reads uses little memory, and a further one is rejected until it is read", async () => {
    const before = residentBytes();
    const oldest = await askForPlan();
    const { askings, done } = await askUntilRefused(() => askUnread(`/v1/property/${large.id}/report`));
    expect(done).toBeGreaterThan(0);
    expect(residentBytes() - before).toBeLessThan(1000 * MEGABYTE);
    expect((await other.get("/v1/properties")).status).toBe(200);
    for (const { socket } of [oldest, ...askings]) socket.destroy();
    const { status } = await eventually(async () => {
      const answer = await client.send("GET", `/v1/property/${large.id}/report`);
      if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
      return answer;
    });
    expect(status).toBe(200);
  });

  // Rule: large-responses
  test("to an administrator that no client reads is rejected as a partner's is", async () => {
    const { key } = await createAdministrator(server);
    const { askings, done } = await askUntilRefused(() =>
      askUnread(`/admin/property/${large.id}/plan?years=1`, undefined, { url: server.adminUrl, key }),
    );
    expect(done).toBeGreaterThan(0);
    for (const { socket } of askings) socket.destroy();
  });

  // Rule: large-responses
  test("to a write that no client reads uses little memory, and a further write is rejected without effect", async () => {
    const own = await addProperty(client);
    const { id } = await addAppliance(client, own.id, { type_id: "washer", install_year: 2010 });
    const body = JSON.stringify({
      events: Array.from({ length: LONG_EVENTS }, (_, i) => ({
        appliance_id: id,
        event_type: "Inspection",
        date: "2024-03-01",
        notes: `${i} `.padEnd(LONGEST_NOTE, "x"),
      })),
    });
    const before = residentBytes();
    const oldest = await askForPlan();
    const { askings, done } = await askUntilRefused(() => askUnread("/v1/service-events/bulk", body));
    expect(done).toBeGreaterThan(0);
    expect(residentBytes() - before).toBeLessThan(1000 * MEGABYTE);
    for (const { socket } of [oldest, ...askings]) socket.destroy();
    const { body: summary } = await client.get(`/v1/property/${own.id}/summary`);
    expect(summary.counts.service_events).toBe(done * LONG_EVENTS);
  });

  // Rule: large-requests
  test("from requests that are never completed uses little memory, and a further one is rejected unread", async () => {
    const whole = `{"events":[${" ".repeat(4.5 * MEGABYTE)}`;
    const declared = 5 * MEGABYTE;
    // The last one may exceed the 64 MiB.
    const most = Math.floor(64 / 5) + 1;
    const sending = Array.from({ length: 25 }, () =>
      askUnread("/v1/service-events/bulk", { length: declared, sent: whole }),
    );
    const refused = await eventually(async () => {
      const heads = await Promise.all(
        sending.map(({ head }) => Promise.race([head, Bun.sleep(50).then(() => "")])),
      );
      const found = heads.filter((head) => head.startsWith("HTTP/1.1 503"));
      expect(found).toHaveLength(25 - most);
      return found;
    });
    for (const head of refused) expect(head.toLowerCase()).toContain("\r\nretry-after: 5\r\n");
    await addProperty(other);
    for (const { socket } of sending) socket.destroy();
    await eventually(() => addProperty(client));
  });

  const residentBytes = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))![1]) * 1024;

  /** Asks for a response that takes half of the memory, for the processor time of a part of a report. */
  async function askForPlan() {
    const asking = askUnread(`/v1/property/${large.id}/plan?years=1`);
    expect(await asking.head).toStartWith("HTTP/1.1 200");
    return asking;
  }

  /** Asks, one after the other, until one is refused; returns the number of the others, which add up unread. */
  async function askUntilRefused(ask: () => ReturnType<typeof askUnread>) {
    const askings: ReturnType<typeof askUnread>[] = [];
    let head: string;
    do {
      askings.push(ask());
      head = await askings.at(-1)!.head;
    } while (head.startsWith("HTTP/1.1 20") && askings.length < 30);
    expect(head).toStartWith("HTTP/1.1 503");
    expect(head.toLowerCase()).toContain("\r\nretry-after: 5\r\n");
    return { askings, done: askings.length - 1 };
  }

  /** Asks for a page, reads how the answer begins, and no further. Of a body, no more may be sent than is declared. */
  function askUnread(
    path: string,
    body?: string | { length: number; sent: string },
    { url, key } = { url: server.url, key: partner.api_key },
  ): { socket: Socket; head: Promise<string> } {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const head = new Promise<string>((resolve, reject) => {
      socket.once("error", reject);
      socket.once("data", (bytes) => {
        socket.pause();
        resolve(bytes.toString("latin1"));
      });
    });
    const common = `HTTP/1.1\r\nHost: ${hostname}\r\nX-Api-Key: ${key}\r\n`;
    const headers =
      body === undefined ? "" : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const sent = typeof body === "object" ? body.sent : (body ?? "");
    socket.write(`${body === undefined ? "GET" : "POST"} ${path} ${common}${headers}\r\n${sent}`);
    return { socket, head };
  }
});

// Rule: out-of-descriptors
test("out of file descriptors, new connections are rejected at once, without work, until some are free", async () => {
  const small = await serve();
  const { api_key } = await small.createPartner("Small");
  const open = readdirSync(`/proc/${small.pid}/fd`).length;
  // A database on PostgreSQL has connections of its own, which are opened as they are needed.
  const limit = open + 48 + (onPostgres ? 20 : 0);
  expect(Bun.spawnSync(["prlimit", `--pid=${small.pid}`, `--nofile=${limit}:${limit}`]).exitCode).toBe(0);
  const { hostname, port } = new URL(small.url);
  const begun = `POST /v1/properties HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${api_key}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`;
  const sockets = Array.from({ length: 100 }, () => {
    const socket = connect(Number(port), hostname).on("error", () => {});
    socket.write(begun);
    return socket;
  });
  await small.logged(({ msg }) => msg === "out of file descriptors: refusing new connections");

  const before = cpuMs(small.pid);
  const { error } = await new Promise<{ error: NodeJS.ErrnoException }>((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.once("error", (error) => resolve({ error })).once("connect", () => reject(new Error("was taken")));
  });
  expect(error.code).toBe("ECONNREFUSED");
  expect((await fetch(`${small.adminUrl}/health`)).status).toBe(200);
  await Bun.sleep(1_000);
  // Trying again and again would take nearly all of it.
  expect(cpuMs(small.pid) - before).toBeLessThan(250);

  for (const socket of sockets) socket.destroy();
  await small.logged(({ msg }) => msg === "file descriptors are available again: accepting connections");
  // The administrators' connections are taken first.
  await eventually(async () => {
    expect((await small.as({ api_key }).get("/v1/properties")).status).toBe(200);
  });
});
