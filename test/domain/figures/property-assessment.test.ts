import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { elevatedCostExposureOf } from "../../../src/domain/figures/elevated-cost-exposure.ts";
import { centsPerUnit } from "../../../src/domain/figures/property-assessment.ts";
import {
  SystemValueAccumulator,
  wordingOfDeferredPercent,
} from "../../../src/domain/figures/replacement-value-by-system.ts";
import { ReportFiguresAccumulator } from "../../../src/domain/figures/report-figures.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { anyComponents, assess, gather, knowledge, part, prices, whole } from "./components.ts";

type Component = ReturnType<typeof part>;

const systemValues = (components: readonly Component[]) =>
  gather(new SystemValueAccumulator(prices), components).values();
const reportOn = (components: readonly Component[]) =>
  runSteps(
    gather(new ReportFiguresAccumulator(prices, (component: Component) => component), components).report(),
  );

/** A boiler whose circulator is CRITICAL and whose relief valve is in WARNING, beside a sound water heater. */
const BOILER = [
  part("boiler_heat_exchanger", 20),
  part("boiler_burner", 51),
  part("boiler_circulator", 78),
  part("boiler_controls", 0),
  part("boiler_expansion_tank", 51),
  part("boiler_relief_valve", 52),
];
const PROPERTY = [...BOILER, ...whole("water_heater_gas", 10)];

describe("the assessment of a property", () => {
  const totals = assess(PROPERTY);

  // Rule: deferred-and-exposure
  test("counts and sums up costs by tier", () => {
    expect(totals).toMatchObject({ appliances: 2, components: 12, critical: 1, warning: 1 });
    // circulator 950 and 1,520 USD; relief valve 380 and 730
    expect(totals.criticalProactiveCents).toBe(95_000);
    expect(totals.criticalReactiveCents).toBe(152_000);
    expect(totals.warningProactiveCents).toBe(38_000);
    expect(totals.warningReactiveCents).toBe(73_000);
  });

  // Rule: replacement-cost
  test("takes the smaller of an appliance's parts and the whole unit as its replacement cost", () => {
    // boiler: parts 13,930, unit 16,000; water heater: parts 2,950, unit 1,500
    expect(totals.rcvCents).toBe(1_393_000 + 150_000);
  });

  test("counts CRITICAL life-safety and conveyance components", () => {
    const elevator = whole("elevator", 60).with(0, part("elev_controller", 90));
    const sprinklers = whole("fire_suppression", 90);
    expect(assess([...PROPERTY, ...elevator]).vitalCritical).toBe(1);
    expect(assess([...elevator, ...sprinklers]).vitalCritical).toBe(6);
    expect(totals.vitalCritical).toBe(0);
  });

  test("is zero for an empty property", () => {
    expect(new Set(Object.values(assess([])))).toEqual(new Set([0]));
  });
});

// Rule: deferred-and-exposure
test("exposure is the planned cost of elevated components and their cost after failure", () => {
  expect(elevatedCostExposureOf(assess(PROPERTY))).toEqual({
    deferredCents: 133_000,
    reactiveCents: 225_000,
    savingsCents: 92_000,
  });
});

// Rule: per-door
test("an amount per door is in whole cents, for at least one door", () => {
  expect(centsPerUnit(133_000, 3)).toBe(44_333); // 443.333… USD
  expect(centsPerUnit(133_000, 1)).toBe(133_000);
  expect(centsPerUnit(133_000, 0)).toBe(133_000);
});

describe("replacement cost value by system", () => {
  test("is by the appliance's type, the highest first", () => {
    const range = whole("range_gas", 0);
    const tankless = whole("water_heater_tankless", 90);
    const systems = systemValues([...range, ...PROPERTY, ...tankless]);
    expect(systems.map(({ system, totals }) => [system, totals.rcvCents])).toEqual([
      ["hvac", 1_393_000],
      ["plumbing", 470_000], // 1,500 + 3,200
      ["appliance", 105_000],
    ]);
    expect(systems[1]!.totals).toMatchObject({ components: 12, critical: 6, warning: 0 });
  });

  test("orders systems of equal value by name for any order of components", () => {
    const value = (typeId: string) => assess(whole(typeId, 0)).rcvCents;
    const types = [...knowledge.types.values()];
    const pairs = types.flatMap((one) =>
      types
        .filter((other) => one.system < other.system && value(one.id) === value(other.id))
        .map((other) => [one.id, other.id] as const),
    );
    expect(pairs.length).toBeGreaterThan(0);
    for (const [one, other] of pairs)
      for (const order of [
        [one, other],
        [other, one],
      ]) {
        const components = order.flatMap((typeId) => whole(typeId, 0));
        const systems = systemValues(components).map(({ system }) => system);
        expect(systems).toEqual([knowledge.type(one).system, knowledge.type(other).system]);
      }
  });

  // Rule: replacement-cost
  test("adds up to the property's value, the sum over appliances of the smaller of parts and unit", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...knowledge.types.keys()), { maxLength: 8 }), (typeIds) => {
        const components = typeIds.flatMap((typeId, i) => whole(typeId, 0, { applianceId: `A_${i}` }));
        const expected = typeIds.reduce((sum, typeId) => {
          const type = knowledge.type(typeId);
          const parts = type.components.reduce((cents, def) => cents + def.proactiveCents, 0);
          return sum + Math.min(parts, type.replacementCents);
        }, 0);
        const systems = systemValues(components);
        expect(assess(components).rcvCents).toBe(expected);
        expect(systems.reduce((sum, { totals }) => sum + totals.rcvCents, 0)).toBe(expected);
      }),
    );
  });
});

// Rule: deferred-percent
test("deferred maintenance is a percentage of the property's value, if it is known", () => {
  expect(wordingOfDeferredPercent(133_000, 3_200_000)).toBe("4.2%"); // 4.15625
  expect(wordingOfDeferredPercent(100_000, 800_000)).toBe("12.5%");
  expect(wordingOfDeferredPercent(0, 800_000)).toBe("0.0%");
  expect(wordingOfDeferredPercent(425, 10_000)).toBe("4.3%"); // 4.25 exactly: half up
  expect(wordingOfDeferredPercent(133_000, null)).toBeNull();
  expect(wordingOfDeferredPercent(133_000, 0)).toBeNull();
});

describe("a report", () => {
  test("has the components by tier, the highest score first, equal scores in the order given", () => {
    const { byTier } = reportOn(PROPERTY);
    expect(byTier.CRITICAL.map(({ defId }) => defId)).toEqual(["boiler_circulator"]);
    expect(byTier.WARNING.map(({ defId }) => defId)).toEqual(["boiler_relief_valve"]);
    expect(byTier.GOOD.slice(0, 4).map(({ defId }) => defId)).toEqual([
      "boiler_burner",
      "boiler_expansion_tank",
      "boiler_heat_exchanger",
      knowledge.type("water_heater_gas").components[0]!.id,
    ]);
  });

  test("has a category per appliance type", () => {
    const { categories } = reportOn(PROPERTY);
    expect([...categories.keys()]).toEqual(["boiler", "water_heater_gas"]);
    expect(categories.get("boiler")).toMatchObject({ components: 6, critical: 1, warning: 1 });
    expect(elevatedCostExposureOf(categories.get("boiler")!).deferredCents).toBe(133_000);
    expect(elevatedCostExposureOf(categories.get("water_heater_gas")!).deferredCents).toBe(0);
  });

  test("lists every component once, for any components", () => {
    fc.assert(
      fc.property(anyComponents, (components) => {
        const { byTier, categories, totals } = reportOn(components);
        const { CRITICAL, WARNING, GOOD } = byTier;
        expect([CRITICAL.length, WARNING.length]).toEqual([totals.critical, totals.warning]);
        expect([...CRITICAL, ...WARNING, ...GOOD].map(({ id }) => id).sort()).toEqual(
          components.map(({ id }) => id).sort(),
        );
        const deferred = [...categories.values()].map((group) => elevatedCostExposureOf(group).deferredCents);
        expect(deferred.reduce((sum, cents) => sum + cents, 0)).toBe(
          elevatedCostExposureOf(totals).deferredCents,
        );
      }),
    );
  });
});
