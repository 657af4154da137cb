import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { PROPERTY } from "../support/portfolio.ts";
import { rowsOf } from "../support/postgres.ts";
import { PostgresServer } from "../support/postgres-server.ts";

const { install } = useMainstay({ inFolder: true });
/** Archiving succeeds once this file exists. PostgreSQL may run as a user that cannot read the test's own folders. */
const ALLOWED = join(tmpdir(), `mainstay-archive-${crypto.randomUUID()}`);
let postgres: PostgresServer;
let url: string;
let server: Installation;
beforeAll(async () => {
  const settings = { archive_mode: "on", archive_command: `test -e ${ALLOWED}` };
  postgres = await PostgresServer.start({ settings });
  await rowsOf(postgres.url(), "CREATE DATABASE archived ENCODING 'UTF8' TEMPLATE template0");
  url = postgres.url("archived");
  server = install({ storage: { url } });
  await server.start();
});
afterAll(async () => {
  rmSync(ALLOWED, { force: true });
  await postgres.stop();
});

/** Returns the lines of the metrics with these names. */
const scrape = async (names: RegExp) => {
  const text = await (await fetch(`${server.adminUrl}/metrics`)).text();
  return text.split("\n").filter((line) => names.test(line));
};
const ARCHIVED = /^mainstay_backup_ok\{/;
const lastBackup = async (): Promise<Json> =>
  JSON.parse((await server.run("doctor", "--json")).stdout).checks.find(
    ({ name }: Json) => name === "last_backup",
  );

// Rule: archiving-metrics
test("on PostgreSQL, the metrics and the doctor report whether and when WAL is archived", async () => {
  expect(await scrape(/^mainstay_backup_(ok|age_seconds)\{/)).toEqual([]);
  expect(await lastBackup()).toMatchObject({ status: "ok", detail: "no WAL segment was archived yet" });

  await rowsOf(url, "SELECT pg_switch_wal()");
  await eventually(async () =>
    expect(await scrape(ARCHIVED)).toEqual(['mainstay_backup_ok{engine="postgresql"} 0']),
  );
  expect(await lastBackup()).toMatchObject({
    status: "fail",
    detail: "archiving of PostgreSQL's WAL fails; no WAL segment was archived yet",
    remedy: expect.stringContaining("archive_command"),
  });

  writeFileSync(ALLOWED, "");
  await rowsOf(url, "SELECT pg_switch_wal()");
  await eventually(async () =>
    expect(await scrape(ARCHIVED)).toEqual(['mainstay_backup_ok{engine="postgresql"} 1']),
  );
  const [age] = await scrape(/^mainstay_backup_age_seconds\{engine="postgresql"\} /);
  expect(Number(age!.split(" ")[1])).toBeWithin(0, 120);
  expect(await lastBackup()).toMatchObject({
    status: "ok",
    detail: expect.stringMatching(/^the latest WAL segment was archived .* ago$/),
  });
});

// Rule: health-degraded, full-disk
test("a full disk of PostgreSQL is in the health and the metrics, also while the row of the check has room", async () => {
  const partner = server.as(await server.createPartner());
  await rowsOf(
    url,
    `CREATE FUNCTION lacks_space() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
     CREATE TRIGGER lacks_space BEFORE INSERT ON properties FOR EACH ROW EXECUTE FUNCTION lacks_space()`,
  );
  server.expectFault(/no storage/);
  expect((await server.anonymous.get("/health")).body.checks.database).toBe("ok");
  await partner.post("/v1/properties", PROPERTY, 503);
  expect((await server.anonymous.get("/health", {}, 503)).body).toMatchObject({
    status: "degraded",
    checks: { database: "full" },
  });
  expect(await scrape(/^mainstay_health_check_ok\{check="database"/)).toEqual([
    'mainstay_health_check_ok{check="database"} 0',
  ]);
  await rowsOf(url, "DROP FUNCTION lacks_space CASCADE");
});

// Rule: health-metrics
test("without the database, the metrics of the server remain, and those of the database have no value", async () => {
  const STORED = /^mainstay_(components|backup_ok|properties|model_info)\b/;
  const before = (await scrape(STORED)).map((line) => line.split(" ")[0]!);
  expect(before).toContain('mainstay_components{tier="GOOD"}');
  await postgres.stop();
  server.expectFault(/renew|changes by another process|no storage|webhook outbox|job failed/);
  await eventually(async () =>
    expect(await scrape(/^mainstay_(health_check_ok\{check="database"|servers_alive )/)).toEqual([
      'mainstay_health_check_ok{check="database"} 0',
      "mainstay_servers_alive 1",
    ]),
  );
  expect(await scrape(STORED)).toEqual([]);
  expect(server.log).toContainEqual(
    expect.objectContaining({
      level: "warn",
      msg: expect.stringMatching(/^metrics without those of the database/),
    }),
  );
  await postgres.start();
  await eventually(async () =>
    expect((await scrape(STORED)).map((line) => line.split(" ")[0]!)).toEqual(before),
  );
  await server.stop();
});
