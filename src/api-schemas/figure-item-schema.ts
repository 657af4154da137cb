import type { PlacedComponent } from "../domain/component.ts";
import type { PriceList } from "../domain/costs/price-list.ts";
import { projectionOfStoredScore } from "../domain/scoring/score-projections.ts";
import { applianceTypeId, componentName } from "./component-name-schema.ts";
import { costFields, serializeCosts } from "./costs-schema.ts";
import { jsonScoreFromHundredths } from "./definition/json-unit-conversion.ts";
import { idSchema, objectSchema } from "./definition/schema-field-types.ts";
import { confidence, projectedFailureYear, riskScore, riskTier } from "./score-schema.ts";

/** The approximate size of a list item in memory. */
export const ITEM_BYTES = 500;

/** The fields of a component in the lists of figures. */
export const itemFields = {
  component_id: idSchema("C", "The component"),
  component_name: componentName,
  appliance_id: idSchema("A", "The appliance"),
  appliance_type: applianceTypeId,
  unit: idSchema("U", "The unit that the appliance serves").orNull(),
  risk_score: riskScore,
  risk_tier: riskTier,
  confidence,
  projected_failure_year: projectedFailureYear,
  ...costFields,
};

export const serializeFigureItem = objectSchema(itemFields).serializer(
  (prices: PriceList, row: PlacedComponent) => {
    const { knowledge } = prices;
    const { name } = knowledge.component(row.defId);
    return {
      component_id: row.id,
      component_name: name,
      appliance_id: row.applianceId,
      appliance_type: row.typeId,
      unit: row.unitId,
      risk_score: jsonScoreFromHundredths(row.riskScore),
      risk_tier: row.riskTier,
      confidence: row.confidence,
      projected_failure_year: projectionOfStoredScore(knowledge, row, row.brandTier).projectedFailureYear,
      ...serializeCosts(prices.ofComponent(row)),
    };
  },
);
