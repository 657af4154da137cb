import { beforeEach, expect, spyOn, test } from "bun:test";
import type { NewServiceEvent } from "../../../src/domain/service-event.ts";
import type { PartnerOperation } from "../../../src/http/http-operation.ts";
import { serviceEventOperations } from "../../../src/http/routes/service-events-routes.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import type { PortfolioWriter } from "../../../src/usecases/portfolio/portfolio-writer.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();
let fixture: PortfolioFixture;
let applianceId: string;
let propertyId: string;

/** Creates a worn appliance, some of whose components were announced as elevated. */
beforeEach(async () => {
  fixture = await open(NOON, "http://hooks.test/");
  propertyId = (await fixture.addProperty()).id;
  applianceId = (await fixture.addAppliances({ propertyId, installYear: 1980 }))[0]!.id;
  const { store, clock } = fixture;
  const run = { store, knowledge, clock, monotonicMs: () => performance.now(), yieldNow: async () => {} };
  await takeSnapshot(run, "2026-03-10");
});

async function logWith(writer: PortfolioWriter, events: readonly Partial<NewServiceEvent>[]): Promise<void> {
  const service = new ServiceLog(writer);
  for (const event of events)
    await service.add({
      applianceId,
      componentId: null,
      eventType: "Repair",
      date: "2026-03-10",
      technician: null,
      partsCostCents: null,
      laborCostCents: null,
      totalCostCents: null,
      notes: null,
      conditionAfter: null,
      ...event,
    });
  await service.finish();
}
const log = (...events: Partial<NewServiceEvent>[]) => fixture.write((writer) => logWith(writer, events));
const announced = async (event: string) => await fixture.store.read.deliveryLog.count({ event });

// Rule: replacement-sends
test.each([
  ["before", ["Replacement", "Cleaning"]],
  ["after", ["Cleaning", "Replacement"]],
] as const)(
  "a replacement announces the components that it restores, logged %s another event of its appliance",
  async (_, types) => {
    const elevated = (await fixture.components(propertyId)).filter(
      ({ announcedTier }) => announcedTier !== "GOOD",
    );
    expect(elevated.length).toBeGreaterThan(0);
    await log(...types.map((eventType) => ({ eventType })));
    expect(await announced("component.recovered")).toBe(elevated.length);
    for (const component of await fixture.components(propertyId))
      expect(component).toMatchObject({
        riskTier: "GOOD",
        announcedTier: "GOOD",
        lastReplaced: "2026-03-10",
      });
  },
);

test("dates never go backwards, in whatever order events are logged", async () => {
  await log(
    { eventType: "Cleaning", date: "2026-02-02" },
    { eventType: "Repair", date: "2026-01-01" },
    { eventType: "Replacement", date: "2025-05-05" },
    { eventType: "Replacement", date: "2024-04-04" },
  );
  for (const component of await fixture.components(propertyId))
    expect(component).toMatchObject({ lastServiced: "2026-02-02", lastReplaced: "2025-05-05" });
});

test("appliances are loaded ahead of their events together, an unknown one not at all", async () => {
  const [other] = await fixture.addAppliances({ propertyId, installYear: 1990 });
  const stored = await fixture.components(propertyId);
  await fixture.write(async (writer) => {
    const reads = [
      spyOn(writer.tx.appliances, "ofIds"),
      spyOn(writer.tx.appliances, "find"),
      spyOn(writer.tx.components, "datesOfAppliances"),
    ];
    const service = new ServiceLog(writer);
    await service.preloadByIds([applianceId, other!.id, applianceId, "A_unknown"]);
    expect(reads.map((read) => read.mock.calls.length)).toEqual([1, 0, 1]);
    for (const id of [applianceId, other!.id]) {
      const own = stored.filter((component) => component.applianceId === id);
      expect(own.length).toBeGreaterThan(0);
      const loaded = service.componentsOf(id)?.map((component) => component.id);
      expect(new Set(loaded)).toEqual(new Set(own.map((component) => component.id)));
    }
    expect(service.componentsOf("A_unknown")).toBeUndefined();
    for (const read of reads) read.mockRestore();
  });
});

test("a request for many events loads their appliances and properties together", async () => {
  const made = await fixture.addAppliances(
    { propertyId, installYear: 1990 },
    { propertyId: (await fixture.addProperty()).id, installYear: 1991 },
  );
  const events = made.map(({ id }) => ({
    appliance_id: id,
    event_type: "Inspection",
    date: "2026-02-02",
  }));
  const reads: number[] = [];
  const create = serviceEventOperations(knowledge, 10).find(
    ({ id }) => id === "createServiceEvents",
  ) as PartnerOperation;
  const { status } = await create.handle({
    body: { events },
    partner: fixture.partner,
    yieldNow: async () => {},
    writePortfolio: (run: (writer: PortfolioWriter) => Promise<unknown>) =>
      fixture.write(async (writer) => {
        const { appliances, components, totals } = writer.tx;
        const spies = [
          spyOn(appliances, "find"),
          spyOn(components, "ofAppliance"),
          spyOn(appliances, "ofIds"),
          spyOn(totals, "sizesOf"),
        ];
        const reply = await run(writer);
        for (const spy of spies) {
          reads.push(spy.mock.calls.length);
          spy.mockRestore();
        }
        return reply;
      }),
  } as never);
  expect(status).toBe(201);
  // The sizes are read ahead of all events, and again as they are scored.
  expect(reads).toEqual([0, 0, 1, 2]);
});

test("the records of several properties are looked up together, and each begins with its own events", async () => {
  const properties = [propertyId];
  const appliances = [applianceId];
  for (let n = 0; n < 4; n++) {
    properties.push((await fixture.addProperty({ address: `${n} Oak St` })).id);
    appliances.push((await fixture.addAppliances({ propertyId: properties.at(-1)! }))[0]!.id);
  }
  const events = [
    // None of the first property adjoins its record.
    { applianceId, date: "2001-01-01" },
    ...appliances
      .slice(1)
      .flatMap((id, n) => ["2026-01-05", `2025-12-0${n + 1}`].map((date) => ({ applianceId: id, date }))),
  ];
  const asked = await fixture.write(async (writer) => {
    const lookUps = spyOn(writer.tx.serviceEvents, "earliestDays");
    try {
      await logWith(writer, events);
      return lookUps.mock.calls.map(([ranges]) => ranges.length);
    } finally {
      lookUps.mockRestore();
    }
  });
  // Those that adjoin the records, and none before them.
  expect(asked).toEqual([4, 4]);
  const stored = await fixture.store.read.properties.ofIds(fixture.partnerId, properties);
  const starts = new Map(stored.map(({ id, recordsSince }) => [id, recordsSince]));
  expect(properties.map((id) => starts.get(id))).toEqual([
    ...["2026-03-10", "2025-12-01", "2025-12-02", "2025-12-03", "2025-12-04"],
  ]);
});
