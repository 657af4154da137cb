import {
  isNumericTableCellField,
  tableCellAmountWithoutCurrency,
} from "../../../table-cells/table-cell-numbers.ts";
import { type ImportCellReading, parseImportAreaCell } from "./import-cell-measures.ts";

/* The values of cells, as the importer takes them. */

const YEARS = new Set(["install_year", "year_built"]);
/** The fields of several lines. Each other has one. */
const LINES = /^(notes|description)$/;

/** The fields in which forms have 0 where nothing is known. */
export const NEVER_ZERO = /^(stories|gross_area_sqft|size|replacement_value|install_year|year_built)$/;

export const isImportMultiline = (field: string): boolean => LINES.test(field);

/**
 * Returns a year from a date or an estimate, a number without signs and units, and any other text as it is. So is a size, which
 * is read once its type is known.
 */
export function importPlainCell(field: string, cell: string, reading: ImportCellReading): string {
  if (YEARS.has(field)) return yearIn(cell) ?? cell;
  if (field === "size") return cell;
  if (field === "gross_area_sqft") return parseImportAreaCell(cell, reading) ?? cell;
  if (field === "unit_count" || field === "stories")
    return (
      tableCellAmountWithoutCurrency(
        cell.replace(/ (units|suites|apartments|apts|logements|storeys|stories|floors)$/i, ""),
        reading.hasCommas,
      ) ?? cell
    );
  return isNumericTableCellField(field)
    ? (tableCellAmountWithoutCurrency(cell, reading.hasCommas) ?? cell)
    : cell;
}

const ABOUT = /^(?:c\.?|ca\.?|circa|about|approx(?:\.|imately)?|est(?:\.|imated)?|vers|~|≈)\s*/i;
const ESTIMATE = /(?:\?|\(?est(?:\.|imated)?\)?)$/i;

/** Returns the year of a date, and of one that is stated as an estimate. */
function yearIn(text: string): string | undefined {
  const cell = text.slice(0, 40).replace(ABOUT, "").replace(ESTIMATE, "").trimEnd();
  const found =
    /^(\d{4})(?:\.0)?$/.exec(cell) ??
    /^(\d{4})[-/]\d{1,2}(?:[-/]\d{1,2}.*)?$/.exec(cell) ??
    /^(?:\d{1,2}[-/.]){1,2}(\d{4})$/.exec(cell) ??
    /^[a-z]{3,9}\.?[ -](?:\d{1,2},? )?(\d{4})$/i.exec(cell) ??
    /^\d{1,2}[ -][a-z]{3,9}\.?[ -](\d{4})$/i.exec(cell);
  return found?.[1];
}

/** Returns a ZIP code with the zeros that programs drop which take it for a number. */
export const restoreZipZeros = (cell: string): string =>
  /^\d{3,4}$/.test(cell) ? cell.padStart(5, "0") : cell;
