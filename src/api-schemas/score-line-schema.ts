import type { PlacedComponent } from "../domain/component.ts";
import type { PriceList } from "../domain/costs/price-list.ts";
import { riskWithinScoredPeriod } from "../domain/scoring/outlook.ts";
import {
  failureProbabilityWithin,
  projectionOfStoredScore,
  scoredComponentFailureWindow,
  scoredComponentOutlook,
} from "../domain/scoring/score-projections.ts";
import { ageYears as ageYearsOf } from "../domain/scoring/virtual-age.ts";
import { DAYS_IN_12_MONTHS } from "../domain/time.ts";
import { applianceTypeId, componentDefId, componentName } from "./component-name-schema.ts";
import { costFields, serializeCosts } from "./costs-schema.ts";
import { jsonScoreFromHundredths } from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  idSchema,
  numberSchema,
  objectSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import {
  ageYearsField,
  confidence,
  failureWindowDays,
  projectedFailureYear,
  riskScore,
  riskTier,
} from "./score-schema.ts";

/** A component's score with the values that it is calculated from, unrounded. For operators only. */
const scoreLine = objectSchema({
  component_id: idSchema("C", "The component"),
  component_name: componentName,
  component_def_id: componentDefId,
  appliance_id: idSchema("A", "The appliance"),
  appliance_type: applianceTypeId,
  unit: idSchema("U", "The unit that the appliance serves").orNull(),
  property_id: idSchema("P", "The property"),
  property_name: textSchema("The property's display name", "Harbor View Apartments"),
  risk_score: riskScore,
  risk_tier: riskTier,
  confidence,
  q: numberSchema("Probability of failure within the scoring period", 0.31),
  failure_probability_12m: numberSchema("Probability of failure within 365 days", 0.31),
  hazard_ratio: numberSchema("Hazard ratio θ of the evidence", 1.75),
  acute_hazard: numberSchema("Acute hazard Λ reported by sensors", 0),
  age_years: ageYearsField,
  effective_age_years: numberSchema("Effective age, in calendar years", 9.1),
  effective_virtual_age_years: numberSchema("Effective age V*, in years of normal use", 9.8),
  projected_failure_year: projectedFailureYear,
  projected_failure_earliest: wholeNumberSchema("First year of the range", 2028),
  projected_failure_latest: wholeNumberSchema("Last year of the range", 2032),
  failure_window_80_earliest: failureWindowDays.earliest,
  failure_window_80_latest: failureWindowDays.latest,
  ...costFields,
  scored_on: daySchema("Date of the score"),
});

export const SCORE_COLUMNS = Object.keys(scoreLine.fields);

export const serializeScoreLine = scoreLine.serializer((prices: PriceList, row: PlacedComponent) => {
  const { knowledge } = prices;
  const { name } = knowledge.component(row.defId);
  const outlook = scoredComponentOutlook(knowledge, row, row.brandTier);
  const { projectedFailureYear, projectedFailureRange } = projectionOfStoredScore(
    knowledge,
    row,
    row.brandTier,
    outlook,
  );
  const window = scoredComponentFailureWindow(knowledge, row, row.brandTier, outlook);
  return {
    component_id: row.id,
    component_name: name,
    component_def_id: row.defId,
    appliance_id: row.applianceId,
    appliance_type: row.typeId,
    unit: row.unitId,
    property_id: row.propertyId,
    property_name: row.propertyName,
    risk_score: jsonScoreFromHundredths(row.riskScore),
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
