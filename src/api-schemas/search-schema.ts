import type { JsonOf } from "./definition/api-schema-type.ts";
import {
  enumSchema,
  idSchema,
  listSchema,
  objectSchema,
  recordSchema,
  textSchema,
} from "./definition/schema-field-types.ts";
import { schemaWithPartner } from "./paging-schema.ts";

const KINDS = ["property", "appliance", "component", "claim"] as const;

/** A partner's record that a search has found. */
export type RecordSearchResult = {
  kind: (typeof KINDS)[number];
  id: string;
  title: string;
  detail: string;
  propertyId: string;
  partnerId: string;
};

const found = recordSchema("SearchResult", {
  kind: enumSchema(KINDS, "What was found"),
  id: textSchema("The record's ID", "P_01m7xtfcg7e14a5g7edqadn8kz"),
  title: textSchema(
    "Name of the property, the type of appliance, the component or the claim",
    "Harbor View Apartments",
  ),
  detail: textSchema("Address, serial or claim number, and the property", "120 Harbor St, NY"),
  property_id: idSchema("P", "The property, or the one that it belongs to"),
});
export type SearchResultJson = JsonOf<typeof found>;

const results = objectSchema({ results: listSchema("At most 8 of each kind, exact IDs first", found) });
export const searchReply = schemaWithPartner(results);
export type SearchJson = JsonOf<typeof searchReply>;

export const serializeFoundRecords = results.serializer((some: readonly RecordSearchResult[]) => ({
  results: some.map(({ kind, id, title, detail, propertyId }) => ({
    kind,
    id,
    title,
    detail,
    property_id: propertyId,
  })),
}));
