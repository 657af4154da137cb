import type { AssumptionsJson } from "../../api-schemas/assumptions-schema.ts";
import { costBasisSentences, uncertaintySentences } from "../../domain/wording/uncertainty-wording.ts";

/** Returns what figures rest on, in sentences for their reader. */
export function pageAssumptionSentences(assumptions: AssumptionsJson): string[] {
  const calibrated = assumptions.calibrated ? "calibrated" : "not calibrated";
  const made = {
    priceLevel: assumptions.price_level,
    priceMonth: assumptions.price_month,
    priceFollowsState: assumptions.price_location === "state",
    components: assumptions.components,
    costShares: assumptions.cost_shares,
    confidenceShares: assumptions.confidence_shares,
    buildingYears: assumptions.install_year_of_building,
    unknownPasts: assumptions.unknown_past,
    unknownPlaces: assumptions.unknown_places,
  };
  return [
    `Scoring model ${assumptions.model_version}, ${calibrated} to the operator's own records.`,
    ...costBasisSentences(made),
    ...uncertaintySentences(made),
    assumptions.statement,
  ];
}
