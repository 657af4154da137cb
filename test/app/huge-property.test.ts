import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, startApp } from "../../src/app/app.ts";
import { databaseFile, openDataFolder } from "../../src/app/data-folder.ts";
import { loadConfig } from "../../src/config/load.ts";
import { createLogger } from "../../src/log.ts";
import { createEmbed } from "../../src/usecases/embeds/embeds.ts";
import { createPartner } from "../../src/usecases/partners/partners.ts";

/*
 * The page of a property with tens of thousands of components is created in short steps. A stretch is the processor
 * time of this thread from one iteration of its event loop to the next, as in event-loop-stretches.test.ts. One of
 * two views may be longer, since code runs slower the first time.
 */

const COMPONENTS = 30_000;
const LONGEST_MS = 50;

const folder = mkdtempSync(join(tmpdir(), "mainstay-huge-"));
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const deps = {
  config: loadConfig({
    cwd: folder,
    // Long timeouts, since processor time is measured, however long a busy machine takes.
    env: {
      MAINSTAY_SERVER__PORT: "0",
      MAINSTAY_SERVER__IDLE_TIMEOUT_S: "255",
      MAINSTAY_ADMIN__LISTEN: "127.0.0.1:0",
    },
  }),
  env: {},
  clock: () => Date.parse("2026-03-10T12:00:00Z"),
  random,
  log: createLogger({ level: "error", format: "json", destination: { write: () => {} } }),
};

let app: App;
let page: string;

beforeAll(async () => {
  const data = await openDataFolder(deps);
  const administration = { ...data, random, actor: "test", changed: () => {} };
  const partner = await createPartner(administration, {
    name: "Acme",
    dailyBudget: 1_000_000,
    webhookUrl: null,
  });
  await data.store.close();
  app = await startApp(deps);
  const post = async (path: string, body: object) => {
    const answer = await fetch(app.url + path, {
      method: "POST",
      headers: { "x-api-key": partner.credentials.apiKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(201);
    return (await answer.json()) as { id: string };
  };
  const { id } = await post("/v1/properties", {
    name: "Elm Court",
    address: "1 Elm St",
    state: "NY",
    records_since: "1960-01-01",
  });
  const types = ["water_heater_gas", "refrigerator", "boiler", "ptac", "roof", "elevator", "washer"];
  await post("/v1/appliances/bulk", {
    appliances: Array.from({ length: 280 }, (_, i) => ({
      property_id: id,
      type_id: types[i % types.length],
      install_year: 1980 + (i % 40),
    })),
  });
  await app.stop();
  multiply(id);
  const again = await openDataFolder(deps);
  const { token } = await createEmbed({ ...again, random, actor: "test" }, { propertyId: id, days: null });
  await again.store.close();
  app = await startApp(deps);
  page = `${app.url}/embed/property/${token}`;
}, 120_000);
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true });
});

/** Copies the property's appliances, each into its own unit, until it has that many components. */
function multiply(propertyId: string): void {
  const db = new Database(databaseFile(deps.config.storage.dataDir));
  type Row = Record<string, string | number | null> & { id: string };
  const rowsOf = (table: string) => db.query<Row, []>(`select * from ${table} order by seq`).all();
  const insert = (table: string, row: Row | Omit<Row, "seq">) => {
    const names = Object.keys(row);
    db.query(`insert into ${table} (${names.join()}) values (${names.map(() => "?").join()})`).run(
      ...Object.values(row),
    );
  };
  const [appliances, components] = [rowsOf("appliances"), rowsOf("components")];
  const copies = Math.ceil(COMPONENTS / components.length) - 1;
  db.transaction(() => {
    for (let copy = 1; copy <= copies; copy++) {
      const own = (id: unknown) => `${id}x${copy}`;
      appliances.forEach((one, at) => {
        const unit = { id: own(one.id).replace("A", "U"), number: (copy - 1) * appliances.length + at + 1 };
        insert("units", { ...unit, property_id: propertyId, created_at: one.created_at! });
        const seq = Number(one.seq) + copy * appliances.length;
        insert("appliances", { ...one, id: own(one.id), seq, unit_id: unit.id });
      });
      for (const one of components) {
        const seq = Number(one.seq) + copy * components.length;
        insert("components", { ...one, id: own(one.id), seq, appliance_id: own(one.appliance_id) });
      }
    }
  })();
  db.close();
}

/** Returns the longest stretch while an address is read, in milliseconds of processor time. */
async function longestOf(address: string): Promise<number> {
  let longestMs = 0;
  let isRunning = true;
  const ticks = (async () => {
    while (isRunning) {
      const before = process.threadCpuUsage();
      await new Promise((resolve) => setImmediate(resolve));
      const { user, system } = process.threadCpuUsage(before);
      longestMs = Math.max(longestMs, (user + system) / 1000);
    }
  })();
  const answer = await fetch(address);
  const reader = answer.body!.getReader();
  while (!(await reader.read()).done);
  isRunning = false;
  await ticks;
  expect(answer.status).toBe(200);
  return longestMs;
}

// The page without a budget has the same sections.
test.each([
  "?budget=100000",
  "/components?page=3",
  "/schedule?years=30",
  "/components.csv",
  "/plan.csv",
  "/inspections.csv",
])(
  "%p of the page of a property with tens of thousands of components blocks the event loop only briefly",
  async (path) => {
    if ((await longestOf(page + path)) < LONGEST_MS) return;
    expect(await longestOf(page + path)).toBeLessThan(LONGEST_MS);
  },
  120_000,
);
