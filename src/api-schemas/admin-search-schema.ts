import type { JsonOf } from "./definition/api-schema-type.ts";
import {
  enumSchema,
  idSchema,
  listSchema,
  objectSchema,
  textSchema,
} from "./definition/schema-field-types.ts";

/** The kinds of what a search of administrators finds. */
const SEARCHED_KINDS = [
  "partner",
  "endpoint",
  "property",
  "appliance",
  "component",
  "claim",
  "embed",
  "delivery",
  "setting",
  "audit",
] as const;

/** A record of any partner, or a part of the installation, that a search has found. */
export type AdminSearchResult = {
  kind: (typeof SEARCHED_KINDS)[number];
  id: string;
  title: string;
  detail: string;
  /** Null for what belongs to no property. */
  propertyId: string | null;
};

const result = objectSchema({
  kind: enumSchema(SEARCHED_KINDS, "What was found"),
  id: textSchema(
    "The record's ID; the partner's for an endpoint, and the changed record's for the audit log",
    "PARTNER_01m7xtb1x0e2mav3k9q8w7r6t5",
  ),
  title: textSchema("Its name, or what it is", "Harbor View Apartments"),
  detail: textSchema("Its place, owner or meaning", "120 Harbor St, NY, Acme Insurance"),
  property_id: idSchema("P", "The property, or the one that it belongs to; null for other records").orNull(),
});
export type AdminSearchResultJson = JsonOf<typeof result>;

export const adminSearchReply = objectSchema({
  results: listSchema("At most 8 of each kind, exact IDs first", result),
});
export type AdminSearchJson = JsonOf<typeof adminSearchReply>;

export const serializeAdminSearch = adminSearchReply.serializer((found: readonly AdminSearchResult[]) => ({
  results: found.map(({ kind, id, title, detail, propertyId }) => ({
    kind,
    id,
    title,
    detail,
    property_id: propertyId,
  })),
}));
