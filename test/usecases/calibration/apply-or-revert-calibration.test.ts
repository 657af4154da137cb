import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Calibration } from "../../../src/domain/calibration/calibration.ts";
import { calibrationFitId } from "../../../src/domain/calibration/model-version.ts";
import { partInPlaceOf } from "../../../src/domain/planning/component-plan.ts";
import type { ModelCorrections } from "../../../src/domain/scoring/score-model-corrections.ts";
import { dayOf } from "../../../src/domain/time.ts";
import {
  activateProposedFit,
  revertModel,
  storeAndActivateCalibration,
  storeProposedFit,
} from "../../../src/usecases/calibration/apply-or-revert-calibration.ts";
import { renewAgedPlans, renewChangedPlans } from "../../../src/usecases/planning/load-portfolio-plan.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import { interruptSnapshot } from "../../support/interrupted-snapshot.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();
let fixture: PortfolioFixture;
let propertyId: string;
let applianceIds: string[];

beforeEach(async () => {
  fixture = await open(NOON);
  propertyId = (await fixture.addProperty({ unitCount: 4 })).id;
  const made = await fixture.addAppliances(
    { propertyId, installYear: 2015 },
    { propertyId, installYear: 2015 },
  );
  applianceIds = made.map(({ id }) => id);
});

const environment = () => ({
  store: fixture.store,
  knowledge,
  clock: fixture.clock,
  actor: "cli:test",
  yieldNow: async () => {},
  monotonicMs: () => performance.now(),
});
const snapshot = () => takeSnapshot(environment(), dayOf(fixture.time.now));
const components = () => fixture.store.read.components.rowsOfProperty(propertyId);
const revision = () => fixture.store.read.partners.revision(fixture.partnerId);

/** A fit by hand: every life a third longer, and the first appliance frail. */
function fitted(frailties = new Map([[applianceIds[0]!, 2.5]])): Calibration {
  const lifeFactors = new Map([...knowledge.components.keys()].map((id) => [id, 4 / 3]));
  const corrections: ModelCorrections = { lifeFactors, frailties, strength: { condition: 2, repairs: 1 } };
  const fit = { failures: 60, frailtyShape: 4, corrections };
  return { fit, validation: { better: true }, sharedCauses: { classes: [] as unknown } } as Calibration;
}
const apply = (where: Partial<ReturnType<typeof environment>> = {}, fit = fitted()): Promise<string> =>
  storeAndActivateCalibration({ ...environment(), ...where }, fit, { force: false, evidence: {} });

describe("a model that is applied or reverted to", () => {
  test("invalidates the cached answers of every partner", async () => {
    const before = await revision();
    await apply();
    const applied = await revision();
    expect(applied).not.toBe(before);
    await revertModel(environment());
    expect([before, applied]).not.toContain(await revision());
  });

  const renew = async () =>
    (await renewAgedPlans(environment(), dayOf(fixture.time.now))) +
    (await renewChangedPlans(environment(), fixture.partnerId));

  // Rule: calibrate-plans
  test("applies to plans from the next snapshot on, also to those of its day", async () => {
    const failures = async () =>
      (await fixture.store.read.plans.ofPartner(fixture.partnerId)).sums.years.runToFailure;
    await renew();
    const plain = await failures();
    await apply();
    await snapshot();
    expect(await renew()).toBe(1);
    const fitted = await failures();
    expect(fitted).not.toEqual(plain);
    await revertModel(environment());
    fixture.time.now += 86_400_000;
    await renewAgedPlans(environment(), dayOf(fixture.time.now)); // before that day's snapshot
    await snapshot();
    expect(await renew()).toBe(1);
    expect((await failures())[20]).not.toBe(fitted[20]!);
    expect(await renew()).toBe(0);
  });

  // Rule: calibrate-plans
  test("leaves no plan of a model that has scored only a part of an interrupted snapshot", async () => {
    const plan = () => fixture.store.read.plans.ofProperty(propertyId);
    await snapshot();
    await apply();
    fixture.time.now += 86_400_000;
    await interruptSnapshot(environment(), dayOf(fixture.time.now));
    await revertModel(environment());
    fixture.time.now += 86_400_000;
    expect(await renew()).toBe(1); // before that day's snapshot
    const fitted = await plan();
    await snapshot();
    await renew();
    const kept = await plan();
    await fixture.store.write((tx) => tx.plans.touch(propertyId));
    expect(await renew()).toBe(1);
    const computed = await plan();
    expect(computed!.sums).not.toEqual(fitted!.sums);
    expect(kept!.sums).toEqual(computed!.sums);
    fixture.time.now += 86_400_000;
    await snapshot();
    expect(await fixture.store.read.plans.changed(fixture.partnerId, 10)).toEqual([]);
  });

  describe("during a snapshot", () => {
    let installed: PortfolioFixture;
    beforeAll(async () => {
      installed = await open(NOON);
      // A step scores two of the properties.
      for (let nth = 0; nth < 3; nth++) {
        const { id } = await installed.addProperty({ name: `House ${nth}` });
        const old = { propertyId: id, installYear: 1990 };
        await installed.addAppliances(...Array.from({ length: 34 }, () => old));
      }
    });
    /** Takes the day's snapshot with a change of the model after its first scoring step, and after its second one. */
    async function snapshotDuring(...changes: (() => Promise<unknown>)[]) {
      fixture = await installed.copy();
      let scoringSteps = fixture.store.isShared ? -1 : 0;
      const change = async () => void (await changes[scoringSteps++]?.());
      let ms = 0;
      const slow = { monotonicMs: () => (ms += 1000), yieldNow: change };
      const result = await takeSnapshot({ ...environment(), ...slow }, dayOf(fixture.time.now));
      const scored = await fixture.sql(
        "SELECT id, life_factor, components.risk_score, announced_tier, trend_score, day, risk_snapshots.risk_score AS point FROM components LEFT JOIN risk_snapshots ON component_id = id ORDER BY id",
      );
      const run = await fixture.store.read.snapshots.run(result.date);
      return { result, run, scored, again: (await snapshot()).alreadyDone };
    }

    const applyFit = () => apply({}, fitted(new Map()));
    // Rule: one-model-snapshot
    test("leaves no part of it with the scores, points of trends or alerts of another model", async () => {
      const { run, ...plain } = await snapshotDuring();
      const reverted = await snapshotDuring(applyFit, () => revertModel(environment()));
      expect(reverted.scored).toEqual(plain.scored);
      expect(reverted.run).toMatchObject({ modelVersion: "3", critical: run!.critical });
      expect(reverted.run!.announced).toBeGreaterThan(run!.announced);
      const applied = await snapshotDuring(applyFit);
      expect(applied.run).toMatchObject({ modelVersion: "3+local.1" });
      const factors = new Set(applied.scored.map(({ life_factor }) => Number(life_factor)));
      expect([...factors]).toEqual([4 / 3]);
      expect([plain.again, reverted.again, applied.again]).toEqual([true, true, true]);
    });
  });

  test("changes no plan where the snapshot before used the same model", async () => {
    await apply();
    await snapshot();
    await renewChangedPlans(environment(), fixture.partnerId);
    fixture.time.now += 86_400_000;
    await snapshot();
    expect(await fixture.store.read.plans.changed(fixture.partnerId, 10)).toEqual([]);
  });
});

const partFor = (component: Parameters<typeof partInPlaceOf>[1]) =>
  partInPlaceOf(knowledge, component, { plannedCents: 1, failedCents: 2 });

// Rule: calibrate-plans
test("a plan's lives are those of the fit: by component type, and shorter for every component of a frail appliance", async () => {
  await snapshot();
  const plain = new Map((await components()).map((one) => [one.id, partFor(one)]));
  await apply();
  fixture.time.now += 86_400_000;
  await snapshot();
  const fitted = await components();
  expect(fitted.length).toBeGreaterThan(2);
  for (const component of fitted) {
    const { shape, scaleYears } = partFor(component);
    const frailty = component.applianceId === applianceIds[0] ? 2.5 : 1;
    const factor = (4 / 3) * frailty ** (-1 / shape);
    expect(scaleYears / plain.get(component.id)!.scaleYears).toBeCloseTo(factor, 10);
  }
});

// Rule: partner-purge
test("a purge deletes the fitted values of the partner's appliances", async () => {
  await apply();
  const frailties = async () => (await fixture.store.read.models.frailties(1, applianceIds)).size;
  expect(await frailties()).toBe(1);
  for (;;) if ((await fixture.store.write((tx) => tx.purge.step(fixture.partnerId))).isEmpty) break;
  expect(await frailties()).toBe(0);
});

describe("two fits that are stored at once", () => {
  /** More than one transaction stores: the same of each appliance, so that a mixture is visible. */
  const frailtiesOf = (value: number) => new Map(applianceIds.map((id) => [id, value]));
  let many: PortfolioFixture;
  let ids: string[];
  beforeAll(async () => {
    many = await open(NOON);
    const { id } = await many.addProperty();
    const roofs = Array.from({ length: 1100 }, () => ({ propertyId: id, typeId: "roof" }));
    ids = (await many.addAppliances(...roofs)).map((one) => one.id);
  });
  beforeEach(async () => {
    fixture = await many.copy();
    applianceIds = ids;
  });
  const stored = async (number: number) => {
    const found = await fixture.store.read.models.frailties(number, applianceIds);
    return new Set(found.values());
  };

  test("are not mixed: one is applied, and the other is refused", async () => {
    const other = await fixture.open();
    const outcomes = await Promise.allSettled([
      apply({}, fitted(frailtiesOf(2))),
      apply({ store: other }, fitted(frailtiesOf(3))),
    ]);
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(1);
    expect(String((refused[0] as PromiseRejectedResult).reason)).toContain(
      "another calibration is being stored",
    );
    expect((await stored(1)).size).toBe(1);
    expect((await apply({ store: other }, fitted(frailtiesOf(4)))).endsWith("+local.2")).toBe(true);
    expect([...(await stored(2))]).toEqual([4]);
  });

  test("one that was suspended changes nothing that the other has stored since", async () => {
    const other = await fixture.open();
    let kept: Awaited<ReturnType<typeof storeProposedFit>> | undefined;
    let steps = 0;
    const stands = apply(
      {
        yieldNow: async () => {
          if (++steps !== 2) return;
          // A minute later.
          await fixture.sql("UPDATE locks SET expires_at = 1 WHERE name = 'calibration'");
          kept = await storeProposedFit(
            { ...environment(), store: other },
            { calibration: fitted(frailtiesOf(3)), evidence: {} },
          );
        },
      },
      fitted(frailtiesOf(2)),
    );
    await expect(stands).rejects.toThrow("another process may be doing the same");
    const environmentOfOther = { ...environment(), store: other };
    await activateProposedFit(environmentOfOther, calibrationFitId(kept!), { force: false });
    expect([...(await stored(1))]).toEqual([3]);
  });

  test("the stored one cannot be applied while the next replaces it", async () => {
    const kept = await storeProposedFit(environment(), { calibration: fitted(frailtiesOf(2)), evidence: {} });
    const refusals: string[] = [];
    const next = await storeProposedFit(
      {
        ...environment(),
        yieldNow: async () => {
          const applying = activateProposedFit(environment(), calibrationFitId(kept), { force: false });
          refusals.push(await applying.then(() => "applied", String));
        },
      },
      { calibration: fitted(frailtiesOf(3)), evidence: {} },
    );
    expect(refusals.length).toBeGreaterThan(2);
    for (const refusal of refusals) expect(refusal).toContain("Another calibration is being stored");
    await activateProposedFit(environment(), calibrationFitId(next), { force: false });
    expect([...(await stored(1))]).toEqual([3]);
  });

  test("nothing can be reverted meanwhile, which is a conflict and not a server error", async () => {
    await apply();
    const refusals: unknown[] = [];
    await storeProposedFit(
      {
        ...environment(),
        yieldNow: async () =>
          void refusals.push(await revertModel(environment()).then(() => "reverted", codeOf)),
      },
      { calibration: fitted(frailtiesOf(3)), evidence: {} },
    );
    expect(refusals.length).toBeGreaterThan(2);
    expect(new Set(refusals)).toEqual(new Set(["conflict"]));
    expect((await revertModel(environment())).to).toBe(knowledge.modelVersion);
    expect(await revertModel(environment()).catch(codeOf)).toBe("conflict");
  });
});

const codeOf = (error: { code?: string }) => error.code ?? error;
