import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { COST_BASES, exactFailedCents, zeroCentsByBasis } from "../../../src/domain/costs/component-costs.ts";
import type { CostAdjustment } from "../../../src/domain/costs/cost-adjustment.ts";
import type { CostLine } from "../../../src/domain/costs/cost-line.ts";
import { type PricedComponent, PriceList, type TypePrices } from "../../../src/domain/costs/price-list.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";

const knowledge = embeddedKnowledge();
const TERMS: CostAdjustment = { locationFactors: null, priceLevel: 1 };
const HOUSE = { state: "TX", unitCount: 0, grossAreaSqft: null, stories: null };

const line = (given: Partial<CostLine>): CostLine => ({
  typeId: "boiler",
  componentDefId: "boiler_burner",
  state: null,
  plannedCents: null,
  failedCents: null,
  size: null,
  asOf: "2025-01-01",
  source: "own",
  ...given,
});
const component = (defId: string, given: Partial<PricedComponent> = {}): PricedComponent => ({
  defId,
  typeId: knowledge.component(defId).typeId,
  size: null,
  unitId: null,
  ownPlannedCents: null,
  ownFailedCents: null,
  ...HOUSE,
  ...given,
});
const costOf = (defId: string, given: Partial<PricedComponent> = {}, lines: CostLine[] = [], terms = TERMS) =>
  new PriceList(knowledge, terms, lines).ofComponent(component(defId, given));
const boiler = (lines: CostLine[]): TypePrices =>
  new PriceList(knowledge, TERMS, lines).ofAppliance(component("boiler_burner"), HOUSE);
const boilerUnit = (lines: CostLine[]) => boiler(lines).unit();

describe("costs without a size, a location or own numbers", () => {
  test("are the knowledge base's, and a principal part costs what its unit does", () => {
    const prices = new PriceList(knowledge, TERMS);
    for (const type of knowledge.types.values())
      for (const def of type.components) {
        const costs = prices.ofComponent(component(def.id));
        expect(costs.basis).toBe("reference");
        expect(costs.isPrincipal).toBe(type.whole?.principal?.defId === def.id);
        expect(costs.plannedCents).toBe(costs.isPrincipal ? type.replacementCents : def.proactiveCents);
        if (!costs.isPrincipal) expect(costs.failedCents).toBe(def.reactiveCents);
      }
  });

  test("a failed tank costs 1.3 units and its damage", () => {
    const { plannedCents, emergencyCents, failedCents } = costOf("wh_gas_tank");
    expect([plannedCents, emergencyCents, failedCents]).toEqual([
      150_000,
      195_000,
      195_000 + 0.024 * 800_000,
    ]);
  });

  test("the failure of a unit without a principal part costs the average share of its parts", () => {
    const unit = new PriceList(knowledge, TERMS).ofAppliance(component("hvac_capacitor"), HOUSE).unit();
    expect([unit.plannedCents, unit.failedCents, unit.damage]).toEqual([600_000, 780_000, null]);
  });
});

describe("the size of an appliance scales its costs", () => {
  test("by the exponent of its type", () => {
    const { plannedCents, emergencyCents, basis, scaling } = costOf("boiler_burner", { size: 800 });
    const def = knowledge.component("boiler_burner");
    expect(plannedCents).toBe(Math.round(def.proactiveCents * 2 ** 0.6));
    expect(emergencyCents).toBeCloseTo(def.emergencyCents * 2 ** 0.6, 6);
    expect(basis).toBe("scaled");
    expect(scaling).toMatchObject({ size: 800, referenceSize: 400, bySize: 2 ** 0.6 });
  });

  test("a larger part of a building does more damages, not costlier ones, and three at most", () => {
    const { damage } = costOf("plumb_supply_piping", { unitCount: 24 });
    expect(damage).toEqual({ peril: "water", expected: 1, cents: 1_500_000, isPoisson: true });
    expect(costOf("plumb_supply_piping", { unitCount: 240 }).damage!.expected).toBe(3);
    expect(costOf("wh_gas_tank", { size: 450 }).damage!.expected).toBe(0.024);
  });

  test("parts of the building default to the size of the property", () => {
    const area = { grossAreaSqft: 60_000, stories: 3 };
    expect(costOf("roof_membrane", area).scaling.size).toBe(20_000);
    expect(costOf("roof_membrane", { ...area, stories: null }).basis).toBe("reference");
    expect(costOf("fs_piping", area).scaling.size).toBe(60_000);
    expect(costOf("env_windows", { unitCount: 24 }).scaling.size).toBe(24);
    expect(costOf("env_windows", { unitCount: 24, size: 8 }).scaling.size).toBe(8);
    expect(costOf("boiler_burner", { unitCount: 24, ...area }).basis).toBe("reference");
  });

  test("an appliance of one unit does not have the size of the building", () => {
    const inUnit = { unitId: "U_1", unitCount: 24, grossAreaSqft: 60_000, stories: 3 };
    expect(costOf("plumb_supply_piping", inUnit).scaling.size).toBe(1);
    expect(costOf("roof_membrane", inUnit).basis).toBe("reference");
  });

  test("costs of a type without a size rule do not depend on it", () => {
    expect(costOf("fridge_compressor", { size: 40 })).toEqual(costOf("fridge_compressor"));
  });
});

test("location and price level scale costs and damages", () => {
  const terms = { locationFactors: new Map([["TX", 0.8]]), priceLevel: 1.5 };
  const there = costOf("dryer_gas_vent", {}, [], terms);
  const def = knowledge.component("dryer_gas_vent");
  expect(there.plannedCents).toBe(Math.round(def.proactiveCents * 1.2));
  expect(there.damage!.cents).toBeCloseTo(def.damage!.cents * 1.2, 6);
  expect(there.basis).toBe("reference");
  expect(costOf("dryer_gas_vent", { state: "GU" }, [], terms).scaling.byLocation).toBe(1);
});

describe("own costs come first", () => {
  test("the most specific line wins: of the state, then of the nearest size, then the latest", () => {
    const lines = [
      line({ plannedCents: 1 }),
      line({ plannedCents: 2, state: "TX" }),
      line({ plannedCents: 3, state: "TX", size: 400 }),
      line({ plannedCents: 4, state: "TX", size: 900 }),
      line({ plannedCents: 5, state: "OK" }),
      line({ plannedCents: 6, asOf: "2024-01-01" }),
    ];
    expect(costOf("boiler_burner", {}, lines).plannedCents).toBe(2);
    expect(costOf("boiler_burner", { size: 410 }, lines).plannedCents).toBe(3);
    expect(costOf("boiler_burner", { size: 900 }, lines).plannedCents).toBe(4);
    expect(costOf("boiler_burner", { state: "OK" }, lines).plannedCents).toBe(5);
    expect(costOf("boiler_burner", { state: "ME" }, lines).plannedCents).toBe(1);
  });

  test("of two lines that are equally particular the later one applies", () => {
    const lines = [line({ plannedCents: 1 }), line({ plannedCents: 2 })];
    expect(costOf("boiler_burner", {}, lines).plannedCents).toBe(2);
  });

  test("a line of a size is scaled to the appliance's, without location and price level", () => {
    const terms = { locationFactors: new Map([["TX", 0.8]]), priceLevel: 2 };
    const lines = [line({ plannedCents: 100_000, size: 200 })];
    const { plannedCents, basis, scaling } = costOf("boiler_burner", { size: 400 }, lines, terms);
    expect(plannedCents).toBe(Math.round(100_000 * 2 ** 0.6));
    expect(basis).toBe("own");
    expect(scaling).toEqual({
      size: 400,
      referenceSize: 200,
      bySize: 2 ** 0.6,
      byLocation: 1,
      byPriceLevel: 1,
    });
  });

  test("own lines come before the history, however particular it is", () => {
    const lines = [line({ plannedCents: 1, state: "TX", source: "history" }), line({ plannedCents: 2 })];
    expect(costOf("boiler_burner", {}, lines)).toMatchObject({ plannedCents: 2, basis: "own" });
    expect(costOf("boiler_burner", {}, lines.slice(0, 1)).basis).toBe("own_history");
  });

  test("a component's own numbers come before every line", () => {
    const lines = [line({ plannedCents: 100, failedCents: 300, state: "TX" })];
    const costs = costOf("boiler_burner", { ownPlannedCents: 200 }, lines);
    expect([costs.plannedCents, costs.failedCents, costs.basis]).toEqual([200, 300, "own"]);
  });

  test("an own cost of a failure includes damages; a bill of the history does not", () => {
    const own = costOf("roof_flashing", { ownFailedCents: 2_000_000 });
    expect(own.failedCents).toBe(2_000_000);
    expect(own.damage!.expected).toBe(0.06);
    const roof = { typeId: "roof", componentDefId: "roof_flashing", source: "history" as const };
    const billed = costOf("roof_flashing", {}, [line({ ...roof, failedCents: 2_000_000 })]);
    expect(billed.failedCents).toBe(2_000_000 + 0.06 * 1_200_000);
  });

  test("a stated cost keeps the proportion of the other", () => {
    const def = knowledge.component("boiler_burner");
    const planned = costOf("boiler_burner", { ownPlannedCents: 2 * def.proactiveCents });
    expect(planned.failedCents).toBe(2 * def.reactiveCents);
    const failed = costOf("boiler_burner", { ownFailedCents: 3 * def.reactiveCents });
    expect(failed.plannedCents).toBe(3 * def.proactiveCents);
  });

  test("own numbers of a principal part, or a line of it, price the unit", () => {
    const heart = { componentDefId: "boiler_heat_exchanger" };
    expect(boilerUnit([line({ ...heart, plannedCents: 7 })]).plannedCents).toBe(7);
    const unitLine = line({ componentDefId: null, plannedCents: 8 });
    expect(boilerUnit([line({ ...heart, plannedCents: 7 }), unitLine]).plannedCents).toBe(8);
    const prices = boiler([unitLine]);
    const own = { ownPlannedCents: 9, ownFailedCents: null };
    expect(prices.unit(new Map([["boiler_heat_exchanger", own]])).plannedCents).toBe(9);
    expect(prices.component("boiler_heat_exchanger", own).plannedCents).toBe(9);
    expect(prices.component("boiler_burner").plannedCents).toBe(
      knowledge.component("boiler_burner").proactiveCents,
    );
  });
});

test("a replacement cost value is the unit's cost, or that of all parts if it is less", () => {
  const rcv = (typeId: string) => {
    const type = knowledge.type(typeId);
    return new PriceList(knowledge, TERMS).ofAppliance({ ...component(type.components[0]!.id) }, HOUSE).unit()
      .rcvCents;
  };
  expect(rcv("boiler")).toBe(1_393_000);
  expect(boilerUnit([line({ componentDefId: null, plannedCents: 2_000_000 })]).rcvCents).toBe(2_000_000);
  expect(rcv("rooftop_unit")).toBe(1_845_000);
  expect(rcv("roof")).toBe(15_000_000);
});

// Rule: whole-unit-line
test("a stated cost of the whole unit is its replacement cost value, also of a type that is replaced part by part", () => {
  for (const [typeId, plannedCents] of [
    ["elevator", 50_000_000],
    ["roof", 100_000],
    ["hvac_central", 2_000_000],
    ["boiler", 2_000_000],
  ] as const) {
    const lines = [line({ typeId, componentDefId: null, plannedCents })];
    const place = { state: "OH", unitCount: 0, grossAreaSqft: null, stories: null };
    const priced = { typeId, size: null, unitId: null };
    const unit = new PriceList(knowledge, TERMS, lines).ofAppliance(priced, place).unit();
    expect(unit.rcvCents).toBe(plannedCents);
    expect(unit.rcvByBasis).toEqual({ ...zeroCentsByBasis(), own: plannedCents });
  }
});

test("a replacement cost value has the basis of the parts that it is the sum of", () => {
  for (const { id: typeId } of knowledge.types.values()) {
    const place = { state: "OH", unitCount: 0, grossAreaSqft: null, stories: null };
    const unit = new PriceList(knowledge, TERMS)
      .ofAppliance({ typeId, size: null, unitId: null }, place)
      .unit();
    expect(unit.rcvByBasis).toEqual({ ...zeroCentsByBasis(), reference: unit.rcvCents });
  }
});

test("a cost that was stated for a tiny size stays one whose sums are exact", () => {
  const [typeId, componentDefId] = ["parking_lot", "paving_walks_drainage"];
  const tiny = line({ typeId, componentDefId, plannedCents: 10_000_000_00, failedCents: null, size: 0.1 });
  const { plannedCents, failedCents } = costOf(componentDefId, { size: 1e7 }, [tiny]);
  expect(plannedCents).toBe(100_000_000_000);
  expect(failedCents).toBeLessThan(Number.MAX_SAFE_INTEGER / 1000);
});

test("whatever is stated, costs are whole cents that are not negative, and c_f = e + κ·D", () => {
  const cents = fc.option(fc.integer({ min: 0, max: 10_000_000_00 }));
  const size = fc.option(fc.double({ min: 0.1, max: 1e7, noNaN: true }));
  fc.assert(
    fc.property(
      fc.constantFrom(...knowledge.components.keys()),
      fc.array(
        fc.record({
          state: fc.constantFrom(null, "TX", "OK"),
          plannedCents: cents,
          failedCents: cents,
          size,
          source: fc.constantFrom("own" as const, "history" as const),
        }),
        { maxLength: 4 },
      ),
      fc.record({ ownPlannedCents: cents, ownFailedCents: cents, size, unitCount: fc.nat(10_000) }),
      (defId, given, own) => {
        const { typeId } = knowledge.component(defId);
        const lines = given.map((one) => line({ ...one, typeId, componentDefId: defId }));
        const costs = costOf(defId, own, lines);
        for (const amount of [costs.plannedCents, costs.failedCents]) {
          expect(Number.isSafeInteger(amount)).toBe(true);
          expect(amount).toBeGreaterThanOrEqual(0);
        }
        expect(COST_BASES).toContain(costs.basis);
        expect(Math.abs(exactFailedCents(costs) - costs.failedCents)).toBeLessThanOrEqual(0.5);
        if (own.ownPlannedCents !== null) expect(costs.plannedCents).toBe(own.ownPlannedCents);
        if (own.ownFailedCents !== null) expect(costs.failedCents).toBe(own.ownFailedCents);
      },
    ),
    { numRuns: 300 },
  );
});
