import { beforeAll, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import type { Appliance } from "../../../src/domain/appliance.ts";
import type { Component } from "../../../src/domain/component.ts";
import {
  isOutcomeEventType,
  type NewServiceEvent,
  type ServiceEvent,
} from "../../../src/domain/service-event.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";
import { runsOnEngine } from "../../support/postgres.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();
let fixture: PortfolioFixture;
let propertyId: string;
beforeAll(async () => {
  fixture = await open(NOW);
  propertyId = (await fixture.addProperty()).id;
});

const NOTHING = {
  partsCostCents: null,
  laborCostCents: null,
  totalCostCents: null,
  technician: null,
  notes: null,
  conditionAfter: null,
};

async function appliance(): Promise<{ appliance: Appliance; components: Component[] }> {
  const [made] = await fixture.addAppliances({ propertyId, installYear: 2000 });
  return { appliance: made!, components: await fixture.store.read.components.ofAppliance(made!.id) };
}

const log = (events: readonly NewServiceEvent[]) =>
  fixture.write(async (writer) => {
    const services = new ServiceLog(writer);
    const logged: ServiceEvent[] = [];
    for (const event of events) logged.push(await services.add(event));
    await services.finish();
    return logged;
  });

/** Returns the components with an outcome, by event. */
const kept = async (components: readonly Component[]) =>
  (await Promise.all(components.map(({ id }) => fixture.store.read.serviceEvents.outcomesOf(id)))).flat();

/** Returns for each claim those that a replacement on its day also affects. */
function expected(events: readonly ServiceEvent[], components: readonly Component[]): string[] {
  const speaksOf = (event: ServiceEvent, id: string) =>
    event.componentId === null || event.componentId === id;
  return events.flatMap((event) =>
    components
      .filter(({ id }) => {
        if (!speaksOf(event, id)) return false;
        if (isOutcomeEventType(event.eventType)) return true;
        return (
          event.eventType === "Warranty Claim" &&
          events.some(
            (other) => other.eventType === "Replacement" && other.date === event.date && speaksOf(other, id),
          )
        );
      })
      .map(({ id }) => `${event.id} ${id}`),
  );
}

const anEvent = fc.record({
  eventType: fc.constantFrom("Warranty Claim", "Replacement", "Emergency Repair", "Repair"),
  date: fc.constantFrom("2024-03-01", "2024-03-02"),
  part: fc.constantFrom(null, 0, 1, 2),
});

test("each failure and replacement has its outcomes, in whatever order and requests events are logged", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anEvent, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      async (requests) => {
        const { appliance: one, components } = await appliance();
        const logged: ServiceEvent[] = [];
        for (const request of requests) {
          const events = request.map(({ part, ...event }) => ({
            ...NOTHING,
            ...event,
            applianceId: one.id,
            componentId: part === null ? null : components[part]!.id,
          }));
          logged.push(...(await log(events)));
          const found = (await kept(components)).map((row) => `${row.serviceEventId} ${row.componentId}`);
          expect(found.sort()).toEqual(expected(logged, components).sort());
        }
      },
    ),
    { numRuns: runsOnEngine(60) },
  );
});

const aCorrection = fc.record({
  event: fc.nat(),
  change: fc.oneof(
    fc.record({
      date: anEvent.map(({ date }) => date),
      eventType: anEvent.map(({ eventType }) => eventType),
    }),
    fc.constant("void" as const),
  ),
});

test("an event that the same write has logged or changed leaves the outcomes of what it is at the end", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(
          fc.array(anEvent, { minLength: 1, maxLength: 4 }),
          fc.array(aCorrection, { minLength: 1, maxLength: 4 }),
        ),
        { minLength: 1, maxLength: 2 },
      ),
      async (requests) => {
        const { appliance: one, components } = await appliance();
        const state: ServiceEvent[] = [];
        for (const [events, corrections] of requests)
          await fixture.write(async (writer) => {
            const services = new ServiceLog(writer);
            for (const { part, ...event } of events)
              state.push(
                await services.add({
                  ...NOTHING,
                  ...event,
                  applianceId: one.id,
                  componentId: part === null ? null : components[part]!.id,
                }),
              );
            for (const { event, change } of corrections) {
              const at = event % state.length;
              if (state[at]!.voidedAt !== null) continue;
              state[at] =
                change === "void"
                  ? await services.void(state[at]!, { reason: null })
                  : await services.change(state[at]!, change);
            }
            await services.finish();
          });
        const counted = state.filter(({ voidedAt }) => voidedAt === null);
        const found = await kept(components);
        expect(found.map((row) => `${row.serviceEventId} ${row.componentId}`).sort()).toEqual(
          expected(counted, components).sort(),
        );
        const events = new Map(counted.map((event) => [event.id, event]));
        for (const { serviceEventId, date, eventType } of found)
          expect({ date, eventType }).toEqual({
            date: events.get(serviceEventId)!.date,
            eventType: events.get(serviceEventId)!.eventType,
          });
      },
    ),
    { numRuns: runsOnEngine(60) },
  );
});

test("an outcome includes earlier days logged with it, and nothing of its own day or later", async () => {
  const [before, beside, control] = [await appliance(), await appliance(), await appliance()];
  const on = (
    { appliance: { id } }: typeof before,
    eventType: "Repair" | "Emergency Repair",
    date: string,
  ) => ({
    ...NOTHING,
    applianceId: id,
    componentId: null,
    eventType,
    date,
  });
  await log([
    on(before, "Emergency Repair", "2024-03-05"),
    on(before, "Repair", "2024-03-01"),
    on(beside, "Emergency Repair", "2024-03-05"),
    on(beside, "Repair", "2024-03-05"),
    on(beside, "Repair", "2024-03-06"),
    on(control, "Emergency Repair", "2024-03-05"),
  ]);
  const [known, unknown, alone] = await Promise.all(
    [before, beside, control].map(async ({ components }) =>
      (await kept(components)).map(({ defId, probability }) => [defId, probability]).sort(),
    ),
  );
  expect(unknown).toEqual(alone!);
  expect(known).not.toEqual(alone!);
});

test("an event that is changed or voided in the write that logs it leaves no outcome of its earlier state", async () => {
  const { appliance: own, components } = await appliance();
  const { appliance: other, components: ofOther } = await appliance();
  const failure = {
    applianceId: own.id,
    componentId: null,
    eventType: "Emergency Repair",
    date: "2024-08-13",
  };
  const { voided, moved } = await fixture.write(async (writer) => {
    const services = new ServiceLog(writer);
    const voided = await services.add({ ...NOTHING, ...failure } as NewServiceEvent);
    await services.void(voided, { reason: "twice" });
    const first = await services.add({ ...NOTHING, ...failure, eventType: "Replacement" } as NewServiceEvent);
    const second = await services.change(first, { date: "2024-10-13", eventType: "Emergency Repair" });
    const moved = await services.change(second, { applianceId: other.id });
    await services.finish();
    return { voided, moved };
  });
  expect(await kept(components)).toEqual([]);
  const left = await kept(ofOther);
  expect(left).toHaveLength(ofOther.length);
  for (const outcome of left) expect(outcome).toMatchObject({ serviceEventId: moved.id, date: "2024-10-13" });
  expect(voided.id).not.toBe(moved.id);
});

test("a Replacement completes an earlier Warranty Claim of its day, also where its write corrects an older event", async () => {
  const [{ appliance: own, components }, { appliance: other }] = [await appliance(), await appliance()];
  const event = (applianceId: string, eventType: NewServiceEvent["eventType"], date: string) => ({
    ...NOTHING,
    applianceId,
    componentId: null,
    eventType,
    date,
  });
  const [older] = await log([event(other.id, "Emergency Repair", "2024-05-01")]);
  const [claim] = await log([event(own.id, "Warranty Claim", "2024-06-01")]);
  const replacement = await fixture.write(async (writer) => {
    const services = new ServiceLog(writer);
    await services.change(older!, { date: "2024-05-02" });
    const added = await services.add(event(own.id, "Replacement", "2024-06-01"));
    await services.finish();
    return added;
  });
  const found = (await kept(components)).map((row) => `${row.serviceEventId} ${row.componentId}`);
  expect(found.sort()).toEqual(expected([claim!, replacement], components).sort());
});

test("a write reads a day of claims and replacements as often, however many of its replacements it voids", async () => {
  const { appliance: own, components } = await appliance();
  const event = { ...NOTHING, applianceId: own.id, componentId: null, date: "2024-09-02" };
  const events = (["Warranty Claim", "Replacement"] as const).flatMap((eventType) =>
    Array.from({ length: 20 }, () => ({ ...event, eventType })),
  );
  const replacements = (await log(events)).slice(20);
  const readWhenVoided = async (some: readonly ServiceEvent[]) =>
    await fixture.write(async (writer) => {
      const days = spyOn(writer.tx.serviceEvents, "ofDayAfter");
      const deleted = spyOn(writer.tx.serviceEvents, "deleteOutcomes");
      try {
        const services = new ServiceLog(writer);
        for (const one of some) await services.void(one, { reason: null });
        await services.finish();
        return { days: days.mock.calls.length, claims: deleted.mock.calls.length - 2 * some.length };
      } finally {
        days.mockRestore();
        deleted.mockRestore();
      }
    });
  const one = await readWhenVoided(replacements.slice(0, 1));
  expect(await readWhenVoided(replacements.slice(1, 19))).toEqual(one);
  const claims = (await kept(components)).filter(({ eventType }) => eventType === "Warranty Claim");
  expect(claims).toHaveLength(20 * components.length);
  await readWhenVoided(replacements.slice(19));
  expect(await kept(components)).toEqual([]);
});
