import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { ApiClient } from "../support/client.ts";
import { cpuMs } from "../support/cpu-ms.ts";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { addProperty, PROPERTY } from "../support/portfolio.ts";
import { testOnSqlite } from "../support/postgres.ts";

const CALLERS = 8;
/** The processor time that requests may take after their callers have closed the connection. */
const MAX_CPU_MS = 300;
const CALLER_GONE = 499;

const { serve } = useMainstay();
let served: Served;

type Served = { server: Installation; partner: Partner; client: ApiClient; property: Json; token: string };

beforeAll(async () => {
  served = await serveProperty();
});

async function serveProperty(): Promise<Served> {
  const server = await serve({ limits: { per_ip_per_minute: 0 } });
  const partner = await server.createPartner("Acme");
  const client = server.as(partner);
  const property = await addProperty(client);
  const appliances = Array.from({ length: 1000 }, (_, i) => ({
    property_id: property.id,
    type_id: ["plumbing_supply", "washer", "water_heater_gas"][i % 3],
    install_year: 1990 + (i % 30),
  }));
  await client.post("/v1/appliances/bulk", { appliances });
  const { token } = await server.json("embed", "create", property.id);
  return { server, partner, client, property, token };
}

describe("a request whose caller has closed the connection", () => {
  test.each([
    [
      "a file of an embedded page",
      "/embed/property/{token}/{file}",
      "/embed/property/TOKEN/plan.csv?years=30",
    ],
    ["an embedded page", "/embed/property/{token}", "/embed/property/TOKEN"],
    [
      "the list of an embedded page",
      "/embed/property/{token}/components",
      "/embed/property/TOKEN/components",
    ],
    ["an embedded schedule", "/embed/property/{token}/schedule", "/embed/property/TOKEN/schedule"],
    ["a plan", "/v1/property/{id}/plan", "/v1/property/ID/plan?years=30"],
    ["a plan as CSV", "/v1/property/{id}/plan", "/v1/property/ID/plan?years=29&format=csv"],
    ["the portfolio's plan", "/v1/portfolio/plan", "/v1/portfolio/plan?years=30"],
    ["a report", "/v1/property/{id}/report", "/v1/property/ID/report"],
    ["a summary", "/v1/property/{id}/summary", "/v1/property/ID/summary"],
    ["a compliance list", "/v1/property/{id}/compliance", "/v1/property/ID/compliance"],
    ["a plan as a workbook", "/v1/property/{id}/plan", "/v1/property/ID/plan?years=28&format=xlsx"],
    ["a property's losses", "/v1/property/{id}/losses", "/v1/property/ID/losses?deductible=1&risk_load=1"],
    ["the portfolio's losses", "/v1/portfolio/losses", "/v1/portfolio/losses?deductible=2"],
    ["an underwriting page", "/v1/property/{id}/underwriting", "/v1/property/ID/underwriting?deductible=3"],
    ["the effect of claims", "/v1/property/{id}/claims/impact", "/v1/property/ID/claims/impact"],
  ])("stops: %s", async (_, route, path) => await expectStopped(route, path));

  testOnSqlite("is not written if the write has not started", async () => {
    const { server, client } = served;
    const count = async () => (await client.get("/v1/properties")).body.total;
    const before = await count();
    const lock = new Database(join(server.dataDir, "mainstay.db"));
    lock.run("BEGIN IMMEDIATE");
    const body = JSON.stringify(PROPERTY);
    const type = ["Content-Type: application/json", `Content-Length: ${body.length}`];
    const socket = await send("/v1/properties", { method: "POST", headers: type, body });
    const callersPort = socket.localPort!;
    await eventually(() => expect(serverSideOf(callersPort)).toEqual({ isOpen: true, unreadBytes: 0 }));
    socket.destroy();
    await eventually(() => expect(serverSideOf(callersPort).isOpen).toBe(false));
    lock.run("COMMIT");
    lock.close();
    await server.logged(({ method, status }) => method === "POST" && status === CALLER_GONE);
    expect(await count()).toBe(before);
  });
});

/** Sends the request several times, closes the connections at once, and expects that the server stops working on them. */
async function expectStopped(route: string, path: string): Promise<void> {
  const { server } = served;
  const before = server.log.length;
  // The server reads the requests when their callers have gone, however slow this process is.
  process.kill(server.pid, "SIGSTOP");
  const sockets = await Promise.all(Array.from({ length: CALLERS }, () => send(path)));
  for (const socket of sockets) socket.destroy();
  process.kill(server.pid, "SIGCONT");
  const cpuBefore = cpuMs(server.pid);
  const logged = () => server.log.slice(before).filter((line) => line.route === route);
  await eventually(() => expect(logged()).toHaveLength(CALLERS));
  expect(cpuMs(server.pid) - cpuBefore).toBeLessThan(MAX_CPU_MS);
  const statuses = logged().map(({ status }) => status);
  expect(statuses).toContain(CALLER_GONE);
  // On a busy machine, the server may notice some closed connections only when it has made the response.
  expect(statuses.filter((status) => status !== CALLER_GONE && status !== 200)).toEqual([]);
}

/** Resolves with the socket once the request is sent. */
async function send(
  path: string,
  { method = "GET", headers = [] as string[], body = "" } = {},
): Promise<Socket> {
  const { server, partner, property, token } = served;
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  const target = path.replace("TOKEN", token).replace("ID", property.id);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "Host: localhost",
    `X-API-Key: ${partner.api_key}`,
    ...headers,
  ];
  await new Promise((resolve) => socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`, resolve));
  return socket;
}

/** Returns what the kernel knows of the server's end of a connection, by the port of its caller. */
function serverSideOf(callersPort: number): { isOpen: boolean; unreadBytes: number } {
  const hex = (number: number) => number.toString(16).toUpperCase().padStart(4, "0");
  const ends = [new URL(served.server.url).port, callersPort].map((port) => `:${hex(Number(port))}`);
  const rows = readFileSync("/proc/net/tcp", "utf8").split("\n");
  const row = rows
    .map((line) => line.trim().split(/\s+/))
    .find(([, local, remote]) => local?.endsWith(ends[0]!) && remote?.endsWith(ends[1]!));
  // State 1 is an established connection, and 8 one that the caller alone has closed.
  return {
    isOpen: row !== undefined && ["01", "08"].includes(row[3]!),
    unreadBytes: Number.parseInt(row?.[4]?.split(":")[1] ?? "0", 16),
  };
}
