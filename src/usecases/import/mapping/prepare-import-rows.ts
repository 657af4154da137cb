import { join } from "node:path";
import type { CsvSource } from "../../../csv/csv-source.ts";
import type { Knowledge } from "../../../domain/domain-knowledge.ts";
import { OperatorError } from "../../../domain/errors.ts";
import { UNITED_STATES } from "../../../domain/places/place.ts";
import { currentDisplayWording, unitLabel } from "../../../domain/wording/currency-and-unit-wording.ts";
import type { Yield } from "../../../event-loop/event-loop.ts";
import type { Stores } from "../../../store/stores.ts";
import { parseCellDate } from "../../../table-cells/table-cell-dates.ts";
import { UNNAMED_CELLS } from "../../../table-cells/table-limits.ts";
import type { EqualRowCounts } from "../import-equal-row-counts.ts";
import { ImportApplianceLabels } from "./import-appliance-labels.ts";
import type { AreaUnit } from "./import-area-units.ts";
import { parseImportSizeCell } from "./import-cell-measures.ts";
import type { EquipmentColumn, FileMapping } from "./import-file-mapping.ts";
import {
  equipmentCountedByHeading,
  equipmentOfWholeHeading,
  FORMULA_ERROR,
  headingWords,
  importCellIsUnknown,
  NO_VALUE,
  TOTALS_HEADINGS,
} from "./import-heading-words.ts";
import { ImportKnownProperties, type ImportPropertyKey, SEVERAL } from "./import-known-properties.ts";
import { ImportLeftOutCounts } from "./import-left-out-counts.ts";
import { ORIGIN, PreparedFile } from "./import-prepared-file.ts";
import { type ImportSizeLimits, ImportSizeMeter } from "./import-size-meter.ts";
import type { ImportTable, LeftOut, TableCells } from "./import-source-table.ts";
import { namesImportedUnitsWithoutNumbers, unitNamesInImportedCell } from "./import-unit-names.ts";
import { lookUpImportValue, lookUpImportValueInList } from "./import-value-lookup.ts";
import { importPlainCell, isImportMultiline, NEVER_ZERO, restoreZipZeros } from "./imported-cell-values.ts";

/** The files that the importer reads, written from mapped tables. */
type PreparedPart = "properties" | "appliances" | "serviceEvents" | "claims";

export type PreparedRows = {
  sources: Readonly<Partial<Record<PreparedPart, CsvSource>>>;
  leftOut: readonly LeftOut[];
};

export type MappedTable = { table: ImportTable; mapping: FileMapping };

/** More of one kind in one building are a typing error. */
const MOST_OF_A_KIND = 500;
const NO_COUNT = `no whole number from 0 to ${MOST_OF_A_KIND}`;
const NO_KIND = "no kind of equipment";
const NO_PIECES = "equipment, but neither a number of it, yes or no, nor a type";
const MAYBE_SCORE = 'equipment, but its number may be a score; name a count like "Number of Elevators"';
const LONGEST_SHOWN = 100;

export type PreparationDeps = {
  read: Stores;
  partnerId: string;
  /** Undefined for files of an operator. */
  most?: ImportSizeLimits;
  /** True if the rows change properties that exist. */
  isUpdating?: boolean;
  /** The counts of labels of earlier rows of the same file; those of these rows are added. */
  equalRows?: EqualRowCounts;
  yieldNow: Yield;
  /** The types of appliances, by their IDs. */
  types: Knowledge["types"];
};
/** Without a folder, the rows are kept in memory. */
type Preparation = PreparationDeps & { folder?: string };

/** Prepares rows of tables, mapped to the importer's fields. */
export async function prepareMappedRows(
  { read, partnerId, folder, types, most, isUpdating = false, equalRows, yieldNow }: Preparation,
  mapped: readonly MappedTable[],
  fieldsOf: Readonly<Record<PreparedPart, readonly string[]>>,
): Promise<PreparedRows> {
  const files = new Map<PreparedPart, PreparedFile>();
  const meter = new ImportSizeMeter(most);
  const fileOf = (part: PreparedPart) => {
    const path = folder === undefined ? undefined : join(folder, `${part}.csv`);
    const file = files.get(part) ?? new PreparedFile(path, [...fieldsOf[part], ORIGIN], meter);
    files.set(part, file);
    return file;
  };
  const left = new ImportLeftOutCounts();
  const labels = new Map<string, ImportApplianceLabels>();
  const known = new ImportKnownProperties(read, partnerId, yieldNow);
  /** The rows of a request change nothing that exists otherwise. */
  const countScores = async (propertyId: string) => {
    if (isUpdating && most) meter.countScores((await read.totals.ofProperty(propertyId)).components);
  };
  const countProperty = async (
    { id, reference, units = 0 }: ImportPropertyKey,
    unitCount: string | undefined,
  ) => {
    if (id === undefined) meter.countUnits(reference, unitCount, { isUpdating });
    else if (isUpdating && most) {
      meter.countUnits(id, unitCount, { exist: units, isUpdating });
      await countScores(id);
    }
  };
  await known.registerAll(placesOfProperties(mapped, types, yieldNow));
  /** Prepares the rows that mean a property which a later row makes. */
  const deferred: (() => Promise<void>)[] = [];
  for (const rows of ["properties", "appliances", "visits", "service_events", "claims"] as const) {
    for (const { table, mapping } of mapped.filter((one) => one.mapping.rows === rows)) {
      const row = new RowMapper(table, mapping, left, types);
      const isNamed = table.form !== undefined;
      for (const { what, reason, cells } of table.form?.leftOut ?? [])
        left.add(table.name, what, reason, cells);
      for await (const { line, cells } of table.rows()) {
        await yieldNow();
        if (!table.form && row.isIdle(cells)) continue;
        const origin = `${table.name}:${line}`;
        row.countUnnamed(cells);
        if (rows === "properties") row.countUnmapped(cells);
        const fields = row.fields(cells);
        if (rows === "properties") {
          const property = await known.register(fields, isNamed);
          if (isNamed && property.id === undefined) requirePlace(table, line, fields);
          const prepare = async () => {
            // A format without addresses adds equipment to a property that exists.
            if (!isNamed || hasPlace(fields)) {
              await countProperty(property, fields.unit_count);
              fileOf("properties").add(propertyRow(property, fields), origin);
            }
            if (property === SEVERAL) return;
            known.noteUnits(property, fields);
            for (const equipment of mapping.equipment) {
              const lacking = await row.equipment(equipment, cells, (typeId) =>
                known.missing(property, typeId),
              );
              for (const appliance of lacking)
                fileOf("appliances").add({ ...property.columns, ...appliance }, origin);
              if (lacking.length > 0) await yieldNow();
            }
          };
          if (isNamed || known.isMadeBy(fields, property)) await prepare();
          else deferred.push(prepare);
          continue;
        }
        const property = await known.find(fields, isNamed);
        if (rows === "visits") {
          for (const score of row.scores(cells)) {
            const { found, created } = await known.appliancesOf(property, score.typeId);
            if (created)
              fileOf("appliances").add({ ...property.columns, type_id: score.typeId, ...created }, origin);
            for (const appliance of found)
              fileOf("serviceEvents").add(
                { ...property.columns, ...appliance, ...visitFields(fields), ...score.fields },
                origin,
              );
          }
        } else if (rows === "appliances" && fields.type_id !== undefined && !types.has(fields.type_id))
          left.add(table.name, fields.type_id.slice(0, LONGEST_SHOWN), NO_KIND);
        else if (rows === "appliances") {
          const key = property.id ?? property.reference;
          // The appliances of a batch are scored together.
          if (property.id !== undefined && !labels.has(key)) await countScores(property.id);
          const given = labels.get(key) ?? new ImportApplianceLabels(key, equalRows);
          labels.set(key, given);
          for (const [index, own] of row.piecesOf(fields, property.units, given).entries())
            fileOf("appliances").add(
              { ...fields, ...property.columns, ...own },
              `${origin}${index > 0 ? `#${index + 1}` : ""}`,
            );
        } else
          fileOf(rows === "claims" ? "claims" : "serviceEvents").add(
            { ...fields, ...property.columns },
            origin,
          );
      }
    }
    for (const prepare of deferred.splice(0)) await prepare();
  }
  return {
    sources: Object.fromEntries([...files].map(([part, file]) => [part, file.end()])),
    leftOut: left.counts(),
  };
}

/** The fields that find the property of a row. */
const PLACE_FIELDS = [
  "property_id",
  "partner_property_id",
  "name",
  "address",
  "city",
  "state",
  "zip",
  "country",
];

/** Yields what finds the properties of all rows that make some, unless the form of a table finds them by their names. */
async function* placesOfProperties(
  mapped: readonly MappedTable[],
  types: Knowledge["types"],
  yieldNow: Yield,
): AsyncGenerator<TableCells> {
  for (const { table, mapping } of mapped) {
    if (mapping.rows !== "properties" || table.form) continue;
    const fields = Object.fromEntries(
      Object.entries(mapping.fields).filter(([field]) => PLACE_FIELDS.includes(field)),
    );
    // The rows are counted when they are prepared.
    const row = new RowMapper(table, { ...mapping, fields, equipment: [] }, new ImportLeftOutCounts(), types);
    for await (const { cells } of table.rows()) {
      await yieldNow();
      if (!row.isIdle(cells)) yield row.fields(cells);
    }
  }
}

/** Returns the row of a property: by its reference, or by the ID that the row has or the property without a reference. */
function propertyRow({ reference, columns, name }: ImportPropertyKey, fields: TableCells): TableCells {
  if (fields.property_id !== undefined) return fields;
  // The name by which a property was found does not become its reference.
  if (columns.partner_property_id === undefined)
    return { ...fields, partner_property_id: undefined, ...columns };
  return { ...fields, name: fields.name ?? name ?? fields.address, partner_property_id: reference };
}

const hasPlace = ({ address, state }: TableCells) => address !== undefined && state !== undefined;

/** A format whose buildings may have no address cannot make a property of such a building. */
function requirePlace({ name, form }: ImportTable, line: number, fields: TableCells): void {
  if (hasPlace(fields)) return;
  const lacking = fields.address === undefined ? "address" : "state";
  throw new OperatorError(
    `${name}, row ${line}: ${JSON.stringify(fields.name ?? "")} has no ${lacking}, and is not a property of the partner`,
    `Pass --default ${lacking}=VALUE, which ${form!.name} files may lack, or import the property first.`,
  );
}

const visitFields = ({ date, technician }: TableCells): TableCells => ({
  event_type: "Inspection",
  date,
  ...(technician && { technician }),
});

type Place = { unit: string | undefined; label?: string };

/** Maps the rows of one table. */
class RowMapper {
  readonly #at: ReadonlyMap<string, number>;
  readonly #areaUnit: AreaUnit;
  /** Columns that name equipment, and that the mapping does not use. */
  readonly #unmapped: readonly string[];

  constructor(
    private readonly table: ImportTable,
    private readonly mapping: FileMapping,
    private readonly left: ImportLeftOutCounts,
    private readonly types: Knowledge["types"],
  ) {
    this.#at = new Map(table.headings.map((heading, at) => [heading, at]));
    this.#areaUnit = currentDisplayWording().units === "metric" ? "m2" : "sqft";
    const used = new Set(Object.values(mapping.fields));
    for (const { column, year_column } of mapping.equipment) used.add(column).add(year_column ?? column);
    this.#unmapped = table.headings.filter(
      (heading) => !used.has(heading) && equipmentOfWholeHeading(headingWords(heading)) !== undefined,
    );
  }

  /** Counts a row that adds up others, or repeats the headings on a new page, and returns whether it is one. */
  isIdle(cells: readonly string[]): boolean {
    const first = cells.find((cell) => cell.trim() !== "")?.trim() ?? "";
    const isHeading = cells.length > 1 && this.table.headings.every((name, at) => name === cells[at]?.trim());
    if (!isHeading && !TOTALS_HEADINGS.test(headingWords(first))) return false;
    this.left.add(
      this.table.name,
      first.slice(0, LONGEST_SHOWN),
      isHeading ? "the headings again" : "a row of totals",
    );
    return true;
  }

  #cell(cells: readonly string[], column: string): string {
    return (cells[this.#at.get(column) ?? -1] ?? "").trim().replace(/ {2,}/g, " ");
  }

  /** Counts the cells of a row that have no heading, and cannot mean anything. */
  countUnnamed(cells: readonly string[]): void {
    const { name, headings } = this.table;
    const unnamed = cells.filter((cell, at) => cell.trim() !== "" && !headings[at]).length;
    if (unnamed > 0) this.left.add(name, UNNAMED_CELLS.column, UNNAMED_CELLS.reason, unnamed);
  }

  /** Counts the cells of a row that say something of equipment, but not how many there are. */
  countUnmapped(cells: readonly string[]): void {
    for (const column of this.#unmapped) {
      const cell = this.#cell(cells, column);
      if (NO_VALUE.test(cell)) continue;
      const isCount = /^\d+$/.test(cell) && equipmentCountedByHeading(headingWords(column)) !== undefined;
      this.left.add(this.table.name, column.slice(0, LONGEST_SHOWN), isCount ? MAYBE_SCORE : NO_PIECES);
    }
  }

  fields(cells: readonly string[]): Record<string, string | undefined> {
    const { fields, constants, values, dates, decimal_comma } = this.mapping;
    const read: Record<string, string | undefined> = { ...constants };
    for (const [field, column] of Object.entries(fields)) {
      const own = this.#cell(cells, column);
      const isText = isImportMultiline(field);
      const cell = isText ? own : own.replaceAll(/\s+/g, " ");
      if (cell === "") continue;
      const meant = lookUpImportValue(values[field] ?? {}, cell);
      if (meant !== undefined) {
        read[field] = meant;
        continue;
      }
      if (isText ? /^n\/?a$/i.test(cell) : importCellIsUnknown(field, cell)) continue;
      if (FORMULA_ERROR.test(cell)) {
        this.#leave(`${column} ${cell}`, "an error of a formula");
        continue;
      }
      const format = dates[field];
      if (NEVER_ZERO.test(field) && /^0+([.,]0*)?$/.test(cell)) continue;
      const reading = {
        heading: column,
        areaUnit: this.#areaUnit,
        hasCommas: decimal_comma?.includes(field) ?? false,
      };
      // A date in another format stays as it is, and the importer rejects its row.
      read[field] = format ? (parseCellDate(cell, format) ?? cell) : importPlainCell(field, cell, reading);
    }
    if (read.zip !== undefined && (read.country ?? UNITED_STATES) === UNITED_STATES)
      read.zip = restoreZipZeros(read.zip);
    this.#convertSize(read);
    return read;
  }

  /** Converts the size of an appliance into its type's unit; one in another unit is counted. */
  #convertSize(read: Record<string, string | undefined>): void {
    const { fields, decimal_comma } = this.mapping;
    if (read.size === undefined || fields.size === undefined || this.mapping.rows !== "appliances") return;
    const type = this.types.get(read.type_id ?? "");
    if (!type) return;
    const size = parseImportSizeCell(read.size, type.size?.unit, {
      heading: fields.size,
      areaUnit: this.#areaUnit,
      hasCommas: decimal_comma?.includes("size") ?? false,
    });
    if (size === undefined)
      this.#leave(
        `${fields.size} ${read.size}`,
        type.size ? `not a size in ${unitLabel(type.size.unit)}` : `${type.name} has no size`,
      );
    read.size = size;
  }

  /**
   * Returns the cells by which the appliances of a row differ: a quantity, or a list of units, makes several. Units have the
   * numbers from 1 in a property; an appliance of another is in the building, with a label that names it.
   */
  piecesOf(
    { type_id, serial, unit, quantity }: TableCells,
    unitsInProperty: number | undefined,
    labels: ImportApplianceLabels,
  ): TableCells[] {
    if (unit !== undefined && namesImportedUnitsWithoutNumbers(unit)) {
      this.#leave(`unit ${unit}`, "several units without their numbers");
      return [];
    }
    const count = Number(quantity ?? 1);
    if (count === 0) {
      this.#leave(`quantity ${quantity}`, "none of them is there");
      return [];
    }
    const units =
      unit === undefined ? [undefined] : unitNamesInImportedCell(unit, this.mapping.fields.unit ?? "");
    if (units.length > 1) {
      if (quantity !== undefined && count !== 1 && count !== units.length)
        this.#leave(`quantity ${quantity}`, "not the number of its units");
      return units.map((own) =>
        pieceIn(this.#place(own, type_id, unitsInProperty), labels, serial && `${serial}-${own}`),
      );
    }
    const isCount = Number.isInteger(count) && count >= 1 && count <= MOST_OF_A_KIND;
    if (!isCount) this.#leave(`quantity ${quantity}`, `${NO_COUNT}; one is imported`);
    const place = this.#place(units[0], type_id, unitsInProperty);
    if (!isCount || count === 1 || type_id === undefined) return [pieceIn(place, labels, serial)];
    const numbers = Array.from({ length: count }, (_, i) => i + 1);
    if (serial) return numbers.map((nth) => pieceIn(place, labels, `${serial}-${nth}`));
    const kind = place.label ?? type_id;
    // Labels name the unit where another row has those without it already: a file that was imported before keeps its own.
    const isTaken = numbers.some((nth) => labels.isTaken(`${kind}-${nth}`));
    const label = isTaken && place.unit !== undefined ? `${kind}-${place.unit}` : kind;
    return numbers.map((nth) => pieceIn({ ...place, label: `${label}-${nth}` }, labels));
  }

  #place(unit: string | undefined, typeId: string | undefined, units: number | undefined): Place {
    if (unit === undefined || units === undefined || typeId === undefined) return { unit };
    if (/^\d{1,6}$/.test(unit) && Number(unit) >= 1 && Number(unit) <= units) return { unit };
    this.#leave(`unit ${unit}`, "no number of a unit; the appliance is in the building");
    return { unit: undefined, label: `${typeId}-${unit}`.slice(0, LONGEST_SHOWN) };
  }

  #leave(what: string, reason: string): void {
    this.left.add(this.table.name, what.slice(0, LONGEST_SHOWN), reason);
  }

  /** Returns the appliances of a building's row: none where a cell means itself. `missing` labels those of a type that it lacks. */
  async equipment(
    { column, kind, types, year_column }: EquipmentColumn,
    cells: readonly string[],
    missing: (typeId: string) => Promise<(count: number) => readonly string[]>,
  ): Promise<TableCells[]> {
    const cell = this.#cell(cells, column);
    const typeId = kind === "choice" ? lookUpImportValueInList(types, cell, this.types) : types["*"];
    if (cell === "" || typeId === undefined || !this.types.has(typeId)) return [];
    const count =
      kind === "count" ? Number(cell) : kind === "choice" || /^(y|yes|oui|true|1)$/i.test(cell) ? 1 : 0;
    if (!Number.isInteger(count) || count < 0 || count > MOST_OF_A_KIND) {
      this.left.add(this.table.name, column, NO_COUNT);
      return [];
    }
    if (count === 0) return [];
    const year = year_column === undefined ? "" : this.#cell(cells, year_column);
    const isYear = /^(1[89]|20)\d{2}$/.test(year);
    if (year !== "" && !isYear) this.left.add(this.table.name, year_column!, "no year");
    return (await missing(typeId))(count).map((serial) => ({
      type_id: typeId,
      serial,
      ...(isYear && { install_year: year }),
    }));
  }

  /** Returns the scores of a visit; those of parts without a kind, and cells that are none, are counted. */
  scores(cells: readonly string[]): { typeId: string; fields: TableCells }[] {
    const { scores, scale } = this.mapping;
    return scores.flatMap(({ column, type_id }) => {
      const cell = this.#cell(cells, column);
      if (NO_VALUE.test(cell)) return [];
      if (type_id === undefined) {
        this.left.add(this.table.name, column, NO_KIND);
        return [];
      }
      if (!/^\d+(\.\d+)?$/.test(cell)) {
        this.#leave(`${column} ${cell}`, "no score");
        return [];
      }
      const fields = { condition_score: cell, condition_scale: scale?.join("-"), notes: column };
      return [{ typeId: type_id, fields }];
    });
  }
}

/** Returns an appliance in its place, with its serial, or else a label that no other has. */
function pieceIn({ unit, label }: Place, labels: ImportApplianceLabels, serial?: string): TableCells {
  const own = serial || (label && labels.take(label));
  return { unit, ...(own && { serial: own }) };
}
