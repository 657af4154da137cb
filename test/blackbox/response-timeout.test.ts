import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import { useMainstay } from "../support/mainstay.ts";
import { addAppliance, addProperty, PROPERTY } from "../support/portfolio.ts";
import { testOnSqlite } from "../support/postgres.ts";

const { serve } = useMainstay();

// A plan that is out of date is renewed before the response, which waits here for another process's transaction.
testOnSqlite("a response that is not ready within limits.response_timeout_s is a 503", async () => {
  const server = await serve({ limits: { response_timeout_s: 1 } });
  const client = server.as(await server.createPartner());
  const property = await addProperty(client);
  await addAppliance(client, property.id);
  const lock = new Database(join(server.dataDir, "mainstay.db"));
  lock.run("BEGIN IMMEDIATE");

  const write = client.ask("POST", "/v1/properties", 503, { body: PROPERTY });
  const plan = await client.get("/v1/portfolio/plan", {}, 503);
  expect(plan.body).toMatchObject({
    error: "The response was not ready within 1 s. Retry later.",
    code: "unavailable",
  });
  expect(Number(plan.headers.get("retry-after"))).toBeGreaterThan(0);
  const { status } = await server.logged(({ route }) => route === "/v1/portfolio/plan");
  expect(status).toBe(503);

  // On a busy machine, the write's time begins later than the first plan's.
  await client.get("/v1/portfolio/plan", {}, 503);
  lock.run("COMMIT");
  lock.close();
  // A write that has not started by then has no effect.
  expect((await write).body.error).toBe("The response was not ready within 1 s. Retry later.");
  expect((await client.get("/v1/properties")).body.total).toBe(1);
  const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
  expect(metrics).toContain(
    'mainstay_http_requests_total{route="/v1/portfolio/plan",method="GET",status="503"} 2',
  );
  expect((await client.get("/v1/portfolio/plan")).body.total).toBe(1);
});
