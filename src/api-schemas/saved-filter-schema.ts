import { MOST_SAVED_FILTERS, type SavedFilter } from "../domain/saved-filter.ts";
import { isoTextOfInstant } from "../domain/time.ts";
import * as constraint from "./definition/api-schema-constraints.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { bodySchema, nullableSchema, requiredSchema, schemaTextOrNull } from "./definition/input-schema.ts";
import {
  instantSchema,
  listSchema,
  objectSchema,
  recordSchema,
  textSchema,
} from "./definition/schema-field-types.ts";
import { schemaWithPartner } from "./paging-schema.ts";

/* Filters of the list of actions that a partner has saved under names. */

export const savedFilter = recordSchema("SavedFilter", {
  name: textSchema("Name", "Plumbing in New York"),
  query: textSchema("The filters as a query string of the app's list", "system=plumbing&state=NY"),
  saved_at: instantSchema("When it was saved"),
});

export const serializeSavedFilter = savedFilter.serializer(({ name, query, savedAt }: SavedFilter) => ({
  name,
  query,
  saved_at: isoTextOfInstant(savedAt),
}));

const filters = objectSchema({ filters: listSchema("The saved filters, ordered by name", savedFilter) });
export const savedFiltersReply = schemaWithPartner(filters);
export type SavedFiltersJson = JsonOf<typeof savedFiltersReply>;

export const serializeSavedFilters = filters.serializer((all: readonly SavedFilter[]) => ({
  filters: all.map(serializeSavedFilter),
}));

const { fields } = savedFilter;
const change = bodySchema({
  name: requiredSchema(constraint.requiredLine, fields.name),
  query: nullableSchema(
    constraint.line,
    fields.query.describedAs(
      `The filters; null removes those of the name. At most ${MOST_SAVED_FILTERS} are kept`,
    ),
  ),
});
export const savedFilterRequest = change.type;

/** Reads a filter to save; a query of null removes it. Throws invalid_request. */
export function parseSavedFilterJson(given: Record<string, unknown>): { name: string; query: string | null } {
  const { name, query } = change.parse(given);
  return { name: name.trim(), query: schemaTextOrNull(query) };
}
