import { expect, test } from "bun:test";
import { photoNameByRule } from "../../src/domain/rules/photo-file-rule.ts";

test.each([
  ["boiler.jpg", "boiler.jpg"],
  ["C:\\photos/2026\\boiler.jpg", "boiler.jpg"],
  ["a/", "photo"],
  ["..", "photo"],
  [" \u0000\u202eboiler.jpg", "boiler.jpg"],
  // No more of a name is looked at than 1,000 characters.
  [`${"\t".repeat(1_000)}boiler.jpg`, "photo"],
  [`${"/".repeat(2_000_000)}boiler.jpg`, "boiler.jpg"],
  [`/${"b".repeat(2_000_000)}`, "b".repeat(200)],
])("the name of an uploaded file is shown without folders and cut (%#)", (name, shown) => {
  expect(photoNameByRule(name)).toBe(shown);
});
