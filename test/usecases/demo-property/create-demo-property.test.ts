import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { propertyConditionOf } from "../../../src/domain/figures/property-condition.ts";
import type { Partner } from "../../../src/domain/partner.ts";
import { daysBetween } from "../../../src/domain/time.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { createDemoProperty } from "../../../src/usecases/demo-property/create-demo-property.ts";
import { DEMO_PROPERTY } from "../../../src/usecases/demo-property/demo-property-content.ts";
import { writePortfolio } from "../../../src/usecases/portfolio/portfolio-writer.ts";

const knowledge = embeddedKnowledge();
const folder = mkdtempSync(join(tmpdir(), "mainstay-demo-property-"));
const stores: Store[] = [];
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  rmSync(folder, { recursive: true });
});

/** Creates a partner in an empty database, at noon of a day. */
async function partnerOn(day: string) {
  const now = Date.parse(`${day}T12:00:00Z`);
  const store = openSqliteStore(join(folder, `${stores.length}.db`), {
    clock: () => now,
    random: (bytes) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  });
  stores.push(store);
  const partner: Partner = {
    id: "PARTNER_1",
    name: "Acme",
    enabled: true,
    dailyBudget: 1,
    credentialGeneration: 1,
    createdAt: now,
  };
  await store.write((tx) => tx.partners.insert(partner));
  const create = () => writePortfolio(store.write, knowledge, partner, createDemoProperty);
  return { store, partner, create };
}

describe.each(["2026-01-01", "2026-07-01", "2026-12-31", "2028-02-29"])("on %s", (day) => {
  // Rule: demo-contents
  test("creates a property with data for every report", async () => {
    const { store, partner, create } = await partnerOn(day);
    const { property, appliances, components } = await create();
    expect(property).toMatchObject({ unitCount: 24, isDemo: true, source: "demo" });
    expect(property.estimatedValueCents).toBeGreaterThan(0);

    const made = await store.read.appliances.ofProperty(property.id);
    expect(made).toHaveLength(appliances);
    expect(appliances).toBeGreaterThanOrEqual(12);
    expect(new Set(made.map(({ typeId }) => typeId)).size).toBeGreaterThanOrEqual(8);
    expect(made.some(({ unitId }) => unitId === null)).toBe(true);
    expect(made.some(({ unitId }) => unitId !== null)).toBe(true);

    const totals = await store.read.totals.ofProperty(property.id);
    const rows = await store.read.components.rowsOfProperty(property.id);
    expect(totals).toMatchObject({ appliances, components });
    expect(rows).toHaveLength(components);
    expect(rows.filter((row) => row.riskTier === "CRITICAL")).toHaveLength(totals.critical);
    expect(totals.critical).toBeGreaterThanOrEqual(10);
    expect(totals.warning).toBeGreaterThanOrEqual(10);
    expect(totals.components - totals.critical - totals.warning).toBeGreaterThanOrEqual(50);
    expect(propertyConditionOf(property, totals)).toMatchObject({ grade: "B", rating: "GOOD" });

    expect(await store.read.claims.count(property.id)).toBe(1);
    expect(await store.read.totals.ofPartner(partner.id)).toMatchObject({ properties: 1, components });
  });

  // Rule: demo-contents
  test("has no date before an appliance's installation or after today, over ten years", async () => {
    let oldest = 0;
    for (const { typeId, ageYears, visits } of DEMO_PROPERTY.appliances)
      for (const { daysAgo, every = 0, times = 1 } of visits) {
        const first = daysAgo + every * (times - 1);
        const age = daysBetween(`${Number(day.slice(0, 4)) - ageYears}-07-01`, day);
        expect(first, `${typeId}, ${first} days ago`).toBeLessThanOrEqual(age);
        expect(daysAgo).toBeGreaterThan(0);
        oldest = Math.max(oldest, first);
      }
    expect(oldest / 365.25).toBeGreaterThan(9.5);
  });
});

test("mentions only components that the appliance has", () => {
  for (const { typeId, visits } of DEMO_PROPERTY.appliances) {
    const known = knowledge.types.get(typeId)!.components.map(({ id }) => id);
    for (const { on } of visits) if (on !== undefined) expect(known).toContain(on);
  }
});

test("gives every caller of a day the same scores", async () => {
  const scores = async () => {
    const { store, create } = await partnerOn("2026-03-15");
    const { property } = await create();
    const rows = await store.read.components.rowsOfProperty(property.id);
    return rows.map(({ seq, defId, riskScore, confidence }) => ({ seq, defId, riskScore, confidence }));
  };
  expect(await scores()).toEqual(await scores());
});

test("logs the history in order", async () => {
  const { store, create } = await partnerOn("2026-03-15");
  const { property } = await create();
  const machine = (await store.read.components.rowsOfProperty(property.id)).find(
    ({ defId }) => defId === "elev_machine",
  )!;
  const events = await store.read.serviceEvents.ofComponent(machine, 1000);
  const inOrder = events.toSorted((a, b) => a.createdAt - b.createdAt).map(({ date }) => date);
  expect(inOrder.length).toBeGreaterThan(40);
  expect(inOrder).toEqual(inOrder.toSorted());
});

test("is refused when the partner has a demo property already", async () => {
  const { store, partner, create } = await partnerOn("2026-03-15");
  await create();
  await expect(create()).rejects.toThrow("Demo property already exists");
  expect(await store.read.properties.demo(partner.id)).toHaveLength(1);
});
