import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import pg from "pg";
import { WARNING_FROM } from "../../../src/domain/component.ts";
import { dayOf, MS_PER_DAY } from "../../../src/domain/time.ts";
import { createEncryptor } from "../../../src/secrets/encryptor.ts";
import type { MasterKey } from "../../../src/secrets/master-key.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { createPartner } from "../../../src/usecases/partners/create-partner-and-credentials.ts";
import { renewChangedPlans } from "../../../src/usecases/planning/load-portfolio-plan.ts";
import { createAppliance } from "../../../src/usecases/portfolio/create-or-change-appliance.ts";
import { createPropertyAndQueueWebhook } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { writePortfolio } from "../../../src/usecases/portfolio/portfolio-writer.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import { APPLIANCE, knowledge, PROPERTY } from "../../support/portfolio-store.ts";
import { rowsOf, textsSent } from "../../support/postgres.ts";
import { PostgresServer } from "../../support/postgres-server.ts";

const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const APPLIANCES = 40;
let server: PostgresServer;
let store: Store;
let now = Date.parse("2026-03-10T03:00:00Z");
const clock = () => now;
beforeAll(async () => {
  server = await PostgresServer.start();
  store = await openPostgresStore(server.url(), { clock, random });
});
afterAll(async () => {
  await store.close();
  await server.end();
});

const snapshot = () =>
  takeSnapshot(
    {
      store,
      knowledge,
      clock,
      monotonicMs: () => performance.now(),
      yieldNow: async () => {},
      signal: new AbortController().signal,
    },
    dayOf(now),
  );

test("a snapshot that moves every trend writes their rows together, and drops old ones after that", async () => {
  const encryptor = createEncryptor(new Uint8Array(32) as MasterKey);
  const administration = { store, encryptor, random, actor: "test", changed: () => {} };
  const { partner } = await createPartner(administration, {
    name: "Acme",
    dailyBudget: 1,
    webhookUrl: null,
  });
  await writePortfolio(store.write, knowledge, partner, async (writer) => {
    const { id: propertyId } = await createPropertyAndQueueWebhook(writer, PROPERTY, { source: "api" });
    for (let nth = 0; nth < APPLIANCES; nth++) await createAppliance(writer, { ...APPLIANCE, propertyId });
  });
  await snapshot();
  await rowsOf(
    server.url(),
    `INSERT INTO risk_snapshots SELECT id, day, 1 FROM components, unnest(array['2024-01-01', '2024-02-01', '2026-01-01']) day`,
  );
  // Every score moves.
  await rowsOf(server.url(), "UPDATE components SET trend_score = 0");
  now += MS_PER_DAY;
  const query = spyOn(pg.Client.prototype, "query");
  const { components } = await snapshot();
  const sent = textsSent(query);
  query.mockRestore();
  expect(components).toBeGreaterThan(APPLIANCES);
  const rows = await rowsOf(
    server.url(),
    "SELECT day, count(*) AS n FROM risk_snapshots GROUP BY day ORDER BY day",
  );
  expect(rows).toEqual(
    ["2024-02-01", "2026-01-01", "2026-03-10", "2026-03-11"].map((day) => ({ day, n: components })),
  );
  const inserts = sent.filter((text) => text.includes('into "risk_snapshots"'));
  expect(inserts.length).toBeLessThan(5);
  const deletions = sent.filter((text) => text.startsWith('delete from "risk_snapshots"'));
  expect(deletions).toHaveLength(1);
});

test("a component whose score stays does so on its page, where no index needs a new entry", async () => {
  const pages = () =>
    rowsOf(
      server.url(),
      "SELECT id, risk_score, split_part(ctid::text, ',', 1) AS page FROM components ORDER BY id",
    );
  const before = await pages();
  expect(new Set(before.map(({ page }) => page)).size).toBeGreaterThan(5);
  now += MS_PER_DAY;
  await snapshot();
  const after = await pages();
  const [had, has] = [before, after].map((rows) =>
    // The alerts' order by cost has an entry of every component from WARNING on, whose probability grows each day.
    rows.filter(
      (_, nth) =>
        before[nth]!.risk_score === after[nth]!.risk_score && Number(before[nth]!.risk_score) < WARNING_FROM,
    ),
  );
  expect(has!.length).toBeGreaterThan(before.length / 4);
  expect(has).toEqual(had!);
});

test("the plans of several properties are stored together", async () => {
  const [partner] = await store.read.partners.list();
  const ids: string[] = [];
  await writePortfolio(store.write, knowledge, partner!, async (writer) => {
    for (let nth = 0; nth < 20; nth++) {
      const { id: propertyId } = await createPropertyAndQueueWebhook(writer, PROPERTY, { source: "api" });
      await createAppliance(writer, { ...APPLIANCE, propertyId, installYear: 1980 });
      ids.push(propertyId);
    }
  });
  const query = spyOn(pg.Client.prototype, "query");
  await renewChangedPlans({ store, knowledge, clock, yieldNow: async () => {} }, partner!.id);
  const sent = textsSent(query);
  query.mockRestore();
  expect(await store.read.plans.changed(partner!.id, 1)).toEqual([]);
  expect([...(await store.read.plans.ofProperties(ids)).keys()].toSorted()).toEqual(ids.toSorted());
  const [row] = await rowsOf(server.url(), "SELECT count(DISTINCT property_id) AS n FROM plan_actions");
  expect(Number(row!.n)).toBeGreaterThanOrEqual(ids.length);
  const together = sent.filter((text) => /^insert into "plan_|^select "subject_id"/.test(text));
  expect(together.length).toBeLessThan(6);
});
