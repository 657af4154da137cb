import { beforeEach, describe, expect, test } from "bun:test";
import type { Calibration } from "../../../src/domain/calibration/calibration.ts";
import { UNCORRECTED } from "../../../src/domain/scoring/score-model-corrections.ts";
import { dayOf } from "../../../src/domain/time.ts";
import {
  revertModel,
  storeAndActivateCalibration,
} from "../../../src/usecases/calibration/apply-or-revert-calibration.ts";
import { replaceCostBook } from "../../../src/usecases/costs/replace-cost-book.ts";
import { createDemoProperty } from "../../../src/usecases/demo-property/create-demo-property.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { LossBooks, type LossRequest } from "../../../src/usecases/losses/load-loss-books.ts";
import { changeComponent } from "../../../src/usecases/portfolio/change-component.ts";
import { changeAppliance } from "../../../src/usecases/portfolio/create-or-change-appliance.ts";
import { changeProperty } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { mergeProperties } from "../../../src/usecases/portfolio/merge-properties.ts";
import type { PortfolioWriter } from "../../../src/usecases/portfolio/portfolio-writer.ts";
import { RevisionCaches } from "../../../src/usecases/revision-caches/revision-caches.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const ALL: LossRequest = { selection: { includeDemo: false }, layer: { deductible: 0, limit: null } };

const open = usePortfolioStore();
let fixture: PortfolioFixture;
let books: LossBooks;
beforeEach(async () => {
  fixture = await open(NOON);
  const { id } = await fixture.addProperty({ unitCount: 4 });
  await fixture.addAppliances(...Array.from({ length: 20 }, () => ({ propertyId: id, installYear: 1998 })), {
    propertyId: id,
    typeId: "roof",
    installYear: 2005,
  });
  books = new LossBooks(knowledge, new RevisionCaches(1e8));
});

async function losses(request = ALL) {
  const { store, partnerId, time } = fixture;
  const revision = (await store.read.partners.revision(partnerId))!;
  const deps = { store, now: time.now, yieldNow: async () => {} };
  return await books.ofPartners(deps, [{ id: partnerId, revision }], request);
}

test("partners without components are read with a yield for each", async () => {
  const { store, time } = fixture;
  let yields = 0;
  const yieldNow = async () => void yields++;
  const partners = Array.from({ length: 100 }, (_, nth) => ({ id: `PARTNER_${nth}`, revision: "1" }));
  await books.ofPartners({ store, now: time.now, yieldNow }, partners, ALL);
  expect(yields).toBeGreaterThanOrEqual(100);
});

const administration = () => ({
  store: fixture.store,
  knowledge,
  actor: "cli:test",
  yieldNow: async () => {},
  monotonicMs: () => performance.now(),
});

const repair = (applianceId: string) => async (writer: PortfolioWriter) => {
  const log = new ServiceLog(writer);
  await log.add({
    applianceId,
    componentId: null,
    eventType: "Emergency Repair",
    date: "2026-03-01",
    partsCostCents: null,
    laborCostCents: null,
    totalCostCents: null,
    technician: null,
    notes: null,
    conditionAfter: "poor",
  });
  await log.finish();
};

/** A calibration that learned the year factor of one class and nothing else. */
function learnedPlumbing(variance: number): Calibration {
  const fit = { failures: 60, frailtyShape: null, corrections: UNCORRECTED };
  const classes = [
    { system: "plumbing", variance, isLearned: true },
    { system: "hvac", variance: 0.04, isLearned: false },
  ];
  return { fit, validation: { better: true }, sharedCauses: { classes } } as unknown as Calibration;
}

// Rule: calibration-shared-causes
test("losses use and name the year factors of the active calibration", async () => {
  const plain = await losses();
  expect(plain.yearFactors.filter(({ isLearned }) => isLearned)).toEqual([]);
  await storeAndActivateCalibration(administration(), learnedPlumbing(0.5), { force: false, evidence: {} });
  const learned = await losses();
  expect(learned.yearFactors.filter(({ isLearned }) => isLearned)).toEqual([
    { system: "plumbing", variance: 0.5, isLearned: true },
  ]);
  expect(learned.losses.total.expected).toBeCloseTo(plain.losses.total.expected, 6);
  expect(learned.losses.total.standardDeviation).toBeGreaterThan(plain.losses.total.standardDeviation * 1.01);
  await revertModel(administration());
  expect((await losses()).losses.total.standardDeviation).toBe(plain.losses.total.standardDeviation);
});

// Rule: losses-kept
describe("an answer", () => {
  test("is kept until the portfolio, the model or the day changes", async () => {
    const first = await losses();
    expect(await losses()).toBe(first);
    fixture.time.now += 86_400_000;
    const later = await losses();
    expect(later).not.toBe(first);
    expect(await losses()).toBe(later);
    const { id } = await fixture.addProperty({ state: "OH" });
    await fixture.addAppliances({ propertyId: id });
    expect((await losses()).properties).toBe(2);
  });

  test("follows every kind of change", async () => {
    const request = { ...ALL, selection: { includeDemo: true } };
    const { write, store, partnerId } = fixture;
    const { id } = await fixture.addProperty({ unitCount: 2 });
    const [heater, roof, spare] = await fixture.addAppliances(
      { propertyId: id },
      { propertyId: id, typeId: "roof" },
      { propertyId: id },
    );
    const tank = (await store.read.components.ofAppliance(heater!.id))[0]!;
    const duplicate = await fixture.addProperty();
    await fixture.addAppliances({ propertyId: duplicate.id });
    const line = { typeId: "water_heater_gas", componentDefId: null, state: null, size: null } as const;
    const own = { plannedCents: 5_000_000, failedCents: null, asOf: "2026-01-01", source: "own" } as const;
    const changes: Readonly<Record<string, () => Promise<unknown>>> = {
      "a line of the cost book": () =>
        write((it) => replaceCostBook(it, "test", () => [{ ...line, ...own }])),
      "a component": () => write((it) => changeComponent(it, tank.id, { failedCents: 900_000 })),
      "an appliance": () => write((it) => changeAppliance(it, roof!.id, { installYear: 1985 })),
      "the place": () => write((it) => changeProperty(it, id, { state: "TX" })),
      "the units": () => write((it) => changeProperty(it, id, { unitCount: 9 })),
      "the area": () => write((it) => changeProperty(it, id, { grossAreaSqft: 9000, stories: 2 })),
      "an event": () => write(repair(heater!.id)),
      "a merge": () => write((it) => mergeProperties(it, { into: id, from: duplicate.id })),
      "a retired appliance": () => write((it) => changeAppliance(it, spare!.id, { retiredAt: "2026-03-10" })),
      "an appliance brought back": () => write((it) => changeAppliance(it, spare!.id, { retiredAt: null })),
      "a demo property": () => write(createDemoProperty),
      "a calibration": () =>
        storeAndActivateCalibration(administration(), learnedPlumbing(0.5), { force: false, evidence: {} }),
      "its reverting": () => revertModel(administration()),
      "a retired property": () => write((it) => changeProperty(it, id, { retiredAt: "2026-03-10" })),
      "a snapshot": async () => {
        fixture.time.now += 86_400_000;
        await takeSnapshot({ ...administration(), clock: () => fixture.time.now }, dayOf(fixture.time.now));
      },
    };
    let before = await losses(request);
    for (const [name, change] of Object.entries(changes)) {
      await change();
      const after = await losses(request);
      const revision = (await store.read.partners.revision(partnerId))!;
      const computed = await new LossBooks(knowledge, new RevisionCaches(0)).ofPartners(
        { store, now: fixture.time.now, yieldNow: async () => {} },
        [{ id: partnerId, revision }],
        request,
      );
      expect([name, after]).toEqual([name, computed]);
      expect([name, after]).not.toEqual([name, before]);
      expect(await losses(request)).toBe(after);
      before = after;
    }
  });

  test("is that of its own selection and layer", async () => {
    const all = await losses();
    const roofs = await losses({
      ...ALL,
      selection: { includeDemo: false, systems: new Set(["structural"]) },
    });
    expect(roofs.losses.components).toBeLessThan(all.losses.components);
    const above = await losses({ ...ALL, layer: { deductible: 100_000, limit: null } });
    expect(above.losses.insured.expected).toBeLessThan(all.losses.insured.expected);
    expect(await losses()).toBe(all);
  });

  test("keeps nothing of its computation but what is read again", async () => {
    const { losses: kept } = await losses();
    const names = [...kept.variation.groups.values()].map((group) => Object.keys(group).toSorted());
    expect(names.length).toBeGreaterThan(1);
    expect(new Set(names.map(String))).toEqual(new Set(["covariances,squaredProbability"]));
  });
});
