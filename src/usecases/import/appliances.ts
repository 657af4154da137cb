import type { Appliance, ApplianceChange, NewAppliance } from "../../domain/appliance.ts";
import { conflict, notFound } from "../../domain/errors.ts";
import {
  applianceChange,
  applianceView,
  newAppliance,
  readApplianceChange,
  readNewAppliance,
} from "../../wire/appliance.ts";
import { columnsOf } from "../../wire/schema/input-columns.ts";
import { ApplianceCreator, changeAppliance } from "../portfolio/appliances.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { type Comparison, differences } from "./differences.ts";
import type { Batch, Cells, Outcome, RowKind } from "./kind.ts";
import { KnownAppliances, type ReadingAhead } from "./known-appliances.ts";
import {
  KnownProperties,
  PROPERTY_REFERENCES,
  type PropertyReference,
  readPropertyReference,
  referenceText,
} from "./properties.ts";

type Entry = { property: PropertyReference; input: NewAppliance; cells: Cells };

/** What a row of an appliance's serial may change; its type is what it is, and its property what it was found by. */
const COMPARISON: Comparison<Appliance, ApplianceChange> = {
  fields: Object.keys(applianceChange.type.fields).filter(
    (field) => !["type_id", "property_id", "serial"].includes(field),
  ),
  read: readApplianceChange,
  view: applianceView,
};

/** Stands for the property's id until the transaction that looks it up. */
const UNRESOLVED = "P_";

/**
 * Rows of appliances, matched on the serial within the property. A row without one is matched by count: the property
 * gets as many appliances of that type, year, brand, model and unit as the file has such rows, and no more.
 */
export const applianceRows: RowKind<Entry> = {
  name: "appliances",
  fields: { partner_property_id: "text", ...columnsOf(newAppliance) },
  required: ["type_id", "install_year"],
  references: PROPERTY_REFERENCES,
  read: (cells) => ({
    input: readNewAppliance({ ...cells, property_id: UNRESOLVED }),
    property: readPropertyReference(cells),
    cells,
  }),
  start() {
    const stock: Stock = { counted: new Set(), left: new Map() };
    const reading = { pays: true };
    return (writer) => new ApplianceBatch(writer, stock, reading);
  },
};

/** Appliances without a serial that were there before the import and that no row has been matched with yet. */
type Stock = { counted: Set<string>; left: Map<string, number> };

class ApplianceBatch implements Batch<Entry> {
  readonly #creator: ApplianceCreator;
  readonly #properties: KnownProperties;
  readonly #appliances: KnownAppliances;
  /** What this batch has counted, and what is left of that and of the stock after what it has taken. */
  readonly #own: Stock = { counted: new Set(), left: new Map() };

  constructor(
    private readonly writer: PortfolioWriter,
    private readonly stock: Stock,
    reading: ReadingAhead,
  ) {
    this.#creator = new ApplianceCreator(writer);
    this.#properties = new KnownProperties(writer);
    this.#appliances = new KnownAppliances(writer, reading);
  }

  async foresee(entries: readonly Entry[]): Promise<void> {
    await this.#properties.foresee(entries.map(({ property }) => property));
    const properties = entries.flatMap(({ property }) => this.#properties.find(property) ?? []);
    this.#creator.cacheProperties(properties);
    await this.#appliances.foreseeOfProperties(properties.map(({ id }) => id));
  }

  async apply({ property: reference, input: unresolved, cells }: Entry, update: boolean): Promise<Outcome> {
    const property = this.#properties.find(reference);
    if (!property) throw notFound(`Property not found: ${referenceText(reference)}`);
    const input = { ...unresolved, propertyId: property.id };
    if (input.serial === null && (await this.#takeFromStock(input))) return "unchanged";
    const there = input.serial === null ? undefined : await this.#withSerial(input.serial, input);
    if (!there) {
      this.#appliances.set(await this.#creator.add(input));
      return "created";
    }
    if (!update) return "unchanged";
    const { change, fields } = differences(COMPARISON, cells, there);
    if (fields.length === 0) return "unchanged";
    this.#appliances.set((await changeAppliance(this.writer, there.id, change)).appliance);
    return { updated: fields };
  }

  async finish(): Promise<number> {
    let components = 0;
    for (const made of (await this.#creator.finish()).values()) components += made.length;
    return components;
  }

  committed(): void {
    for (const propertyId of this.#own.counted) this.stock.counted.add(propertyId);
    for (const [key, left] of this.#own.left) this.stock.left.set(key, left);
  }

  async #withSerial(serial: string, input: NewAppliance): Promise<Appliance | undefined> {
    const [found] = await this.#appliances.withSerial(input.propertyId, serial);
    if (found && found.typeId !== input.typeId)
      throw conflict(`serial is that of the property's ${found.typeId} ${found.id}`);
    return found;
  }

  async #takeFromStock(input: NewAppliance): Promise<boolean> {
    await this.#count(input.propertyId);
    const key = likeness(input);
    const left = this.#own.left.get(key) ?? this.stock.left.get(key) ?? 0;
    if (left > 0) this.#own.left.set(key, left - 1);
    return left > 0;
  }

  /** Counts a property's at its first such row, so that what the import itself adds is never matched. */
  async #count(propertyId: string): Promise<void> {
    const { counted, left } = this.#own;
    if (counted.has(propertyId) || this.stock.counted.has(propertyId)) return;
    counted.add(propertyId);
    for await (const some of this.#appliances.ofProperty(propertyId))
      for (const one of some) {
        if (one.serial !== null) continue;
        const key = likeness(one);
        left.set(key, (left.get(key) ?? 0) + 1);
      }
  }
}

/** Equal for appliances that only a serial could tell apart. */
function likeness(one: NewAppliance | Appliance): string {
  const { propertyId, typeId, installYear, brand, model, unitId } = one;
  return JSON.stringify([propertyId, typeId, installYear, brand, model, unitId]);
}
