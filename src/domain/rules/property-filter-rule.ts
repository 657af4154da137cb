import { countryOf } from "../places/place.ts";

/** Filters of properties; a property must match all that are present. */
export type PropertyFilter = {
  /** The place (`domain/places/place.ts`). */
  state?: string;
  /** ISO 3166-1 alpha-2, in upper case. */
  country?: string;
  city?: string;
  /** 5 digits match all ZIP+4 codes that begin with them. */
  zip?: string;
  /** Words, each of which must be part of the name or the address. */
  text?: string;
  /** The code of a known hazard that one of its appliances is flagged for, or suspected of. */
  flag?: string;
  /** Without it, no retired property matches. */
  retired?: "only" | "included";
};

/** The columns of a property that filters read. */
export type FilteredProperty = { name: string; address: string; city: string | null; state: string };

/** Folds a text for comparison: without case, accents, and repeated spaces. */
function foldText(text: string): string {
  // Most texts have no accents; to decompose them would take most of the time of a search.
  const plain = IS_ASCII.test(text) ? text : text.normalize("NFKD").replace(/\p{M}+/gu, "");
  return plain.toLowerCase().replace(/\s+/g, " ").trim();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the bounds of ASCII.
const IS_ASCII = /^[\x00-\x7f]*$/;

/**
 * Returns the test for the filters that a database cannot apply alike on every engine; undefined if there are none.
 * @example
 * propertyFilterRule({ text: "elm court" })!({ name: "Elm Court", address: "1 Elm St", city: null }) // true
 */
export function propertyFilterRule({
  country,
  city,
  text,
}: PropertyFilter): ((row: FilteredProperty) => boolean) | undefined {
  if (country === undefined && city === undefined && text === undefined) return undefined;
  const foldedCity = city === undefined ? undefined : foldText(city);
  const words = text === undefined ? [] : foldText(text).split(" ");
  return (row) => {
    if (country !== undefined && countryOf(row.state) !== country) return false;
    if (foldedCity !== undefined && (row.city === null || foldText(row.city) !== foldedCity)) return false;
    if (words.length === 0) return true;
    const searched = foldText(`${row.name}\n${row.address}`);
    return words.every((word) => searched.includes(word));
  };
}

/** Returns whether a property matches all filters but that of flags, which are not in its record. */
export function matchesPropertyFilterRule(
  filter: PropertyFilter,
  property: FilteredProperty & { zip: string | null },
): boolean {
  const { state, zip } = filter;
  if (state !== undefined && property.state !== state) return false;
  if (zip !== undefined && property.zip !== zip && property.zip?.slice(0, 5) !== zip) return false;
  return propertyFilterRule(filter)?.(property) ?? true;
}
