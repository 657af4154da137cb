import { beforeEach, describe, expect, test } from "bun:test";
import type { ApplianceChange } from "../../../src/domain/appliance.ts";
import type { Component } from "../../../src/domain/component.ts";
import type { NewServiceEvent } from "../../../src/domain/service-event.ts";
import { addDays, dayOf } from "../../../src/domain/time.ts";
import { loadScoreReasons } from "../../../src/usecases/explanation/load-score-reasons.ts";
import { correctServiceEvent, ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { loadComponentOfPartner } from "../../../src/usecases/portfolio/change-component.ts";
import { changeAppliance } from "../../../src/usecases/portfolio/create-or-change-appliance.ts";
import { recountDerivedData } from "../../../src/usecases/recalculation/recount-derived-data.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const TODAY = dayOf(NOON);
const open = usePortfolioStore();
const yieldNow = async () => {};
let fixture: PortfolioFixture;
beforeEach(async () => {
  fixture = await open(NOON);
});

const change = (id: string, fields: ApplianceChange) =>
  fixture.write((writer) => changeAppliance(writer, id, fields));
const log = (...events: (Partial<NewServiceEvent> & { applianceId: string })[]) =>
  fixture.write(async (writer) => {
    const service = new ServiceLog(writer);
    for (const event of events) await service.add({ ...VISIT, ...event });
    await service.finish();
  });
const VISIT: Omit<NewServiceEvent, "applianceId"> = {
  componentId: null,
  eventType: "Repair",
  date: addDays(TODAY, -200),
  technician: null,
  partsCostCents: null,
  laborCostCents: null,
  totalCostCents: null,
  notes: null,
  conditionAfter: "poor",
};

/** Returns what scoring stored of components, without their identity. */
const scored = (components: readonly Component[]) =>
  components.map(({ defId, installYear, lastReplaced, lastServiced, riskScore, confidence, ...one }) => ({
    defId,
    installYear,
    lastReplaced,
    lastServiced,
    riskScore,
    confidence,
    life: [one.lifeFactor, one.effectiveAgeYears, one.rate, one.hazardRatio],
  }));

async function expectConsistent() {
  const counts = await recountDerivedData({ ...fixture, knowledge, yieldNow }, false);
  for (const [name, count] of Object.entries(counts)) expect([name, count]).toEqual([name, 0]);
}

describe("an appliance that was recorded in the wrong place", () => {
  // Rule: appliance-move
  test("scores after the move as if it had been recorded there, and so do the two properties", async () => {
    const [wrong, right, twin] = [
      await fixture.addProperty({ yearBuilt: 1950 }),
      await fixture.addProperty({ yearBuilt: 1972, state: "VT" }),
      await fixture.addProperty({ yearBuilt: 1972, state: "VT" }),
    ];
    const [kept] = await fixture.addAppliances({ propertyId: wrong.id, typeId: "plumbing_supply" });
    const alone = scored(await fixture.components(wrong.id));
    for (const { id } of [right, twin]) await fixture.addAppliances({ propertyId: id, typeId: "roof" });
    const [moved] = await fixture.addAppliances({
      propertyId: wrong.id,
      typeId: "electrical_panel",
      installYear: null,
      size: 200,
    });
    const [expected] = await fixture.addAppliances({ propertyId: twin.id, installYear: null });
    const events = [
      { date: "2019-04-01", eventType: "Replacement" as const },
      { notes: "corrosion and a leak at the tank" },
      { date: "2025-01-01", eventType: "Preventive Maintenance" as const },
    ];
    for (const applianceId of [moved!.id, expected!.id])
      await log(...events.map((event) => ({ ...event, applianceId })));
    const { appliance } = await change(moved!.id, { propertyId: right.id, typeId: "water_heater_gas" });
    expect(appliance).toMatchObject({ installYear: 1972, installYearBasis: "year_built", size: null });
    expect(scored(await fixture.components(right.id))).toEqual(scored(await fixture.components(twin.id)));
    expect(scored(await fixture.components(wrong.id))).toEqual(alone);
    expect(kept!.propertyId).toBe(wrong.id);
    await expectConsistent();
    const records = await Promise.all(
      [wrong, right, twin].map(({ id }) => fixture.store.read.properties.find(fixture.partnerId, id)),
    );
    expect(records[0]!.recordsSince).toBe(wrong.recordsSince);
    expect(records[1]!.recordsSince).toBe(records[2]!.recordsSince);
  });

  // Rule: appliance-move
  test("has the components of its first type again when it returns to it", async () => {
    const [home, away] = [await fixture.addProperty(), await fixture.addProperty({ state: "FL" })];
    const [made] = await fixture.addAppliances({ propertyId: home.id });
    const before = await fixture.components(home.id);
    await log({ applianceId: made!.id, componentId: before[1]!.id });
    const worn = await fixture.components(home.id);
    const [logged] = await fixture.store.read.serviceEvents.ofAppliance(made!.id);
    await change(made!.id, { typeId: "roof", propertyId: away.id });
    await log({ applianceId: made!.id, eventType: "Preventive Maintenance", date: TODAY });
    const corrected = { change: { partsCostCents: 5000 } };
    await fixture.write((writer) => correctServiceEvent(writer, logged!.id, corrected));
    await change(made!.id, { typeId: made!.typeId, installYear: 1999 });
    await change(made!.id, { propertyId: home.id });
    const after = await fixture.components(home.id);
    expect(after.map(({ id, seq }) => [id, seq])).toEqual(worn.map(({ id, seq }) => [id, seq]));
    for (const component of after)
      expect(component).toMatchObject({ installYear: 1999, lastServiced: TODAY });
    expect(await fixture.components(away.id)).toEqual([]);
    await expectConsistent();
  });

  // Rule: appliance-move, inspection-types
  test("leaves its events correctable, with the inspections of the former type", async () => {
    const home = await fixture.addProperty();
    const [lift] = await fixture.addAppliances({ propertyId: home.id, typeId: "elevator" });
    const inspectionTypes = ["category_5_full_load_test"];
    await log({ applianceId: lift!.id, eventType: "Inspection", inspectionTypes });
    const [logged] = await fixture.store.read.serviceEvents.ofAppliance(lift!.id);
    const correct = (fields: Partial<NewServiceEvent>) =>
      fixture.write((writer) => correctServiceEvent(writer, logged!.id, { change: fields }));
    await change(lift!.id, { typeId: "boiler" });
    expect(await correct({ notes: "a note" })).toMatchObject({ notes: "a note", inspectionTypes });
    expect(await correct({ notes: null, inspectionTypes })).toMatchObject({ notes: null, inspectionTypes });
    await expect(correct({ inspectionTypes: ["category_1_annual_test"] })).rejects.toThrow(
      "inspection_types must be among those of type boiler: certificate_inspection",
    );
    expect((await correct({ inspectionTypes: ["certificate_inspection"] })).inspectionTypes).toEqual([
      "certificate_inspection",
    ]);
    await expectConsistent();
  });

  test("keeps the components that both types have, its flags where they apply, and is audited", async () => {
    const [home, away] = [await fixture.addProperty(), await fixture.addProperty()];
    const [panel] = await fixture.addAppliances({
      propertyId: home.id,
      typeId: "electrical_panel",
      flagsSet: "federal_pacific",
    });
    await change(panel!.id, { propertyId: away.id });
    expect((await fixture.store.read.flags.ofProperty(fixture.partnerId, away.id))[0]).toMatchObject({
      known: 1,
    });
    expect((await change(panel!.id, { typeId: "roof" })).appliance).toMatchObject({
      flags: "",
      flagsSet: "",
    });
    await expectConsistent();
    const { partnerId } = fixture;
    const entries = await fixture.store.read.audit.page({ limit: 5, offset: 0 }, { subject: panel!.id });
    expect(entries.filter(({ action }) => action === "appliance.move").at(-1)).toMatchObject({
      actor: partnerId,
      detail: { before: { property_id: home.id }, after: { property_id: away.id } },
    });
  });

  // Rule: appliance-move
  test("is moved in the request that brings it back from retirement", async () => {
    const [home, away] = [await fixture.addProperty(), await fixture.addProperty({ state: "FL" })];
    const [made] = await fixture.addAppliances({ propertyId: home.id, installYear: 1980, size: 40 });
    await change(made!.id, { retiredAt: TODAY });
    await change(made!.id, { retiredAt: null, typeId: "roof", propertyId: away.id });
    await expectConsistent();
    await change(made!.id, { retiredAt: TODAY, propertyId: home.id });
    expect(await fixture.components(home.id)).toEqual([]);
    await change(made!.id, { retiredAt: null, typeId: "water_heater_gas", size: 80 });
    await expectConsistent();
    expect(await fixture.components(home.id)).toHaveLength(
      knowledge.type("water_heater_gas").components.length,
    );
  });

  // Rule: appliance-move-refusals
  test("stays where it is if the other property has no year for it", async () => {
    const [home, away] = [await fixture.addProperty({ yearBuilt: 1980 }), await fixture.addProperty()];
    const [made] = await fixture.addAppliances({ propertyId: home.id, installYear: null });
    await expect(change(made!.id, { propertyId: away.id })).rejects.toMatchObject({
      code: "invalid_request",
    });
    await change(made!.id, { propertyId: away.id, installYear: 1990 });
    await expectConsistent();
  });

  test("has no reasons in a page of its former property that was read before, or while it moves", async () => {
    const { read } = fixture.store;
    const [home, away] = [await fixture.addProperty(), await fixture.addProperty({ address: "2 Oak St" })];
    const [moved, kept] = await fixture.addAppliances(
      { propertyId: home.id, typeId: "roof" },
      { propertyId: home.id, typeId: "roof" },
    );
    const of = async (id: string) =>
      await Promise.all(
        (await read.components.ofAppliance(id)).map((one) =>
          loadComponentOfPartner(read, fixture.partnerId, one.id),
        ),
      );
    const components = [...(await of(moved!.id)), ...(await of(kept!.id))];
    const keptIds = (await of(kept!.id)).map(({ id }) => id);
    const reasonsIn = async (stores: typeof read) =>
      [...(await loadScoreReasons(stores, knowledge, home, components, yieldNow)).keys()].sort();
    const move = (to: string) => change(moved!.id, { propertyId: to });
    const appliances = {
      ...read.appliances,
      async ofIds(partnerId: string, ids: readonly string[]) {
        const found = await read.appliances.ofIds(partnerId, ids);
        await move(away.id);
        return found;
      },
    };
    expect(await reasonsIn({ ...read, appliances })).toEqual(expect.arrayContaining(keptIds));
    expect(await reasonsIn(read)).toEqual(keptIds.sort());
  });
});
