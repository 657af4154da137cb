import { expect, test } from "bun:test";
import fc from "fast-check";
import type { StatedComponentFields } from "../../../src/domain/component.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { yieldToEventLoop } from "../../../src/event-loop/event-loop.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { changeComponent } from "../../../src/usecases/portfolio/change-component.ts";
import { recountDerivedData } from "../../../src/usecases/recalculation/recount-derived-data.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";
import { runsOnEngine } from "../../support/postgres.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();

async function home() {
  const fixture = await open(NOW);
  const property = await fixture.addProperty();
  const [heater] = await fixture.addAppliances({ propertyId: property.id, installYear: 2004 });
  const components = await fixture.components(property.id);
  const change = (id: string, change: Partial<StatedComponentFields>) =>
    fixture.write(async (writer) => (await changeComponent(writer, id, change)).component);
  return { fixture, property, heater: heater!, components, change };
}

/** Returns everything that must follow from the portfolio as it is. */
async function stateOf(fixture: PortfolioFixture, propertyId: string) {
  const { read } = fixture.store;
  const components = (await fixture.components(propertyId)).map((one) => [
    one.defId,
    one.riskScore,
    one.riskTier,
    one.installYear,
    one.overrideLifespan,
    one.ownPlannedCents,
    one.ownFailedCents,
    one.past,
    one.hazardRatio.toFixed(9),
    one.effectiveAgeYears.toFixed(9),
  ]);
  const totals = { ...(await read.totals.ofProperty(propertyId)), propertyId: "", partnerId: "" };
  const { counters: _, ...partner } = { counters: 0, ...(await read.totals.ofPartner(fixture.partner.id)) };
  return { components, totals, partner: { ...partner, partnerId: "" } };
}

const aChange = fc.oneof(
  fc.record({ overrideLifespan: fc.constantFrom(null, 1, 14, 200) }),
  fc.record({ installYear: fc.constantFrom(1950, 2004, 2020, 2027) }),
  // No cost of a failure equals one that follows from a planned cost: stating what holds already changes nothing.
  fc.record({ plannedCents: fc.constantFrom(null, 5_003, 123_456) }),
  fc.record({ failedCents: fc.constantFrom(null, 0, 9_999_999) }),
  fc.constantFrom(
    { isOriginal: true, isPastUnknown: false },
    { isOriginal: false, isPastUnknown: true },
    { isOriginal: false, isPastUnknown: false },
  ),
);

// Rule: update-component
test("any sequence of corrections ends as the last of each field alone would", async () => {
  const step = fc.tuple(fc.nat(5), aChange);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const [corrected, plain] = [await home(), await home()];
      const last = new Map<number, Partial<StatedComponentFields>>();
      for (const [which, change] of steps) {
        await corrected.change(corrected.components[which]!.id, change);
        last.set(which, { ...last.get(which), ...change });
      }
      for (const [which, change] of last) await plain.change(plain.components[which]!.id, change);
      expect(await stateOf(corrected.fixture, corrected.property.id)).toEqual(
        await stateOf(plain.fixture, plain.property.id),
      );
      const { store, clock } = corrected.fixture;
      const wrong = await recountDerivedData({ store, knowledge, clock, yieldNow: yieldToEventLoop }, false);
      expect(Object.values(wrong).filter((rows) => rows > 0)).toEqual([]);
      for (const { fixture } of [corrected, plain]) await fixture.close();
    }),
    { numRuns: runsOnEngine(12) },
  );
});

// Rule: update-component
test("is audited with before and after, and what holds already changes nothing", async () => {
  const { fixture, components, change } = await home();
  const { id, riskScore } = components[0]!;
  const changed = await change(id, { overrideLifespan: 60, plannedCents: 190_000, isOriginal: true });
  expect(changed).toMatchObject({ overrideLifespan: 60, ownPlannedCents: 190_000, past: "original" });
  expect(changed.riskScore).toBeLessThan(riskScore);
  const again = { overrideLifespan: 60, installYear: 2004, plannedCents: 190_000, isPastUnknown: false };
  expect(await change(id, again)).toEqual(changed);
  const [entry, ...others] = await fixture.store.read.audit.page({ limit: 9, offset: 0 }, { subject: id });
  expect(others).toEqual([]);
  expect(entry).toMatchObject({ action: "component.update", actor: fixture.partner.id, subject: id });
  expect(entry!.detail).toEqual({
    before: { override_lifespan: null, proactive_cost: 1770, reactive_cost: 2527.56, original: false },
    after: { override_lifespan: 60, proactive_cost: 1900, reactive_cost: 2696.56, original: true },
  });
});

// Rule: update-component
test("warns of a failure that costs less than planned work", async () => {
  const { fixture, components } = await home();
  const warningsOf = (change: Partial<StatedComponentFields>) =>
    fixture.write(async (writer) => (await changeComponent(writer, components[0]!.id, change)).warnings);
  expect(await warningsOf({ plannedCents: 10_000, failedCents: 20_000 })).toEqual([]);
  expect(await warningsOf({ failedCents: 5_000 })).toEqual([
    "reactive_cost is below proactive_cost, so waiting for the failure will seem to pay",
  ]);
});

// Rule: component-costs
test("an own cost of failure holds beside a new planned one, even if it was the answered one before", async () => {
  const { fixture, components, change } = await home();
  const { id } = components[0]!;
  const both = await change(id, { plannedCents: 190_000, failedCents: 252_756 });
  expect(both).toMatchObject({ ownPlannedCents: 190_000, ownFailedCents: 252_756 });
  const cleared = await change(id, { plannedCents: null, failedCents: null });
  expect(cleared).toMatchObject({ ownPlannedCents: null, ownFailedCents: null });
  const sums = async () => (await stateOf(fixture, cleared.propertyId)).totals;
  const before = await sums();
  await change(id, { failedCents: 252_756 });
  expect(await sums()).toEqual(before);
});

// Rule: component-costs
test("a cost that holds already is left to follow the other, unless both are stated at once", async () => {
  const { components, change } = await home();
  const { id } = components[1]!;
  await change(id, { plannedCents: 0 });
  expect(await change(id, { failedCents: 0 })).toMatchObject({ ownPlannedCents: 0, ownFailedCents: null });
  expect(await change(id, { plannedCents: null })).toMatchObject({ ownPlannedCents: null });
  const plannedCents = 21_240;
  expect(await change(id, { plannedCents })).toMatchObject({ ownPlannedCents: null });
  const both = await change(id, { plannedCents, failedCents: 99_000 });
  expect(both).toMatchObject({ ownPlannedCents: plannedCents, ownFailedCents: 99_000 });
});

// Rule: component-past
test("an original part assumes no earlier renewal, one of unknown past does even if its kind never is replaced alone", async () => {
  const { components, change } = await home();
  const ofKind = (replaced: "alone" | "with_appliance") =>
    components.find(({ defId }) => knowledge.component(defId).replaced === replaced)!;
  const alone = ofKind("alone");
  const original = await change(alone.id, { isOriginal: true });
  expect(original.effectiveAgeYears).toBeGreaterThan(alone.effectiveAgeYears);
  expect((await change(alone.id, { isOriginal: false })).effectiveAgeYears).toBe(alone.effectiveAgeYears);
  const tank = ofKind("with_appliance");
  const unknown = await change(tank.id, { isPastUnknown: true });
  expect(unknown.effectiveAgeYears).toBeLessThan(tank.effectiveAgeYears);
  expect((await change(tank.id, { isOriginal: true })).past).toBe("original");
});

// Rule: update-component
test("a part that was replaced on record has a known age: its event is what to correct", async () => {
  const { fixture, heater, components, change } = await home();
  const { id } = components[0]!;
  await fixture.write(async (writer) => {
    const log = new ServiceLog(writer);
    await log.add({
      applianceId: heater.id,
      componentId: id,
      eventType: "Replacement",
      date: "2020-05-01",
      partsCostCents: null,
      laborCostCents: null,
      totalCostCents: null,
      technician: null,
      notes: null,
      conditionAfter: null,
    });
    await log.finish();
  });
  const message =
    `Component ${id} was replaced on 2020-05-01, so that its age is on record: ` +
    "correct or void that service event instead";
  for (const refused of [{ installYear: 2004 }, { isOriginal: true }, { isPastUnknown: true }])
    await expect(change(id, refused)).rejects.toThrow(new Failure("conflict", message));
  expect(await change(id, { installYear: 2020, isOriginal: false, overrideLifespan: 9 })).toMatchObject({
    installYear: 2004,
    overrideLifespan: 9,
  });
  await expect(change("C_x", {})).rejects.toThrow(new Failure("not_found", "Component not found"));
  const later = "install_year must be a whole number from 1800 to 2027";
  await expect(change(components[1]!.id, { installYear: 2028 })).rejects.toThrow(
    new Failure("invalid_request", later),
  );
});
