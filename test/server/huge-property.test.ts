import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config/load-config.ts";
import { USUAL_TERMS } from "../../src/domain/planning/plan-terms.ts";
import type { Property } from "../../src/domain/property.ts";
import { NO_BRAND } from "../../src/domain/rules/partner-brand-rule.ts";
import type { Steps } from "../../src/domain/steps/computation-steps.ts";
import { runYielding, yieldToEventLoop } from "../../src/event-loop/event-loop.ts";
import { csvReplyChunks } from "../../src/http/csv-replies.ts";
import { embeddedKnowledge } from "../../src/knowledge/embedded-knowledge.ts";
import { createLogger } from "../../src/logging/logger.ts";
import {
  type DataFolder,
  openServerDataFolder,
  serverDatabaseFile,
} from "../../src/server/server-data-folder.ts";
import { type App, startServer } from "../../src/server/start-server.ts";
import { createEmbed } from "../../src/usecases/embeds/create-or-revoke-embed.ts";
import { createPartner } from "../../src/usecases/partners/create-partner-and-credentials.ts";
import { loadPropertyFigures } from "../../src/usecases/portfolio/load-property-figures.ts";
import { recountDerivedData } from "../../src/usecases/recalculation/recount-derived-data.ts";
import { embedPageBrand } from "../../src/web/embed/embed-brand.tsx";
import { renderEmbedComponentList } from "../../src/web/embed/embed-pages.tsx";
import { renderEmbedSchedulePage } from "../../src/web/embed/embed-schedule-page.tsx";
import { pageCsvRows } from "../../src/web/page/page-csv-rows.ts";
import { briefly } from "../support/stretches.ts";

/*
 * The page of a property with tens of thousands of components is created in short steps, and so are the lists and files
 * below it. These rest on the same figures, which take most of the time, so that they are calculated once for all of them.
 */

const COMPONENTS = 20_000;

const folder = mkdtempSync(join(tmpdir(), "mainstay-huge-"));
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const deps = {
  config: loadConfig({
    cwd: folder,
    // Long timeouts, since processor time is measured, however long a busy machine takes.
    env: {
      MAINSTAY_SERVER__PORT: "0",
      MAINSTAY_SERVER__IDLE_TIMEOUT_S: "255",
      MAINSTAY_LIMITS__RESPONSE_TIMEOUT_S: "3600",
      MAINSTAY_ADMIN__LISTEN: "127.0.0.1:0",
    },
  }),
  env: {},
  clock: () => Date.parse("2026-03-10T12:00:00Z"),
  random,
  log: createLogger({ level: "error", format: "json", destination: { write: () => {} } }),
};

let app: App;
let data: DataFolder;
let property: Property;

beforeAll(async () => {
  data = await openServerDataFolder(deps);
  const { partner, credentials } = await createPartner(
    { ...data, random, actor: "test", changed: () => {} },
    { name: "Acme", dailyBudget: 1_000_000, webhookUrl: null },
  );
  app = await startServer(deps);
  const post = async (path: string, body: object) => {
    const answer = await fetch(app.url + path, {
      method: "POST",
      headers: { "x-api-key": credentials.apiKey, "content-type": "application/json" },
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
  multiply();
  property = (await data.store.read.properties.find(partner.id, id))!;
});
afterAll(async () => {
  await data.store.close();
  await app.stop();
  rmSync(folder, { recursive: true });
});

/** Copies the property's appliances, each into its own unit, until it has that many components. */
function multiply(): void {
  const db = new Database(serverDatabaseFile(deps.config.storage.dataDir));
  db.run("PRAGMA busy_timeout = 10000");
  const countOf = (table: string) => db.query<{ n: number }, []>(`SELECT count(*) n FROM ${table}`).get()!.n;
  const [appliances, components] = [countOf("appliances"), countOf("components")];
  const copies = Math.ceil(COMPONENTS / components) - 1;
  const copied = (table: string, changed: Readonly<Record<string, string>>) => {
    const names = db.query<{ name: string }, [string]>("SELECT name FROM pragma_table_info(?)").all(table);
    const values = names.map(({ name }) => changed[name] ?? name);
    return `INSERT INTO ${table} (${names.map(({ name }) => name).join()})
      WITH RECURSIVE copy (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ${copies})
      SELECT ${values.join()} FROM copy, (SELECT * FROM ${table}) ORDER BY n, seq`;
  };
  const own = (id: string) => `${id} || 'x' || n`;
  const unit = `replace(${own("id")}, 'A', 'U')`;
  db.transaction(() => {
    db.run(copied("appliances", { id: own("id"), seq: `seq + n * ${appliances}`, unit_id: unit }));
    db.run(
      copied("components", {
        id: own("id"),
        seq: `seq + n * ${components}`,
        appliance_id: own("appliance_id"),
      }),
    );
    db.run(`INSERT INTO units (id, property_id, number, created_at)
      SELECT unit_id, property_id, row_number() OVER (ORDER BY seq), created_at FROM appliances WHERE unit_id IS NOT NULL`);
  })();
  db.close();
}

test("the page of a property with tens of thousands of components blocks the event loop only briefly", async () => {
  const { token } = await createEmbed(
    { ...data, random, actor: "test" },
    { propertyId: property.id, days: null },
  );
  let budget = 100_000;
  const text = await briefly("the page", async () => {
    const answer = await fetch(`${app.url}/embed/property/${token}?budget=${budget++}`);
    expect(answer.status).toBe(200);
    return await answer.text();
  });
  expect(text).toMatch(/ · 2\d,\d{3} components</);
});

test("so do the lists and files below it", async () => {
  const { store } = data;
  const figures = await briefly("their figures", () =>
    loadPropertyFigures(
      {
        store,
        knowledge: embeddedKnowledge(),
        now: deps.clock(),
        yieldNow: yieldToEventLoop,
        reserveMemory: () => {},
      },
      property,
      { chosen: undefined, terms: { ...USUAL_TERMS, years: 30 }, defaultTrend: () => undefined },
    ),
  );
  expect(figures.components.length).toBeGreaterThanOrEqual(COMPONENTS);
  const rendered = <T>(what: string, steps: () => Steps<T>) =>
    briefly(what, () => runYielding(steps(), yieldToEventLoop));
  const at = { style: "", script: "", back: "", csv: "", workbook: "", brand: embedPageBrand(NO_BRAND, "") };
  await rendered("the list of components", () => renderEmbedComponentList(figures, 3, at));
  await rendered("the schedule", () => renderEmbedSchedulePage(figures, at));
  for (const file of ["components", "plan", "inspections"] as const) {
    const { heading, rows } = await rendered(`${file}.csv`, () => pageCsvRows(file, figures));
    await briefly(`the text of ${file}.csv`, () =>
      csvReplyChunks(heading, rows, (row) => row, yieldToEventLoop),
    );
  }
});

test("and so does a recount of its sums", async () => {
  const { store } = data;
  const knowledge = embeddedKnowledge();
  const found = await briefly("the recount", () =>
    recountDerivedData({ store, knowledge, clock: deps.clock, yieldNow: yieldToEventLoop }, false),
  );
  // The copies are in no sum.
  expect(found.property_totals).toBe(1);
});
