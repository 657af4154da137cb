import { CRITICAL_FROM, WARNING_FROM } from "../domain/component.ts";
import type { ComponentDef, Knowledge } from "../domain/domain-knowledge.ts";
import {
  type ExplainedComponent,
  type Explanation,
  effectiveLifespanOf,
} from "../domain/explanation/explanation.ts";
import type { ReplacementDecision } from "../domain/explanation/replacement-decision.ts";
import type { PolicyName } from "../domain/planning/appliance-plan.ts";
import { failureProbability } from "../domain/scoring/outlook.ts";
import type { Confidence, Score } from "../domain/scoring/scoring-types.ts";
import { CHANGES, type ChangeName } from "../domain/scoring/what-if-score.ts";
import { DAYS_IN_12_MONTHS } from "../domain/time.ts";
import { actionFields, serializeAction } from "./action-schema.ts";
import { applianceTypeId, componentDefId, componentName } from "./component-name-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonScoreFromHundredths, jsonUsdFromCents } from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  enumSchema,
  flagSchema,
  idSchema,
  integerSchema,
  listSchema,
  numberSchema,
  objectSchema,
  textListSchema,
  textSchema,
  usdSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { explainedCosts, serializeExplainedCosts } from "./explained-costs-schema.ts";
import { evidence, hazard, serializeEvidence, serializeHazard } from "./explained-evidence-schema.ts";
import {
  age,
  definition,
  LIFE_SOURCE_KINDS,
  life,
  rate,
  serializeAge,
  serializeComponentDefinition,
  serializeLife,
  serializeRate,
} from "./explained-life-schema.ts";
import {
  confidence as confidenceLevel,
  failureWindowField,
  projectedFailureYear,
  riskScore,
  riskTier,
} from "./score-schema.ts";

/*
 * The explanation of a score, for operators only: partners do not see weights and ratios. Every value comes with the
 * values that it is calculated from, unrounded, so that a reader can verify it.
 */

const subject = objectSchema({
  component_id: idSchema("C", "The component"),
  component_name: componentName,
  component_def_id: componentDefId,
  appliance_id: idSchema("A", "The appliance"),
  appliance_type: applianceTypeId,
  appliance_brand: textSchema("The appliance's brand", "Rheem").orNull(),
  property_id: idSchema("P", "The property"),
  property_name: textSchema("The property's display name", "Harbor View Apartments"),
});

const scoreForm = objectSchema({
  period_days: numberSchema("Period of the score in days: one year, or less for short-lived components", 365),
  usual_period_days: numberSchema("The period of most components", 365),
  share_of_life: numberSchema("Upper limit of the period, as a share of the effective lifespan", 0.25),
  effective_lifespan_years: numberSchema("calibrated_median_years / years_per_year, in calendar years", 11.2),
  hazard_by_age: numberSchema("((V + r·Δ)/η)^β − (V/η)^β: cumulative hazard from age in the period", 0.21),
  acute_share: numberSchema("Share of the acute hazard that falls within the period", 1),
  cumulative_hazard: numberSchema("hazard_ratio · hazard_by_age + acute_hazard · acute_share", 0.37),
  q: numberSchema("Probability of failure within the period: 1 − exp(−cumulative_hazard)", 0.31),
  periods: numberSchema("Number of periods that the score covers", 5),
  cumulative_risk: numberSchema("1 − (1 − q) ^ periods", 0.84),
  highest: numberSchema("Upper limit of scores", 0.99),
  risk_score: riskScore,
  risk_tier: riskTier,
  warning_from: numberSchema("Lowest WARNING score", 0.52),
  critical_from: numberSchema("Lowest CRITICAL score", 0.78),
  failure_probability_12m: numberSchema(
    "Probability of failure within 365 days, given that the component works today",
    0.31,
  ),
});

const confidence = objectSchema({
  level: confidenceLevel,
  service_events: wholeNumberSchema("Service events of the component and its appliance", 2),
  events_for_high: wholeNumberSchema("Service events required for HIGH", 3),
  condition_observed_on: daySchema("Date of the latest observed condition").orNull(),
  condition_within_months: numberSchema("Maximum age of that observation for HIGH, in months", 36),
  brand_known: flagSchema("Whether the knowledge base has the brand"),
  raised_to: confidenceLevel.describedAs("The next level; null at the highest", "HIGH").orNull(),
  raised_by: textListSchema("Everything that is missing for the next level", ["1 more service event"]),
});

const projection = objectSchema({
  days_to_even_odds: numberSchema(
    "Days until the probability of failure reaches 50%, without acute hazards",
    1204.3,
  ),
  projected_failure_on: daySchema("The date on which it does", "2030-03-08"),
  projected_failure_year: projectedFailureYear,
  earliest: wholeNumberSchema("First year of the range", 2028),
  latest: wholeNumberSchema("Last year of the range", 2032),
  range_share: numberSchema("Half the range, as a share of the effective lifespan", 0.08),
  confidence_pct: integerSchema("100 less the margin of error of the range, by confidence", 97),
  failure_window_80: failureWindowField,
});

const change = objectSchema({
  change: enumSchema<ChangeName>(
    Object.keys(CHANGES) as ChangeName[],
    "The scenario: a Replacement, Preventive Maintenance, or an Inspection that finds condition good or poor",
  ),
  risk_score: riskScore,
  risk_tier: riskTier,
  confidence: confidenceLevel,
  q: numberSchema("Probability of failure within the period", 0.02),
  effective_age_years: numberSchema("Effective age, in calendar years", 0),
  hazard_ratio: numberSchema("Hazard ratio", 1),
  note: textSchema(
    "Why it has little effect",
    "Preventive maintenance does not reduce the age of this component type.",
  ).orNull(),
});
export type ScoreChangeJson = JsonOf<typeof change>;

const decision = objectSchema({
  policy: enumSchema<PolicyName>(
    ["replace_now", "replace_at_age", "run_to_failure", "with_unit"],
    "Whether to replace the component now, when due, after it fails, or with its unit",
  ),
  ...actionFields,
  replace_on: daySchema("Date on which the replacement is due").orNull(),
  due_in_years: numberSchema("max(0, optimal_age_years · age_factor − effective_age_years)", 0).orNull(),
  optimal_age_years: numberSchema("Age at which a new component of this type is replaced", 8.08).orNull(),
  age_factor: numberSchema(
    "hazard_ratio ^ (−1/(shape − 1)): effect of the evidence on that age",
    0.8,
  ).orNull(),
  effective_age_years: numberSchema("Effective age, in calendar years", 9.1),
  scale_calendar_years: numberSchema("weibull_scale_years / years_per_year", 12.5),
  proactive_cost: usdSchema(
    "Cost of a planned replacement of the part alone; the principal part of a unit costs the unit's `price` elsewhere",
    1450,
  ),
  reactive_cost: usdSchema(
    "Cost after a failure of the part alone, damage included; for a principal part elsewhere the unit's `failed_price`",
    5600,
  ),
  yearly_cost: numberSchema("Long-term cost per year with this policy, in USD", 230.1),
  yearly_cost_run_to_failure: numberSchema("Long-term cost per year when run to failure, in USD", 401.7),
  failure_probability_12m: numberSchema(
    "Probability of failure within a year of plans, which has 365.25 days; that of the score is of 365 days",
    0.31,
  ),
  risked_a_year: numberSchema("failure_probability_12m · (reactive_cost − proactive_cost), in USD", 1286.5),
  cost_of_waiting_a_year: numberSchema("risked_a_year − yearly_cost, in USD", 1056.4),
  unit: objectSchema({
    replace_on: daySchema("Date on which the unit's replacement is due").orNull(),
    optimal_age_years: numberSchema(
      "Age at which replacing a new unit costs least, repairs included",
      12.08,
    ).orNull(),
    yearly_cost: numberSchema("Long-term cost per year, repairs included, in USD", 203.55),
    cost_of_waiting_a_year: numberSchema("Net cost of keeping the unit for 12 months, in USD", 36.7),
    price: usdSchema("Cost of a planned replacement of the unit", 1200),
    failed_price: usdSchema("Cost of a replacement after a failure, damage included", 1560),
    ...actionFields,
  })
    .describedAs("The unit, if the appliance is replaced as a whole")
    .orNull(),
});

const source = objectSchema({
  token: textSchema("Token that values cite as their source", "lutz_2011"),
  title: textSchema("Title", "Using National Survey Data to Estimate Lifetimes of Residential Appliances"),
  publisher: textSchema("Publisher", "Lawrence Berkeley National Laboratory"),
  year: textSchema("Year of publication", "2011").orNull(),
  address: textSchema("Address", "https://www.osti.gov/servlets/purl/1182737").orNull(),
  strength: enumSchema(
    ["A", "B", "C"],
    "Evidence grade: A government, standards body or lender; B professional table or academic study; C trade page",
    "B",
  ).orNull(),
  second_hand: flagSchema("Whether it was read in a transcription or citation (secondary source)"),
});

export const explanationReply = objectSchema({
  as_of: daySchema("Date of the component's latest score, which is explained"),
  model_version: textSchema("Version of the active model", "2"),
  component: subject.describedAs("The component"),
  shown: objectSchema({ risk_score: riskScore, risk_tier: riskTier }).describedAs(
    "The score that partners see; differs from the score below only if the model was changed since",
  ),
  definition,
  model_source: objectSchema({
    source: textSchema("Source of the model's values that cite none", "judgement"),
    kind: enumSchema(
      LIFE_SOURCE_KINDS,
      "Whether the values were published, derived or estimated",
      "estimate",
    ),
  }),
  life: life.describedAs("Expected life"),
  rate: rate.describedAs("Aging rate"),
  age: age.describedAs("Age"),
  evidence: listSchema("Evidence that raises or lowers the hazard", evidence),
  hazard: hazard.describedAs("Combined evidence"),
  score: scoreForm.describedAs("Calculation of the score"),
  confidence: confidence.describedAs("Confidence in the score"),
  projection: projection.describedAs("Expected failure"),
  costs: explainedCosts.describedAs(
    "Costs in its place, with how they follow from the knowledge base or own costs",
  ),
  changes: listSchema("What-if scenarios, each on its own and on the date of the score", change),
  decision: decision.describedAs("Recommended action, with its costs"),
  sources: listSchema("The cited sources", source),
});
export type ExplanationJson = JsonOf<typeof explanationReply>;

const serializeScore = scoreForm.serializer((explained: Explanation, { model }: Knowledge) => {
  const { risk, score, outlook } = explained;
  return {
    period_days: risk.periodDays,
    usual_period_days: model.score.periodDays,
    share_of_life: model.score.shareOfLife,
    effective_lifespan_years: effectiveLifespanOf(explained),
    hazard_by_age: risk.hazardByAge,
    acute_share: risk.acuteShare,
    cumulative_hazard: risk.cumulativeHazard,
    q: score.periodRisk,
    periods: model.score.periods,
    cumulative_risk: risk.cumulativeRisk,
    highest: model.score.highest,
    risk_score: score.riskScore,
    risk_tier: score.riskTier,
    warning_from: jsonScoreFromHundredths(WARNING_FROM),
    critical_from: jsonScoreFromHundredths(CRITICAL_FROM),
    failure_probability_12m: failureProbability(outlook, DAYS_IN_12_MONTHS, model),
  };
});

const serializeConfidence = confidence.serializer(
  ({ score, record, brandIsKnown }: Explanation, { model }: Knowledge) => ({
    level: score.confidence,
    service_events: record.events,
    events_for_high: model.confidence.eventsForHigh,
    condition_observed_on: record.observedOn,
    condition_within_months: model.confidence.conditionWithinMonths,
    brand_known: brandIsKnown,
    ...raised({ score, record, brandIsKnown }, model.confidence),
  }),
);

function raised(
  { score, record, brandIsKnown }: Pick<Explanation, "score" | "record" | "brandIsKnown">,
  { eventsForHigh, conditionWithinMonths }: Knowledge["model"]["confidence"],
): { raised_to: Confidence | null; raised_by: string[] } {
  const KNOWN_BRAND = "a brand in the knowledge base";
  if (score.confidence === "LOW")
    return {
      raised_to: "MEDIUM",
      raised_by: [`a service event of the component or its appliance, or ${KNOWN_BRAND}`],
    };
  const missing = eventsForHigh - record.events;
  const raised_by = [
    missing > 0 && `${missing} more service ${missing === 1 ? "event" : "events"}`,
    !record.observedRecently && `a condition observed in the last ${conditionWithinMonths} months`,
    !brandIsKnown && KNOWN_BRAND,
  ].filter((part) => part !== false);
  return { raised_to: raised_by.length === 0 ? null : "HIGH", raised_by };
}

const serializeWhatIfChange = change.serializer(
  (name: ChangeName, score: Score, { restoredBy }: ComponentDef) => ({
    change: name,
    risk_score: score.riskScore,
    risk_tier: score.riskTier,
    confidence: score.confidence,
    q: score.periodRisk,
    effective_age_years: score.effectiveAgeYears / score.rate,
    hazard_ratio: score.hazardRatio,
    note:
      name === "preventive_visit" && !restoredBy.includes("preventive")
        ? "Preventive maintenance does not reduce the age of this component type."
        : null,
  }),
);

const serializeDecision = decision.serializer((made: ReplacementDecision) => ({
  policy: made.policy,
  ...serializeAction(made.action),
  replace_on: made.dueOn,
  due_in_years: made.dueInYears,
  optimal_age_years: made.bestAgeMonths === null ? null : made.bestAgeMonths / 12,
  age_factor: made.ageFactor,
  effective_age_years: made.part.ageYears,
  scale_calendar_years: made.part.scaleYears,
  proactive_cost: jsonUsdFromCents(made.part.plannedCents),
  reactive_cost: jsonUsdFromCents(made.part.failureCents),
  yearly_cost: jsonUsdFromCents(made.yearlyCents),
  yearly_cost_run_to_failure: jsonUsdFromCents(made.yearlyCentsRunToFailure),
  failure_probability_12m: made.part.failureProbability,
  risked_a_year: jsonUsdFromCents(made.riskedCents),
  cost_of_waiting_a_year: jsonUsdFromCents(made.waitingCents),
  unit: made.unit && {
    replace_on: made.unit.dueOn,
    optimal_age_years: made.unit.dueInMonths === null ? null : made.unit.bestAgeMonths / 12,
    yearly_cost: jsonUsdFromCents(made.unit.yearlyCents),
    cost_of_waiting_a_year: jsonUsdFromCents(made.unit.waitingCents),
    price: jsonUsdFromCents(made.unit.price.plannedCents),
    failed_price: jsonUsdFromCents(made.unit.price.failedCents),
    ...serializeAction(made.unit.action),
  },
}));

const serializeProjection = projection.serializer(
  ({ projection: found, score }: Explanation, { model }: Knowledge) => ({
    days_to_even_odds: found.daysToEvenOdds,
    projected_failure_on: found.projectedFailureOn,
    projected_failure_year: found.projectedFailureYear,
    earliest: found.projectedFailureRange.earliest,
    latest: found.projectedFailureRange.latest,
    range_share: model.confidence.rangeShare[score.confidence],
    confidence_pct: found.projectedFailureRange.confidencePct,
    failure_window_80: found.window,
  }),
);

/** Returns the sources that the explanation cites, in the order of the knowledge base. */
function sourcesNamed(knowledge: Knowledge, written: object) {
  const named = new Set<unknown>();
  JSON.stringify(written, (key, value) => {
    if (key === "source") named.add(value);
    return value;
  });
  return [...knowledge.sources.values()]
    .filter(({ token }) => named.has(token))
    .map(({ secondHand, ...one }) => ({ ...one, second_hand: secondHand }));
}

export const serializeExplanation = explanationReply.serializer(
  (knowledge: Knowledge, made: ExplainedComponent) => {
    const { component, explanation, corrections } = made;
    const { model, environments } = knowledge.provenance;
    const parts = {
      as_of: explanation.asOf,
      model_version: made.modelVersion,
      component: {
        component_id: component.id,
        component_name: explanation.def.name,
        component_def_id: component.defId,
        appliance_id: component.applianceId,
        appliance_type: component.typeId,
        appliance_brand: component.brand,
        property_id: component.propertyId,
        property_name: component.propertyName,
      },
      shown: { risk_score: jsonScoreFromHundredths(component.riskScore), risk_tier: component.riskTier },
      definition: serializeComponentDefinition(explanation.def, knowledge.type(explanation.def.typeId)),
      model_source: { source: model.source, kind: model.kind },
      life: serializeLife(explanation.life),
      rate: serializeRate(explanation.rate, environments, knowledge.knowsClimate(component.state)),
      age: serializeAge(explanation.age, explanation.rate),
      evidence: explanation.evidence.map((evidencePart) => serializeEvidence(evidencePart)),
      hazard: serializeHazard(explanation, knowledge, corrections),
      score: serializeScore(explanation, knowledge),
      confidence: serializeConfidence(explanation, knowledge),
      projection: serializeProjection(explanation, knowledge),
      costs: serializeExplainedCosts(knowledge, component, made.costs),
      changes: made.changes.map(({ change, score }) => serializeWhatIfChange(change, score, explanation.def)),
      decision: serializeDecision(explanation.decision),
    };
    return { ...parts, sources: sourcesNamed(knowledge, parts) };
  },
);
