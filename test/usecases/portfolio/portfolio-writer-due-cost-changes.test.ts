import { beforeAll, describe, expect, test } from "bun:test";
import type { NewServiceEvent } from "../../../src/domain/service-event.ts";
import { addDays, dayOf, MS_PER_DAY } from "../../../src/domain/time.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { changeAppliance } from "../../../src/usecases/portfolio/create-or-change-appliance.ts";
import { changeProperty } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { recountDerivedData } from "../../../src/usecases/recalculation/recount-derived-data.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import { interruptSnapshot } from "../../support/interrupted-snapshot.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();
let fixture: PortfolioFixture;
let propertyId: string;
let elevatorId: string;
let unitId: string;
beforeAll(async () => {
  fixture = await open(NOW);
  propertyId = (await fixture.addProperty({ unitCount: 4 })).id;
  const [elevator, unit] = await fixture.addAppliances(
    { propertyId, typeId: "elevator", installYear: 2005 },
    { propertyId, typeId: "ptac", installYear: 2001 },
    { propertyId, typeId: "plumbing_supply", installYear: 1960 },
  );
  elevatorId = elevator!.id;
  unitId = unit!.id;
});

const appliance = async (id: string) => (await fixture.store.read.appliances.find(fixture.partnerId, id))!;
const due = async () => (await fixture.store.read.totals.ofProperty(propertyId)).dueCents;
const wrong = async () => {
  const found = await recountDerivedData({ ...fixture, knowledge, yieldNow: async () => {} }, false);
  return Object.entries(found).filter(([, count]) => count > 0);
};
const log = (event: Partial<NewServiceEvent>, isOnlyChange = false) =>
  fixture.write(async (writer) => {
    const service = new ServiceLog(writer, isOnlyChange);
    await service.add({ ...VISIT, applianceId: elevatorId, ...event });
    await service.finish();
  });
const useShorterLives = () =>
  fixture.store.write(async (tx) => {
    const components = await tx.components.ofAppliance(unitId);
    const number = await tx.models.nextNumber();
    const corrections = {
      lifeFactors: Object.fromEntries(components.map(({ defId }) => [defId, 0.9])),
      frailtyShape: null,
      strength: { condition: 1, repairs: 1 },
      yearFactorVariances: {},
    };
    await tx.models.insert({
      number,
      base: knowledge.modelVersion,
      isProven: true,
      replaced: null,
      actor: "cli:test",
      createdAt: tx.now,
      evidence: {},
      corrections,
    });
    await tx.models.use(number);
  });
const VISIT: Omit<NewServiceEvent, "applianceId"> = {
  componentId: null,
  eventType: "Inspection",
  date: "2026-02-01",
  technician: null,
  partsCostCents: null,
  laborCostCents: null,
  totalCostCents: null,
  notes: null,
  conditionAfter: "good",
};

/** A decision of the year that the tests are in. */
const DECIDED = { unitTiming: "later", dueHoldsUntil: expect.stringMatching(/^2026/) } as const;

// Rule: due-cost
test("what is due is stored with each write that changes it", async () => {
  const before = await due();
  expect(before).toBeGreaterThan(0);
  expect(await wrong()).toEqual([]);
  await log({ applianceId: unitId, eventType: "Replacement" });
  const replaced = await due();
  expect(replaced).toBeLessThan(before);
  expect((await appliance(unitId)).dueCents).toBe(0);
  expect(await wrong()).toEqual([]);
  await fixture.write((writer) => changeProperty(writer, propertyId, { unitCount: 400 }));
  expect(await due()).toBeGreaterThan(replaced);
  expect(await wrong()).toEqual([]);
  await fixture.write((writer) => changeAppliance(writer, elevatorId, { installYear: 1980 }));
  expect((await appliance(elevatorId)).dueCents).toBeGreaterThan(0);
  expect(await wrong()).toEqual([]);
});

// Rule: due-hold
test("a snapshot takes what is due from an earlier decision, and a write decides again", async () => {
  const { store, time, clock } = fixture;
  const isDue = { dueCents: 0, unitTiming: "now" } as const;
  const tamper = (dueHoldsUntil: string | null) =>
    store.write((tx) => tx.appliances.saveDue(unitId, { ...isDue, dueHoldsUntil }));
  const snapshot = async () => {
    time.now += MS_PER_DAY;
    const day = dayOf(time.now);
    await takeSnapshot({ store, knowledge, clock, monotonicMs: () => 0, yieldNow: async () => {} }, day);
    return { day, ...(await appliance(unitId)) };
  };
  const first = await snapshot();
  expect(first).toMatchObject({ dueCents: 0, unitTiming: "later" });
  expect(first.dueHoldsUntil! > first.day, first.dueHoldsUntil!).toBe(true);
  await tamper(addDays(first.day, 1));
  expect(await snapshot(), "on its last day").toMatchObject(isDue);
  expect(await snapshot(), "on the day after").toMatchObject({ unitTiming: "later" });
  await tamper("2099-01-01");
  await log({ applianceId: unitId, eventType: "Inspection" });
  expect(await appliance(unitId)).toMatchObject(DECIDED);
  const { dueHoldsUntil } = await snapshot();
  expect(dueHoldsUntil).not.toBeNull();
  const revision = await store.read.partners.revision(fixture.partnerId);
  await recountDerivedData({ store, knowledge, clock, yieldNow: async () => {} }, true);
  expect(await appliance(unitId), "a repair of healthy data keeps it").toMatchObject({ dueHoldsUntil });
  expect(await store.read.partners.revision(fixture.partnerId)).toEqual(revision);
  await tamper("2099-01-01");
  await fixture.write(async (writer) => writer.recount(propertyId));
  expect(await appliance(unitId)).toMatchObject({ unitTiming: "later", dueHoldsUntil: null });
  expect(await wrong()).toEqual([]);
});

// Rule: due-hold
test("service events alone keep what is due of appliances that only age, with their flags and model", async () => {
  const { store, time } = fixture;
  const isDue = { dueCents: 0, unitTiming: "now" } as const;
  const logAlone = async (event: Partial<NewServiceEvent>, dueHoldsUntil: string) => {
    await store.write((tx) => tx.appliances.saveDue(unitId, { ...isDue, dueHoldsUntil }));
    await log({ applianceId: unitId, ...event }, true);
    return await appliance(unitId);
  };
  // The others of the day count already.
  await log({ applianceId: unitId, date: "2026-02-10" });
  const same = { date: "2026-02-09", conditionAfter: "good" } as const;
  expect(await logAlone(same, "2099-01-01")).toMatchObject({ ...isDue, dueHoldsUntil: "2099-01-01" });
  const inspected = { date: "2026-03-01", conditionAfter: null };
  const { dueHoldsUntil, ...kept } = await logAlone(inspected, "2099-01-01");
  expect(kept).toMatchObject(isDue);
  expect(dueHoldsUntil! < "2099-01-01" && dueHoldsUntil! > "2098-11-01", dueHoldsUntil!).toBe(true);
  const today = dayOf(fixture.time.now);
  expect(
    await logAlone({ ...inspected, date: "2026-03-04" }, today),
    "for less than the change",
  ).toMatchObject(DECIDED);
  expect(await logAlone(same, addDays(today, -1)), "no more").toMatchObject(DECIDED);
  const cleaned = { date: "2026-03-02", eventType: "Preventive Maintenance" } as const;
  expect(await logAlone(cleaned, "2099-01-01"), "another age").toMatchObject(DECIDED);
  const replaced = { date: "2026-03-03", eventType: "Replacement" } as const;
  expect(await logAlone(replaced, "2099-01-01"), "another part").toMatchObject(DECIDED);
  await useShorterLives();
  // The part was replaced later, so that no score follows from it.
  const former = { date: "2026-02-08", conditionAfter: null };
  expect(await logAlone(former, "2099-01-01"), "another life").toMatchObject(DECIDED);
  await store.write((tx) => tx.models.use(null));
  await log({ applianceId: unitId, date: "2026-02-08" });
  const held = { ...isDue, dueHoldsUntil: "2099-01-01" };
  expect(await logAlone(former, "2099-01-01")).toMatchObject(held);
  time.now += 3 * MS_PER_DAY;
  expect(await logAlone(former, "2099-01-01"), "three days later").toMatchObject(held);
  await log({ applianceId: unitId, date: "2026-02-08" });
  expect(await wrong()).toEqual([]);
});

// Rule: due-hold
test("a snapshot decides again after a model that has scored only a part of an interrupted one", async () => {
  const { store, time, clock } = fixture;
  const deps = { store, knowledge, clock, monotonicMs: () => 0, yieldNow: async () => {} };
  const snapshot = (day: string) => takeSnapshot(deps, day);
  const nextDay = () => {
    time.now += MS_PER_DAY;
    return dayOf(time.now);
  };
  // The age of a part of a known day is the same by any model.
  await log({ applianceId: unitId, eventType: "Replacement", date: "2026-02-02" });
  await snapshot(nextDay());
  await useShorterLives();
  await interruptSnapshot(deps, nextDay());
  const interrupted = await store.read.components.ofAppliance(unitId);
  expect(interrupted.map(({ lifeFactor }) => lifeFactor)).toContain(0.9);
  await store.write(async (tx) => {
    await tx.models.use(null);
    await tx.appliances.saveDue(unitId, { dueCents: 0, unitTiming: "now", dueHoldsUntil: "2099-01-01" });
  });
  await snapshot(nextDay());
  expect(await appliance(unitId)).toMatchObject({ dueCents: 0, unitTiming: "later" });
  expect(await wrong()).toEqual([]);
});

// Rule: due-deficiency
test("an appliance counts its inspections with an open deficiency", async () => {
  expect((await appliance(elevatorId)).deficiencies).toBe(0);
  await log({ date: "2026-02-03", conditionAfter: "poor" });
  expect((await appliance(elevatorId)).deficiencies).toBe(1);
  expect((await fixture.store.read.components.rowsOfProperty(propertyId))[0]).toMatchObject({
    applianceId: elevatorId,
    deficiencies: 1,
  });
  await log({ date: "2026-02-04", eventType: "Repair", conditionAfter: null });
  expect((await appliance(elevatorId)).deficiencies).toBe(0);
  const [part] = await fixture.store.read.components.ofAppliance(elevatorId);
  const componentId = part!.id;
  await log({ date: "2026-02-05", componentId, conditionAfter: "poor" });
  expect((await appliance(elevatorId)).deficiencies, "of a component").toBe(1);
  await log({ date: "2026-02-06", componentId, conditionAfter: "good" });
  expect((await appliance(elevatorId)).deficiencies).toBe(0);
  expect(await wrong()).toEqual([]);
  const { time } = fixture;
  await log({ date: addDays(dayOf(time.now), 1), conditionAfter: "poor" });
  expect((await appliance(elevatorId)).deficiencies, "tomorrow").toBe(0);
  time.now += MS_PER_DAY;
  expect(await wrong(), "until the snapshot of the day").toEqual([]);
  time.now += MS_PER_DAY;
  expect(await wrong(), "after two days").toEqual([["appliances.deficiencies", 1]]);
  const { id: to } = await fixture.addProperty();
  await fixture.write((writer) => changeAppliance(writer, elevatorId, { propertyId: to }));
  expect((await appliance(elevatorId)).deficiencies, "by a move").toBe(1);
  expect(await wrong()).toEqual([]);
});

describe("the first snapshot", () => {
  const createPortfolio = async () => {
    fixture = await open(NOW);
    propertyId = (await fixture.addProperty({ unitCount: 4 })).id;
  };
  const snapshotAfter = async (days: number) => {
    const { store, clock, time } = fixture;
    time.now += days * MS_PER_DAY;
    const deps = { store, knowledge, clock, monotonicMs: () => 0, yieldNow: async () => {} };
    await takeSnapshot(deps, dayOf(time.now));
  };

  // Rule: due-hold
  test("takes what is due from the writes before it, unless another model is active", async () => {
    await createPortfolio();
    const some = await fixture.addAppliances(
      { propertyId, typeId: "ptac", installYear: 2001 },
      { propertyId, typeId: "roof", installYear: 2001 },
    );
    const isDue = { dueCents: 7, unitTiming: "now", dueHoldsUntil: "2099-01-01" } as const;
    for (const { id } of some) await fixture.store.write((tx) => tx.appliances.saveDue(id, isDue));
    unitId = some[0]!.id;
    await useShorterLives();
    await snapshotAfter(1);
    expect((await appliance(unitId)).dueCents).not.toBe(7);
  });

  // Rule: due-hold
  test.each([0, 1, 45, 300])("finds what is due %p days after the appliances were created", async (days) => {
    await createPortfolio();
    const types = [
      "ptac",
      "boiler",
      "water_heater_gas",
      "elevator",
      "roof",
      "plumbing_supply",
      "refrigerator",
    ];
    await fixture.addAppliances(
      ...Array.from({ length: 70 }, (_, nth) => ({
        propertyId,
        typeId: types[nth % types.length]!,
        installYear: 1985 + (nth % 40),
      })),
    );
    await snapshotAfter(days);
    expect(await wrong()).toEqual([]);
  });
});
