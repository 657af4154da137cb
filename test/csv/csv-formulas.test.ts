import { expect, test } from "bun:test";
import fc from "fast-check";
import { neutralizeCsvFormula, restoreCsvFormula } from "../../src/csv/csv-formulas.ts";
import { formulaLike } from "../support/formula-like.ts";

test.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ["\r=1", "'\r=1"],
  ["\n=1", "'\n=1"],
  ["＝1", "'＝1"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠SUM(A1)", "'＠SUM(A1)"],
  // With a second quote, so that removing one restores the text.
  ["'=1", "''=1"],
  ["plain", "plain"],
  ["'plain", "'plain"],
  ["1-1", "1-1"],
  [" =1", " =1"],
  ["", ""],
])("%j is written as %j, and restored", (text, written) => {
  expect(neutralizeCsvFormula(text)).toBe(written);
  expect(restoreCsvFormula(written)).toBe(text);
});

test("any text is restored, and none is written with a formula sign first", () => {
  fc.assert(
    fc.property(fc.oneof(formulaLike, fc.string()), (text) => {
      const written = neutralizeCsvFormula(text);
      expect(written).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      expect(restoreCsvFormula(written)).toBe(text);
    }),
    { numRuns: 1_000 },
  );
});

test("a text without a formula sign after its quotes is not changed by restoring it", () => {
  for (const text of ["'", "''", "'tis", "'' =1", "plain", ""]) expect(restoreCsvFormula(text)).toBe(text);
});
