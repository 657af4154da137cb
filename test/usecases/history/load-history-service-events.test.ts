import { expect, test } from "bun:test";
import fc from "fast-check";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import { EVENT_TYPES } from "../../../src/domain/service-event.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { loadComponentHistory } from "../../../src/usecases/history/load-component-history.ts";
import { loadHistories } from "../../../src/usecases/history/load-histories.ts";
import { loadServiceEventsOfHistories } from "../../../src/usecases/history/load-history-service-events.ts";
import { loadRowsOfAppliances } from "../../../src/usecases/history/load-rows-of-appliances.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { knowledge, usePortfolioStore } from "../../support/portfolio-store.ts";
import { runsOnEngine } from "../../support/postgres.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const TODAY = "2026-03-10";
const open = usePortfolioStore();

const anEvent = fc.record({
  appliance: fc.nat(1),
  part: fc.constantFrom(null, 0, 1),
  eventType: fc.constantFrom(...EVENT_TYPES),
  date: fc.constantFrom("2024-06-01", "2025-09-01", "2025-09-02", "2026-02-01"),
  notes: fc.constantFrom(null, "leaking", "leaking badly", "leaking, no heat", "rusty", "as new"),
  conditionAfter: fc.constantFrom(null, "poor" as const),
});

test("a history read in pages gives the same scores as one read at once, wherever a page ends", async () => {
  const fixture = await open(NOW);
  await fc.assert(
    fc.asyncProperty(
      fc.array(anEvent, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      async (logged, page) => {
        const property = await fixture.addProperty({ recordsSince: "2020-01-01" });
        const of = { propertyId: property.id };
        const appliances = await fixture.addAppliances(of, { ...of, typeId: "washer" });
        const ids = appliances.map(({ id }) => id);
        const components = await fixture.components(property.id);
        await fixture.write(async (writer) => {
          const log = new ServiceLog(writer);
          for (const { appliance, part, ...event } of logged) {
            const own = components.filter(({ applianceId }) => applianceId === ids[appliance]);
            await log.add({
              ...event,
              applianceId: ids[appliance]!,
              technician: null,
              partsCostCents: null,
              laborCostCents: null,
              totalCostCents: null,
              componentId: part === null ? null : own[part]!.id,
            });
          }
          await log.finish();
        });
        const { read } = fixture.store;
        const loaded = await loadHistories(read, knowledge, [property], appliances, TODAY);
        const { history } = loaded.get(property.id)!;
        const paged = await loadServiceEventsOfHistories(read, knowledge, ids, {
          atOnce: 0,
          page,
          ordered: page,
        });
        const again = history.appliances.map((one) => ({ ...one, events: paged.get(one.id) ?? [] }));
        expect(again.flatMap(({ events }) => events).length).toBeLessThanOrEqual(logged.length);
        const scores = scoreProperty(knowledge, { ...history, appliances: again }, TODAY);
        expect([...scores]).toEqual([...scoreProperty(knowledge, history, TODAY)]);
      },
    ),
    { numRuns: runsOnEngine(15) },
  );
});

test("a component's history is read in few statements, newest first, without the events of other components", async () => {
  const EVENTS = 1_800;
  const fixture = await open(NOW);
  const property = await fixture.addProperty();
  const [heater] = await fixture.addAppliances({ propertyId: property.id });
  const [component, other] = await fixture.components(property.id);
  await fixture.write(async (writer) => {
    for (let n = 0; n < EVENTS; n++)
      await writer.insertServiceEvent({
        id: writer.tx.newId("serviceEvent"),
        partnerId: fixture.partnerId,
        propertyId: property.id,
        applianceId: heater!.id,
        componentId: [null, component!.id, other!.id][n % 3]!,
        notes: `${n}`,
        eventType: "Repair",
        date: `2024-01-0${1 + ((7 * n) % 9)}`,
        createdAt: writer.rows.nextInstant(),
        partsCostCents: null,
        laborCostCents: null,
        totalCostCents: null,
        technician: null,
        conditionAfter: null,
        conditionScore: null,
        inspectionTypes: null,
        voidedAt: n % 100 === 0 ? NOW : null,
        voidReason: null,
      });
  });
  let statements = 0;
  const counted = <T extends Pick<Stores, "serviceEvents">>(read: T): T => ({
    ...read,
    serviceEvents: {
      ...read.serviceEvents,
      ofComponent: (...asked) => {
        statements++;
        return read.serviceEvents.ofComponent(...asked);
      },
    },
  });
  const { store } = fixture;
  const history = await loadComponentHistory(
    {
      read: counted(store.read),
      inReadSnapshot: (run) => store.inReadSnapshot((read) => run(counted(read))),
    },
    component!,
    async () => {},
    () => {},
  );
  const all = (await store.read.serviceEvents.ofAppliance(heater!.id)).filter(
    ({ componentId }) => componentId !== other!.id,
  );
  expect(history.map(({ id }) => id)).toEqual(all.toReversed().map(({ id }) => id));
  expect(history.length).toBeGreaterThan(1_000);
  expect(statements).toBeLessThan(4);
});

test("the rows of many appliances are read in groups, with few queries that read too many", async () => {
  const readAll = async (rowsOf: (index: number) => number, length = 1_000) => {
    const ids = Array.from({ length }, (_, index) => String(index));
    let [queries, overflows] = [0, 0];
    const taken: string[] = [];
    await loadRowsOfAppliances(
      ids,
      { atOnce: 1_000, yieldNow: async () => {} },
      async (group, limit) => {
        queries++;
        const rows = group.flatMap((id) => Array<string>(rowsOf(Number(id))).fill(id)).slice(0, limit);
        if (rows.length === limit) overflows++;
        return rows;
      },
      async (rows) => void taken.push(...new Set(rows)),
      async (id) => void taken.push(id),
    );
    expect(taken).toEqual(ids.filter((id) => rowsOf(Number(id)) > 0));
    return { queries, overflows };
  };
  expect(await readAll(() => 1)).toEqual({ queries: 1, overflows: 0 });
  expect(await readAll(() => 5)).toEqual({ queries: 10, overflows: 3 });
  expect(await readAll((index) => (index === 500 ? 9_000 : 0))).toMatchObject({ overflows: 11 });
});
