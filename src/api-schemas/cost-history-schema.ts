import type { KindHistory } from "../domain/costs/cost-history.ts";
import type { Day } from "../domain/time.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonUsdFromCents, jsonUsdFromCentsOrNull } from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  enumSchema,
  flagSchema,
  listSchema,
  objectSchema,
  textSchema,
  usdSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";

const bills = (description: string) =>
  objectSchema({
    count: wholeNumberSchema("Replacements with a cost", 7),
    median_cost: usdSchema("Median of their costs; null without any", 1900).orNull(),
    cost_in_use: usdSchema(
      "The cost that is used now for the replaced ones, of the middle one by planned cost; after a failure without damage",
      1450,
    ),
  }).describedAs(description);

const kind = objectSchema({
  type_id: textSchema("Appliance type", "water_heater_gas"),
  component_def_id: textSchema("Component; null for the whole unit", "wh_gas_tank").orNull(),
  planned: bills("Replacements that were planned"),
  after_failure: bills("Replacements within 60 days after an Emergency Repair"),
  basis: enumSchema(
    ["own", "own_history", "scaled", "reference"],
    "The basis of the costs in use",
    "reference",
  ),
});

/** The result of `mainstay costs`. */
const costHistory = objectSchema({
  partner_id: textSchema("The partner", "PARTNER_01m7xtb1x0e2mav3k9q8w7r6t5"),
  as_of: daySchema("The last day of the 60 months"),
  kinds: listSchema("The kinds with at least 5 Replacements with a cost", kind),
  applied: flagSchema("True if the medians were saved to the cost book"),
  changes: wholeNumberSchema("Lines of the cost book that have changed", 3),
  recalculating: flagSchema(
    "True if the sums of the portfolio are being recalculated in the background",
    false,
  ),
});
export type CostHistoryJson = JsonOf<typeof costHistory>;

/** `saved` is what has been saved to the cost book; null if nothing was to be saved. */
export const serializeCostHistory = costHistory.serializer(
  (
    partnerId: string,
    asOf: Day,
    kinds: readonly KindHistory[],
    saved: { changes: number; recalculating: boolean } | null,
  ) => ({
    partner_id: partnerId,
    as_of: asOf,
    kinds: kinds.map(({ typeId, componentDefId, planned, afterFailure, used }) => ({
      type_id: typeId,
      component_def_id: componentDefId,
      planned: {
        count: planned.count,
        median_cost: jsonUsdFromCentsOrNull(planned.medianCents),
        cost_in_use: jsonUsdFromCents(used.plannedCents),
      },
      after_failure: {
        count: afterFailure.count,
        median_cost: jsonUsdFromCentsOrNull(afterFailure.medianCents),
        cost_in_use: jsonUsdFromCents(Math.round(used.emergencyCents)),
      },
      basis: used.basis,
    })),
    applied: saved !== null,
    changes: saved?.changes ?? 0,
    recalculating: saved?.recalculating ?? false,
  }),
);
