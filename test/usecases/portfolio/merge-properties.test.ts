import { beforeEach, describe, expect, test } from "bun:test";
import type { Component } from "../../../src/domain/component.ts";
import { addDays, dayOf } from "../../../src/domain/time.ts";
import { extendStores, type Store } from "../../../src/store/store.ts";
import { ClaimLog } from "../../../src/usecases/claims/record-claims.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { changeAppliance } from "../../../src/usecases/portfolio/create-or-change-appliance.ts";
import {
  changeProperty,
  createPropertyAndQueueWebhook,
  loadDuplicateWarnings,
} from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { mergeProperties } from "../../../src/usecases/portfolio/merge-properties.ts";
import { writePortfolio } from "../../../src/usecases/portfolio/portfolio-writer.ts";
import { recountDerivedData } from "../../../src/usecases/recalculation/recount-derived-data.ts";
import {
  knowledge,
  type PortfolioFixture,
  PROPERTY,
  usePortfolioStore,
} from "../../support/portfolio-store.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const TODAY = dayOf(NOON);
const ALL = { limit: 100, offset: 0 };
const open = usePortfolioStore();
let fixture: PortfolioFixture;
beforeEach(async () => {
  fixture = await open(NOON);
});

const read = () => fixture.store.read;
const mergeWith = (into: string, from: string) =>
  fixture.write((writer) => mergeProperties(writer, { into, from }));
const merge = async (into: string, from: string) => (await mergeWith(into, from)).property;
const found = (id: string) => read().properties.find(fixture.partnerId, id);
const visit = (applianceId: string, date: string) =>
  fixture.write(async (writer) => {
    const log = new ServiceLog(writer);
    await log.add({
      applianceId,
      componentId: null,
      eventType: "Repair" as const,
      date,
      technician: null,
      notes: null,
      partsCostCents: null,
      laborCostCents: null,
      totalCostCents: null,
      conditionAfter: "poor" as const,
    });
    await log.finish();
  });
const claim = (propertyId: string, claimNumber: string | null, claimType = "water_damage") =>
  fixture.write(async (writer) => {
    const log = new ClaimLog(writer, (await writer.tx.properties.find(fixture.partnerId, propertyId))!);
    await log.add({
      claimType,
      dateOfLoss: addDays(TODAY, -90),
      amountCents: 900_000,
      status: "closed",
      claimNumber,
      description: null,
      carrier: null,
    } as Parameters<ClaimLog["add"]>[0]);
    await log.finish();
  });

const scored = (components: readonly Component[]) =>
  components
    .map(({ defId, installYear, riskScore, hazardRatio, rate }) =>
      JSON.stringify({ defId, installYear, riskScore, hazardRatio, rate }),
    )
    .sort();

/** Merges, and returns the number of queries for claims of a number. */
async function queriesOfMerge(into: string, from: string): Promise<number> {
  let queries = 0;
  const counting: Store["write"] = (run, options) =>
    fixture.store.write((tx) => {
      const ofNumbers: typeof tx.claims.ofNumbers = (...asked) => {
        queries++;
        return tx.claims.ofNumbers(...asked);
      };
      return run(extendStores(tx, { claims: { ...tx.claims, ofNumbers } }));
    }, options);
  await writePortfolio(counting, knowledge, fixture.partner, (writer) =>
    mergeProperties(writer, { into, from }),
  );
  return queries;
}

async function expectConsistent() {
  const yieldNow = async () => {};
  const counts = await recountDerivedData({ ...fixture, knowledge, yieldNow }, false);
  for (const [name, count] of Object.entries(counts)) expect([name, count]).toEqual([name, 0]);
}

describe("a merged duplicate", () => {
  // Rule: merge-properties
  test("has a record from its creation on, since the events that it began with have moved", async () => {
    const [into, from] = [await fixture.addProperty(), await fixture.addProperty({ address: "2 Oak St" })];
    const [heater] = await fixture.addAppliances({ propertyId: from.id });
    await visit(heater!.id, "2025-12-01");
    expect((await found(from.id))!.recordsSince).toBe("2025-12-01");
    expect((await merge(into.id, from.id)).recordsSince).toBe("2025-12-01");
    expect((await found(from.id))!.recordsSince).toBe(TODAY);
  });

  // Rule: merge-properties
  test("leaves what it had to the property, which scores as if all had been recorded there", async () => {
    const into = await fixture.addProperty({ unitCount: 2, state: "VT", city: null });
    const from = await fixture.addProperty({
      unitCount: 3,
      yearBuilt: 1970,
      city: "Barre",
      partnerPropertyId: "B-1",
      state: "FL",
      notes: "Duplicate",
      grossAreaSqft: 9000,
    });
    const whole = await fixture.addProperty({
      unitCount: 3,
      yearBuilt: 1961,
      state: "VT",
      grossAreaSqft: 9000,
    });
    const units = new Map<string, string[]>();
    for (const { id } of [into, from, whole])
      units.set(
        id,
        (await read().units.page(id, ALL)).map((unit) => unit.id),
      );
    const place = (home: string, kinds: readonly string[], unit: number) =>
      fixture.addAppliances(
        ...kinds.map((typeId, at) => ({
          propertyId: home,
          typeId,
          installYear: at === 0 ? null : 1988,
          unitId: at === 0 ? null : units.get(home)![unit]!,
        })),
      );
    await fixture.write((writer) => changeProperty(writer, into.id, { yearBuilt: 1950 }));
    const [roof] = await place(into.id, ["roof", "washer"], 1);
    const [pipes, heater] = await place(from.id, ["plumbing_supply", "water_heater_gas"], 2);
    const [, twinWasher] = await place(whole.id, ["roof", "washer"], 1);
    const [, twinHeater] = await place(whole.id, ["plumbing_supply", "water_heater_gas"], 2);
    await fixture.write((writer) => changeProperty(writer, into.id, { yearBuilt: 1961 }));
    for (const id of [heater!.id, twinHeater!.id]) await visit(id, addDays(TODAY, -40));
    for (const id of [into.id, whole.id]) await claim(id, "C-1");
    await claim(from.id, "C-1");
    for (const id of [from.id, whole.id]) await claim(id, null);
    const [gone] = await fixture.addAppliances({ propertyId: from.id, typeId: "elevator" });
    await fixture.write((writer) => changeAppliance(writer, gone!.id, { retiredAt: TODAY }));

    const merged = await merge(into.id, from.id);
    expect(merged).toMatchObject({
      unitCount: 3,
      city: "Barre",
      notes: "Duplicate",
      partnerPropertyId: "B-1",
    });
    expect(merged).toMatchObject({ state: "VT", grossAreaSqft: 9000, yearBuilt: 1961, retiredAt: null });
    const kept = await read().appliances.ofProperty(into.id);
    expect(kept).toHaveLength(4);
    const [, , third] = await read().units.page(into.id, ALL);
    expect(kept.find(({ id }) => id === heater!.id)).toMatchObject({ unitId: third!.id, installYear: 1988 });
    expect(kept.find(({ id }) => id === pipes!.id)).toMatchObject({ unitId: null, installYear: 1961 });
    expect(kept.map(({ id }) => id)).toContain(roof!.id);
    expect(scored(await fixture.components(into.id))).toEqual(scored(await fixture.components(whole.id)));
    expect(twinWasher!.propertyId).toBe(whole.id);
    expect(await read().claims.count(into.id)).toBe(2);
    expect((await read().claims.page(from.id, ALL)).map(({ claimNumber }) => claimNumber)).toEqual(["C-1"]);
    expect((await read().appliances.find(fixture.partnerId, gone!.id))!).toMatchObject({
      propertyId: into.id,
      retiredAt: TODAY,
    });
    expect(await found(from.id)).toMatchObject({
      retiredAt: TODAY,
      retiredReason: `Merged into ${into.id}`,
      mergedInto: into.id,
      partnerPropertyId: null,
    });
    expect(await fixture.components(from.id)).toEqual([]);
    await expectConsistent();

    const again = await merge(into.id, from.id);
    expect(again).toEqual(merged);
    const entries = await read().audit.page(ALL, { subject: into.id });
    expect(entries.filter(({ action }) => action === "property.merge")).toMatchObject([
      { detail: { after: { from: from.id, appliances: 3, claims: 1 } } },
    ]);
    await fixture.write((writer) => changeAppliance(writer, gone!.id, { retiredAt: null }));
    await fixture.write((writer) => changeProperty(writer, from.id, { retiredAt: null }));
    expect(await found(from.id)).toMatchObject({ mergedInto: null, retiredAt: null });
    await expectConsistent();
  });

  // Rule: merge-properties
  test("takes any number of appliances along", async () => {
    const [into, from] = [await fixture.addProperty(), await fixture.addProperty()];
    await fixture.addAppliances(
      ...Array.from({ length: 230 }, () => ({ propertyId: from.id, typeId: "washer" })),
    );
    await merge(into.id, from.id);
    expect(await read().appliances.countOfProperty(into.id)).toBe(230);
    expect(await read().appliances.countOfProperty(from.id, "all")).toBe(0);
    await expectConsistent();
  });

  test("gives claims whose numbers are too long to be told apart others in a few queries each", async () => {
    const [into, from] = [await fixture.addProperty(), await fixture.addProperty()];
    const numbers = Array.from({ length: 40 }, (_, nth) => `${"9".repeat(490)}${nth}`);
    for (const number of numbers) {
      await claim(into.id, number);
      await claim(from.id, number, "fire");
    }
    expect(await queriesOfMerge(into.id, from.id)).toBeLessThan(2 * numbers.length);
    const claims = await read().claims.page(into.id, { limit: 200, offset: 0 });
    expect(new Set(claims.map(({ claimNumber }) => claimNumber)).size).toBe(2 * numbers.length);
  });

  test("finds a free number among many copies in a few queries", async () => {
    const [into, from] = [await fixture.addProperty(), await fixture.addProperty()];
    for (const number of ["X", ...Array.from({ length: 40 }, (_, nth) => `X (${nth + 2})`)])
      await claim(into.id, number);
    await claim(from.id, "X", "fire");
    // A cut after so many UTF-16 units would leave half of a character.
    const long = `${"9".repeat(199)}😀${"9".repeat(278)}😀${"9".repeat(19)}`;
    await claim(into.id, long);
    await claim(from.id, long, "fire");
    expect(await queriesOfMerge(into.id, from.id)).toBeLessThan(17);
    const fires = (await read().claims.page(into.id, ALL)).filter(({ claimType }) => claimType === "fire");
    expect(fires.map(({ claimNumber }) => claimNumber).sort()).toEqual([
      `${long.slice(0, 479)} (2)`,
      "X (42)",
    ]);
    for (const { id } of fires)
      for (const { detail } of await read().audit.page(ALL, { subject: id }))
        for (const { claim_number } of Object.values(detail as object))
          expect(claim_number.isWellFormed()).toBe(true);
  });

  test("is a property of its own when it is brought back until a later day, and can be merged again", async () => {
    const [into, from] = [await fixture.addProperty(), await fixture.addProperty()];
    await merge(into.id, from.id);
    const later = { retiredAt: addDays(TODAY, 30) };
    await fixture.write((writer) => changeProperty(writer, from.id, later));
    expect(await found(from.id)).toMatchObject({ ...later, mergedInto: null });
    const [washer] = await fixture.addAppliances({ propertyId: from.id, typeId: "washer" });
    await merge(into.id, from.id);
    expect(await read().appliances.find(fixture.partnerId, washer!.id)).toMatchObject({
      propertyId: into.id,
    });
    expect(await found(from.id)).toMatchObject({ retiredAt: TODAY, mergedInto: into.id });
    await fixture.write((writer) => changeProperty(writer, from.id, { retiredReason: "Twice on record" }));
    expect((await found(from.id))!.mergedInto).toBe(into.id);
    // A property that an earlier version brought back so is merged all the same.
    await fixture.write((writer) => changeProperty(writer, from.id, later));
    await fixture.sql(`UPDATE properties SET merged_into = '${into.id}' WHERE id = '${from.id}'`);
    await merge(into.id, from.id);
    expect(await found(from.id)).toMatchObject({ retiredAt: TODAY, mergedInto: into.id });
    await expectConsistent();
  });

  // Rule: merge-refusals
  test("is neither the property itself, nor retired, unknown or the demo property", async () => {
    const [into, from, retired] = [
      await fixture.addProperty(),
      await fixture.addProperty(),
      await fixture.addProperty(),
    ];
    const demo = await fixture.write((writer) =>
      createPropertyAndQueueWebhook(writer, PROPERTY, { source: "demo", isDemo: true }),
    );
    await fixture.write((writer) => changeProperty(writer, retired.id, { retiredAt: TODAY }));
    for (const [a, b, code] of [
      [into.id, into.id, "invalid_request"],
      [into.id, "P_1", "not_found"],
      ["P_1", into.id, "not_found"],
      [into.id, retired.id, "conflict"],
      [retired.id, from.id, "conflict"],
      [into.id, demo.id, "conflict"],
      [demo.id, from.id, "conflict"],
    ] as const)
      await expect(merge(a, b)).rejects.toMatchObject({ code });
    await expectConsistent();
  });
});

// Rule: duplicate-address
test("a property warns of the first one with its address that is not retired", async () => {
  const warnings = (id: string) =>
    fixture.write(async (writer) =>
      loadDuplicateWarnings(writer, (await writer.tx.properties.find(fixture.partnerId, id))!),
    );
  const first = await fixture.addProperty({ address: "1 Elm Street" });
  const second = await fixture.addProperty({ address: "1 ELM ST." });
  await fixture.write((writer) =>
    createPropertyAndQueueWebhook(writer, PROPERTY, { source: "demo", isDemo: true }),
  );
  expect(await warnings(first.id)).toEqual([]);
  expect((await warnings(second.id))[0]).toContain(first.id);
  await fixture.write((writer) => changeProperty(writer, first.id, { retiredAt: TODAY }));
  expect(await warnings(second.id)).toEqual([]);
  await fixture.write((writer) => changeProperty(writer, first.id, { retiredAt: null, city: "Troy" }));
  expect(await warnings(second.id)).toEqual([]);
});
