/* Numbers of files as people write them. */

const AMOUNTS =
  /(_cost|_value|_area_sqft|^amount(_paid)?|^paid|^outstanding|^deductible|^alae|^unit_count|^stories|^size|^quantity)$/;

export const isNumericTableCellField = (field: string): boolean => AMOUNTS.test(field);

/**
 * Returns the fields whose numbers have a decimal comma: by their cells, else by the other columns, else by the form of the
 * file. `signsOf` returns the decimal signs of a column.
 */
export function tableCellFieldsWithDecimalComma(
  fields: Readonly<Record<string, string>>,
  signsOf: (column: string) => CellDecimalSigns,
  hasCommas: boolean,
): string[] {
  const found = Object.entries(fields)
    .filter(([field]) => isNumericTableCellField(field))
    .map(([field, column]) => [field, signsOf(column).areCommas()] as const);
  const shown = found.flatMap(([, own]) => own ?? []);
  const others = shown.length > 0 ? shown.every(Boolean) : hasCommas;
  return found.filter(([, has]) => has ?? others).map(([field]) => field);
}

/** Counts the decimal signs of the numbers of a column, cell by cell. */
export class CellDecimalSigns {
  #commas = 0;
  #points = 0;

  static of(cells: readonly string[]): CellDecimalSigns {
    const signs = new CellDecimalSigns();
    for (const cell of cells) signs.add(cell);
    return signs;
  }

  add(cell: string): void {
    const [digits = ""] = /\d[\d.,]*/.exec(cell.slice(0, 100).replaceAll(/[\s\u00a0']/g, "")) ?? [];
    const [comma, point] = [digits.lastIndexOf(","), digits.lastIndexOf(".")];
    if (comma >= 0 && point >= 0) this.#count(comma > point);
    else if (comma >= 0) this.#countSign(digits, comma, ",");
    else if (point >= 0) this.#countSign(digits, point, ".");
  }

  /** Returns whether they are commas; undefined where no number shows it. */
  areCommas(): boolean | undefined {
    return this.#commas + this.#points === 0 ? undefined : this.#points === 0;
  }

  #countSign(digits: string, last: number, sign: "," | "."): void {
    // A sign that is there twice separates thousands, so that the other is the decimal one.
    if (!isGroup(digits, last, sign)) this.#count(sign === ",");
    else if (isRepeated(digits, last, sign)) this.#count(sign !== ",");
  }

  #count(isComma: boolean): void {
    if (isComma) this.#commas++;
    else this.#points++;
  }
}

/**
 * Returns whether a sign may separate thousands: three digits follow it, and at most three, without a leading zero, precede
 * the first.
 */
const isGroup = (digits: string, last: number, sign: string) =>
  digits.length - last === 4 && digits.indexOf(sign) <= 3 && !digits.startsWith("0");
const isRepeated = (digits: string, last: number, sign: string) => digits.indexOf(sign) !== last;

const WITH_POINT = /^[1-9]\d{0,2}(?:[,' ]?\d{3})*(?:\.\d+)?$|^\d+(?:\.\d*)?$/;
const WITH_COMMA = /^[1-9]\d{0,2}(?:[.' ]?\d{3})*(?:,\d+)?$|^\d+(?:,\d*)?$/;

/** No group of thousands begins with a zero, so that the sign behind it is the decimal one. */
const BELOW_ONE = /^0[.,]\d+$/;

/** Returns a number without separators of thousands, and with a decimal point; undefined for any other text. */
export function normalizedTableCellNumber(text: string, hasCommas: boolean): string | undefined {
  const given = text
    .slice(0, 100)
    .replaceAll(/[\s\u00a0\u202f]+/g, " ")
    .trim();
  if (BELOW_ONE.test(given)) return given.replace(",", ".");
  if (!(hasCommas ? WITH_COMMA : WITH_POINT).test(given)) return undefined;
  const digits = given.replaceAll(hasCommas ? /[.' ]/g : /[,' ]/g, "").replace(",", ".");
  return digits.endsWith(".") ? digits.slice(0, -1) : digits;
}

/** Returns an amount without the sign or code of its currency. */
export function tableCellAmountWithoutCurrency(text: string, hasCommas: boolean): string | undefined {
  const number = text
    .trim()
    .slice(0, 100)
    .replace(/^[A-Z]{0,3}\s?[$€£]?\s*/, "")
    .replace(/(?:[$€£]|[A-Z]{3})$/, "");
  return normalizedTableCellNumber(number, hasCommas);
}
