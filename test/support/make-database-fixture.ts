/*
 * Creates the fixture of today's schema: `bun build.ts && bun test/support/make-database-fixture.ts`. Run it when a
 * version with a migration is released, and never again for that number: the fixture is what that release left on
 * operators' disks.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQLITE_MIGRATIONS } from "../../src/store/sqlite/sqlite-migrations.ts";
import { EXECUTABLE } from "./executable.ts";
import type { Json } from "./json.ts";

const FIXTURES = join(import.meta.dir, "../fixtures/databases");

const folder = mkdtempSync(join(tmpdir(), "mainstay-fixture-"));
const dataDir = join(folder, "data");
const env = { PATH: "/usr/bin:/bin", MAINSTAY_SNAPSHOT__ENABLED: "false" };

async function run(...args: string[]): Promise<Json> {
  const child = Bun.spawn([EXECUTABLE, ...args, "--data-dir", dataDir, "--json"], { cwd: folder, env });
  const result = await new Response(child.stdout).json();
  if ((await child.exited) !== 0) throw new Error(`mainstay ${args.join(" ")} failed`);
  return result;
}

/** Starts the server, passes on its address, and stops it. */
async function serving(use: (url: string) => Promise<void>): Promise<void> {
  const server = Bun.spawn([EXECUTABLE, "serve", "--port", "0", "--data-dir", dataDir], { cwd: folder, env });
  for await (const chunk of server.stdout) {
    const line = new TextDecoder()
      .decode(chunk)
      .split("\n")
      .find((text) => text.includes('"listening"'));
    if (line === undefined) continue;
    await use(JSON.parse(line).url);
    server.kill("SIGTERM");
  }
  if ((await server.exited) !== 0) throw new Error("the server did not stop as it should");
}

/** Creates a row in every table that a partner's calls fill. */
async function fill(url: string, apiKey: string): Promise<Record<string, string>> {
  const post = async (path: string, body: object | FormData): Promise<Json> => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "x-api-key": apiKey, ...(!isForm && { "content-type": "application/json" }) },
      body: isForm ? body : JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  await post("/onboarding/demo-property", {});
  const property = await post("/v1/properties", {
    name: "Elm Court",
    address: "1 Elm St",
    state: "NY",
    unit_count: 2,
    partner_property_id: "ELM-1",
  });
  const appliance = await post("/v1/appliances", {
    property_id: property.id,
    type_id: "water_heater_gas",
    install_year: 1990,
    serial: "S-1",
  });
  const component = appliance.components[0].id as string;
  const event = { appliance_id: appliance.id, component_id: component, date: "2024-05-06" };
  await post("/v1/service-events/bulk", {
    events: [
      { ...event, event_type: "Repair", notes: "leak", total_cost: 120.5 },
      { ...event, event_type: "Replacement", date: "2025-01-02" },
    ],
  });
  await post(`/v1/property/${property.id}/claims`, {
    claim_type: "water_damage",
    date_of_loss: "2024-05-01",
    amount: 1000,
  });
  await post("/v1/meter-event", { appliance_id: appliance.id, metric: "pressure", value: 3.5 });
  await post("/v1/meter-event/smart/v2", {
    event_type: "water_leak",
    severity: "high",
    property: { property_id: property.id },
    appliance: { appliance_id: appliance.id },
  });
  const photo = new FormData();
  photo.append("file", new File([Buffer.from("89504e470d0a1a0a", "hex")], "leak.png", { type: "image/png" }));
  await post(`/v1/appliances/${appliance.id}/photos`, photo);
  return { property: property.id, appliance: appliance.id, component };
}

const partner = await run("partner", "create", "Acme", "--webhook-url", "http://127.0.0.1:9/hook");
await run("admin", "create", "Night shift");
let ids: Record<string, string> = {};
await serving(async (url) => {
  ids = await fill(url, partner.api_key);
});
await run("snapshot");

const name = `schema-${SQLITE_MIGRATIONS.length}`;
mkdirSync(FIXTURES, { recursive: true });
writeFileSync(
  join(FIXTURES, `${name}.db.gz`),
  Bun.gzipSync(readFileSync(join(dataDir, "mainstay.db")), { level: 9 }),
);
const key = readFileSync(join(dataDir, "mainstay.key"), "utf8").trim();
const [upload] = readdirSync(join(dataDir, "uploads"));
const about = { key, api_key: partner.api_key, partner_id: partner.partner_id, upload, ...ids };
writeFileSync(join(FIXTURES, `${name}.json`), `${JSON.stringify(about, null, 2)}\n`);
rmSync(folder, { recursive: true });
console.log(`${FIXTURES}/${name}.db.gz and .json`);
