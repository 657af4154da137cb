import type { PlacedComponent } from "../domain/component.ts";
import type { PriceList } from "../domain/costs/price-list.ts";
import type { Reason } from "../domain/explanation/score-reasons.ts";
import type { Instant } from "../domain/time.ts";
import { component, serializeComponent } from "./component-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import {
  daySchema,
  enumSchema,
  listSchema,
  recordSchema,
  textSchema,
} from "./definition/schema-field-types.ts";
import { schemaWithPartner } from "./paging-schema.ts";

const scoreReason = recordSchema("ScoreReason", {
  effect: enumSchema<Reason["effect"]>(
    ["raises", "lowers", "neutral"],
    "Whether it makes the score higher or lower than that of a component of middle age without evidence",
    "raises",
  ),
  text: textSchema(
    "The reason in words",
    "Old for its type: installed 14 years ago; half of its kind last 12 years",
  ),
  date: daySchema("Date of the latest event that it is based on; null if it is based on none").orNull(),
});
export type ScoreReasonJson = JsonOf<typeof scoreReason>;

export const serializeScoreReason = scoreReason.serializer(({ effect, text, on }: Reason) => ({
  effect,
  text,
  date: on,
}));

/** A component with the reasons for its score. */
const explainedComponent = recordSchema("ExplainedComponent", {
  ...component.fields,
  why: listSchema(
    "Up to three reasons for the score: the age, then those that change it most. Empty for a retired component",
    scoreReason,
  ),
});
export type ExplainedComponentJson = JsonOf<typeof explainedComponent>;

export const serializeExplainedComponent = explainedComponent.serializer(
  (
    prices: PriceList,
    row: PlacedComponent,
    latestSnapshotAt: Instant | null,
    reasons: readonly Reason[] = [],
  ) => ({
    ...serializeComponent(prices, row, latestSnapshotAt),
    why: reasons.map(serializeScoreReason),
  }),
);
export const explainedComponentReply = schemaWithPartner(explainedComponent);
