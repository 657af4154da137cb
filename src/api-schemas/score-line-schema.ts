import type { PlacedComponent } from "../domain/component.ts";
import type { PriceList } from "../domain/costs/price-list.ts";
import { riskWithinScoredPeriod } from "../domain/scoring/outlook.ts";
import {
  failureDaysOfStored,
  failureProbabilityWithin,
  outlookOfStoredComponent,
  projectionOfStoredScore,
} from "../domain/scoring/stored-score-projections.ts";
import { ageYears as ageYearsOf } from "../domain/scoring/virtual-age.ts";
import { DAYS_IN_12_MONTHS } from "../domain/time.ts";
import { applianceTypeId, componentDefId, componentName } from "./component-name-schema.ts";
import { costFields, serializeCosts } from "./costs-schema.ts";
import { scoreFromHundredths } from "./definition/json-unit-conversion.ts";
import { day, id, number, object, text, whole } from "./definition/schema-field-types.ts";
import {
  ageYearsField,
  confidence,
  failureWindowDays,
  projectedFailureYear,
  riskScore,
  riskTier,
} from "./score-schema.ts";

/** A component's score with the values that it is calculated from, unrounded. For operators only. */
const scoreLine = object({
  component_id: id("C", "The component"),
  component_name: componentName,
  component_def_id: componentDefId,
  appliance_id: id("A", "The appliance"),
  appliance_type: applianceTypeId,
  unit: id("U", "The unit that the appliance serves").orNull(),
  property_id: id("P", "The property"),
  property_name: text("The property's display name", "Harbor View Apartments"),
  risk_score: riskScore,
  risk_tier: riskTier,
  confidence,
  q: number("Probability of failure within the scoring period", 0.31),
  failure_probability_12m: number("Probability of failure within 365 days", 0.31),
  hazard_ratio: number("Hazard ratio θ of the evidence", 1.75),
  acute_hazard: number("Acute hazard Λ reported by sensors", 0),
  age_years: ageYearsField,
  effective_age_years: number("Effective age, in calendar years", 9.1),
  effective_virtual_age_years: number("Effective age V*, in years of normal use", 9.8),
  projected_failure_year: projectedFailureYear,
  projected_failure_earliest: whole("First year of the range", 2028),
  projected_failure_latest: whole("Last year of the range", 2032),
  failure_window_80_earliest: failureWindowDays.earliest,
  failure_window_80_latest: failureWindowDays.latest,
  ...costFields,
  scored_on: day("Date of the score"),
});

export const SCORE_COLUMNS = Object.keys(scoreLine.fields);

export const serializeScoreLine = scoreLine.serializer((prices: PriceList, row: PlacedComponent) => {
  const { knowledge } = prices;
  const { name } = knowledge.component(row.defId);
  const outlook = outlookOfStoredComponent(knowledge, row, row.brandTier);
  const { projectedFailureYear, projectedFailureRange } = projectionOfStoredScore(
    knowledge,
    row,
    row.brandTier,
    outlook,
  );
  const window = failureDaysOfStored(knowledge, row, row.brandTier, outlook);
  return {
    component_id: row.id,
    component_name: name,
    component_def_id: row.defId,
    appliance_id: row.applianceId,
    appliance_type: row.typeId,
    unit: row.unitId,
    property_id: row.propertyId,
    property_name: row.propertyName,
    risk_score: scoreFromHundredths(row.riskScore),
    risk_tier: row.riskTier,
    confidence: row.confidence,
    q: riskWithinScoredPeriod(outlook, knowledge.model),
    failure_probability_12m: failureProbabilityWithin(
      knowledge,
      row,
      row.brandTier,
      DAYS_IN_12_MONTHS,
      outlook,
    ),
    hazard_ratio: row.hazardRatio,
    acute_hazard: row.acuteHazard,
    age_years: ageYearsOf(row, row.scoredOn),
    effective_age_years: row.effectiveAgeYears / row.rate,
    effective_virtual_age_years: row.effectiveAgeYears,
    projected_failure_year: projectedFailureYear,
    projected_failure_earliest: projectedFailureRange.earliest,
    projected_failure_latest: projectedFailureRange.latest,
    failure_window_80_earliest: window.earliest,
    failure_window_80_latest: window.latest,
    ...serializeCosts(prices.ofComponent(row)),
    scored_on: row.scoredOn,
  };
});
