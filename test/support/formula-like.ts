import fc from "fast-check";

/** Short texts, many of which start with quotes or with signs that a spreadsheet reads as a formula. */
export const formulaLike = fc.string({
  unit: fc.constantFrom(
    "'",
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "＝",
    "＋",
    "－",
    "＠",
    "a",
    "1",
    ",",
    '"',
    "\n",
  ),
  maxLength: 6,
});
