import { describe, expect, test } from "bun:test";
import {
  countryCodeOfText,
  countryOf,
  joinPlace,
  parsePostalCode,
  placeOfStateOrSubdivision,
  placeOfSubdivision,
  subdivisionOf,
} from "../../../src/domain/places/place.ts";
import { postalAddressKey, postalAddressLine } from "../../../src/domain/places/postal-address.ts";

describe("a place", () => {
  // Rule: countries
  test.each([
    ["US", " ny ", "NY", "US", "NY"],
    ["US", "PR", "PR", "US", "PR"],
    ["CA", "on", "CA-ON", "CA", "ON"],
    ["CA", "CA-ON", "CA-ON", "CA", "ON"],
    ["AU", "WA", "AU-WA", "AU", "WA"],
    ["GB", "Wales", "GB-WALES", "GB", "WALES"],
    ["FR", "Île-de-F", "FR-ÎLE-DE-F", "FR", "ÎLE-DE-F"],
    ["DE", "1234567890", "DE-1234567890", "DE", "1234567890"],
  ])("of %s, %s is %s", (country, text, place, ofCountry, subdivision) => {
    expect(placeOfSubdivision(country, text)).toBe(place);
    expect(countryOf(place)).toBe(ofCountry);
    expect(subdivisionOf(place)).toBe(subdivision);
    expect(joinPlace({ country: ofCountry, state: subdivision })).toBe(place);
    expect(placeOfStateOrSubdivision(place)).toBe(place);
  });

  test.each([
    ["US", "ON"],
    ["US", "CA-ON"],
    ["CA", ""],
    ["CA", " "],
    ["CA", "12345678901"],
    ["CA", "=1+1"],
    ["CA", "O\nN"],
    ["CA", "-ON"],
    ["CA", "straße-weißer"],
  ])("of %s rejects %j", (country, text) => {
    expect(() => placeOfSubdivision(country, text)).toThrow(/^state must be/);
  });

  test.each(["", "C", "CAN", "XX", "ZZ", "EU", "UK", "__", "PR", "GU"])("has no country %j", (text) => {
    expect(() => countryCodeOfText(text)).toThrow(/^country must be/);
  });

  test.each(["XX-ON", "CA-", "-ON", "CAN-ON", "Ontario"])("is not %j", (text) => {
    expect(() => placeOfStateOrSubdivision(text)).toThrow(/must be/);
  });

  test("has the postal codes of its country", () => {
    expect(parsePostalCode("US", " 12207-1234 ")).toBe("12207-1234");
    expect(parsePostalCode("CA", "m4k 1n2")).toBe("M4K 1N2");
    expect(parsePostalCode("CA", "M4K")).toBe("M4K");
    for (const [country, code] of [
      ["US", "M4K"],
      ["CA", "M4K!"],
      ["CA", "-M4K"],
      ["CA", "M".repeat(13)],
      ["CA", ""],
    ] as const)
      expect(() => parsePostalCode(country, code)).toThrow(/^zip must be/);
  });

  test("tells Western Australia from Washington in keys of addresses, and names the country", () => {
    const at = { address: "1 King St", city: "Perth", zip: "6000" };
    expect(postalAddressKey({ ...at, state: "AU-WA" })).not.toBe(postalAddressKey({ ...at, state: "WA" }));
    expect(postalAddressLine({ ...at, state: "AU-WA" })).toBe("1 King St, Perth, WA 6000, Australia");
    expect(postalAddressLine({ ...at, country: "AU", state: "WA" })).toBe(
      "1 King St, Perth, WA 6000, Australia",
    );
    expect(postalAddressLine({ ...at, city: null, zip: null, state: "WA" })).toBe("1 King St, WA");
  });
});
