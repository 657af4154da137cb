import type { Appliance } from "../../domain/appliance.ts";
import { conflict, invalid, notFound } from "../../domain/errors.ts";
import { isRetired, retirementRuleConflict } from "../../domain/rules/retirement-rule.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { ApplianceCache, type Preloading } from "./import-appliance-cache.ts";
import type { RowCells } from "./import-row-kind.ts";
import {
  importedPropertyReference,
  importedPropertyReferenceText,
  PropertyCache,
  type RowPropertyReference,
} from "./property-import.ts";

/** The appliance of a row: by its ID, or by its serial within a property. */
export type RowApplianceReference =
  | { applianceId: string }
  | { serial: string; property: RowPropertyReference };

/** The columns of which a file needs one of the sets. */
export const APPLIANCE_REFERENCES = [
  ["appliance_id"],
  ["serial", "partner_property_id"],
  ["serial", "property_id"],
] as const;

/** Throws a Failure if the row refers to no appliance. */
export function importedApplianceReference(cells: RowCells): RowApplianceReference {
  if (cells.appliance_id !== undefined) return { applianceId: String(cells.appliance_id) };
  if (cells.serial === undefined)
    throw invalid("serial required", [{ field: "serial", message: "or appliance_id is required" }]);
  return { serial: String(cells.serial), property: importedPropertyReference(cells) };
}

/** Finds the appliances that rows refer to. */
export class ReferencedAppliances {
  readonly #properties: PropertyCache;
  readonly #appliances: ApplianceCache;

  constructor(writer: PortfolioWriter, reading: Preloading) {
    this.#properties = new PropertyCache(writer);
    this.#appliances = new ApplianceCache(writer, reading);
  }

  /** Loads the appliances of the next rows together and returns them, each once. */
  async preload(references: readonly RowApplianceReference[]): Promise<Appliance[]> {
    const bySerial = references.filter((reference) => "serial" in reference);
    await this.#properties.preload(bySerial.map(({ property }) => property));
    await this.#appliances.preloadByIds(
      references.flatMap((reference) => ("applianceId" in reference ? [reference.applianceId] : [])),
    );
    await this.#appliances.preloadOfProperties(
      bySerial.flatMap(({ property }) => this.#properties.find(property)?.id ?? []),
    );
    const found = new Map<string, Appliance>();
    for (const reference of references) {
      const [one] = await this.#named(reference);
      if (one) found.set(one.id, one);
    }
    return [...found.values()];
  }

  /** Returns the appliance of a row. Throws not_found, or conflict for an ambiguous serial. */
  async find(reference: RowApplianceReference): Promise<Appliance> {
    if ("property" in reference && !this.#properties.find(reference.property))
      throw notFound(`Property not found: ${importedPropertyReferenceText(reference.property)}`);
    const [found, other] = await this.#named(reference);
    if (other) throw conflict("serial belongs to several appliances of the property: use appliance_id");
    if (!found) throw notFound(`Appliance not found: ${applianceText(reference)}`);
    return found;
  }

  /** Returns the appliances that a row can refer to. */
  async #named(reference: RowApplianceReference): Promise<readonly Appliance[]> {
    if ("applianceId" in reference) {
      const found = this.#appliances.find(reference.applianceId);
      return found ? [found] : [];
    }
    const property = this.#properties.find(reference.property);
    return property ? await this.#appliances.withSerial(property.id, reference.serial) : [];
  }
}

function applianceText(reference: RowApplianceReference): string {
  if ("applianceId" in reference) return reference.applianceId;
  return `serial ${reference.serial} in property ${importedPropertyReferenceText(reference.property)}`;
}

/** Returns the failure of a row about a kind of component that is not in service on an appliance: of another type, or retired. */
export function importedComponentNotInServiceError(appliance: Appliance): Error {
  if (isRetired(appliance)) return retirementRuleConflict("Appliance", appliance);
  const { typeId } = appliance;
  const message = `is not a component of type ${typeId}`;
  return invalid(`component_def_id ${message}`, [{ field: "component_def_id", message }]);
}
