import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewClaim } from "../../../src/domain/claim.ts";
import type { Component } from "../../../src/domain/component.ts";
import { Failure } from "../../../src/domain/errors.ts";
import type { Partner } from "../../../src/domain/partner.ts";
import { loadKnowledge } from "../../../src/knowledge/load.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import type { Store } from "../../../src/store/store.ts";
import { ClaimLog } from "../../../src/usecases/claims/claims.ts";
import { createAppliance } from "../../../src/usecases/portfolio/appliances.ts";
import { type PortfolioWriter, writePortfolio } from "../../../src/usecases/portfolio/portfolio-writer.ts";
import { createProperty } from "../../../src/usecases/portfolio/properties.ts";

const TODAY = "2026-03-10";
const knowledge = loadKnowledge();
const folder = mkdtempSync(join(tmpdir(), "mainstay-claims-"));
const stores: Store[] = [];
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  rmSync(folder, { recursive: true });
});

/** Creates a property with those appliances, each of 2014, at noon of the day. */
async function propertyWith(...typeIds: string[]) {
  const now = Date.parse(`${TODAY}T12:00:00Z`);
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
  const write = <T>(run: (writer: PortfolioWriter) => Promise<T>) =>
    writePortfolio(store.write, knowledge, partner, run);
  const property = await write(async (writer) => {
    const made = await createProperty(writer, PROPERTY, { source: "api" });
    for (const typeId of typeIds)
      await createAppliance(writer, { ...APPLIANCE, propertyId: made.id, typeId });
    return made;
  });
  const components = async () => {
    const rows = await store.read.components.ofProperties([property.id]);
    return new Map(rows.map((row) => [row.defId, row]));
  };
  /** Records the claims in one write; returns the components that were scored again. */
  const record = (...claims: Partial<NewClaim>[]) =>
    write(async (writer) => {
      const log = new ClaimLog(writer, property);
      for (const claim of claims) await log.add({ ...CLAIM, ...claim });
      return (await log.finish()).map(({ defId }) => defId);
    });
  return { store, property, components, record };
}

const PROPERTY = {
  name: "Elm Court",
  address: "1 Elm St",
  city: null,
  state: "NY",
  zip: null,
  unitCount: 0,
  yearBuilt: null,
  notes: null,
  partnerPropertyId: null,
};
const APPLIANCE = {
  installYear: 2014,
  unitId: null,
  brand: null,
  model: null,
  serial: null,
  brandTier: null,
  usageIntensity: null,
  warrantyExpiry: null,
};
const CLAIM: NewClaim = {
  claimType: "equipment_breakdown",
  dateOfLoss: TODAY,
  amountCents: 100_000,
  status: "open",
  claimNumber: null,
  carrier: null,
  description: null,
};

const defIdsOf = (typeId: string) => knowledge.type(typeId).components.map(({ id }) => id);
const ratio = (components: ReadonlyMap<string, Component>, defId: string) =>
  components.get(defId)!.hazardRatio;

test("a claim changes the scores of the components that its type affects, in the same write", async () => {
  const { components, record } = await propertyWith("boiler", "washer");
  const before = await components();
  const scored = await record({});
  expect(scored.sort()).toEqual(defIdsOf("boiler").sort());
  const after = await components();
  expect(ratio(after, "boiler_burner")).toBeCloseTo(ratio(before, "boiler_burner") * 1.8, 12);
  expect(after.get("boiler_burner")!.riskScore).toBeGreaterThan(before.get("boiler_burner")!.riskScore);
  expect(after.get("boiler_circulator")!.riskScore).toBe(before.get("boiler_circulator")!.riskScore);
  expect(after.get("washer_drive_motor")).toEqual(before.get("washer_drive_motor")!);
});

test("a claim that replaces a weaker one removes its weight", async () => {
  const { components, record } = await propertyWith("boiler", "washer");
  await record({}, { claimType: "fire_electrical" }, { claimType: "appliance_leak" });
  expect(ratio(await components(), "washer_supply_hoses")).toBeCloseTo(1.7, 12);
  const scored = await record({ claimType: "gas_leak_explosion" });
  expect(scored).toContain("washer_supply_hoses");
  expect(ratio(await components(), "washer_supply_hoses")).toBe(1);
});

test("a claim beside three stronger ones changes nothing", async () => {
  const { record } = await propertyWith("boiler", "roof");
  await record({}, { claimType: "fire_electrical" }, { claimType: "gas_leak_explosion" });
  expect(await record({ claimType: "liability_injury" })).toEqual([]);
});

test.each<[string, Partial<NewClaim>]>([
  ["denied", { status: "denied" }],
  ["of an unknown type", { claimType: "meteor_strike" }],
  ["of five years ago", { dateOfLoss: "2021-03-09" }],
  ["dated tomorrow", { dateOfLoss: "2026-03-11" }],
])("a claim that is %s is stored without an effect on scores", async (_, claim) => {
  const { store, property, components, record } = await propertyWith("boiler");
  const before = await components();
  expect(await record(claim)).toEqual([]);
  expect(await components()).toEqual(before);
  expect(await store.read.claims.page(property.id, { limit: 9, offset: 0 })).toMatchObject([claim]);
});

test("the totals of the property follow the scores", async () => {
  const { store, property, components, record } = await propertyWith("boiler", "elevator");
  await record({}, { claimType: "flood" });
  const tiers = [...(await components()).values()].map(({ riskTier }) => riskTier);
  expect(await store.read.totals.ofProperty(property.id)).toMatchObject({
    critical: tiers.filter((tier) => tier === "CRITICAL").length,
    warning: tiers.filter((tier) => tier === "WARNING").length,
  });
});

test("a loss before 1900 or after tomorrow is rejected, and nothing is written", async () => {
  const { store, property, record } = await propertyWith("boiler");
  const message = "date_of_loss must be from 1900-01-01 to 2026-03-11";
  for (const dateOfLoss of ["1899-12-31", "2026-03-12"])
    await expect(record({ dateOfLoss })).rejects.toThrow(new Failure("invalid_request", message));
  expect(await store.read.claims.count(property.id)).toBe(0);
});
