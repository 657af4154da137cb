import { expect, test } from "bun:test";
import { matchesPropertyFilterRule } from "../../../src/domain/rules/property-filter-rule.ts";

const ELM = {
  name: "Café  Élan Court",
  address: "120 Harbor St",
  city: "Cañon City",
  state: "CO",
  zip: "81212-1234",
};

// Rule: property-filters
test.each([
  [{}, true],
  [{ state: "CO" }, true],
  [{ state: "NY" }, false],
  [{ city: "CANON CITY" }, true],
  [{ city: "canon" }, false],
  [{ zip: "81212" }, true],
  [{ zip: "81212-1234" }, true],
  [{ zip: "81212-9999" }, false],
  [{ text: "harbor cafe" }, true],
  [{ text: "ELAN" }, true],
  [{ text: "120 harb" }, true],
  [{ text: "harbor oak" }, false],
  [{ text: "canon" }, false],
  [{ state: "CO", text: "court", zip: "81212" }, true],
  [{ state: "CO", text: "court", zip: "81213" }, false],
])("%j matches: %p", (filter, expected) => {
  expect(matchesPropertyFilterRule(filter, ELM)).toBe(expected);
});

test("a property without a city or ZIP code matches no filter by one", () => {
  const bare = { ...ELM, city: null, zip: null };
  expect(matchesPropertyFilterRule({ city: "Cañon City" }, bare)).toBe(false);
  expect(matchesPropertyFilterRule({ zip: "81212" }, bare)).toBe(false);
  expect(matchesPropertyFilterRule({ text: "harbor" }, bare)).toBe(true);
});

test("words and cities are compared without accents and repeated spaces", () => {
  const property = { ...ELM, name: "ÀÉ\t ß", city: " Cañon   City " };
  expect(matchesPropertyFilterRule({ text: "  ae   ß " }, property)).toBe(true);
  expect(matchesPropertyFilterRule({ city: "canon city" }, property)).toBe(true);
});
