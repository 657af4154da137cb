import { expect, test } from "bun:test";
import fc from "fast-check";
import { printableText } from "../../src/cli/terminal/printable-text.ts";

test("control characters are replaced, and everything else stays", () => {
  expect(printableText("a\u001b[31mb\u009b0m\rc\u0007\u007f\ttab\nline é 🏠")).toBe(
    "a\ufffd[31mb\ufffd0m\ufffdc\ufffd\ufffd\ttab\nline é 🏠",
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const printed = printableText(text);
      expect(printed).toHaveLength(text.length);
      expect(printed).not.toMatch(/(?![\t\n])\p{Cc}/u);
    }),
  );
});
