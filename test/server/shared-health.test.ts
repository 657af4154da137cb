import { expect, test } from "bun:test";
import type { ServiceHealth } from "../../src/monitoring/monitored-service-health.ts";
import { composeServerHealthCheckLimit } from "../../src/server/server-health-probe.ts";

test("the health is checked ten times a second at most, and at once when the server begins to drain", async () => {
  let now = 0;
  let isDraining = false;
  let checks = 0;
  const health = composeServerHealthCheckLimit(
    () => now,
    () => isDraining,
    async () => ({ uptimeMs: ++checks }) as ServiceHealth,
  );
  for (let nth = 1; nth <= 10; nth++) expect((await health()).uptimeMs).toBe(nth);
  now = 999;
  for (let nth = 0; nth < 100; nth++) expect((await health()).uptimeMs).toBe(10);
  isDraining = true;
  for (let nth = 0; nth < 100; nth++) expect((await health()).uptimeMs).toBe(11);
  now = 1000;
  expect((await health()).uptimeMs).toBe(12);
});
