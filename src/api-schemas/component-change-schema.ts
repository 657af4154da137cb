import type { ComponentChange, PlacedComponent, StatedComponentFields } from "../domain/component.ts";
import type { PriceList } from "../domain/costs/price-list.ts";
import { centsFromUsd } from "../domain/costs/usd-cents.ts";
import { invalid } from "../domain/errors.ts";
import type { Instant } from "../domain/time.ts";
import { component, serializeComponent } from "./component-schema.ts";
import * as constraint from "./definition/api-schema-constraints.ts";
import { inputSchema, nullableSchema } from "./definition/input-schema.ts";
import { jsonUsdFromCentsOrNull } from "./definition/json-unit-conversion.ts";
import { objectSchema, textListSchema } from "./definition/schema-field-types.ts";
import { schemaWithPartner } from "./paging-schema.ts";

const out = component.fields;

/** Any subset of what can be stated of a component. */
export const componentChange = inputSchema("ComponentChange", {
  override_lifespan: nullableSchema(
    constraint.lifespan,
    out.override_lifespan.describedAs(
      "Median life in years, from 1 to 200, instead of the knowledge base's; null clears it",
    ),
  ),
  install_year: nullableSchema(
    constraint.year,
    out.install_year.describedAs(
      "Year in which the part was installed, which no longer follows that of its appliance; null goes back to the appliance's. After a Replacement on record, null changes nothing, and another year is a 409: correct that service event instead",
    ),
  ),
  proactive_cost: nullableSchema(
    constraint.cost,
    out.proactive_cost.describedAs(
      "Your own cost of a planned replacement; null goes back to the price list",
    ),
  ),
  reactive_cost: nullableSchema(
    constraint.cost,
    out.reactive_cost.describedAs("Your own cost of a failure; null goes back to the price list"),
  ),
  original: nullableSchema(constraint.flag, out.original),
  past: nullableSchema(constraint.unknownPast, out.past),
});

/** Reads a change, which has only the fields of the request. Throws invalid_request. */
export function parseComponentChangeJson(given: unknown): ComponentChange {
  const json = componentChange.parse(given);
  if (json.original && json.past)
    throw invalid("original and past contradict each other: an original part has a known past", [
      { field: "past", message: "must be null if original is true" },
    ]);
  const change: ComponentChange = {};
  if (json.override_lifespan !== undefined) change.overrideLifespan = json.override_lifespan;
  if (json.install_year !== undefined) change.installYear = json.install_year;
  if (json.proactive_cost !== undefined) change.plannedCents = cents(json.proactive_cost);
  if (json.reactive_cost !== undefined) change.failedCents = cents(json.reactive_cost);
  if (json.original !== undefined) change.isOriginal = json.original === true;
  if (json.past !== undefined) change.isPastUnknown = json.past === "unknown";
  return change;
}

const cents = (amount: number | null) => (amount === null ? null : centsFromUsd(amount));

/** Serializes what is stated of a component, by the names in requests. */
export const serializeStatedComponent = objectSchema({
  override_lifespan: out.override_lifespan,
  install_year: out.install_year,
  proactive_cost: out.proactive_cost.orNull(),
  reactive_cost: out.reactive_cost.orNull(),
  original: out.original,
  past: out.past,
}).serializer((stated: StatedComponentFields) => ({
  override_lifespan: stated.overrideLifespan,
  install_year: stated.installYear,
  proactive_cost: jsonUsdFromCentsOrNull(stated.plannedCents),
  reactive_cost: jsonUsdFromCentsOrNull(stated.failedCents),
  original: stated.isOriginal,
  past: stated.isPastUnknown ? "unknown" : null,
}));

const changedComponent = component.and({
  warnings: textListSchema("Stored values that are probably errors", [
    "install_year 1990 is before install_year 2001 of the appliance",
  ]),
});
export const changedComponentReply = schemaWithPartner(changedComponent);

export const serializeChangedComponent = changedComponent.serializer(
  (
    prices: PriceList,
    { component, warnings }: { component: PlacedComponent; warnings: readonly string[] },
    latestSnapshotAt: Instant | null,
  ) => ({ ...serializeComponent(prices, component, latestSnapshotAt), warnings }),
);
