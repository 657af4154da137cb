import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, dayOf, MS_PER_DAY } from "../../../src/domain/time.ts";
import { storedListPageStartAt } from "../../../src/store/queries/list-page-starts-queries.ts";
import { correctServiceEvent, ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { renewChangedPlans } from "../../../src/usecases/planning/load-portfolio-plan.ts";
import { changeAppliance } from "../../../src/usecases/portfolio/create-or-change-appliance.ts";
import { changeProperty } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { retireDueRecords } from "../../../src/usecases/portfolio/retire-records.ts";
import { recountDerivedData } from "../../../src/usecases/recalculation/recount-derived-data.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";
import { runsOnEngine } from "../../support/postgres.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const TODAY = dayOf(NOON);
const open = usePortfolioStore();
const yieldNow = async () => {};
/** Copied by each test. */
let whole: PortfolioFixture;
let fixture: PortfolioFixture;
const propertyIds: string[] = [];
const applianceIds: string[] = [];

const TYPES = ["water_heater_gas", "elevator", "roof", "electrical_panel"];

beforeAll(async () => {
  whole = await open(NOON);
  for (let nth = 0; nth < 3; nth++) {
    const { id } = await whole.addProperty({
      name: `House ${nth}`,
      unitCount: nth,
      state: nth === 1 ? "VT" : "NY",
    });
    propertyIds.push(id);
    const made = await whole.addAppliances(
      ...TYPES.map((typeId, at) => ({
        propertyId: id,
        typeId,
        installYear: 1975 + at * 10,
        serial: `S${at}`,
      })),
    );
    applianceIds.push(...made.map((one) => one.id));
  }
});
beforeEach(async () => {
  fixture = await whole.copy();
});

const read = () => fixture.store.read;
const ALL = { limit: 1000, offset: 0 };
const recount = () => recountDerivedData({ ...fixture, knowledge, yieldNow }, false);
const setProperty = (id: string, retiredAt: string | null) =>
  fixture.write((writer) => changeProperty(writer, id, { retiredAt }));
const setAppliance = (id: string, retiredAt: string | null) =>
  fixture.write((writer) => changeAppliance(writer, id, { retiredAt }));
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

/** Returns everything that lists and sums say of the portfolio, but for scores, which follow from what is listed. */
async function listed() {
  const { partnerId } = fixture;
  const components = await read().components.page(partnerId, ALL);
  return {
    properties: ids(await read().properties.page(partnerId, ALL)),
    appliances: ids(await read().appliances.page(partnerId, ALL)),
    components: ids(components),
    alerts: ids(await read().components.elevatedPage(partnerId, ALL)).sort(),
    units: await read().partners.billableUnits(partnerId),
    elevated: ids(components.filter(({ riskTier }) => riskTier !== "GOOD")).sort(),
  };
}

async function expectConsistent() {
  for (const count of Object.values(await recount())) expect(count).toBe(0);
  const { partnerId } = fixture;
  const totals = await read().totals.ofPartner(partnerId);
  const { properties, appliances, components, alerts, elevated } = await listed();
  expect([totals.properties, totals.appliances, totals.components]).toEqual([
    properties.length,
    appliances.length,
    components.length,
  ]);
  expect(alerts).toEqual(elevated);
  expect(totals.critical + totals.warning).toBe(alerts.length);
  for (const [list, page] of [
    [properties, (slice: typeof ALL) => read().properties.page(partnerId, slice)],
    [appliances, (slice: typeof ALL) => read().appliances.page(partnerId, slice)],
    [components, (slice: typeof ALL) => read().components.page(partnerId, slice)],
  ] as const)
    for (const slice of [
      { limit: 2, offset: 0 },
      { limit: 3, offset: 1 },
      { limit: 5, offset: Math.max(list.length - 2, 0) },
      { limit: 5, offset: list.length },
    ])
      expect(ids(await page(slice))).toEqual(list.slice(slice.offset, slice.offset + slice.limit));
}

describe("a retired property", () => {
  // Rule: retire
  test("is in no list, sum, plan or billable unit, and comes back as it was", async () => {
    const before = await listed();
    const [, second] = propertyIds;
    await renewChangedPlans(
      { store: fixture.store, knowledge, clock: fixture.clock, yieldNow },
      fixture.partnerId,
    );
    const plan = await read().plans.ofPartner(fixture.partnerId);
    const retired = await setProperty(second!, TODAY);
    expect(retired.seq).toBeLessThan(0);
    await expectConsistent();
    const without = await listed();
    expect(without.properties).toEqual(before.properties.filter((id) => id !== second));
    expect(without.appliances).toHaveLength(before.appliances.length - TYPES.length);
    expect(without.units).toBe(before.units - 1);
    await renewChangedPlans(
      { store: fixture.store, knowledge, clock: fixture.clock, yieldNow },
      fixture.partnerId,
    );
    expect((await read().plans.ofPartner(fixture.partnerId)).sums.unitCount).toBe(plan.sums.unitCount - 1);
    expect((await read().plans.ofProperty(second!))!.sums.due.components).toBe(0);
    expect(ids(await read().properties.numbered(fixture.partnerId, 0, 10))).toEqual(before.properties);
    await setProperty(second!, null);
    await expectConsistent();
    expect(await listed()).toEqual(before);
    await renewChangedPlans(
      { store: fixture.store, knowledge, clock: fixture.clock, yieldNow },
      fixture.partnerId,
    );
    expect(await read().plans.ofPartner(fixture.partnerId)).toEqual(plan);
  });

  // Rule: retire-conflict
  test("rejects every write until it is brought back", async () => {
    const [first] = propertyIds;
    const logged = await fixture.write(async (writer) => {
      const log = new ServiceLog(writer);
      const event = await log.add(visit(applianceIds[0]!));
      await log.finish();
      return event.id;
    });
    const correct = (request: Parameters<typeof correctServiceEvent>[2]) =>
      fixture.write((writer) => correctServiceEvent(writer, logged, request));
    await setProperty(first!, "2020-01-01");
    const conflicts = [
      () => correct({ void: { reason: null } }),
      () => correct({ change: { applianceId: applianceIds.at(-1)! } }),
      () => fixture.write((writer) => changeProperty(writer, first!, { name: "New" })),
      () => fixture.write((writer) => changeProperty(writer, first!, { name: "New", retiredAt: TODAY })),
      () => fixture.addAppliances({ propertyId: first! }),
      () => setAppliance(applianceIds[0]!, null),
      () => fixture.write((writer) => changeAppliance(writer, applianceIds[0]!, { brand: "X" })),
      () => fixture.write(async (writer) => void (await new ServiceLog(writer).add(visit(applianceIds[0]!)))),
    ];
    for (const write of conflicts)
      await expect(write()).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining("retire"),
      });
    const back = await fixture.write((writer) =>
      changeProperty(writer, first!, { retiredAt: null, name: "New" }),
    );
    expect(back).toMatchObject({ name: "New", retiredAt: null, seq: 1 });
    await expectConsistent();
  });

  // Rule: retire
  test("does not bring back an appliance that is retired by itself", async () => {
    const [first] = propertyIds;
    await setAppliance(applianceIds[1]!, TODAY);
    await setProperty(first!, TODAY);
    await setProperty(first!, null);
    await expectConsistent();
    expect((await listed()).appliances).not.toContain(applianceIds[1]!);
    await setAppliance(applianceIds[1]!, null);
    await expectConsistent();
    expect((await listed()).appliances).toEqual(applianceIds);
  });
});

const visit = (applianceId: string) => ({
  applianceId,
  componentId: null,
  eventType: "Preventive Maintenance" as const,
  date: TODAY,
  technician: null,
  partsCostCents: null,
  laborCostCents: null,
  totalCostCents: null,
  notes: null,
  conditionAfter: null,
});

describe("a retirement on a day in the future", () => {
  // Rule: retire
  test("takes effect on that day, once", async () => {
    const before = await listed();
    await setProperty(propertyIds[2]!, addDays(TODAY, 2));
    await setAppliance(applianceIds[0]!, addDays(TODAY, 1));
    const deps = { store: fixture.store, knowledge, clock: fixture.clock, yieldNow };
    expect(await retireDueRecords(deps)).toBe(0);
    expect(await listed()).toEqual(before);
    fixture.time.now += MS_PER_DAY;
    expect(await retireDueRecords(deps)).toBe(1);
    const { partnerId } = fixture;
    const [entry] = await fixture.store.read.audit.page({ offset: 0, limit: 1 }, { partnerId });
    const detail = { partner_id: partnerId, retired_at: addDays(TODAY, 1) };
    expect(entry).toMatchObject({ action: "appliance.retired", actor: "schedule", detail });
    expect((await listed()).appliances).toEqual(before.appliances.slice(1));
    fixture.time.now += MS_PER_DAY;
    await takeSnapshot({ ...deps, monotonicMs: () => 0 }, dayOf(fixture.time.now));
    expect(await retireDueRecords(deps)).toBe(0);
    expect((await listed()).properties).toEqual(before.properties.slice(0, 2));
    await expectConsistent();
  });

  test("can be taken back before", async () => {
    await setProperty(propertyIds[0]!, addDays(TODAY, 1));
    await setProperty(propertyIds[0]!, null);
    fixture.time.now += 3 * MS_PER_DAY;
    expect(await retireDueRecords({ store: fixture.store, knowledge, clock: fixture.clock, yieldNow })).toBe(
      0,
    );
  });
});

test("a reason without a day is invalid, and is cleared with the day", async () => {
  const [first] = propertyIds;
  await expect(
    fixture.write((writer) => changeProperty(writer, first!, { retiredReason: "Sold" })),
  ).rejects.toMatchObject({ code: "invalid_request" });
  await fixture.write((writer) =>
    changeProperty(writer, first!, { retiredAt: TODAY, retiredReason: "Sold" }),
  );
  expect(await read().properties.find(fixture.partnerId, first!)).toMatchObject({ retiredReason: "Sold" });
  expect(await setProperty(first!, null)).toMatchObject({ retiredAt: null, retiredReason: null });
});

// Rule: retire
test("any sequence of retirements and moves gives the lists and sums of a recount", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("property"), at: fc.nat(2), back: fc.boolean() }),
    fc.record({ kind: fc.constant("appliance"), at: fc.nat(11), back: fc.boolean() }),
    fc.record({ kind: fc.constant("add"), at: fc.nat(2), back: fc.boolean() }),
    fc.record({ kind: fc.constant("move"), at: fc.nat(11), back: fc.boolean() }),
    fc.record({ kind: fc.constant("snapshot"), at: fc.nat(2), back: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      for (const { kind, at, back } of steps) {
        const day = back ? null : dayOf(fixture.time.now);
        const refused = (error: { code?: string }) => expect(error.code).toBe("conflict");
        if (kind === "property") await setProperty(propertyIds[at]!, day);
        else if (kind === "appliance") await setAppliance(applianceIds[at]!, day).catch(refused);
        else if (kind === "add")
          await fixture.addAppliances({ propertyId: propertyIds[at]!, installYear: 1980 }).catch(refused);
        else if (kind === "move") {
          const change = back ? { typeId: TYPES[at % 4]! } : { propertyId: propertyIds[at % 3]! };
          await fixture
            .write((writer) => changeAppliance(writer, applianceIds[(at * 5) % 12]!, change))
            .catch(refused);
        } else {
          fixture.time.now += MS_PER_DAY;
          const deps = { store: fixture.store, knowledge, clock: fixture.clock, yieldNow };
          await takeSnapshot({ ...deps, monotonicMs: () => 0 }, dayOf(fixture.time.now));
        }
      }
      await expectConsistent();
    }),
    { numRuns: runsOnEngine(12) },
  );
});

// Rule: pages-complete
test("the place of an offset among gaps is that of the row", () => {
  const seqs = fc.uniqueArray(fc.integer({ min: 1, max: 9000 }), { maxLength: 300 });
  fc.assert(
    fc.property(seqs, fc.nat(9000), (retired, offset) => {
      const gone = new Set(retired);
      const list = Array.from({ length: 9000 }, (_, at) => at + 1).filter((seq) => !gone.has(seq));
      const blocks = new Map<number, number>();
      for (const seq of retired)
        blocks.set(Math.floor(seq / 2048), (blocks.get(Math.floor(seq / 2048)) ?? 0) + 1);
      const rows = [...blocks].map(([block, count]) => ({ block, count })).sort((a, b) => a.block - b.block);
      const { from, skip } = storedListPageStartAt(rows, offset);
      expect(skip).toBeLessThan(2048);
      expect(list.filter((seq) => seq >= from)[skip]).toBe(list[offset]!);
    }),
    { numRuns: 200 },
  );
});
