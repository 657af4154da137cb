import { expect, test } from "bun:test";
import fc from "fast-check";
import { Failure } from "../../../src/domain/errors.ts";
import { EVENT_TYPES, type NewServiceEvent } from "../../../src/domain/service-event.ts";
import { dayOf, MS_PER_DAY } from "../../../src/domain/time.ts";
import { yieldToEventLoop } from "../../../src/event-loop/event-loop.ts";
import { correctServiceEvent, ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { loadPropertyCompliance } from "../../../src/usecases/inspections/load-property-compliance.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";
import { onPostgres, runsOnEngine } from "../../support/postgres.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();

const EVENT = {
  componentId: null,
  eventType: "Inspection",
  date: "2026-02-01",
  partsCostCents: null,
  laborCostCents: null,
  totalCostCents: null,
  technician: null,
  notes: null,
  conditionAfter: null,
} as const;

async function home() {
  const fixture = await open(NOW);
  const property = await fixture.addProperty();
  const appliances = await fixture.addAppliances(
    { propertyId: property.id, typeId: "hvac_central", installYear: 2012 },
    { propertyId: property.id, typeId: "elevator", installYear: 2001 },
  );
  const components = new Map<string, string[]>();
  for (const { id } of appliances)
    components.set(
      id,
      (await fixture.store.read.components.ofAppliance(id)).map((one) => one.id),
    );
  return { fixture, property, appliances, components };
}
type Home = Awaited<ReturnType<typeof home>>;

const log = (fixture: PortfolioFixture, event: Partial<NewServiceEvent> & { applianceId: string }) =>
  fixture.write(async (writer) => {
    const log = new ServiceLog(writer);
    const made = await log.add({ ...EVENT, ...event });
    await log.finish();
    return made;
  });

/** Takes the snapshot of the next day. */
async function snapshot({ fixture }: Home) {
  fixture.time.now += MS_PER_DAY;
  await takeSnapshot(
    {
      store: { ...fixture.store, isShared: onPostgres },
      knowledge,
      clock: fixture.clock,
      monotonicMs: () => performance.now(),
      yieldNow: yieldToEventLoop,
      signal: new AbortController().signal,
    },
    dayOf(fixture.time.now),
  );
}

/** Returns everything that must follow from the events alone, whose ids are given in order. */
async function stateOf({ fixture, property, appliances }: Home, eventIds: readonly string[]) {
  const { read } = fixture.store;
  const components = (await fixture.components(property.id)).map((one) => [
    one.defId,
    one.riskScore,
    one.confidence,
    one.lastReplaced,
    one.lastServiced,
    one.hazardRatio.toFixed(9),
    one.effectiveAgeYears.toFixed(9),
  ]);
  const today = dayOf(fixture.time.now);
  const inspections = await loadPropertyCompliance(
    fixture.store,
    knowledge,
    property,
    today,
    yieldToEventLoop,
  );
  const alerts = await read.components.elevatedPage(fixture.partner.id, { limit: 100, offset: 0 });
  const { recordsSince } = (await read.properties.find(fixture.partner.id, property.id))!;
  return {
    components,
    recordsSince,
    totals: { ...(await read.totals.ofProperty(property.id)), propertyId: "", partnerId: "" },
    partner: (await read.totals.ofPartner(fixture.partner.id))?.serviceEvents,
    counted: (await read.recounts.serviceEvents(property.id, 0, 100)).count,
    outcomes: (
      await Promise.all(
        (
          await fixture.components(property.id)
        ).map(async ({ id, defId }) =>
          (
            await read.serviceEvents.outcomesOf(id)
          ).map(({ date, eventType }) => `${defId} ${date} ${eventType}`),
        ),
      )
    ).map((all) => all.sort()),
    alerts: alerts.map(({ defId, riskScore, riskTier }) => [defId, riskScore, riskTier]),
    inspections: inspections.map(({ appliance, lastEventId, ...item }) => ({
      ...item,
      lastEvent: lastEventId === null ? null : eventIds.indexOf(lastEventId),
      appliance: appliances.findIndex(({ id }) => id === appliance.id),
    })),
  };
}

const anEvent = fc.record({
  appliance: fc.nat(1),
  component: fc.option(fc.nat(4)),
  eventType: fc.constantFrom(...EVENT_TYPES),
  date: fc.constantFrom("2021-05-01", "2023-08-01", "2026-01-10", "2026-03-01"),
  conditionAfter: fc.constantFrom(null, "good" as const, "poor" as const),
  notes: fc.constantFrom(null, "leaking", "Cat 5 test passed", "noisy bearing"),
});
type AnyEvent = typeof anEvent extends fc.Arbitrary<infer T> ? T : never;

const inputOf = (
  { appliances, components }: Home,
  { appliance, component, ...event }: AnyEvent,
): NewServiceEvent => {
  const { id } = appliances[appliance]!;
  return {
    ...EVENT,
    ...event,
    applianceId: id,
    componentId: component === null ? null : components.get(id)![component]!,
  };
};

// Rule: update-service-event, void-service-event
test("any sequence of created, changed and voided events ends as if only what is left had been created", async () => {
  const action = fc.constantFrom("log", "log", "change", "change", "void", "snapshot");
  const step = fc.tuple(action, fc.nat(5), anEvent);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 9 }), async (steps) => {
      const corrected = await home();
      const events = new Map<string, AnyEvent>();
      for (const [action, which, event] of steps) {
        const id = [...events.keys()][which % Math.max(events.size, 1)];
        if (action === "snapshot") await snapshot(corrected);
        else if (action === "log" || id === undefined)
          events.set((await log(corrected.fixture, inputOf(corrected, event))).id, event);
        else if (action === "change") {
          const change = inputOf(corrected, event);
          await corrected.fixture.write((writer) => correctServiceEvent(writer, id, { change }));
          events.set(id, event);
        } else {
          await corrected.fixture.write((writer) =>
            correctServiceEvent(writer, id, { void: { reason: null } }),
          );
          events.delete(id);
        }
      }
      const plain = await home();
      const days = steps.filter(([action]) => action === "snapshot").length;
      // Components that no event concerns were scored by the latest snapshot.
      if (days > 0) {
        plain.fixture.time.now += (days - 1) * MS_PER_DAY;
        await snapshot(plain);
      }
      // In the order of creation, which decides between visits of one day.
      const inOrder = [...events].toSorted(([a], [b]) => (a < b ? -1 : 1));
      const ids: string[] = [];
      for (const [, event] of inOrder) ids.push((await log(plain.fixture, inputOf(plain, event))).id);
      const left = await stateOf(plain, ids);
      const found = await stateOf(
        corrected,
        inOrder.map(([id]) => id),
      );
      expect(found).toEqual(left);
      expect(left.totals.serviceEvents).toBe(events.size);
      expect([left.counted, left.partner]).toEqual([events.size, events.size]);
      for (const { fixture } of [corrected, plain]) await fixture.close();
    }),
    { numRuns: runsOnEngine(8) },
  );
});

// Rule: void-service-event
test("a voided event is kept as it was, marked, and cannot be changed", async () => {
  const { fixture, appliances } = await home();
  const event = await log(fixture, {
    applianceId: appliances[0]!.id,
    eventType: "Replacement",
    notes: "new",
  });
  const voidIt = (reason: string | null) =>
    fixture.write((writer) => correctServiceEvent(writer, event.id, { void: { reason } }));
  const voided = await voidIt("wrong house");
  const expected = { ...event, voidedAt: NOW, voidReason: "wrong house" };
  expect(voided).toMatchObject(expected);
  expect(await fixture.store.read.serviceEvents.find(fixture.partner.id, event.id)).toMatchObject(expected);
  expect(await voidIt("again")).toMatchObject({ voidReason: "wrong house" });
  await expect(
    fixture.write((writer) => correctServiceEvent(writer, event.id, { change: { notes: null } })),
  ).rejects.toThrow(
    new Failure("conflict", `Service event ${event.id} was voided and cannot be changed: log it again`),
  );
  const entries = await fixture.store.read.audit.page({ limit: 9, offset: 0 }, { subject: event.id });
  expect(entries.map(({ action, subject, detail }) => [action, subject, detail])).toEqual([
    [
      "service_event.void",
      event.id,
      {
        before: { voided: false, voided_at: null, void_reason: null },
        after: { voided: true, voided_at: "2026-03-10T12:00:00.000Z", void_reason: "wrong house" },
      },
    ],
  ]);
});

// Rule: update-service-event
test("a changed event is checked as a new one, and its total follows parts and labor", async () => {
  const { fixture, appliances, components } = await home();
  const [cooler, lift] = appliances.map(({ id }) => id);
  const costs = { partsCostCents: 100, laborCostCents: 50 };
  const event = await log(fixture, { applianceId: cooler!, ...costs });
  const change = (change: Partial<NewServiceEvent>) =>
    fixture.write((writer) => correctServiceEvent(writer, event.id, { change }));
  expect((await change({ laborCostCents: 150 })).totalCostCents).toBe(250);
  expect((await change({ totalCostCents: 90 })).totalCostCents).toBe(90);
  expect((await change({ partsCostCents: 1 })).totalCostCents).toBe(90);
  expect((await change({ totalCostCents: null })).totalCostCents).toBe(151);
  const ofLift = components.get(lift!)![0]!;
  for (const [bad, code, message] of [
    [{ applianceId: "A_x" }, "not_found", "Appliance not found: A_x"],
    [{ componentId: ofLift }, "not_found", `Component not found: ${ofLift}`],
    [{ date: "2026-03-12" }, "invalid_request", "date must be from 1900-01-01 to 2026-03-11"],
    [
      { inspectionTypes: ["category_1_annual_test"] },
      "invalid_request",
      "inspection_types must be among those of type hvac_central: seasonal_service",
    ],
  ] as const)
    await expect(change(bad)).rejects.toThrow(new Failure(code, message));
  await change({ inspectionTypes: ["seasonal_service"] });
  await expect(change({ applianceId: lift! })).rejects.toThrow(/inspection_types must be among/);
  const moved = await change({ applianceId: lift!, componentId: ofLift, inspectionTypes: null });
  expect(moved).toMatchObject({ applianceId: lift, componentId: ofLift, inspectionTypes: null });
});
