import type { Property } from "../property.ts";
import { countryOf, subdivisionOf, UNITED_STATES } from "./place.ts";

type Address = Pick<Property, "address" | "city" | "state" | "zip">;

/** Words with their abbreviations (USPS Publication 28, appendices C1 and C2, and its directions). */
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ["street", "st"],
  ["avenue", "ave"],
  ["road", "rd"],
  ["drive", "dr"],
  ["lane", "ln"],
  ["court", "ct"],
  ["boulevard", "blvd"],
  ["place", "pl"],
  ["square", "sq"],
  ["terrace", "ter"],
  ["highway", "hwy"],
  ["parkway", "pkwy"],
  ["circle", "cir"],
  ["north", "n"],
  ["south", "s"],
  ["east", "e"],
  ["west", "w"],
  ["apartment", "apt"],
  ["suite", "ste"],
  ["floor", "fl"],
  ["building", "bldg"],
]);

/**
 * Returns a text that is equal for addresses that differ only in case, punctuation and the usual abbreviations. The city
 * distinguishes streets of one name in a state; the ZIP code does where the city is unknown.
 * @example
 * postalAddressKey({ address: "120 Harbor Street", city: "New York", state: "NY", zip: null }) // "120 harbor st|NY|new york"
 */
export function postalAddressKey({ address, city, state, zip }: Address): string {
  const place = city === null ? (zip?.slice(0, 5) ?? "") : beginning(city.trim().toLowerCase(), 100);
  return [normalizedPostalStreet(address), state, place].join(SEPARATOR);
}

const SEPARATOR = "|";

/** Returns the first part of the address key. */
export function normalizedPostalStreet(address: string): string {
  const words = address.toLowerCase().replaceAll(/[.,#]/g, " ").split(/\s+/).filter(Boolean);
  return beginning(words.map((word) => ABBREVIATIONS.get(word) ?? word).join(" "), 300);
}

/** Returns a text with which the address keys of a street begin, and one that is greater than all of them. */
export const postalAddressKeysOfStreet = (street: string): { from: string; to: string } => ({
  from: street + SEPARATOR,
  to: street + String.fromCharCode(SEPARATOR.charCodeAt(0) + 1),
});

/** Returns at most the first characters of a text, since an index limits the length of its entries. */
const beginning = (text: string, length: number) => [...text].slice(0, length).join("");

type Addressed = Omit<Address, "zip"> & { zip?: string | null; country?: string };

/**
 * Returns an address on one line, with the country's name outside the US. `state` is the place, or the subdivision of `country`.
 * @example
 * postalAddressLine({ address: "27 Gamble Ave", city: "Toronto", state: "CA-ON", zip: "M4K" }) // "27 Gamble Ave, Toronto, ON M4K, Canada"
 */
export function postalAddressLine({
  address,
  city,
  state,
  zip,
  country = countryOf(state),
}: Addressed): string {
  const region = [subdivisionOf(state), zip].filter(Boolean).join(" ");
  return [address, city, region, country === UNITED_STATES ? null : countryName(country)]
    .filter(Boolean)
    .join(", ");
}

const countryName = (code: string): string =>
  new Intl.DisplayNames("en-US", { type: "region", fallback: "code" }).of(code) ?? code;
