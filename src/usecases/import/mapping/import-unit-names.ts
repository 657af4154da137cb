/* Cells that name several units: `101-110`, `201 to 204`, `12, 14 & 16`. */

/** More units of one row are a typing error. */
const MOST_UNITS = 500;
/** The words for what is in no single unit. */
const WHOLE_BUILDING =
  /^(common( areas?)?|building|bldg|house|basement|roof|exterior|mechanical( room)?|lobby|laundry( room)?|commun|immeuble)$/i;

/** The words for several units that no number tells apart. */
const SEVERAL =
  /^(all|each|every|various|multiple|tous|toutes|tous les)( (units|apartments|apts|suites|logements))?$/i;

/** Returns whether a cell names several units without their numbers. */
export const namesImportedUnitsWithoutNumbers = (cell: string): boolean => SEVERAL.test(cell.trim());

/**
 * Returns the units that a cell names: none where it names a part of the building that is no unit, else as it stands. A hyphen
 * makes a range under a heading in the plural, or between numbers of three digits: `1-4` may be unit 4 of building 1.
 */
export function unitNamesInImportedCell(cell: string, heading: string): readonly (string | undefined)[] {
  const text = cell.trim().replace(/^(units?|apts?|suites?)\.? +(?=\d)/i, "");
  if (WHOLE_BUILDING.test(text)) return [undefined];
  const isPlural = /\b(units|apts|apartments|suites|logements)\b/i.test(heading);
  const units: string[] = [];
  for (const written of text.split(/[,;&]|\band\b|\bet\b/i)) {
    const part = written.trim();
    const [, first, sign, last] = /^(\d{1,6})\s*(-|–|to|thru|through|à)\s*(\d{1,6})$/i.exec(part) ?? [];
    if (first === undefined) {
      if (!/^\d{1,6}$/.test(part)) return [cell];
      units.push(part);
    } else {
      const [from, to] = [Number(first), Number(last)];
      const isRange =
        /[a-zà]/i.test(sign!) || isPlural || (first.length >= 3 && first.length === last!.length);
      if (!isRange || to <= from || units.length + to - from >= MOST_UNITS) return [cell];
      for (let unit = from; unit <= to; unit++) units.push(String(unit));
    }
    if (units.length > MOST_UNITS) return [cell];
  }
  return units;
}
