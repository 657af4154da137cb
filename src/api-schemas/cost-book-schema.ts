import { MIN_SIZE } from "../domain/costs/appliance-size.ts";
import { MOST_COST_LINES, type StoredCostLine } from "../domain/costs/cost-book-lines.ts";
import type { CostLine } from "../domain/costs/cost-line.ts";
import { centsFromUsd } from "../domain/costs/usd-cents.ts";
import { placeOfStateOrSubdivision } from "../domain/places/place.ts";
import type { Day } from "../domain/time.ts";
import * as constraint from "./definition/api-schema-constraints.ts";
import { defineSchemaConstraint } from "./definition/api-schema-field-constraint.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import {
  bodySchema,
  documentedSchema,
  inputSchema,
  itemsFieldSchema,
  nullableSchema,
  requiredSchema,
  schemaTextOrNull,
} from "./definition/input-schema.ts";
import { jsonUsdFromCentsOrNull } from "./definition/json-unit-conversion.ts";
import {
  daySchema,
  enumSchema,
  flagSchema,
  idSchema,
  listSchema,
  numberSchema,
  objectSchema,
  recordSchema,
  textListSchema,
  textSchema,
  usdSchema,
} from "./definition/schema-field-types.ts";
import { schemaWithPartner } from "./paging-schema.ts";

/** The bases of costs that a line can have. */
const LINE_BASES = ["own", "own_history"] as const;
type LineBasis = (typeof LINE_BASES)[number];

export const costLine = recordSchema("CostLine", {
  id: idSchema("CST", "The line's ID; a line for the same keeps it when the book is replaced"),
  type_id: textSchema("Appliance type; see GET /v1/appliance-types", "water_heater_gas"),
  component_def_id: textSchema(
    "Component of that type, as in `component_def_id` of components; null for the whole unit",
    "wh_gas_tank",
  ).orNull(),
  state: textSchema(
    "US state of the properties, or COUNTRY-SUBDIVISION elsewhere, such as `CA-ON`; null for all",
    "NY",
  ).orNull(),
  proactive_cost: usdSchema("Cost of a planned replacement; null if not known", 1850).orNull(),
  reactive_cost: usdSchema(
    "Cost of a failure, with the damage that it does; null if not known",
    3200,
  ).orNull(),
  size: numberSchema(
    "Size that the costs are of, in the type's unit; costs follow the size of each appliance from there. Null if they hold for any size",
    50,
  ).orNull(),
  as_of: daySchema("Day that the costs are of", "2026-10-02"),
  basis: enumSchema<LineBasis>(
    LINE_BASES,
    "`own`: entered by you; `own_history`: the median of your own service records, where reactive costs are bills without damage",
  ),
});
export type CostLineJson = JsonOf<typeof costLine>;

export const serializeCostLine = costLine.serializer((line: StoredCostLine) => ({
  id: line.id,
  type_id: line.typeId,
  component_def_id: line.componentDefId,
  state: line.state,
  proactive_cost: jsonUsdFromCentsOrNull(line.plannedCents),
  reactive_cost: jsonUsdFromCentsOrNull(line.failedCents),
  size: line.size,
  as_of: line.asOf,
  basis: basisOf(line),
}));

const basisOf = ({ source }: Pick<CostLine, "source">): LineBasis =>
  source === "history" ? "own_history" : "own";

const book = objectSchema({
  lines: listSchema("The lines, in the order given", costLine),
  recalculating: flagSchema(
    "True while sums of the portfolio are being recalculated by changed costs; false otherwise",
    false,
  ),
});
export const costBookReply = schemaWithPartner(book);
export type CostBookJson = JsonOf<typeof costBookReply>;

export const serializeCostBook = book.serializer((lines: CostLineJson[], recalculating: boolean) => ({
  lines,
  recalculating,
}));

const replacedBook = book.and({
  warnings: textListSchema("Lines that later ones replace, and costs that are probably errors", [
    "Line 3 replaces line 1: both are for water_heater_gas in NY",
  ]),
});
export const replacedBookReply = schemaWithPartner(replacedBook);

export const serializeReplacedBook = replacedBook.serializer(
  (lines: CostLineJson[], recalculating: boolean, warnings: readonly string[]) => ({
    ...serializeCostBook(lines, recalculating),
    warnings,
  }),
);

const size = defineSchemaConstraint((type) =>
  type(`${MIN_SIZE} <= number <= 1000000000`).describe(`a number from ${MIN_SIZE} to 1000000000`),
);
const basis = defineSchemaConstraint((type) =>
  type.enumerated(...LINE_BASES).describe(`one of ${LINE_BASES.join(", ")}`),
);

const { fields: out } = costLine;
/** A line as requests and the rows of files contain it. */
export const newCostLine = inputSchema("NewCostLine", {
  type_id: requiredSchema(constraint.requiredLine, out.type_id),
  component_def_id: nullableSchema(constraint.line, out.component_def_id),
  state: nullableSchema(constraint.state, out.state),
  proactive_cost: nullableSchema(constraint.cost, out.proactive_cost),
  reactive_cost: nullableSchema(constraint.cost, out.reactive_cost),
  size: nullableSchema(size, out.size),
  as_of: nullableSchema(constraint.day, "Day that the costs are of; today if omitted", "2026-10-02"),
  basis: documentedSchema(nullableSchema(basis, out.basis), out.basis),
});

const bookBody = bodySchema({
  lines: itemsFieldSchema(
    `The whole book, at most ${MOST_COST_LINES} lines. Of lines for the same type, component, state, size and basis, the later wins`,
    newCostLine,
  ),
});
export const costBookRequest = bookBody.type;

/** Returns the unread lines of a request. */
export const parseCostBookJson = (given: Record<string, unknown>): readonly unknown[] =>
  bookBody.parse(given).lines;

/** Reads a line. Throws invalid_request. */
export function parseCostLineJson(given: unknown, today: Day): CostLine {
  const json = newCostLine.parse(given);
  const state = schemaTextOrNull(json.state);
  return {
    typeId: json.type_id.trim(),
    componentDefId: schemaTextOrNull(json.component_def_id),
    state: state === null ? null : placeOfStateOrSubdivision(state),
    plannedCents: json.proactive_cost == null ? null : centsFromUsd(json.proactive_cost),
    failedCents: json.reactive_cost == null ? null : centsFromUsd(json.reactive_cost),
    size: json.size ?? null,
    asOf: json.as_of ?? today,
    source: json.basis === "own_history" ? "history" : "own",
  };
}
