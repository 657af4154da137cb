import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readApiDocument } from "../support/api-document.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";

const { install } = useMainstay();
const FIXTURES = join(import.meta.dir, "../fixtures/databases");
const PICTURE = Buffer.from("89504e470d0a1a0a", "hex");
const released = readdirSync(FIXTURES).flatMap((name) => /^(schema-\d+)\.db\.gz$/.exec(name)?.[1] ?? []);

/** The data folder that the release left behind. */
function leftBy(release: string): { left: Installation; about: Json } {
  const left = install();
  const about = JSON.parse(readFileSync(join(FIXTURES, `${release}.json`), "utf8"));
  mkdirSync(join(left.dataDir, "uploads"), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(left.dataDir, "mainstay.db"),
    Bun.gunzipSync(readFileSync(join(FIXTURES, `${release}.db.gz`))),
  );
  writeFileSync(join(left.dataDir, "mainstay.key"), `${about.key}\n`, { mode: 0o600 });
  writeFileSync(join(left.dataDir, "uploads", about.upload), PICTURE);
  return { left, about };
}

/** Every address of the API document that is read, for the records of the fixture. */
function everyRead({ property, appliance, component, upload }: Json): string[] {
  return Object.entries(readApiDocument().paths)
    .filter(([path, item]) => "get" in item && path !== "/openapi.json")
    .map(([path, item]) => {
      const id = path.startsWith("/components/")
        ? component
        : path.startsWith("/appliances/")
          ? appliance
          : property;
      const filled = path.replace("{id}", id).replace("{filename}", upload);
      const query = path === "/events" ? "?since=2020-01-01T00:00:00.000Z" : "";
      return `${item.servers ? "" : "/v1"}${filled}${query}`;
    });
}

test("there is a fixture of a released schema", () => expect(released).toContain("schema-1"));

describe.each(released)("a database of %s", (release) => {
  test("is served by today's executable, with every read", async () => {
    const { left, about } = leftBy(release);
    await left.start();
    const client = left.as(about);
    const reads = everyRead(about);
    expect(reads.length).toBeGreaterThan(20);
    for (const path of reads) expect((await client.send("GET", path)).status, path).toBe(200);
    expect((await client.get(`/v1/components/${about.component}/trend`)).body.total).toBeGreaterThan(0);
    expect((await left.json("partner", "show", about.partner_id)).properties).toBe(2);
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

  test("is backed up by today's executable as it is, and restored", async () => {
    const { left, about } = leftBy(release);
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

describe("a database from a newer version", () => {
  // Rule: newer-database
  test("stops the start and every command, and stays as it is", async () => {
    const { left, about } = leftBy(released[0]!);
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
