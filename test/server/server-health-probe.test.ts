import { beforeEach, expect, test } from "bun:test";
import { checkServerHealth, type HealthDeps } from "../../src/server/server-health-probe.ts";
import { takeSnapshot } from "../../src/usecases/snapshot/take-snapshot.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../support/portfolio-store.ts";

const THREE = Date.parse("2026-03-10T03:00:00Z");
const HOUR = 3_600_000;
const open = usePortfolioStore();
let fixture: PortfolioFixture;
let health: (changes?: Partial<HealthDeps>) => ReturnType<typeof checkServerHealth>;
beforeEach(async () => {
  fixture = await open(THREE);
  const { store, clock } = fixture;
  health = (changes = {}) =>
    checkServerHealth({
      clockOffMs: () => 0,
      store,
      clock,
      version: "1.2.3",
      isDraining: () => false,
      schedulerOn: true,
      uptimeMs: () => 1000 * HOUR,
      outboxRuns: () => true,
      pages: () => ({ state: "ok" }),
      lastBackup: () => undefined,
      ...changes,
    });
});
const take = (day = "2026-03-10") => {
  const { store, clock } = fixture;
  const signal = new AbortController().signal;
  return takeSnapshot(
    { store, knowledge, clock, monotonicMs: () => performance.now(), yieldNow: async () => {}, signal },
    day,
  );
};

// Rule: health-degraded
test("a snapshot is late more than 26 hours after the one before", async () => {
  await take();
  fixture.time.now = THREE + 26 * HOUR;
  expect(await health()).toMatchObject({ status: "ok", checks: { scheduler: "ok" } });
  fixture.time.now += 1;
  expect(await health()).toMatchObject({
    status: "degraded",
    checks: { database: "ok", scheduler: "late" },
    lastSnapshot: { date: "2026-03-10", finishedAt: THREE },
  });
});

test("before the first snapshot, only a server that has run for more than 26 hours is late", async () => {
  expect(await health({ uptimeMs: () => 26 * HOUR })).toMatchObject({ status: "ok", lastSnapshot: null });
  expect(await health({ uptimeMs: () => 26 * HOUR + 1 })).toMatchObject({ status: "degraded" });
  expect(await health({ schedulerOn: false })).toMatchObject({ status: "ok", checks: { scheduler: "off" } });
});

// Rule: future-snapshot
test("a snapshot dated in the future is late at once, also on a server that has just started", async () => {
  await take("2026-04-09");
  const started = { uptimeMs: () => 1000 };
  expect(await health(started)).toMatchObject({ status: "degraded", checks: { scheduler: "late" } });
  expect(await health({ ...started, schedulerOn: false })).toMatchObject({ checks: { scheduler: "off" } });
  fixture.time.now = Date.parse("2026-04-09T03:00:00Z");
  expect(await health(started)).toMatchObject({ status: "ok", checks: { scheduler: "ok" } });
});

test("a snapshot dated tomorrow is accepted in the last minute of a day, since clocks of servers differ", async () => {
  await take("2026-03-11");
  fixture.time.now = Date.parse("2026-03-10T23:58:59.999Z");
  expect(await health()).toMatchObject({ checks: { scheduler: "late" } });
  fixture.time.now += 1;
  expect(await health()).toMatchObject({ checks: { scheduler: "ok" } });
});

// Rule: health-clock
test("a clock that is more than an hour behind the newest record is off, but does not degrade the service", async () => {
  fixture.time.now = THREE + HOUR;
  await fixture.addProperty();
  fixture.time.now = THREE;
  const started = { uptimeMs: () => 1000 };
  expect(await health(started)).toMatchObject({ status: "ok", checks: { clock: "ok" } });
  fixture.time.now -= 1;
  expect(await health(started)).toMatchObject({ status: "ok", checks: { clock: "off" } });
});
