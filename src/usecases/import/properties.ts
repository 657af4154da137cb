import { invalid } from "../../domain/errors.ts";
import type { NewProperty, Property, PropertyChange } from "../../domain/property.ts";
import type { Tx } from "../../store/store.ts";
import { columnsOf } from "../../wire/columns.ts";
import { newProperty, propertyChange, readNewProperty, readPropertyChange } from "../../wire/new-property.ts";
import { propertyView } from "../../wire/property.ts";
import { changeProperty, createProperty } from "../properties.ts";
import { type Comparison, differences } from "./differences.ts";
import type { Cells, RowKind } from "./kind.ts";

/** How rows of other files name a property. */
export type PropertyReference = { propertyId: string } | { partnerPropertyId: string };

export const PROPERTY_REFERENCES = [["partner_property_id"], ["property_id"]] as const;

type Entry = { input: NewProperty; partnerPropertyId: string; cells: Cells };

const COMPARISON: Comparison<Property, PropertyChange> = {
  fields: Object.keys(propertyChange.form.fields),
  read: readPropertyChange,
  view: propertyView,
};

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
    return { input, partnerPropertyId, cells };
  },
  start: () => (writer) => ({
    async apply({ input, partnerPropertyId, cells }, update) {
      const { tx, partner } = writer;
      const there = await tx.properties.findByReference(partner.id, partnerPropertyId);
      if (!there) {
        await createProperty(writer, input, { source: "import" });
        return "created";
      }
      if (!update) return "unchanged";
      const { change, fields } = differences(COMPARISON, cells, there);
      if (fields.length === 0) return "unchanged";
      await changeProperty(writer, there.id, change);
      return { updated: fields };
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
