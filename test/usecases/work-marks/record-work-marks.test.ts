import { describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import type { WorkRequest } from "../../../src/api-schemas/work-mark-schema.ts";
import { Failure } from "../../../src/domain/errors.ts";
import type { NewServiceEvent } from "../../../src/domain/service-event.ts";
import { dayOf, MS_PER_DAY } from "../../../src/domain/time.ts";
import { correctServiceEvent, ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { WorkMarks } from "../../../src/usecases/work-marks/record-work-marks.ts";
import { usePortfolioStore } from "../../support/portfolio-store.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const TODAY = dayOf(NOON);
const open = usePortfolioStore();

const BY = { by: "Jo Reed", reason: null };
const OUTCOME = { date: null, eventType: "Repair", totalCostCents: null, conditionAfter: null } as const;
const DONE = { ...BY, ...OUTCOME, state: "done", eventType: "Replacement" } as const;
const EVENT = {
  eventType: "Replacement",
  partsCostCents: null,
  laborCostCents: null,
  totalCostCents: null,
  technician: null,
  notes: null,
  conditionAfter: null,
} as const;

/** A boiler with its components, and writes to its work. */
async function home() {
  const fixture = await open(NOON);
  const { id: propertyId } = await fixture.addProperty();
  const [boiler] = await fixture.addAppliances({ propertyId, typeId: "boiler", installYear: 2000 });
  const { id: applianceId } = boiler!;
  const [one, two] = (await fixture.store.read.components.ofAppliance(applianceId)).map(({ id }) => id);
  return {
    fixture,
    propertyId,
    applianceId,
    one: one!,
    two: two!,
    mark: (request: WorkRequest) =>
      fixture.write(async (writer) => {
        const marks = new WorkMarks(writer);
        const marked = await marks.mark(request);
        await marks.finish();
        return marked;
      }),
    log: (event: Pick<NewServiceEvent, "componentId" | "date"> & Partial<NewServiceEvent>) =>
      fixture.write(async (writer) => {
        const log = new ServiceLog(writer);
        const made = await log.add({ ...EVENT, applianceId, ...event });
        await log.finish();
        return made;
      }),
    void: (id: string) =>
      fixture.write((writer) => correctServiceEvent(writer, id, { void: { reason: null } })),
    change: (id: string, change: Partial<NewServiceEvent>) =>
      fixture.write((writer) => correctServiceEvent(writer, id, { change })),
    /** Returns the states of the marks that hold, by their subjects. */
    marks: async () =>
      Object.fromEntries(
        (await fixture.store.read.work.ofProperty(propertyId, "", 9)).map((work) => [
          work.subjectId,
          work.state,
        ]),
      ),
    events: async () =>
      (await fixture.store.read.serviceEvents.ofAppliance(applianceId)).filter(
        ({ voidedAt }) => voidedAt === null,
      ),
  };
}

test("many marks of an appliance read the events of a day once, and see those that they have logged", async () => {
  const { fixture, one, two } = await home();
  const request = (componentId: string, date: string) => ({ ...DONE, subject: { componentId }, date });
  const ids = await fixture.write(async (writer) => {
    const { serviceEvents, work } = writer.tx;
    const reads = [spyOn(serviceEvents, "daysAfter"), spyOn(work, "replacementsOnDay")];
    const marks = new WorkMarks(writer);
    const done = [];
    for (const componentId of [one, one, two, one])
      done.push((await marks.mark(request(componentId, "2025-06-01"))).serviceEventId);
    const soon = await marks.mark(request(two, "2025-06-20")).catch((error) => error);
    expect(soon).toBeInstanceOf(Failure);
    expect(soon.message).toContain(done[2]!);
    await marks.finish();
    // One for the appliance, and one for each of the two days.
    expect(reads.map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
    return done;
  });
  expect(new Set(ids).size).toBe(2);
});

test("work done twice is compared with the newest events of its day", async () => {
  const { fixture, applianceId, one, mark, events } = await home();
  const date = "2025-06-01";
  const repair = { ...BY, ...OUTCOME, subject: { componentId: one }, state: "done", date } as const;
  const { serviceEventId } = await mark(repair);
  expect((await mark(repair)).serviceEventId).toBe(serviceEventId);
  await fixture.write(async (writer) => {
    const log = new ServiceLog(writer);
    const cleaning = { ...EVENT, eventType: "Cleaning", applianceId, componentId: null, date } as const;
    for (let nth = 0; nth < 2000; nth++) await log.add({ ...cleaning, notes: `${nth}` });
    await log.finish();
  });
  expect((await mark(repair)).serviceEventId).not.toBe(serviceEventId);
  expect(await events()).toHaveLength(2002);
});

test.each(["open", "done"] as const)(
  "work that is %s is no longer ordered, whatever the clock",
  async (end) => {
    const { fixture, propertyId, applianceId, mark } = await home();
    const subject = { applianceId };
    await mark({ ...BY, subject, state: "ordered" });
    await fixture.write(async ({ tx }) => {
      const ordered = await tx.work.find(applianceId);
      // The clock of another server may be some seconds ahead.
      const place = { partnerId: fixture.partnerId, propertyId };
      await tx.work.save({ ...ordered!, markedAt: NOON + 5000 }, place);
    });
    await mark(end === "open" ? { ...BY, subject, state: end } : { ...BY, subject, state: end, ...OUTCOME });
    expect(await fixture.store.read.work.find(applianceId)).toBeUndefined();
  },
);

// Rule: work-restored
describe("a mark that an event ended", () => {
  test("holds again once the event is voided, unless another did the work too", async () => {
    const { applianceId, one, two, mark, log, marks, ...home_ } = await home();
    await mark({ ...BY, subject: { componentId: one }, state: "ordered" });
    await mark({
      ...BY,
      subject: { componentId: two },
      state: "deferred",
      until: "2026-06-01",
      reason: "Late",
    });
    await mark({ ...BY, subject: { applianceId }, state: "ordered" });
    const all: Awaited<ReturnType<typeof marks>> = {
      [one]: "ordered",
      [two]: "deferred",
      [applianceId]: "ordered",
    };
    const whole = await log({ componentId: null, date: TODAY });
    expect(await marks()).toEqual({});
    const part = await log({ componentId: one, date: TODAY });
    await home_.void(whole.id);
    expect(await marks()).toEqual({ [two]: "deferred", [applianceId]: "ordered" });
    await home_.void(part.id);
    expect(await marks()).toEqual(all);
    await home_.void(part.id);
    expect(await marks()).toEqual(all);
  });

  test("follows the event's day, type and component", async () => {
    const { one, two, mark, log, marks, change } = await home();
    await mark({ ...BY, subject: { componentId: one }, state: "ordered" });
    const { id } = await log({ componentId: one, date: TODAY });
    expect(await marks()).toEqual({});
    await change(id, { date: "2026-03-09" });
    expect(await marks()).toEqual({ [one]: "ordered" });
    await change(id, { date: TODAY, totalCostCents: 100 });
    expect(await marks()).toEqual({});
    await change(id, { eventType: "Repair" });
    expect(await marks()).toEqual({ [one]: "ordered" });
    await change(id, { eventType: "Replacement", componentId: two });
    expect(await marks()).toEqual({ [one]: "ordered" });
    await change(id, { componentId: one });
    expect(await marks()).toEqual({});
  });

  test("stays ended by work that was marked as done, whatever its day, until that is voided", async () => {
    const { one, mark, marks, change, ...home_ } = await home();
    const subject = { componentId: one };
    await mark({ ...BY, subject, state: "ordered" });
    const done = await mark({ ...DONE, subject, date: "2026-03-01" });
    await change(done.serviceEventId!, { date: "2026-03-02" });
    await change(done.serviceEventId!, { eventType: "Repair" });
    expect(await marks()).toEqual({});
    await home_.void(done.serviceEventId!);
    expect(await marks()).toEqual({ [one]: "ordered" });
  });

  test("gives way to a later mark, and to one that was taken back", async () => {
    const { one, two, mark, log, marks, ...home_ } = await home();
    for (const componentId of [one, two]) await mark({ ...BY, subject: { componentId }, state: "ordered" });
    const { id } = await log({ componentId: null, date: TODAY });
    const subject = { componentId: one };
    await mark({ ...BY, subject, state: "deferred", until: "2026-06-01", reason: "Again" });
    await mark({ ...BY, subject: { componentId: two }, state: "open" });
    await home_.void(id);
    expect(await marks()).toEqual({ [one]: "deferred" });
  });

  test("holds exactly while no Replacement of its subject by its day counts, in any order", async () => {
    const { fixture, applianceId, one, two, mark, log, marks, ...home_ } = await home();
    const subjects = [null, one, two] as const;
    const anyEvent = fc.record({
      of: fc.constantFrom(...subjects),
      date: fc.constantFrom("2026-03-09", TODAY, "2026-03-11"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { maxLength: 4 }), fc.array(fc.nat(3)), async (events, voided) => {
        fixture.time.now += MS_PER_DAY / 1000;
        for (const componentId of [one, two])
          await mark({ ...BY, subject: { componentId }, state: "ordered" });
        await mark({ ...BY, subject: { applianceId }, state: "ordered" });
        const made = new Map<string, (typeof events)[number]>();
        for (const event of events) {
          fixture.time.now += 1;
          made.set((await log({ componentId: event.of, date: event.date })).id, event);
        }
        const voids = voided.flatMap((at) => [...made.keys()][at] ?? []);
        for (const check of [() => {}, ...voids.map((id) => () => made.delete(id))]) {
          const before = [...made.keys()];
          check();
          const gone = before.find((id) => !made.has(id));
          if (gone) await home_.void(gone);
          const counting = [...made.values()].filter(({ date }) => date >= TODAY);
          const expected = subjects.filter(
            (subject) => !counting.some(({ of }) => of === null || of === subject),
          );
          expect(Object.keys(await marks()).sort()).toEqual(
            expected.map((subject) => subject ?? applianceId).sort(),
          );
        }
        for (const id of made.keys()) await home_.void(id);
      }),
      { numRuns: 12 },
    );
  });
});

// Rule: work-done-once
describe("work that is marked as done twice", () => {
  test("is logged once, and answered the same", async () => {
    const { applianceId, one, two, mark, events } = await home();
    const subject = { componentId: one };
    const first = await mark({ ...DONE, subject, totalCostCents: 5_000 });
    expect(await mark({ ...DONE, subject, totalCostCents: 5_000 })).toEqual(first);
    expect(await mark({ ...DONE, subject, date: TODAY })).toEqual(first);
    expect(await events()).toHaveLength(1);
    await mark({ ...DONE, subject: { componentId: two } });
    await mark({ ...DONE, subject, eventType: "Inspection" });
    const whole = await mark({ ...DONE, subject: { applianceId } });
    expect(await events()).toHaveLength(4);
    expect(await mark({ ...DONE, subject: { applianceId } })).toEqual(whole);
    expect(await events()).toHaveLength(4);
  });

  test("is other work, unless it is a Replacement, if its subject, person, reason, cost or condition differs", async () => {
    const { applianceId, one, two, mark, log, events } = await home();
    const repair = { ...DONE, eventType: "Repair", subject: { componentId: one } } as const;
    const whole = await log({ componentId: null, date: TODAY, eventType: "Repair", totalCostCents: 90_000 });
    const works = [
      { ...repair, by: "Ann", reason: "Head 12", totalCostCents: 10_000 },
      { ...repair, by: "Ann", reason: "Head 13" },
      { ...repair, by: "Bo", reason: "Head 12" },
      { ...repair, by: "Bo", reason: "Head 12", totalCostCents: 20_000 },
      { ...repair, by: "Bo", reason: "Head 12", totalCostCents: 20_000, conditionAfter: "good" },
      { ...repair, by: "Ann", reason: "Head 12", subject: { componentId: two } },
      { ...repair, by: "Ann", reason: "Head 12", subject: { applianceId } },
    ] as const;
    const marked: Awaited<ReturnType<typeof mark>>[] = [];
    for (const [index, work] of works.entries()) {
      marked.push(await mark(work));
      expect(await mark(work), "repeated").toEqual(marked.at(-1)!);
      expect(await events()).toHaveLength(index + 2);
    }
    expect(new Set([whole.id, ...marked.map(({ serviceEventId }) => serviceEventId)]).size).toBe(8);
    expect((await events()).find(({ id }) => id === marked[0]!.serviceEventId)).toMatchObject({
      componentId: one,
      technician: "Ann",
      notes: "Head 12",
      totalCostCents: 10_000,
    });
  });

  test("is refused if it differs, or if the part was replaced shortly before", async () => {
    const { fixture, one, mark, events, ...home_ } = await home();
    const subject = { componentId: one };
    const { serviceEventId: id } = await mark({ ...DONE, subject, totalCostCents: 5_000 });
    const refusal = async (request: Partial<typeof DONE | object>) => {
      const error: unknown = await mark({ ...DONE, subject, ...request } as WorkRequest).catch(
        (thrown: unknown) => thrown,
      );
      return error instanceof Failure && [error.code, error.message];
    };
    const already = "The work was done on 2026-03-10 already";
    expect(await refusal({ totalCostCents: 6_000 })).toEqual([
      "conflict",
      `${already} with another total_cost: change service event ${id}`,
    ]);
    expect(await refusal({ conditionAfter: "good" })).toEqual([
      "conflict",
      `${already} with another condition_after: change service event ${id}`,
    ]);
    fixture.time.now += MS_PER_DAY;
    const again = `${already}: change service event ${id}, or log another Replacement as a service event`;
    expect(await refusal({})).toEqual(["conflict", again]);
    expect(await refusal({ date: "2026-02-08" })).toEqual(["conflict", again]);
    expect(await events()).toHaveLength(1);
    await mark({ ...DONE, subject, date: "2026-02-07" });
    await mark({ ...DONE, subject, eventType: "Inspection" });
    await mark({ ...BY, subject, state: "ordered" });
    await mark({ ...DONE, subject });
    expect(await events()).toHaveLength(4);
    for (const { id } of await events()) await home_.void(id);
    await mark({ ...DONE, subject });
    expect(await events(), "after the others were voided").toHaveLength(1);
  });
});
