import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import pg from "pg";
import type { CostLine } from "../../../src/domain/costs/cost-line.ts";
import type { NewServiceEvent } from "../../../src/domain/service-event.ts";
import { dayOf, MS_PER_DAY } from "../../../src/domain/time.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";
import { replaceCostBook } from "../../../src/usecases/costs/replace-cost-book.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { loadPropertyCompliance } from "../../../src/usecases/inspections/load-property-compliance.ts";
import { renewChangedPlans } from "../../../src/usecases/planning/load-portfolio-plan.ts";
import {
  isRecalculatingSums,
  recalculateStoredSums,
  recalculationBasisDigest,
  requestRecalculationIfBasisChanged,
} from "../../../src/usecases/recalculation/recalculate-sums.ts";
import { recountDerivedData } from "../../../src/usecases/recalculation/recount-derived-data.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import { interruptSnapshot } from "../../support/interrupted-snapshot.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";
import { onPostgres, testOnSqlite, textsSent } from "../../support/postgres.ts";
import { revisionNumber } from "../../support/revision-number.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();
const yieldNow = async () => {};
const LINE: CostLine = {
  typeId: "roof",
  componentDefId: null,
  state: null,
  plannedCents: 4_200_000,
  failedCents: 9_000_000,
  size: null,
  asOf: "2026-03-01",
  source: "own",
};
/** A line that plans depend on: the parts of a roof are replaced one by one. */
const MEMBRANE: CostLine = { ...LINE, componentDefId: "roof_membrane" };
const FAILED_VISIT: Omit<NewServiceEvent, "applianceId"> = {
  componentId: null,
  eventType: "Inspection",
  date: "2026-02-01",
  conditionAfter: "poor",
  technician: null,
  partsCostCents: null,
  laborCostCents: null,
  totalCostCents: null,
  notes: null,
};
let fixture: PortfolioFixture;
beforeEach(async () => {
  fixture = await open(NOON);
});

const deps = (more: object = {}) => ({
  store: fixture.store,
  knowledge,
  clock: fixture.clock,
  yieldNow,
  ...more,
});
const addRoofs = async (properties: number, roofs: number) => {
  for (let nth = 0; nth < properties; nth++) {
    const { id: propertyId } = await fixture.addProperty({ name: `House ${nth}` });
    await fixture.addAppliances(
      ...Array.from({ length: roofs }, () => ({ propertyId, typeId: "roof", installYear: 1980 })),
    );
  }
  await renewChangedPlans(deps(), fixture.partnerId);
};
const number = async () => revisionNumber(await fixture.store.read.partners.revision(fixture.partnerId));
const save = (lines: readonly CostLine[]) =>
  fixture.write((writer) => replaceCostBook(writer, "test", () => lines));
const wrongSums = async () =>
  Object.values(await recountDerivedData(deps(), false)).reduce((sum, count) => sum + count, 0);
const wrongProperties = async () => (await recountDerivedData(deps(), false)).property_totals;
const totals = () => fixture.store.read.totals.ofPartner(fixture.partnerId);
const plan = () => fixture.store.read.plans.ofPartner(fixture.partnerId);
const recalculating = () => isRecalculatingSums(fixture.store.read, fixture.partnerId);

describe("a change of the cost book of a small portfolio", () => {
  // Rule: cost-book-effect
  test("changes the sums in the same transaction, and the plan with the next read; taking it back restores them", async () => {
    await addRoofs(3, 2);
    const [before, planBefore] = [await totals(), await plan()];
    expect(await save([MEMBRANE])).toMatchObject({ changes: 1, recalculating: false });
    const after = await totals();
    expect(after.criticalReactiveCents).toBeGreaterThan(0);
    expect(after.criticalReactiveCents).not.toBe(before.criticalReactiveCents);
    expect(await wrongProperties()).toBe(0);
    await renewChangedPlans(deps(), fixture.partnerId);
    expect(await plan()).not.toEqual(planBefore);
    expect(await wrongSums()).toBe(0);
    await save([]);
    await renewChangedPlans(deps(), fixture.partnerId);
    expect([await totals(), await plan()]).toEqual([before, planBefore]);
  });

  test.if(onPostgres)("takes as many statements for 60 properties as for few", async () => {
    const statementsOf = async (lines: readonly CostLine[]) => {
      const query = spyOn(pg.Client.prototype, "query");
      await save(lines);
      const texts = textsSent(query);
      query.mockRestore();
      return texts.length;
    };
    await addRoofs(3, 1);
    const few = await statementsOf([MEMBRANE]);
    await addRoofs(57, 1);
    expect(await statementsOf([])).toBeLessThan(few + 10);
    expect(await wrongProperties()).toBe(0);
  });
});

// Rule: cost-book-effect
// Adding the properties is most of its cost, and the rule does not depend on the engine.
testOnSqlite(
  "a change of the cost book of many properties without equipment is followed by their sums in steps",
  async () => {
    for (let nth = 0; nth < 401; nth++) await fixture.addProperty({ name: `House ${nth}` });
    expect(await save([MEMBRANE])).toMatchObject({ changes: 1, recalculating: true });
  },
);

describe("a change of the cost book of a large portfolio", () => {
  /** Sums as if they had been calculated by other prices. */
  const unsettle = async () => {
    const { store, partnerId } = fixture;
    for (const { id } of await store.read.properties.page(partnerId, { limit: 200, offset: 0 }))
      await store.write(async (tx) => {
        const { propertyId: _, ...stored } = (await tx.recounts.ofProperties([id]))[0]!;
        await tx.recounts.setProperty(id, {
          ...stored,
          criticalReactiveCents: stored.criticalReactiveCents + 5,
        });
        await tx.totals.addToPartner(partnerId, { criticalReactiveCents: 5 });
      });
  };
  /** Stops after some steps, as a server that is shut down. */
  const stopAfter = async (steps: number) => {
    const abort = new AbortController();
    let taken = 0;
    const pausing = async () => {
      if (++taken === steps) abort.abort();
    };
    await expect(recalculateStoredSums(deps({ yieldNow: pausing, signal: abort.signal }))).rejects.toThrow();
  };

  let large: PortfolioFixture | undefined;
  beforeEach(async () => {
    if (!large) {
      await addRoofs(45, 8);
      await unsettle();
      large = fixture;
    }
    fixture = await large.copy();
  });

  // Rule: cost-book-effect
  test("is followed by its sums in steps that continue where they were interrupted", async () => {
    const before = await plan();
    expect(await wrongProperties()).toBe(45);
    expect(await save([MEMBRANE])).toMatchObject({ changes: 1, recalculating: true });
    expect(await recalculating()).toBe(true);
    expect(await wrongProperties()).toBe(45);
    await stopAfter(1);
    expect(await fixture.store.read.recalculations.all()).toMatchObject([{ doneSeq: 20 }]);
    expect(await wrongProperties()).toBe(25);
    expect(await recalculating()).toBe(true);
    expect(await recalculateStoredSums(deps())).toEqual([fixture.partnerId]);
    expect(await wrongSums()).toBe(0);
    expect(await recalculating()).toBe(false);
    expect(await plan()).not.toEqual(before);
    expect(await recalculateStoredSums(deps())).toEqual([]);
  });

  // Rule: cost-book-effect
  test("starts again at a change meanwhile, and includes properties that are added", async () => {
    await save([LINE]);
    await stopAfter(2);
    await unsettle();
    await save([{ ...LINE, plannedCents: 5_000_000 }]);
    expect(await fixture.store.read.recalculations.all()).toMatchObject([{ doneSeq: 0, requests: 2 }]);
    await stopAfter(3);
    await fixture.addProperty();
    expect(await recalculateStoredSums(deps())).toEqual([fixture.partnerId]);
    expect(await wrongSums()).toBe(0);
    expect(await fixture.store.read.plans.changed(fixture.partnerId, 10)).toEqual([]);
  });

  test("may be followed by two servers at once", async () => {
    await save([LINE]);
    const both = await Promise.all([recalculateStoredSums(deps()), recalculateStoredSums(deps())]);
    expect(both.flat()).toContain(fixture.partnerId);
    expect([await wrongSums(), await recalculating()]).toEqual([0, false]);
  });

  test("that is the same as before changes nothing", async () => {
    await save([LINE]);
    await recalculateStoredSums(deps());
    const before = await number();
    expect(await save([LINE])).toMatchObject({ changes: 0, recalculating: false });
    expect(await number()).toBe(before + 1);
  });
});

describe("the sums of all portfolios", () => {
  // Rule: prices-recalculated
  test("are recalculated after a start with other prices, but not in a new database", async () => {
    expect(await requestRecalculationIfBasisChanged(fixture.store, "a")).toBe(false);
    expect(await recalculating()).toBe(false);
    expect(await requestRecalculationIfBasisChanged(fixture.store, "a")).toBe(false);
    const before = await number();
    expect(await requestRecalculationIfBasisChanged(fixture.store, "b")).toBe(true);
    expect(await recalculating()).toBe(true);
    // No server returns a response that it has cached without `recalculating`.
    expect(await number()).toBe(before + 1);
    expect(await recalculateStoredSums(deps())).toEqual([fixture.partnerId]);
    expect(await requestRecalculationIfBasisChanged(fixture.store, "b")).toBe(false);
    expect(await recalculating()).toBe(false);
  });
});

// Rule: prices-recalculated
test("the sums follow the prices of a server that continues a snapshot after one with other prices", async () => {
  await addRoofs(1, 2);
  const day = dayOf(NOON);
  const environment = { ...deps(), monotonicMs: () => 0 };
  await takeSnapshot(environment, day);
  fixture.time.now += MS_PER_DAY;
  const dearer = embeddedKnowledge({ location: "state", priceLevel: 2, buildingPerSqft: 200 });
  await interruptSnapshot({ ...environment, knowledge: dearer }, dayOf(fixture.time.now));
  expect(await wrongSums()).toBeGreaterThan(0);
  await takeSnapshot(environment, dayOf(fixture.time.now));
  await recalculateStoredSums(deps());
  expect(await wrongSums()).toBe(0);
});

// Rule: due-deficiency, inspection-deficiency
test("a plan has the deficiencies that compliance shows once the sums follow another knowledge base", async () => {
  const { id: propertyId } = await fixture.addProperty();
  const [elevator] = await fixture.addAppliances({ propertyId, typeId: "elevator", installYear: 1960 });
  await fixture.write(async (writer) => {
    const log = new ServiceLog(writer);
    await log.add({ ...FAILED_VISIT, applianceId: elevator!.id });
    await log.finish();
  });
  await renewChangedPlans(deps(), fixture.partnerId);
  const before = await fixture.store.read.plans.ofProperty(propertyId);
  expect(before!.sums.due.immediate.cents).toBeGreaterThan(0);
  // A database of before deficiencies were stored.
  await fixture.sql("UPDATE appliances SET deficiencies = 0");
  await fixture.write(async (writer) => writer.markPlanStale(propertyId));
  await renewChangedPlans(deps(), fixture.partnerId);
  const plannedWithout = (await fixture.store.read.plans.ofProperty(propertyId))!.sums.due;
  expect(plannedWithout).not.toEqual(before!.sums.due);
  await requestRecalculationIfBasisChanged(fixture.store, "older");
  expect(await requestRecalculationIfBasisChanged(fixture.store, recalculationBasisDigest(knowledge))).toBe(
    true,
  );
  expect(await recalculateStoredSums(deps())).toEqual([fixture.partnerId]);
  expect((await fixture.store.read.plans.ofProperty(propertyId))!.sums.due).toEqual(before!.sums.due);
  const compliance = await loadPropertyCompliance(
    fixture.store,
    knowledge,
    { id: propertyId, partnerId: fixture.partnerId },
    "2026-03-10",
    yieldNow,
  );
  expect(compliance.some(({ deficiencyOpen }) => deficiencyOpen)).toBe(true);
});

test("another reading of notes and other inspections are another basis of stored sums", () => {
  const basis = recalculationBasisDigest(knowledge);
  const { keywords } = knowledge;
  expect(recalculationBasisDigest({ ...knowledge, keywords: { ...keywords, version: "other" } })).not.toBe(
    basis,
  );
  expect(recalculationBasisDigest({ ...knowledge, regimes: () => [] })).not.toBe(basis);
  expect(recalculationBasisDigest({ ...knowledge })).toBe(basis);
});
