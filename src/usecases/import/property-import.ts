import { apiInputCsvColumns } from "../../api-schemas/definition/api-input-csv-columns.ts";
import {
  newProperty,
  parseNewPropertyJson,
  parsePropertyChangeJson,
  propertyChange,
} from "../../api-schemas/property-request-schema.ts";
import { serializeProperty } from "../../api-schemas/property-schema.ts";
import { conflict, invalid, notFound } from "../../domain/errors.ts";
import { countryOf, placeOfSubdivision, subdivisionOf } from "../../domain/places/place.ts";
import { normalizedPostalStreet } from "../../domain/places/postal-address.ts";
import type { NewProperty, Property, PropertyChange } from "../../domain/property.ts";
import { NOT_RETIRED, type Retirement, retirementAfterChange } from "../../domain/rules/retirement-rule.ts";
import {
  changeProperty,
  createPropertyAndQueueWebhook,
  findFirstPropertyOfAddress,
} from "../portfolio/create-or-change-property.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { type Comparison, compareRowWithRecord } from "./compare-import-row-with-record.ts";
import {
  NOTHING_ADDED,
  type RowBatch,
  type RowCells,
  type RowKind,
  type SameAddress,
} from "./import-row-kind.ts";
import {
  type BatchRowStatements,
  ImportRowStatements,
  type RowContradiction,
  type RowStatement,
} from "./import-row-statements.ts";

/** The reference to a property in rows of other files. */
export type RowPropertyReference = { propertyId: string } | { partnerPropertyId: string };

export const PROPERTY_REFERENCES = [["partner_property_id"], ["property_id"]] as const;

/** The columns that retire a property or an appliance. An empty cell does not bring one back. */
export const RETIREMENT_COLUMNS = { retired_at: "text", retired_reason: "text" } as const;

type Entry = { reference: RowPropertyReference; cells: RowCells } & (
  | { input: NewProperty; retirement: Partial<Retirement> | undefined }
  /** For a row with the ID of a property, which creates none. */
  | { input?: undefined; retirement?: undefined }
);

/** A property with its place as rows state it. */
type StatedProperty = Property & { country: string };
const stated = (property: Property): StatedProperty => ({
  ...property,
  country: countryOf(property.state),
  state: subdivisionOf(property.state),
});

const COMPARISON: Comparison<StatedProperty, PropertyChange> = {
  fields: Object.keys(propertyChange.type.fields),
  read: parsePropertyChangeJson,
  view: (row) => serializeProperty({ ...row, state: placeOfSubdivision(row.country, row.state) }),
};

/**
 * Rows of properties, matched by their IDs, or by the partner's own reference. Either is required: rows of appliances refer to
 * it, and without it a second import could not recognize a property by its name alone.
 */
export const propertyImportRows: RowKind<Entry> = {
  name: "properties",
  fields: {
    property_id: "text",
    partner_property_id: "text",
    ...apiInputCsvColumns(newProperty),
    ...RETIREMENT_COLUMNS,
  },
  required: ["partner_property_id", "name", "address", "state"],
  references: [[]],
  identifier: "property_id",
  read({ property_id: id, ...cells }) {
    if (id !== undefined) {
      parsePropertyChangeJson(cells);
      return { reference: { propertyId: String(id) }, cells };
    }
    const input = parseNewPropertyJson(cells);
    const { partnerPropertyId } = input;
    if (partnerPropertyId === null)
      throw invalid("partner_property_id or property_id required", [
        {
          field: "partner_property_id",
          message: "or property_id is required: several properties may have the address",
        },
      ]);
    const retirement = importedRetirement(cells, parsePropertyChangeJson);
    return { input, retirement, reference: { partnerPropertyId }, cells };
  },
  start() {
    const statements = new ImportRowStatements();
    return (writer) => propertyBatch(writer, statements.begin());
  },
};

function propertyBatch(writer: PortfolioWriter, statements: BatchRowStatements): RowBatch<Entry> {
  const known = new PropertyCache(writer);
  return {
    preload: (entries) => known.preload(entries.map(({ reference }) => reference)),
    async apply({ input, retirement, reference, cells }, update) {
      const there = known.find(reference);
      if (!there) {
        if (!input) throw notFound(`Property not found: ${importedPropertyReferenceText(reference)}`);
        if (retirement) retirementAfterChange(NOT_RETIRED, retirement);
        const made = await createPropertyAndQueueWebhook(writer, input, {
          source: "import",
          isReferenceUnused: true,
        });
        const added = retirement ? await changeProperty(writer, made.id, retirement) : made;
        known.add(added);
        statements.contradictions(added.id, statementOf(input));
        return { created: added.id, sameAddress: await sameAddressAs(writer, added) };
      }
      if (!update) {
        if (input) checkEarlierRow(statements.contradictions(there.id, statementOf(input)), input);
        return "unchanged";
      }
      const { change, fields } = compareRowWithRecord(COMPARISON, cells, stated(there));
      if (fields.length === 0) return "unchanged";
      const changed = await changeProperty(writer, there.id, change);
      known.add(changed, there);
      const hasMoved = changed.addressKey !== there.addressKey;
      return { updated: fields, sameAddress: hasMoved ? await sameAddressAs(writer, changed) : undefined };
    },
    finish: async () => NOTHING_ADDED,
    committed: () => statements.committed(),
  };
}

/** A row without a name of its own has its address in its place. */
const statementOf = ({ name, address }: NewProperty): RowStatement => ({
  name: name === address ? null : name.toLowerCase(),
  address: normalizedPostalStreet(address),
});

/** Throws conflict for another building. A building may be spelled in two ways, or have two addresses. */
function checkEarlierRow(contradictions: readonly RowContradiction[], { name, address }: NewProperty): void {
  if (contradictions.length < 2) return;
  throw conflict(
    `partner_property_id is that of an earlier row with another name and address than ${name}, ${address}: give each property its own`,
  );
}

async function sameAddressAs(writer: PortfolioWriter, property: Property): Promise<SameAddress | undefined> {
  const first = await findFirstPropertyOfAddress(writer, property);
  return first && { propertyId: property.id, firstId: first.id };
}

/** Returns the retirement that a row's cells state, as `parse` reads them; undefined without any. Throws invalid_request. */
export function importedRetirement(
  { retired_at, retired_reason }: RowCells,
  parse: (cells: RowCells) => Partial<Retirement>,
): Partial<Retirement> | undefined {
  if (retired_at === undefined && retired_reason === undefined) return undefined;
  return parse({
    ...(retired_at !== undefined && { retired_at }),
    ...(retired_reason !== undefined && { retired_reason }),
  });
}

/** The properties that rows refer to, loaded ahead. */
export class PropertyCache {
  readonly #byId = new Map<string, Property>();
  readonly #byReference = new Map<string, Property>();

  constructor(private readonly writer: Pick<PortfolioWriter, "tx" | "partner">) {}

  async preload(references: readonly RowPropertyReference[]): Promise<void> {
    const { tx, partner } = this.writer;
    const ids = new Set<string>();
    const own = new Set<string>();
    for (const reference of references)
      if ("propertyId" in reference) ids.add(reference.propertyId);
      else own.add(reference.partnerPropertyId);
    for (const id of this.#byId.keys()) ids.delete(id);
    for (const reference of this.#byReference.keys()) own.delete(reference);
    for (const property of await tx.properties.ofIds(partner.id, [...ids])) this.add(property);
    for (const property of await tx.properties.ofReferences(partner.id, [...own])) this.add(property);
  }

  /** Keeps a property as it is now; `before` its change it may have had another reference. */
  add(property: Property, before?: Property): void {
    if (before && before.partnerPropertyId !== null) this.#byReference.delete(before.partnerPropertyId);
    this.#byId.set(property.id, property);
    if (property.partnerPropertyId !== null) this.#byReference.set(property.partnerPropertyId, property);
  }

  /** Finds among the loaded properties. */
  find(reference: RowPropertyReference): Property | undefined {
    return "propertyId" in reference
      ? this.#byId.get(reference.propertyId)
      : this.#byReference.get(reference.partnerPropertyId);
  }
}

/** Throws a Failure if the row has no reference. */
export function importedPropertyReference(cells: RowCells): RowPropertyReference {
  const { property_id: propertyId, partner_property_id: partnerPropertyId } = cells;
  if (propertyId !== undefined) return { propertyId: String(propertyId) };
  if (partnerPropertyId !== undefined) return { partnerPropertyId: String(partnerPropertyId) };
  throw invalid("partner_property_id required", [
    { field: "partner_property_id", message: "or property_id is required" },
  ]);
}

/** Returns the reference as it appears in messages. */
export const importedPropertyReferenceText = (reference: RowPropertyReference) =>
  "propertyId" in reference ? reference.propertyId : reference.partnerPropertyId;
