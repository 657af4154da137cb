import { describe, expect, test } from "bun:test";
import { postalAddressKey } from "../../../src/domain/places/postal-address.ts";

const ADDRESS = { address: "120 Harbor St", city: "New York", state: "NY", zip: "10013" };
const key = (fields: Partial<Record<keyof typeof ADDRESS, string | null>>) =>
  postalAddressKey({ ...ADDRESS, ...fields } as typeof ADDRESS);

describe("the key of an address", () => {
  // Rule: duplicate-address
  test.each([
    { address: "120 HARBOR STREET" },
    { address: " 120  Harbor   St. " },
    { address: "120 Harbor, St" },
    { city: "NEW YORK " },
    { zip: null },
  ])("is the same for %j", (fields) => {
    expect(key(fields)).toBe(key({}));
  });

  test.each([
    { address: "12 0 Harbor St" },
    { address: "120 Harbor Street Street" },
    { address: "120 Harbor Stream" },
    { city: "Albany" },
    { city: null },
    { state: "NJ" },
  ])("differs for %j", (fields) => {
    expect(key(fields)).not.toBe(key({}));
  });

  test("distinguishes by ZIP code where the city is unknown", () => {
    const zip = (zip: string | null) => key({ city: null, zip });
    expect(zip("10013")).toBe(zip("10013-1234"));
    expect(new Set([zip("10013"), zip("10014"), zip(null)]).size).toBe(3);
    expect(key({ address: "1 North Avenue, Suite #5", city: null })).toBe("1 n ave ste 5|NY|10013");
  });
});
