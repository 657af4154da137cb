import { beforeAll, describe, expect, test } from "bun:test";
import { type Administrator, createAdministrator } from "../support/administrator.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";

/* A snapshot that a clock that was ahead has left: it blocks those of today and the following days. */

const FUTURE = "2090-01-01";
const REMEDY = "mainstay snapshot --discard-later";
const { serve } = useMainstay();

describe.each([
  ["finished", `UPDATE snapshot_runs SET day = '${FUTURE}'`],
  ["interrupted", `UPDATE snapshot_runs SET day = '${FUTURE}', finished_at = NULL`],
])("a snapshot dated in the future, %s, is late", (_, change) => {
  let server: Installation;
  let admin: Administrator;
  beforeAll(async () => {
    server = await serve({ snapshot: { enabled: true } });
    admin = await createAdministrator(server);
    await server.json("snapshot");
    expect(await late()).toEqual({ health: 200, metric: 0, doctor: "ok", overview: "ok" });
    await server.sql(change);
  });

  const metric = async () => {
    const text = await (await fetch(`${server.adminUrl}/metrics`)).text();
    return Number(/^mainstay_snapshot_dated_in_future (\S+)$/m.exec(text)?.[1]);
  };
  const doctor = async () => snapshotCheck(JSON.parse((await server.run("doctor", "--json")).stdout).checks);
  const overview = async () => snapshotCheck((await admin.client.get("/admin/overview")).body.checks);
  const snapshotCheck = (checks: Json[]) => checks.find(({ name }) => name === "snapshot")!;
  const late = async () => ({
    health: (await fetch(`${server.url}/health`)).status,
    metric: await metric(),
    doctor: (await doctor()).status,
    overview: (await overview()).status,
  });
  const warning = {
    status: "warn",
    detail: `late: a snapshot is dated ${FUTURE}, in the future, and prevents those of earlier days`,
    remedy: expect.stringContaining(REMEDY),
  };

  // Rule: future-snapshot
  test("in the health", async () => {
    const { body } = await server.anonymous.get("/health", {}, 503);
    expect(body).toMatchObject({ status: "degraded", checks: { database: "ok", scheduler: "late" } });
    expect((await server.run("healthcheck", "--port", new URL(server.url).port)).code).toBe(1);
  });

  // Rule: future-snapshot
  test("in the metrics", async () => {
    expect(await metric()).toBe(1);
  });

  // Rule: future-snapshot
  test("in the doctor, with the remedy", async () => {
    expect(await doctor()).toMatchObject(warning);
  });

  // Rule: future-snapshot
  test("in the console's overview, with the remedy", async () => {
    expect(await overview()).toMatchObject(warning);
  });

  // Rule: future-snapshot
  test("until the remedy has been run", async () => {
    expect((await server.json("snapshot", "--discard-later")).discarded).toBe(1);
    expect(await late()).toEqual({ health: 200, metric: 0, doctor: "ok", overview: "ok" });
  });
});
