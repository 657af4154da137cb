import { expect, test } from "bun:test";
import fc from "fast-check";
import { printableTerminalText } from "../../src/cli/terminal/terminal-printable-text.ts";

test("control characters are replaced, and everything else stays", () => {
  expect(printableTerminalText("a\u001b[31mb\u009b0m\rc\u0007\u007f\ttab\nline é 🏠")).toBe(
    "a\ufffd[31mb\ufffd0m\ufffdc\ufffd\ufffd\ttab\nline é 🏠",
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const printed = printableTerminalText(text);
      expect(printed).toHaveLength(text.length);
      expect(printed).not.toMatch(/(?![\t\n])\p{Cc}/u);
    }),
  );
});
