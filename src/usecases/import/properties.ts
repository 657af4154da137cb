import { invalid } from "../../domain/errors.ts";
import type { NewProperty, Property } from "../../domain/property.ts";
import type { Tx } from "../../store/store.ts";
import { columnsOf } from "../../wire/columns.ts";
import { newProperty, readNewProperty } from "../../wire/property.ts";
import { createProperty } from "../properties.ts";
import type { Cells, RowKind } from "./kind.ts";

/** How rows of other files name a property. */
export type PropertyReference = { propertyId: string } | { partnerPropertyId: string };

export const PROPERTY_REFERENCES = [["partner_property_id"], ["property_id"]] as const;

type Entry = NewProperty & { partnerPropertyId: string };

/**
 * Rows of properties, matched on the partner's own reference. It is required: it is what rows of appliances name
 * their property by, and without it a second import could not tell a property from its namesake.
 */
export const propertyRows: RowKind<Entry> = {
  name: "properties",
  fields: { partner_property_id: "text", ...columnsOf(newProperty) },
  required: ["partner_property_id", "name", "address", "state"],
  references: [[]],
  read(cells) {
    const input = readNewProperty(cells);
    const { partnerPropertyId } = input;
    if (partnerPropertyId === null)
      throw invalid("partner_property_id required", [
        { field: "partner_property_id", message: "is required" },
      ]);
    return { ...input, partnerPropertyId };
  },
  start: () => (writer) => ({
    async apply(entry) {
      const { tx, partner } = writer;
      if (await tx.properties.findByReference(partner.id, entry.partnerPropertyId)) return "unchanged";
      await createProperty(writer, entry, { source: "import" });
      return "created";
    },
    finish: async () => 0,
  }),
};

/** Throws a Failure when the row names none. */
export function readPropertyReference(cells: Cells): PropertyReference {
  const { property_id: propertyId, partner_property_id: partnerPropertyId } = cells;
  if (propertyId !== undefined) return { propertyId: String(propertyId) };
  if (partnerPropertyId !== undefined) return { partnerPropertyId: String(partnerPropertyId) };
  throw invalid("partner_property_id required", [
    { field: "partner_property_id", message: "or property_id is required" },
  ]);
}

export async function findProperty(
  tx: Tx,
  partnerId: string,
  reference: PropertyReference,
): Promise<Property | undefined> {
  return "propertyId" in reference
    ? await tx.properties.find(partnerId, reference.propertyId)
    : await tx.properties.findByReference(partnerId, reference.partnerPropertyId);
}

/** As messages name it. */
export const referenceText = (reference: PropertyReference) =>
  "propertyId" in reference ? reference.propertyId : reference.partnerPropertyId;
