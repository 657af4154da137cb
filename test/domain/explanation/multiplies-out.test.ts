import { expect, test } from "bun:test";
import fc from "fast-check";
import { serializeExplanation } from "../../../src/api-schemas/explanation-schema.ts";
import type { PlacedComponent } from "../../../src/domain/component.ts";
import { PriceList } from "../../../src/domain/costs/price-list.ts";
import { explainScore } from "../../../src/domain/explanation/explanation.ts";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import { type ModelCorrections, UNCORRECTED } from "../../../src/domain/scoring/score-model-corrections.ts";
import type { PropertyHistory } from "../../../src/domain/scoring/scoring-types.ts";
import type { Json } from "../../support/json.ts";
import { referenceContext } from "../planning/reference-context.ts";
import { history } from "../scoring/any-history.ts";
import { AS_OF, appliance, event, knowledge, property } from "../scoring/histories.ts";

/** Returns the JSON of a component's explanation, as the API sends it, without scenarios. */
function explained(given: PropertyHistory, at: number, corrections: ModelCorrections): Json {
  const appliance = given.appliances[0]!;
  const part = appliance.components[at % appliance.components.length]!;
  const target = { applianceId: appliance.id, componentId: part.id };
  const component = {
    ...part,
    riskScore: 0,
    riskTier: "GOOD",
    brand: null,
    typeId: appliance.typeId,
  } as unknown as PlacedComponent;
  const explanation = explainScore(knowledge, given, target, AS_OF, corrections, referenceContext(knowledge));
  const { typeId } = appliance;
  const costs = new PriceList(knowledge, knowledge.priceTerms)
    .ofAppliance(
      { typeId, size: null, unitId: null },
      { state: "NY", unitCount: 0, grossAreaSqft: null, stories: null },
    )
    .component(part.defId);
  // Each what-if scenario scores the property again, and its score is not part of this one.
  const made = { component, costs, modelVersion: "2", explanation, corrections, changes: [] };
  return JSON.parse(JSON.stringify(serializeExplanation(knowledge, made)));
}

const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;
const product = (factors: number[]) => factors.reduce((all, one) => all * one, 1);
const sum = (terms: number[]) => terms.reduce((all, one) => all + one, 0);
const held = (value: number, lowest: number, highest: number) => Math.min(highest, Math.max(lowest, value));

/** The index of a boiler's burner. */
const BURNER_AT = appliance("boiler").components.findIndex(({ defId }) => defId === "boiler_burner");

/** Recomputes a score from the numbers of the JSON only, as a reader with a spreadsheet would. */
function workedOut({ as_of, definition, life, rate, age, evidence, hazard, score }: Json) {
  const β = life.weibull_shape;
  const median =
    life.median_life_years * life.brand_factor * life.kind_factor * life.frailty ** (-1 / life.weibull_shape);
  const η = median / Math.log(2) ** (1 / β);
  const H = (years: number) => (years / η) ** β;
  const S = (years: number) => Math.exp(-H(years));
  const F = (years: number) => -Math.expm1(-H(years));
  const use = definition.wear === "use" ? rate.usage_intensity ** rate.usage_exponent : 1;
  const surroundings = product(rate.environment.map((one: Json) => 1 - one.sensitivity * one.value));
  const r = use / Math.max(surroundings, rate.lowest_life_factor);
  const removed = sum(age.restorations.map((one: Json) => one.share * one.accrued_days));
  const counted = Math.max(0, days(age.counted_from, as_of));
  const V = (r * (counted - removed)) / 365.25;
  let prior = F(V);
  let [originalThen, originalNow] = [1, 1];
  if (age.unknown_past) {
    const t = (r * days(age.born_on, age.unknown_past.records_since)) / 365.25;
    const ages = Array.from({ length: 64 }, (_, j) => ((j + 0.5) / 64) * t);
    const k = F(t) / sum(ages.map(S));
    // relative to the largest: the survivals of a very old part underflow
    const youngest = H(ages[0]! + V);
    const over = (years: number) => Math.exp(youngest - H(years + V));
    const survived = over(t) + k * sum(ages.map(over));
    const failed = over(t) * F(t + V) + k * sum(ages.map((a) => over(a) * F(a + V)));
    prior = failed / survived;
    originalThen = S(t);
    originalNow = over(t) / survived;
  }
  prior = Math.min(prior, age.highest_prior);
  // from the prior in the JSON: that of a part a few days old is so small that the sums above lose digits
  const Vstar = η * (-Math.log1p(-age.prior)) ** (1 / β);
  const strengths: Record<string, number> = {
    condition: hazard.strength_condition,
    repair: hazard.strength_repairs,
    emergency_repair: hazard.strength_repairs,
  };
  const factors = evidence.map((one: Json) => ({
    kind: one.kind,
    factor:
      one.kind === "smart_event"
        ? 1
        : ((1 + (one.base_ratio - 1) * one.remaining) ** one.weight) ** (strengths[one.kind] ?? 1),
  }));
  const of = (isCascade: boolean) =>
    product(
      factors.filter((one: Json) => (one.kind === "cascade") === isCascade).map((one: Json) => one.factor),
    );
  const cascades = Math.min(of(true), hazard.cascades_highest);
  const θ = held(of(false) * cascades, hazard.lowest, hazard.highest);
  const Λ = sum(evidence.map((one: Json) => one.acute_hazard));
  const lifespan = median / r;
  const Δ = Math.min(score.usual_period_days, score.share_of_life * lifespan * 365.25);
  const hazardOver = (span: number) =>
    θ * (((Vstar + (r * span) / 365.25) / η) ** β - (Vstar / η) ** β) +
    Λ * Math.min(1, span / hazard.acute_span_days);
  const q = -Math.expm1(-hazardOver(Δ));
  const yearly = -Math.expm1(-hazardOver(365.25));
  return { β, η, r, V, prior, originalThen, originalNow, Vstar, θ, Λ, lifespan, Δ, q, yearly, factors };
}

const calibrated = fc.record({
  kind: fc.double({ min: 0.4, max: 2.5, noNaN: true }),
  frailty: fc.double({ min: 0.2, max: 5, noNaN: true }),
  condition: fc.double({ min: 0, max: 4, noNaN: true }),
  repairs: fc.double({ min: 0, max: 4, noNaN: true }),
});
const corrections = fc.option(calibrated).map((one): ModelCorrections => {
  const ids = one ? [...knowledge.components.keys()] : [];
  return {
    lifeFactors: new Map(ids.map((id) => [id, one!.kind])),
    frailties: new Map(one ? [["A0", one.frailty]] : []),
    strength: { condition: one?.condition ?? 1, repairs: one?.repairs ?? 1 },
  };
});

// Rule: explanation-multiplies-out
test("the numbers of an explanation reproduce the score to 1e-9", () => {
  fc.assert(
    fc.property(history, fc.nat({ max: 8 }), corrections, (given, at, learned) => {
      const json = explained(given, at, learned);
      const { life, rate, age, hazard, score, decision } = json;
      const found = workedOut(json);
      const near = (actual: number, wanted: number) => {
        expect(Math.abs(actual - wanted)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(wanted)));
      };
      near(life.weibull_scale_years, found.η);
      near(rate.years_per_year, found.r);
      near(age.virtual_age_years, found.V);
      near(age.prior, found.prior);
      near(age.unknown_past?.probability_original_then ?? 1, found.originalThen);
      near(age.unknown_past?.probability_original_now ?? 1, found.originalNow);
      near(age.effective_virtual_age_years, found.Vstar);
      near(age.effective_age_years, found.Vstar / found.r);
      for (const [i, one] of json.evidence.entries()) near(one.factor, found.factors[i].factor);
      near(hazard.hazard_ratio, found.θ);
      near(hazard.acute_hazard, found.Λ);
      near(score.effective_lifespan_years, found.lifespan);
      near(score.period_days, found.Δ);
      near(score.q, found.q);
      near(score.cumulative_risk, 1 - (1 - found.q) ** score.periods);
      expect(score.risk_score).toBe(Math.min(Math.round(score.cumulative_risk * 100) / 100, score.highest));
      near(decision.failure_probability_12m, found.yearly);
      near(decision.effective_age_years, found.Vstar / found.r);
      near(
        decision.cost_of_waiting_a_year,
        found.yearly * (decision.reactive_cost - decision.proactive_cost) - decision.yearly_cost,
      );
      if (decision.optimal_age_years === null) return;
      // A fixed life runs from the date of manufacture.
      if (decision.age_factor === null) return;
      near(decision.age_factor, found.β > 1 ? found.θ ** (-1 / (found.β - 1)) : 1);
      near(
        decision.due_in_years,
        Math.max(0, decision.optimal_age_years * decision.age_factor - found.Vstar / found.r),
      );
    }),
    { numRuns: 300 },
  );
});

test("the explained score is the one shown elsewhere", () => {
  fc.assert(
    fc.property(history, fc.nat({ max: 8 }), corrections, (given, at, learned) => {
      const json = explained(given, at, learned);
      const { id } = given.appliances[0]!.components[at % given.appliances[0]!.components.length]!;
      const plain = scoreProperty(knowledge, given, AS_OF, { corrections: learned }).get(id)!;
      expect(json.score.risk_score).toBe(plain.riskScore);
      expect(json.score.q).toBe(plain.periodRisk);
      expect(json.confidence.level).toBe(plain.confidence);
    }),
  );
});

test("evidence states the first day without effect", () => {
  fc.assert(
    fc.property(history, fc.nat({ max: 8 }), corrections, (given, at, learned) => {
      for (const one of explained(given, at, learned).evidence) {
        if (one.ends_on === null) {
          expect(["hazard_brand", "cascade"]).toContain(one.kind);
          continue;
        }
        // linear from 1 on its date: the share of the span that is left is the share that remains
        const left = days(AS_OF, one.ends_on);
        const span = days(one.date, AS_OF) / (1 - one.remaining);
        if (one.remaining < 1)
          expect(Math.abs(span * one.remaining - left)).toBeLessThanOrEqual(1 + 1e-6 * span);
        expect(one.ends_on > AS_OF).toBe(true);
      }
    }),
  );
});

test("of two visits on one day, the stronger is shown in full and the other without effect", () => {
  const visits = ["Cleaning", "Preventive Maintenance"] as const;
  const events = visits.map((type) => event(type, "2025-01-01"));
  const { age } = explained(property([appliance("boiler", { id: "A0", events })]), BURNER_AT, UNCORRECTED);
  expect(sum(age.restorations.map((one: Json) => one.share))).toBeCloseTo(0.2, 12);
  expect(new Set(age.restorations.map((one: Json) => one.date))).toEqual(new Set(["2025-01-01"]));
});
