import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { ClaimChange, NewClaim } from "../../../src/domain/claim.ts";
import type { Component } from "../../../src/domain/component.ts";
import { Failure } from "../../../src/domain/errors.ts";
import type { Partner } from "../../../src/domain/partner.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { ClaimLog, correctClaim } from "../../../src/usecases/claims/record-claims.ts";
import { createAppliance } from "../../../src/usecases/portfolio/create-or-change-appliance.ts";
import { createPropertyAndQueueWebhook } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { type PortfolioWriter, writePortfolio } from "../../../src/usecases/portfolio/portfolio-writer.ts";

const TODAY = "2026-03-10";
const knowledge = embeddedKnowledge();
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
    const made = await createPropertyAndQueueWebhook(writer, PROPERTY, { source: "api" });
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
  return { store, property, components, record, write };
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

// Rule: update-claim
test("a corrected claim gives the scores of a claim recorded right, and an entry in the audit log", async () => {
  const { store, property, components, record, write } = await propertyWith("boiler", "washer");
  await record({ description: "x".repeat(300) }, { claimType: "fire_electrical" });
  const changed = (claimType: string, change: ClaimChange) =>
    write(async (writer) => {
      const [claim] = (await writer.tx.claims.page(property.id, { limit: 9, offset: 0 })).filter(
        (one) => one.claimType === claimType,
      );
      return await correctClaim(writer, { propertyId: property.id, claimId: claim!.id }, { change });
    });
  await changed("equipment_breakdown", { status: "denied", paidCents: 5 });
  expect(ratio(await components(), "boiler_burner")).toBe(1);
  await changed("equipment_breakdown", {
    status: "closed",
    claimType: "appliance_leak",
    dateOfLoss: "2026-03-01",
  });
  expect(ratio(await components(), "boiler_burner")).toBe(1);
  expect(ratio(await components(), "washer_supply_hoses")).toBeGreaterThan(1.65);
  await changed("appliance_leak", { description: null });
  await changed("appliance_leak", { description: null });
  const entries = await store.read.audit.page({ limit: 9, offset: 0 });
  expect(entries.map(({ actor, action, detail }) => [actor, action, detail])).toEqual([
    [
      "PARTNER_1",
      "claim.update",
      { before: { description: `${"x".repeat(200)}…` }, after: { description: null } },
    ],
    [
      "PARTNER_1",
      "claim.update",
      {
        before: { claim_type: "equipment_breakdown", date_of_loss: TODAY, status: "denied" },
        after: { claim_type: "appliance_leak", date_of_loss: "2026-03-01", status: "closed" },
      },
    ],
    [
      "PARTNER_1",
      "claim.update",
      {
        before: { status: "open", paid: null, incurred: null },
        after: { status: "denied", paid: 0.05, incurred: 0.05 },
      },
    ],
  ]);
});

// Rule: update-claim, void-claim
test("any sequence of created, corrected and voided claims ends in the scores of creating what is left alone", async () => {
  const version = fc.record({
    claimType: fc.constantFrom("equipment_breakdown", "appliance_leak", "gas_leak_explosion", "unheard_of"),
    dateOfLoss: fc.constantFrom("2019-01-01", "2023-05-01", "2026-03-01"),
    status: fc.constantFrom("open" as const, "denied" as const),
  });
  const steps = fc.array(fc.tuple(fc.nat(4), version, fc.boolean()), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const corrected = await propertyWith("boiler", "washer");
      const last = new Map<number, Partial<NewClaim>>();
      const ids = new Map<number, string>();
      for (const [which, version, isVoid] of steps) {
        const claimId = ids.get(which);
        await corrected.write(async (writer) => {
          const propertyId = corrected.property.id;
          if (claimId !== undefined)
            return await correctClaim(
              writer,
              { propertyId, claimId },
              isVoid ? { void: { reason: null } } : { change: version },
            );
          const log = new ClaimLog(writer, corrected.property);
          ids.set(which, (await log.add({ ...CLAIM, ...version })).id);
          return await log.finish();
        });
        if (claimId === undefined || !isVoid) last.set(which, version);
        else {
          last.delete(which);
          ids.delete(which);
        }
      }
      const plain = await propertyWith("boiler", "washer");
      await plain.record(...last.values());
      const scores = async ({ components }: typeof plain) =>
        [...(await components()).values()].map(({ defId, riskScore, hazardRatio }) => [
          defId,
          riskScore,
          hazardRatio.toFixed(9),
        ]);
      expect(await scores(corrected)).toEqual(await scores(plain));
    }),
    { numRuns: 12 },
  );
});

// Rule: claim-number
test("a claim number is unused within the property", async () => {
  const { store, property, record, write } = await propertyWith("boiler");
  await record({ claimNumber: "A-17" }, { claimNumber: "A-18" }, {}, {});
  const claims = await store.read.claims.page(property.id, { limit: 9, offset: 0 });
  const [first, second] = ["A-17", "A-18"].map((number) => claims.find((one) => one.claimNumber === number)!);
  const message = `claim_number is already in use by claim ${first!.id} of the property: update that one`;
  const refusal = new Failure("conflict", message);
  await expect(record({ claimNumber: "A-17" })).rejects.toThrow(refusal);
  const change = (claimNumber: string) =>
    write((writer) =>
      correctClaim(writer, { propertyId: property.id, claimId: second!.id }, { change: { claimNumber } }),
    );
  await expect(change("A-17")).rejects.toThrow(refusal);
  expect((await change("A-18")).claimNumber).toBe("A-18");
  expect((await change("A-19")).claimNumber).toBe("A-19");
});

test.each([
  [{ reportedOn: "2026-03-09" }, "reported_on must not be before date_of_loss, 2026-03-10"],
  [{ closedOn: "2026-03-12" }, "closed_on must be from 1900-01-01 to 2026-03-11"],
  [{ valuedAt: "2026-03-12" }, "valued_at must be from 1900-01-01 to 2026-03-11"],
])("a claim with %j is rejected", async (claim, message) => {
  const { record } = await propertyWith();
  await expect(record(claim)).rejects.toThrow(new Failure("invalid_request", message));
});
