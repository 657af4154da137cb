import { SQUARE_FEET } from "../../../domain/wording/currency-and-unit-wording.ts";
import { normalizedTableCellNumber } from "../../../table-cells/table-cell-numbers.ts";
import { type AreaUnit, convertImportedArea, parseImportAreaUnit } from "./import-area-units.ts";
import { headingWords } from "./import-heading-words.ts";

/* Sizes of equipment in files that state their unit, in the unit of the type. */

/** How much of the unit of the table is in one of each other unit. */
const FACTORS: Readonly<Record<string, readonly (readonly [words: RegExp, factor: number])[]>> = {
  "kBtu/h": [
    [/^(kbtu ?(h|hr|hour|per hour)?|mbh|mbtu ?(h|hr)|thousand btu)$/, 1],
    [/^btu ?(h|hr|hour|per hour)?$/, 0.001],
    [/^mm(btu ?(h|hr)?|bh)$/, 1_000],
    [/^btu s$/, 3.6],
    [/^therms? (h|hr)$/, 100],
    [/^(kw|kilowatts?)$/, 3.412_14],
    [/^(w|watts?)$/, 0.003_412_14],
    [/^(mw|megawatts?)$/, 3_412.14],
    [/^(bhp|boiler horsepower)$/, 33.475],
    [/^(tons?|cooling tons?)$/, 12],
  ],
  tons: [
    [/^(tons?|cooling tons?|tr)$/, 1],
    [/^(kbtu ?(h|hr|hour|per hour)?|mbh)$/, 1 / 12],
    [/^btu ?(h|hr|hour|per hour)?$/, 1 / 12_000],
    [/^(kw|kilowatts?)$/, 1 / 3.516_85],
    [/^(w|watts?)$/, 1 / 3_516.85],
    [/^mm(btu ?(h|hr)?|bh)$/, 1_000 / 12],
  ],
  gallons: [
    [/^(gal|gals|gallons?|us gallons?)$/, 1],
    [/^(l|lit(er|re)s?)$/, 0.264_172],
  ],
  A: [[/^(a|amps?|amperes?)$/, 1]],
  stops: [[/^(stops?|landings?)$/, 1]],
  kW: [
    [/^(kw|kilowatts?)$/, 1],
    [/^(w|watts?)$/, 0.001],
    [/^(mw|megawatts?)$/, 1_000],
    [/^(kbtu ?(h|hr)|mbh)$/, 0.293_071],
    [/^mm(btu ?(h|hr)?|bh)$/, 293.071],
    [/^(hp|horsepower)$/, 0.745_7],
  ],
  "dwelling units": [[/^(dwelling )?(units|suites|apartments|apts)$/, 1]],
};

/** How a column's cells are read. */
export type ImportCellReading = { heading: string; areaUnit: AreaUnit; hasCommas: boolean };

/**
 * Returns a size in the unit of its type, as its cell states it; a number without a unit is in that of the column's heading, or
 * of the type. Undefined for another unit, or what is no size.
 */
export function parseImportSizeCell(
  cell: string,
  typeUnit: string | undefined,
  { heading, areaUnit, hasCommas }: ImportCellReading,
): string | undefined {
  const [number, stated] = numberAndUnit(cell, hasCommas);
  if (number === undefined || !(Number(number) > 0)) return undefined;
  const unit = stated === "" ? (unitInBrackets(heading) ?? unitOfSize(heading)) : stated;
  if (unit === undefined || typeUnit === undefined)
    return typeUnit === undefined && unit ? undefined : number;
  return converted(number, unit, typeUnit, areaUnit);
}

/** Returns the number with which a cell begins, if it does with one, and the text behind it. */
function numberAndUnit(cell: string, hasCommas: boolean): [number: string | undefined, unit: string] {
  const text = cell.slice(0, 100);
  const [digits = ""] = /^[\d.,\s\u00a0']*\d/.exec(text) ?? [];
  return [normalizedTableCellNumber(digits, hasCommas), text.slice(digits.length).trimStart()];
}

function converted(number: string, unit: string, typeUnit: string, areaUnit: AreaUnit): string | undefined {
  const area = parseImportAreaUnit(unit);
  if (typeUnit === SQUARE_FEET) return area && convertImportedArea(number, area, areaUnit);
  const factor = FACTORS[typeUnit]?.find(([words]) => words.test(headingWords(unit)))?.[1];
  if (factor === undefined) return undefined;
  return factor === 1 ? number : String(Number((Number(number) * factor).toPrecision(4)));
}

/** Returns the unit in the heading of a column, such as `kW` of `Capacity (kW)`. */
const unitInBrackets = (heading: string): string | undefined =>
  /[([]([^()[\]]{1,30})[)\]]\s*$/.exec(heading.slice(-100))?.[1];

/** Returns the unit behind the first words of a heading without brackets, such as `kW` of `capacity_kw`. */
const unitOfSize = (heading: string): string | undefined =>
  /^(?:capacity|size|capacite) (\S+(?: \S+)?)$/.exec(headingWords(heading))?.[1];

/** The heading of the importer's own files, whose areas are in the unit of the installation. */
const OWN_AREA = "gross_area_sqft";

/** Returns the unit of areas in a heading, in brackets or in its last words. */
function areaUnitOfHeading(heading: string): AreaUnit | undefined {
  if (heading === OWN_AREA) return undefined;
  const inBrackets = unitInBrackets(heading);
  if (inBrackets !== undefined) return parseImportAreaUnit(inBrackets);
  const words = headingWords(heading).split(" ");
  return parseImportAreaUnit(words.slice(-2).join(" ")) ?? parseImportAreaUnit(words.at(-1)!);
}

/** Returns an area in the unit of the installation, if its cell or its column's heading states another. */
export function parseImportAreaCell(
  cell: string,
  { heading, areaUnit, hasCommas }: ImportCellReading,
): string | undefined {
  const [number, stated] = numberAndUnit(cell, hasCommas);
  if (number === undefined) return undefined;
  const unit = stated === "" ? areaUnitOfHeading(heading) : parseImportAreaUnit(stated);
  if (unit === undefined) return stated === "" ? number : undefined;
  return convertImportedArea(number, unit, areaUnit);
}
