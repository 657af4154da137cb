import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { serializeAction } from "../../../src/api-schemas/action-schema.ts";
import type { Action } from "../../../src/domain/planning/action.ts";
import type { Plannable } from "../../../src/domain/planning/component-plan.ts";
import { DueCostSum } from "../../../src/domain/planning/due-cost-sum.ts";
import {
  decisionValidityDaysLost,
  LARGEST_DAILY_CHANGE,
  spreadDecisionValidityDays,
} from "../../../src/domain/planning/due-decision-validity.ts";
import { PlanSumsAccumulator } from "../../../src/domain/planning/plan-sums.ts";
import {
  decideOnDueUntil,
  dueStateOfAppliance,
  planApplianceFromScores,
  plannedActionOfComponent,
  plannedActionsOfParts,
} from "../../../src/domain/planning/planned-appliance.ts";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import type { Confidence, RiskTier } from "../../../src/domain/scoring/scoring-types.ts";
import type { EventType } from "../../../src/domain/service-event.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { addDays, DAYS_PER_YEAR, daysBetween } from "../../../src/domain/time.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";
import { history } from "../scoring/any-history.ts";
import { AS_OF, event } from "../scoring/histories.ts";
import { applianceOf, referenceContext, type State } from "./reference-context.ts";

const knowledge = embeddedKnowledge();
const hazard = { label: "Recalled", authority: "CPSC" };
/** Components with these install years are hazards. */
const HAZARD_YEAR = 1900;
const context = {
  ...referenceContext(knowledge),
  hazardOf: ({ installYear }: Plannable) => (installYear === HAZARD_YEAR ? hazard : null),
};
const partPriceOf = (component: Plannable) => context.pricing(component).part(component);

const state = fc.record({
  effectiveAgeYears: fc.double({ min: 0, max: 50, noNaN: true }),
  rate: fc.double({ min: 0.6, max: 2.4, noNaN: true }),
  hazardRatio: fc.double({ min: 0.2, max: 8, noNaN: true }),
  riskTier: fc.constantFrom<RiskTier>("GOOD", "WARNING", "CRITICAL"),
  confidence: fc.constantFrom<Confidence>("HIGH", "LOW"),
  installYear: fc.constantFrom<number>(1970, 1990, 2005, 2015, 2024, HAZARD_YEAR),
  ownPlannedCents: fc.option(fc.integer({ min: 1000, max: 500_000 }), { freq: 2 }),
  ownFailedCents: fc.option(fc.integer({ min: 1000, max: 500_000 }), { freq: 2 }),
});
const anyAppliance = fc
  .tuple(fc.constantFrom(...knowledge.types.keys()), fc.array(state, { minLength: 1, maxLength: 6 }))
  .map(([typeId, states]) => applianceOf(knowledge, typeId, states));

const dueOf = (components: readonly Plannable[]) => {
  const sums = new PlanSumsAccumulator(1);
  sums.add(planApplianceFromScores(context, components, "2026-07-01", 1));
  return sums.sums({ unitCount: 0, areaSqft: null }).due;
};

describe("the cost of what is due now", () => {
  // Rule: due-cost
  test("is that of the whole plan, for any appliance", () => {
    let due = 0;
    fc.assert(
      fc.property(anyAppliance, (components) => {
        const cents = dueStateOfAppliance(context, components).dueCents;
        if (cents > 0) due++;
        expect(cents).toBe(dueOf(components).cents);
      }),
      { numRuns: 300 },
    );
    expect(due).toBeGreaterThan(50);
    expect(due).toBeLessThan(250);
  });

  test("adds up over appliances, complete or not", () => {
    const [roof, boiler] = [
      applianceOf(knowledge, "roof", [OLD]),
      applianceOf(knowledge, "boiler", [OLD]).slice(0, 3),
    ];
    const sum = new DueCostSum(context);
    for (let at = 0; at < 9; at++)
      for (const one of [roof[at], boiler[at]]) if (one) sum.add({ ...one, applianceId: one.typeId });
    const cents = runSteps(sum.finish());
    expect(cents).toBe(
      dueStateOfAppliance(context, roof).dueCents + dueStateOfAppliance(context, boiler).dueCents,
    );
    expect(cents).toBeGreaterThan(0);
  });
});

/**
 * Checks some appliances that are the same in each run, so that every case is among them, and others that are not.
 */
function assertForAll<T>(appliances: fc.Arbitrary<T>, check: (appliance: T) => void, numRuns = 400): void {
  for (const appliance of fc.sample(appliances, { seed: 6, numRuns })) check(appliance);
  fc.assert(fc.property(appliances, check), { numRuns: numRuns / 4 });
}

/** The cost of waiting is summed up in another order, so that its last digits differ. */
const withoutWaiting = ({ name, because }: Action) => ({ name, because: { ...because, waitingCents: 0 } });

// Rule: plan-action
test("actions on their own are those of the whole plan, for any appliance", () => {
  const seen = new Set<string>();
  assertForAll(anyAppliance, (components) => {
    const { unit, components: planned } = planApplianceFromScores(context, components, "2026-07-01", 1);
    const actions = plannedActionsOfParts(context, components);
    expect(actions.components.map(withoutWaiting)).toEqual(
      planned.map(({ action }) => withoutWaiting(action)),
    );
    const { appliance } = actions;
    // Where parts are replaced one by one, only a hazard to remove at once is the action of the appliance.
    const expected = unit?.action ?? planned.find(({ action }) => action.name === "immediate_hazard")?.action;
    expect(appliance && withoutWaiting(appliance)).toEqual(expected ? withoutWaiting(expected) : null);
    if (!unit) seen.add(appliance ? "hazard of a part" : "parts");
    if (appliance?.because.kind === "unit_due")
      expect(Math.abs(appliance.because.waitingCents - unit!.waitingCents)).toBeLessThan(1e-3);
    for (const { because } of [...actions.components, ...(appliance ? [appliance] : [])])
      seen.add(because.kind);
  });
  const units = ["unit_due", "unit_life_past", "unit_planned", "unit_until_failure"];
  const kinds = ["hazard", ...units, "planned", "hazard of a part", "parts"];
  expect(kinds.filter((kind) => !seen.has(kind))).toEqual([]);
});

const TIMING = (dueInMonths: number | null) =>
  dueInMonths === null ? "never" : dueInMonths === 0 ? "now" : "later";

/** Ages parts by years, or by days with evidence that changes as much as `evidence` says, from -1 to 1. */
function aged(
  components: readonly Plannable[],
  days: number,
  wears: readonly { age: number; evidence: number }[],
) {
  return components.map((component, at) => {
    const { age, evidence } = wears[at % wears.length]!;
    return {
      ...component,
      scoredOn: addDays(component.scoredOn, days),
      effectiveAgeYears: component.effectiveAgeYears + (age * component.rate * days) / DAYS_PER_YEAR,
      hazardRatio: component.hazardRatio * Math.exp(evidence * LARGEST_DAILY_CHANGE * days),
    };
  });
}

/** Returns the days after which something else is due of parts that only age; 0 if that is never seen. */
function daysUntilOther(components: readonly Plannable[]): number {
  const state = (days: number) =>
    JSON.stringify(dueStateOfAppliance(context, aged(components, days, [{ age: 1, evidence: 0 }])));
  const first = state(0);
  let [same, other] = [0, 16_384];
  if (state(other) === first) return 0;
  while (other - same > 1) {
    const middle = (same + other) / 2;
    if (state(middle) === first) same = middle;
    else other = middle;
  }
  return other;
}

// Rule: due-hold
test("what is due holds for as long as it is said to, however the parts age", () => {
  const seen = new Map<string, number>();
  const wear = fc.record({ age: fc.constantFrom(0, 1, 1), evidence: fc.constantFrom(-1, -1, 0, 1) });
  const cases = fc.tuple(anyAppliance, fc.nat(300), fc.array(wear, { minLength: 1, maxLength: 6 }));
  assertForAll(
    cases,
    ([any, before, wears]) => {
      // Most decisions hold for years: those matter that will soon be others.
      const components = aged(any, Math.max(0, daysUntilOther(any) - before), [{ age: 1, evidence: 0 }]);
      const { dueHoldsUntil, ...due } = decideOnDueUntil(context, components);
      expect(due).toEqual(dueStateOfAppliance(context, components));
      const held = dueHoldsUntil === null ? 0 : daysBetween(components[0]!.scoredOn, dueHoldsUntil);
      const kind = `${due.unitTiming ?? (due.dueCents > 0 ? "a part" : "nothing")}${held > 0 ? " held" : ""}`;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      for (const some of held === 0 ? [] : [wears, [{ age: 1, evidence: 1 }], [{ age: 0, evidence: -1 }]])
        expect(dueStateOfAppliance(context, aged(components, held, some))).toEqual(due);
    },
    160,
  );
  for (const kind of ["now held", "later held", "nothing held", "a part held", "later"])
    expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(5);
});

/**
 * Follows a decision through states of its parts, each later than the one before, as a write that keeps it does, and checks
 * while it is kept that the same would be decided. Returns how often it was kept although it lost days.
 */
function followHeldDecision(states: readonly (readonly Plannable[])[]): number {
  const [first, ...others] = states;
  const { dueHoldsUntil, ...due } = decideOnDueUntil(context, first!);
  let before = first!;
  let until = dueHoldsUntil;
  let shortened = 0;
  for (const components of others) {
    const lost = Math.max(...components.map((after, at) => decisionValidityDaysLost(before[at]!, after)));
    until = until === null || lost === Infinity ? null : addDays(until, -lost);
    if (until === null || components[0]!.scoredOn > until) break;
    expect(dueStateOfAppliance(context, components)).toEqual(due);
    if (lost > 0) shortened++;
    before = components;
  }
  return shortened;
}

// Rule: due-hold
test("what is due holds for fewer days after faster changes, however many follow each other", () => {
  const wear = fc.record({
    age: fc.constantFrom(0, 0.5, 1, 1, 3),
    evidence: fc.integer({ min: -30, max: 30 }),
  });
  const step = fc.tuple(fc.nat(20), fc.array(wear, { minLength: 1, maxLength: 6 }));
  let shortened = 0;
  assertForAll(
    fc.tuple(anyAppliance, fc.nat(300), fc.array(step, { minLength: 1, maxLength: 5 })),
    ([any, before, steps]) => {
      const states = [aged(any, Math.max(0, daysUntilOther(any) - before), [{ age: 1, evidence: 0 }])];
      for (const [days, wears] of steps) {
        const changed = aged(
          states.at(-1)!,
          days,
          wears.map(({ age }) => ({ age, evidence: 0 })),
        );
        states.push(
          changed.map((component, at) => ({
            ...component,
            hazardRatio:
              component.hazardRatio * Math.exp(wears[at % wears.length]!.evidence * LARGEST_DAILY_CHANGE),
          })),
        );
      }
      shortened += followHeldDecision(states);
    },
    160,
  );
  expect(shortened).toBeGreaterThan(20);
});

// Rule: due-hold
test("what is kept through days and new events is what would be decided, for any history and calibration", () => {
  const corrections = fc.record({
    lifeFactor: fc.double({ min: 0.5, max: 2, noNaN: true }),
    frailty: fc.double({ min: 0.3, max: 3, noNaN: true }),
    strength: fc.record({ condition: fc.constantFrom(0.5, 1, 1.5), repairs: fc.constantFrom(0.5, 1, 1.5) }),
  });
  const added = fc.record({
    eventType: fc.constantFrom<EventType>(
      "Inspection",
      "Inspection",
      "Repair",
      "Cleaning",
      "Emergency Repair",
    ),
    daysAgo: fc.constantFrom(0, 0, 1, 40, 400),
    conditionAfter: fc.constantFrom(null, "good", "fair", "poor"),
  });
  const step = fc.record({
    days: fc.constantFrom(0, 1, 1, 2, 30),
    events: fc.array(added, { maxLength: 2 }),
  });
  let shortened = 0;
  assertForAll(
    fc.tuple(history, corrections, fc.array(step, { minLength: 2, maxLength: 5 })),
    ([given, { lifeFactor, frailty, strength }, steps]) => {
      const [appliance] = given.appliances;
      const { id: applianceId, typeId, brandTier, installYearBasis } = appliance!;
      const place = { applianceId, typeId, brandTier, installYearBasis, deficiencies: 0 };
      const lifeFactors = new Map(appliance!.components.map(({ defId }) => [defId, lifeFactor]));
      const model = { lifeFactors, frailties: new Map([[applianceId, frailty]]), strength };
      let scoredOn = AS_OF;
      const events = [...appliance!.events];
      const scored = (): Plannable[] => {
        const now = { ...given, appliances: [{ ...appliance!, events: [...events] }] };
        const scores = scoreProperty(knowledge, now, scoredOn, { corrections: model });
        const { recordsSince } = given;
        const own = { ownPlannedCents: null, ownFailedCents: null };
        return appliance!.components.map((component) => ({
          ...component,
          ...scores.get(component.id)!,
          ...place,
          ...own,
          recordsSince,
          scoredOn,
        }));
      };
      const states = [scored()];
      for (const { days, events: more } of steps) {
        scoredOn = addDays(scoredOn, days);
        for (const { eventType, daysAgo, conditionAfter } of more)
          events.push(event(eventType, addDays(scoredOn, -daysAgo), { conditionAfter }));
        states.push(scored());
      }
      shortened += followHeldDecision(states);
    },
    200,
  );
  expect(shortened).toBeGreaterThan(20);
});

// Rule: due-hold
test("each day that passes allows its aging and change of evidence, faster ones end a held decision earlier", () => {
  const before = {
    lifeFactor: 1,
    effectiveAgeYears: 9,
    rate: 1.5,
    hazardRatio: 1.2,
    scoredOn: "2026-03-10",
  };
  const lost = (passed: number, aged: number, evidence: number) =>
    decisionValidityDaysLost(before, {
      ...before,
      scoredOn: addDays(before.scoredOn, passed),
      effectiveAgeYears: 9 + (1.5 * aged) / DAYS_PER_YEAR,
      hazardRatio: evidence === 0 ? 1.2 : 1.2 * Math.exp(evidence * LARGEST_DAILY_CHANGE),
    });
  for (const [passed, aged, evidence, days] of [
    [0, 0, 0, 0],
    [0, 0, 0.1, 1],
    [0, 0, 6.5, 7],
    [1, 1, 0, 0],
    [1, 1, 0.9, 0],
    [1, 0, 1.1, 1],
    [3, 3, 6.5, 4],
    [30, 30, 6.5, 0],
    [0, 1, 0, 1],
    [2, 5, 1, 3],
    [1, -0.1, 0, Infinity],
  ] as const)
    for (const sign of [1, -1])
      expect(lost(passed, aged, sign * evidence), `${passed} ${aged} ${evidence}`).toBe(days);
  for (const life of [{ lifeFactor: 0.9 }, { rate: 1.1 }])
    expect(decisionValidityDaysLost(before, { ...before, ...life })).toBe(Infinity);
});

// Rule: due-hold
test("what is due later of a unit holds where only the sums of many months tell that", () => {
  // A panel may stay until it fails, and central air costs more than its successors at first.
  for (const [typeId, effectiveAgeYears, installYear] of [
    ["electrical_panel", 5, 2015],
    ["electrical_panel", 14, 2010],
    ["hvac_central", 10, 2017],
    ["hvac_central", 16, 2017],
  ] as const) {
    const part = { effectiveAgeYears, rate: 1, hazardRatio: 1, installYear };
    const { unitTiming, dueHoldsUntil } = decideOnDueUntil(context, applianceOf(knowledge, typeId, [part]));
    expect(unitTiming, typeId).toBe("later");
    expect(dueHoldsUntil, typeId).not.toBeNull();
  }
});

// Rule: due-hold
test("decisions of one day end on different days, none later than it holds", () => {
  const ids = Array.from({ length: 600 }, (_, at) => `APPL_${(at * 7919).toString(36)}`);
  for (const days of [2, 7, 20, 60]) {
    const spread = ids.map((id) => spreadDecisionValidityDays(days, id));
    expect(Math.max(...spread)).toBe(days);
    expect(Math.min(...spread)).toBe(days - Math.floor(days / 4));
  }
  const ofDay = Map.groupBy(ids, (id) => spreadDecisionValidityDays(60, id));
  expect(Math.max(...[...ofDay.values()].map((some) => some.length))).toBeLessThan(80);
});

describe("from a component's own row", () => {
  // Rule: plan-action
  test("its action is that of the whole plan, by the stored time of its appliance", () => {
    const seen = new Set<string>();
    assertForAll(anyAppliance, (components) => {
      const { unit, components: planned } = planApplianceFromScores(context, components, "2026-07-01", 1);
      const { unitTiming } = dueStateOfAppliance(context, components);
      expect(unitTiming).toBe(unit && TIMING(unit.dueInMonths));
      const isHazard = components.some(({ installYear }) => installYear === HAZARD_YEAR);
      for (const { component, action } of planned) {
        const row = { ...component, unitTiming, flags: isHazard ? "recalled:brand" : "old:era" };
        const mayHaveHazard = ({ flags }: typeof row) => flags === "recalled:brand";
        const listed = plannedActionOfComponent({ ...context, partPriceOf, mayHaveHazard }, row);
        expect(listed).toEqual(isHazard ? undefined : action);
        if (listed) seen.add(listed.because.kind);
      }
    });
    const kinds = ["with_unit_due", "with_unit_planned", "cost_due", "planned", "risk_of_damage", "elevated"];
    expect(kinds.filter((kind) => !seen.has(kind))).toEqual([]);
  });

  test("a unit is later due that costs less until a part of its own price is replaced as planned", () => {
    const components = applianceOf(knowledge, "boiler", COSTLY_LATER);
    const { unit } = planApplianceFromScores(context, components, "2026-07-01", 1);
    expect(unit!.dueInMonths).toBe(33);
    expect(dueStateOfAppliance(context, components)).toEqual({ dueCents: 0, unitTiming: "later" });
  });

  test("it is not told where the time of its appliance is unknown", () => {
    const components = applianceOf(knowledge, "boiler", [OLD]);
    expect(dueStateOfAppliance(context, components.slice(0, 3)).unitTiming).toBeNull();
    const ofList = { ...context, partPriceOf, mayHaveHazard: () => false };
    expect(plannedActionOfComponent(ofList, { ...components[0]!, unitTiming: null })).toBeUndefined();
    const [covering] = applianceOf(knowledge, "roof", [OLD]);
    expect(plannedActionOfComponent(ofList, { ...covering!, unitTiming: null })).toBeDefined();
  });
});

/** A boiler with parts whose owner has stated costs: one is cheaper after a failure than as planned. */
const COSTLY_LATER: readonly State[] = [
  {
    effectiveAgeYears: 18.242869970854372,
    rate: 1.3066082667559384,
    hazardRatio: 1.7507324165664615,
    installYear: 2006,
  },
  {
    effectiveAgeYears: 6.07540717581287,
    rate: 0.826340773096308,
    hazardRatio: 3.9511972312815486,
    installYear: 2022,
    ownPlannedCents: 266404,
    ownFailedCents: 117544,
  },
  {
    effectiveAgeYears: 0.2991215907968581,
    rate: 1.4021643389714882,
    hazardRatio: 2.835150767676532,
    installYear: 2020,
    ownPlannedCents: 103097,
    ownFailedCents: 83889,
  },
  {
    effectiveAgeYears: 7.02710366807878,
    rate: 0.9044544405071064,
    hazardRatio: 0.5601850679144263,
    installYear: 2007,
  },
  {
    effectiveAgeYears: 25.138487401418388,
    rate: 0.934716553823091,
    hazardRatio: 3.936854225024581,
    installYear: 2014,
  },
  {
    effectiveAgeYears: 0.2991215907968581,
    rate: 1.150205259397626,
    hazardRatio: 1.6874400353990495,
    installYear: 2014,
    ownPlannedCents: 217928,
    ownFailedCents: 20278,
  },
];

const OLD: State = { effectiveAgeYears: 30, rate: 1, hazardRatio: 1, installYear: 1990 };

// Rule: due-deficiency
test("what is due of an appliance with an open inspection deficiency is an immediate repair", () => {
  for (const typeId of ["ptac", "roof"]) {
    const young = { effectiveAgeYears: 0.1, rate: 1, hazardRatio: 1, installYear: 2024 };
    const due = { effectiveAgeYears: 20, rate: 1, hazardRatio: 1, installYear: 2005 };
    const passed = dueOf(applianceOf(knowledge, typeId, [due]));
    expect(passed.shortTerm.cents).toBeGreaterThan(0);
    const failed = dueOf(applianceOf(knowledge, typeId, [due], { deficiencies: 1 }));
    expect(failed.immediate.cents).toBe(passed.cents);
    expect(failed).toMatchObject({ cents: passed.cents, shortTerm: { count: 0, cents: 0 } });
    // A deficiency of what is not due is repaired, and replaces nothing.
    expect(dueOf(applianceOf(knowledge, typeId, [young], { deficiencies: 1 })).cents).toBe(0);
  }
});

describe("a safety item past its life", () => {
  const NEW: State = { effectiveAgeYears: 0, rate: 1, hazardRatio: 1, installYear: 2024 };
  /** Returns a boiler that is due for its age, one kind of its parts in another state. */
  const boilerWith = (defId: string, state: Partial<State>) =>
    knowledge
      .type("boiler")
      .components.map(({ id }) =>
        id === "boiler_heat_exchanger"
          ? { ...NEW, effectiveAgeYears: 30, hazardRatio: 2 }
          : id === defId
            ? { ...NEW, ...state }
            : NEW,
      );
  const planOf = (typeId: string, states: readonly State[]) =>
    planApplianceFromScores(context, applianceOf(knowledge, typeId, states), "2026-07-01", 1);
  const reasonOf = (action: Action) => serializeAction(action).reason;
  const lifeOf = (defId: string) => knowledge.component(defId).medianLifeYears;

  // Rule: due-safety
  test("makes its unit an immediate repair that names it; one that its hazard makes due before does not", () => {
    const life = lifeOf("boiler_controls");
    for (const [effectiveAgeYears, hazardRatio, isPast] of [
      [0.9 * life, 8, false],
      [0.9 * life, 1, false],
      [1.01 * life, 1, true],
    ] as const) {
      const { unit, components } = planOf(
        "boiler",
        boilerWith("boiler_controls", { effectiveAgeYears, hazardRatio }),
      );
      const controls = components.find(({ component }) => component.defId === "boiler_controls")!;
      if (hazardRatio > 1) expect(controls.dueInYears).toBe(0);
      expect([unit!.dueNow, unit!.comesFirst]).toEqual(isPast ? ["immediate", true] : ["short_term", false]);
      expect(reasonOf(unit!.action)).toMatch(
        isPast
          ? / A safety component is past its expected life: Operating controls/
          : /including failures and repairs\.$/,
      );
    }
  });

  // Rule: due-safety
  test("of an appliance that is replaced part by part is immediate itself, and says why it is due", () => {
    const life = lifeOf("fs_control_valves");
    for (const [share, hazardRatio, due, reason] of [
      [0.97, 1, null, /./],
      [0.97, 4, "short_term", /^(?!.*past)/],
      [1.01, 1, "immediate", /^It is a safety component past its expected life/],
    ] as const) {
      const { components } = planOf("fire_suppression", [
        { ...NEW, effectiveAgeYears: share * life, hazardRatio },
      ]);
      const valves = components.find(({ component }) => component.defId === "fs_control_valves")!;
      if (due !== null || valves.dueNow !== null) expect(valves.dueNow).toBe(due ?? "short_term");
      expect([valves.comesFirst, reasonOf(valves.action)]).toEqual([
        due === "immediate",
        expect.stringMatching(reason),
      ]);
    }
  });

  // Rule: due-safety
  test("and the chance of failure are the causes of immediate units, whatever the state of their parts", () => {
    const seen = new Set<string>();
    const withSafetyParts = fc
      .tuple(
        fc.constantFrom(
          "boiler",
          "water_heater_gas",
          "generator",
          "rooftop_unit",
          "ptac",
          "sump_pump",
          "washer",
        ),
        fc.array(state, { minLength: 1, maxLength: 6 }),
      )
      .map(([typeId, states]) => applianceOf(knowledge, typeId, states));
    assertForAll(withSafetyParts, (components) => {
      const { unit } = planApplianceFromScores(context, components, "2026-07-01", 1);
      if (!unit?.dueNow || unit.action.name === "immediate_hazard") return;
      const { because } = unit.action;
      if (because.kind !== "unit_due" && because.kind !== "unit_life_past") throw new Error(because.kind);
      expect(unit.dueNow).toBe(because.urgentPart ? "immediate" : "short_term");
      seen.add(because.urgentPart?.kind ?? "none");
      if (because.urgentPart) expect(reasonOf(unit.action)).toContain(because.urgentPart.name);
    });
    expect([...seen].sort()).toEqual(["likely_to_fail", "none", "safety_life_past"]);
  });
});
