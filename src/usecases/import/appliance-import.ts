import {
  applianceChange,
  newAppliance,
  parseApplianceChangeJson,
  parseNewApplianceJson,
  serializeAppliance,
} from "../../api-schemas/appliance-schema.ts";
import { apiInputCsvColumns } from "../../api-schemas/definition/api-input-csv-columns.ts";
import type { Appliance, ApplianceChange, NewAppliance } from "../../domain/appliance.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { conflict, invalid, notFound } from "../../domain/errors.ts";
import { MAX_UNITS, type Property } from "../../domain/property.ts";
import { applianceSizeRuleWarnings } from "../../domain/rules/appliance-size-rule.ts";
import {
  checkRetirementDayRule,
  NOT_RETIRED,
  type Retirement,
  retirementAfterChange,
} from "../../domain/rules/retirement-rule.ts";
import {
  ApplianceCreator,
  changeAppliance,
  loadInstallYearWarnings,
} from "../portfolio/create-or-change-appliance.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { BatchScores } from "../rescoring/rescore-batch.ts";
import { type Comparison, compareRowWithRecord } from "./compare-import-row-with-record.ts";
import { ApplianceCache, type Preloading } from "./import-appliance-cache.ts";
import { EqualRowCounts, importEqualRowKey } from "./import-equal-row-counts.ts";
import {
  type AddedCounts,
  NOTHING_ADDED,
  type RowBatch,
  type RowCells,
  type RowKind,
  type RowOutcome,
} from "./import-row-kind.ts";
import { type BatchRowStatements, ImportRowStatements, type RowStatement } from "./import-row-statements.ts";
import {
  importedPropertyReference,
  importedPropertyReferenceText,
  importedRetirement,
  PROPERTY_REFERENCES,
  PropertyCache,
  RETIREMENT_COLUMNS,
  type RowPropertyReference,
} from "./property-import.ts";

type Entry = {
  property: RowPropertyReference;
  input: NewAppliance;
  /** The number of the unit in the property. */
  unit: number | undefined;
  /** The retirement that the row states. */
  retirement: Partial<Retirement> | undefined;
  /** True if the row says that it has no install year but the building's. */
  hasBuildingYear: boolean;
  cells: RowCells;
};

/**
 * The fields that a row can change in an appliance with that serial. The type and the property identify it and
 * cannot change.
 */
const comparison = (knowledge: Knowledge): Comparison<Appliance, ApplianceChange> => ({
  fields: Object.keys(applianceChange.type.fields).filter(
    (field) => !["type_id", "property_id", "serial"].includes(field),
  ),
  read: parseApplianceChangeJson,
  view: (appliance) => serializeAppliance(knowledge, appliance),
});

/** The column of lists that says whose an install year is: without it, the cell of the year is the appliance's own. */
const BASIS = "install_year_basis";

/** Returns whether a row has the building's year for lack of another. Throws invalid_request for an unknown basis. */
function readBuildingYearBasis(basis: RowCells[string]): boolean {
  if (basis === undefined || basis === "given" || basis === "year_built") return basis === "year_built";
  const message = "must be given or year_built";
  throw invalid(`${BASIS} ${message}`, [{ field: BASIS, message }]);
}

/** A placeholder for the property's id until the transaction resolves it. */
const UNRESOLVED = "P_";

/**
 * Rows of appliances, matched by serial within the property. A row with the serial of an earlier row of the import that
 * contradicts it is rejected, unless it updates: a placeholder that stands for many, such as 0, would else leave all but
 * the first out. Rows without a serial are matched by count: the
 * property gets as many appliances of that type, year, brand, model and unit as the file has such rows.
 */
export const applianceImportRows: RowKind<Entry> = {
  name: "appliances",
  fields: {
    partner_property_id: "text",
    unit: "number",
    ...apiInputCsvColumns(newAppliance),
    [BASIS]: "text",
    ...RETIREMENT_COLUMNS,
  },
  required: ["type_id"],
  references: PROPERTY_REFERENCES,
  read({ unit, [BASIS]: basis, ...given }) {
    const hasBuildingYear = readBuildingYearBasis(basis);
    const { install_year: year, ...others } = given;
    const cells = hasBuildingYear || year === undefined ? others : given;
    return {
      input: parseNewApplianceJson({ ...cells, property_id: UNRESOLVED }),
      property: importedPropertyReference(cells),
      unit: readUnit(unit, cells),
      retirement: importedRetirement(cells, parseApplianceChangeJson),
      hasBuildingYear,
      cells,
    };
  },
  start(equalRows = EqualRowCounts.none()) {
    const stock: Stock = { counted: new Set(), existing: new Map() };
    const reading = { pays: true };
    const statements = new ImportRowStatements();
    return (writer) => new ApplianceBatch(writer, stock, equalRows, statements.begin(), reading);
  },
};

function readUnit(unit: RowCells[string], { unit_id }: RowCells): number | undefined {
  if (unit === undefined) return undefined;
  const refuse = (message: string) => invalid(`unit ${message}`, [{ field: "unit", message }]);
  if (unit_id !== undefined) throw refuse("and unit_id exclude each other");
  if (typeof unit === "number" && Number.isInteger(unit) && unit >= 1 && unit <= MAX_UNITS) return unit;
  throw refuse(`must be a unit's number, from 1 to ${MAX_UNITS}`);
}

/** The properties whose appliances without a serial are counted, and how many of them there are by their key. */
type Stock = { counted: Set<string>; existing: Map<string, number> };

class ApplianceBatch implements RowBatch<Entry> {
  readonly #creator: ApplianceCreator;
  readonly #scores: BatchScores;
  readonly #properties: PropertyCache;
  readonly #appliances: ApplianceCache;
  /** The counts made by this batch. */
  readonly #own: Stock = { counted: new Set(), existing: new Map() };
  /** By key: the rows up to those of this batch that an appliance was found or created for. */
  readonly #rows = new Map<string, number>();
  readonly #comparison: Comparison<Appliance, ApplianceChange>;
  /** By appliance that a row creates as retired: it is scored first, and keeps that score. */
  readonly #retirements = new Map<string, Partial<Retirement>>();
  #components = 0;
  #buildingYears = 0;
  #earlyYears = 0;
  #unusualSizes = 0;

  constructor(
    private readonly writer: PortfolioWriter,
    private readonly stock: Stock,
    private readonly equalRows: EqualRowCounts,
    private readonly statements: BatchRowStatements,
    reading: Preloading,
  ) {
    this.#creator = new ApplianceCreator(writer);
    this.#scores = new BatchScores(writer);
    this.#properties = new PropertyCache(writer);
    this.#comparison = comparison(writer.knowledge);
    this.#appliances = new ApplianceCache(writer, reading);
  }

  async preload(entries: readonly Entry[]): Promise<void> {
    await this.#properties.preload(entries.map(({ property }) => property));
    const properties = entries.flatMap(({ property }) => this.#properties.find(property) ?? []);
    this.#creator.cacheProperties(properties);
    await this.#appliances.preloadOfProperties(properties.map(({ id }) => id));
  }

  async apply(
    { property: reference, input: given, unit, retirement, hasBuildingYear, cells: own }: Entry,
    update: boolean,
  ): Promise<RowOutcome> {
    const property = this.#properties.find(reference);
    if (!property) throw notFound(`Property not found: ${importedPropertyReferenceText(reference)}`);
    const unitId = unit === undefined ? given.unitId : await this.#unitOf(property, unit);
    const input = { ...given, propertyId: property.id, unitId };
    const cells = unit === undefined ? own : { ...own, unit_id: unitId! };
    const key = input.serial === null ? applianceKey(input) : undefined;
    if (key !== undefined && (await this.#hasForRow(key, property.id))) {
      this.#countRow(key);
      return "unchanged";
    }
    const found = input.serial === null ? undefined : await this.#withSerial(input.serial, input);
    const distinctions = distinctionsOf(input, unit);
    if (found && !update && !isImportLabel(input)) this.#checkEarlierRow(found, distinctions);
    if (!found) {
      if (retirement) {
        const { retiredAt } = retirementAfterChange(NOT_RETIRED, retirement);
        const installYear = given.installYear ?? property.yearBuilt;
        if (installYear !== null) checkRetirementDayRule(retiredAt, installYear);
      }
      const added = await this.#creator.add(input);
      if (key !== undefined) this.#countRow(key);
      if (retirement) this.#retirements.set(added.id, retirement);
      this.#components += this.writer.knowledge.type(added.typeId).components.length;
      // Rows that follow may change it before it is scored.
      this.#scores.add(property, added);
      this.#appliances.set(added);
      if (input.serial !== null) this.statements.contradictions(added.id, distinctions);
      if (added.installYearBasis === "year_built") this.#buildingYears++;
      this.#countEarly(added, property);
      this.#countUnusual(added);
      return { created: added.id };
    }
    if (!update) return "unchanged";
    const there = (await this.#retire(found.id)) ?? found;
    const { change, fields } = compareRowWithRecord(this.#comparison, cells, there);
    const { installYearBasis: from } = there;
    const to = hasBuildingYear ? "year_built" : cells.install_year === undefined ? from : "given";
    if (to !== from) {
      change.installYear = hasBuildingYear ? null : given.installYear;
      fields.push({ field: BASIS, from, to });
    }
    if (fields.length === 0) return "unchanged";
    const { appliance: changed } = await changeAppliance(this.writer, there.id, change, this.#scores);
    this.#appliances.set(changed);
    if (changed.installYear !== there.installYear) this.#countEarly(changed, property);
    if (changed.size !== there.size) this.#countUnusual(changed);
    return { updated: fields };
  }

  /** Retires an appliance of a row that has created it as retired; undefined for any other. */
  async #retire(id: string): Promise<Appliance | undefined> {
    const retirement = this.#retirements.get(id);
    if (!retirement) return undefined;
    this.#retirements.delete(id);
    const { appliance } = await changeAppliance(this.writer, id, retirement, this.#scores);
    this.#appliances.set(appliance);
    return appliance;
  }

  async finish(): Promise<AddedCounts> {
    await this.#scores.finish();
    if (this.#retirements.size > 0) {
      for (const id of [...this.#retirements.keys()]) {
        await this.#retire(id);
        await this.writer.tx.yieldToEventLoop();
      }
      await this.#scores.finish();
    }
    return {
      ...NOTHING_ADDED,
      components: this.#components,
      buildingYears: this.#buildingYears,
      earlyYears: this.#earlyYears,
      unusualSizes: this.#unusualSizes,
    };
  }

  #countEarly(appliance: Appliance, property: Property): void {
    if (loadInstallYearWarnings(appliance, property).length > 0) this.#earlyYears++;
  }

  #countUnusual({ typeId, size }: Appliance): void {
    if (applianceSizeRuleWarnings(this.writer.knowledge.type(typeId), size).length > 0) this.#unusualSizes++;
  }

  committed(): void {
    for (const propertyId of this.#own.counted) this.stock.counted.add(propertyId);
    for (const [key, count] of this.#own.existing) this.stock.existing.set(key, count);
    for (const [key, rows] of this.#rows) this.equalRows.set(key, rows);
    this.statements.committed();
  }

  async #unitOf({ id, unitCount }: Property, number: number): Promise<string> {
    const [unit] = await this.writer.tx.units.page(id, { offset: number - 1, limit: 1 });
    if (unit?.number === number) return unit.id;
    throw notFound(`Unit not found: ${number}; the property has ${unitCount}`);
  }

  async #withSerial(serial: string, input: NewAppliance): Promise<Appliance | undefined> {
    const [found] = await this.#appliances.withSerial(input.propertyId, serial);
    if (found && found.typeId !== input.typeId)
      throw conflict(`serial is that of the property's ${found.typeId} ${found.id}`);
    return found;
  }

  /** Throws conflict if an earlier row of the import with the serial of this appliance states something else. */
  #checkEarlierRow({ id, typeId }: Appliance, row: RowStatement): void {
    for (const { field, from, to } of this.statements.contradictions(id, row))
      throw conflict(
        `serial is that of the property's ${typeId} ${id}, and an earlier row states its ${field} as ${from}, not ${to}: give each its own serial, or none`,
      );
  }

  /**
   * Returns whether the property has an appliance for this row, besides one for each equal row before it. Those that the
   * import creates are for rows before.
   */
  async #hasForRow(key: string, propertyId: string): Promise<boolean> {
    await this.#count(propertyId);
    const existing = this.#own.existing.get(key) ?? this.stock.existing.get(key) ?? 0;
    return this.#rowsOf(key) < existing;
  }

  #countRow(key: string): void {
    const rows = this.#rowsOf(key) + 1;
    // Keys are in the order of their last rows.
    this.#rows.delete(key);
    this.#rows.set(key, rows);
  }

  #rowsOf(key: string): number {
    return this.#rows.get(key) ?? this.equalRows.of(key);
  }

  /** Counts a property's appliances at the first row of the import that has no serial. */
  async #count(propertyId: string): Promise<void> {
    const { counted, existing } = this.#own;
    if (counted.has(propertyId) || this.stock.counted.has(propertyId)) return;
    counted.add(propertyId);
    for await (const some of this.#appliances.ofProperty(propertyId))
      for (const appliance of some) {
        if (appliance.serial !== null) continue;
        const key = applianceKey(appliance);
        existing.set(key, (existing.get(key) ?? 0) + 1);
      }
  }
}

/** Returns whether a serial is a label that imports number equipment by, as "boiler-1". A building may state it in two rows. */
const isImportLabel = ({ typeId, serial }: NewAppliance): boolean =>
  /^-\d+$/.test(serial?.startsWith(typeId) ? serial.slice(typeId.length) : "");

/** Returns the details that distinguish appliances besides their serial. */
const distinctionsOf = (
  { installYear, brand, model, unitId }: NewAppliance,
  unit: number | undefined,
): RowStatement => ({ install_year: installYear, brand, model, unit: unit ?? unitId });

/** Returns a key that is equal for appliances that only a serial could distinguish. */
function applianceKey(appliance: NewAppliance | Appliance): string {
  const { propertyId, typeId, brand, model, unitId } = appliance;
  const isBuildings = "installYearBasis" in appliance && appliance.installYearBasis === "year_built";
  const installYear = isBuildings ? null : appliance.installYear;
  return importEqualRowKey(propertyId, typeId, installYear, brand, model, unitId);
}
