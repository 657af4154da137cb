import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readApiDocument, requiredQuery } from "../support/api-document.ts";
import type { Json } from "../support/json.ts";
import { useMainstay } from "../support/mainstay.ts";
import { leftBy, RELEASED_DATABASES } from "../support/released-database.ts";

const { install } = useMainstay();
const released = readdirSync(RELEASED_DATABASES).flatMap(
  (name) => /^(schema-\d+)\.db\.gz$/.exec(name)?.[1] ?? [],
);

/** The paths of records whose IDs are not known of a fixture. Their lists are read. */
const UNNAMED = /\{claim_id\}|^\/service-events\//;

/** Returns all GET URLs of the API document for the records of the fixture. */
function everyRead({ property, appliance, component, upload }: Json): string[] {
  return Object.entries(readApiDocument().paths)
    .filter(([path, item]) => "get" in item && path !== "/openapi.json" && !UNNAMED.test(path))
    .map(([path, { get }]) => {
      const id = path.startsWith("/components/")
        ? component
        : path.startsWith("/appliances/")
          ? appliance
          : property;
      const filled = path.replace("{id}", id).replace("{filename}", upload);
      return `/v1${filled}?${requiredQuery(get!)}`;
    });
}

test("a fixture of a released schema exists", () => expect(released).toContain("schema-1"));

describe.each(released)("a database of %s", (release) => {
  test("is served by the current executable with every read", async () => {
    const { left, about } = leftBy(release, install());
    await left.start();
    const client = left.as(about);
    const reads = everyRead(about);
    expect(reads.length).toBeGreaterThan(20);
    for (const path of reads) expect((await client.send("GET", path)).status, path).toBe(200);
    expect((await client.get(`/v1/components/${about.component}/trend`)).body.total).toBeGreaterThan(0);
    const [stored] = await left.sql("SELECT sum(bytes) AS bytes FROM photos");
    expect(Number(stored!.bytes)).toBeGreaterThan(0);
    expect(await left.json("partner", "show", about.partner_id)).toMatchObject({
      properties: 2,
      photo_bytes: Number(stored!.bytes),
    });
    expect((await left.json("doctor", "--full")).failed).toBe(0);
    await left.stop();
    expect(
      (await left.json("export", "--partner", about.partner_id, "--output", "all.ndjson")).counts,
    ).toMatchObject({
      property: 2,
      claim: 2,
      outcome: expect.any(Number),
      photo: 1,
      sensor_event: 2,
    });
  });

  test("can be backed up and restored by the current executable", async () => {
    const { left, about } = leftBy(release, install());
    const { schema_version } = await left.json("backup", join(left.folder, "x.backup"));
    expect(`schema-${schema_version}`).toBe(release);
    const into = install();
    const { pending_migrations } = await into.json("restore", join(left.folder, "x.backup"));
    await into.start();
    await into.as(about).get(`/v1/properties/${about.property}`);
    const copies = pending_migrations === 0 ? 0 : 1;
    expect(readdirSync(into.dataDir).filter((name) => name === "backups")).toHaveLength(copies);
  });
});

describe("a database that model 1 has scored", () => {
  const announcedBy = async (...flags: string[]) => {
    const { left, about } = leftBy("schema-1", install());
    const doctor = async () =>
      (await left.json("doctor")).checks.find((check: Json) => check.name === "model");
    expect(await doctor()).toMatchObject({ status: "warn", detail: expect.stringContaining("used model 1") });
    await left.json("migrate");
    const taken = await left.json("snapshot", ...flags);
    expect(await doctor()).toMatchObject({ status: "ok", detail: "model 3; latest snapshot: model 3" });
    const tomorrow = await left.json("snapshot");
    expect(tomorrow).toMatchObject({ already_done: true, held_back: taken.held_back });
    return { taken, left, about };
  };

  // Rule: model-change
  test("is rescored by the first snapshot, which sends no alerts", async () => {
    const { taken, left, about } = await announcedBy();
    expect(taken).toMatchObject({ announced: 0, already_done: false });
    expect(taken.changed).toBeGreaterThan(0);
    expect(taken.held_back).toBeGreaterThan(0);
    await left.start();
    const { components } = (await left.as(about).get("/v1/components", { limit: 200 })).body;
    expect(components.length).toBe(taken.components);
  });

  // Rule: model-change
  test("sends all alerts with --announce-model-change", async () => {
    const held = (await announcedBy()).taken.held_back;
    const { taken } = await announcedBy("--announce-model-change");
    expect(taken).toMatchObject({ announced: held, held_back: 0 });
  });

  // Rule: record-begins
  test("has the start of the records for each property", async () => {
    const { left, about } = leftBy("schema-1", install());
    await left.start();
    const client = left.as(about);
    const property = (await client.get(`/v1/properties/${about.property}`)).body;
    const registered = property.created_at.slice(0, 10);
    expect(property.records_since <= registered).toBe(true);
    // null derives the day from the events, as the upgrade has done.
    await client.put(`/v1/properties/${about.property}`, { records_since: "2000-01-01" });
    const again = (await client.put(`/v1/properties/${about.property}`, { records_since: null })).body;
    expect(again.records_since).toBe(property.records_since);
  });
});

describe("a database from a newer version", () => {
  // Rule: newer-database
  test("prevents the start and every command, and is not changed", async () => {
    const { left, about } = leftBy(released[0]!, install());
    const file = join(left.dataDir, "mainstay.db");
    const db = new Database(file);
    db.run("INSERT INTO schema_migrations VALUES (99, 'later', 'x', 0)");
    db.close();
    const before = readFileSync(file);
    for (const args of [
      ["serve", "--port", "0"],
      ["partner", "list"],
      ["export", "--partner", about.partner_id],
    ]) {
      const { code, stderr } = await left.run(...args);
      expect(code, args.join(" ")).toBe(1);
      expect(stderr).toContain("newer version of Mainstay");
    }
    expect(readFileSync(file)).toEqual(before);
    const { code, stdout } = await left.run("doctor", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout).checks).toContainEqual(
      expect.objectContaining({ name: "schema", status: "fail" }),
    );
  });
});
