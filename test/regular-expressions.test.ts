import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { analyse } from "scslre";
import ts from "typescript-5";

const ROOT = join(import.meta.dir, "..");
/** The beginning of a regular expression, in text that may contain one. */
const BEGINNING = /(?:^|[(=,:?&|!{};[\s])\/(?![/*])/;

/** Returns the regular expressions of a source file that repeat something without a limit. */
function repeatingExpressions(name: string, text: string): string[] {
  if (!BEGINNING.test(text)) return [];
  const kind = name.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, false, kind);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node) && /[*+]|\{\d+,\}/.test(node.text)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Returns whether a text exists for which an expression takes more than linear time. */
function isSuperlinear(literal: string): boolean {
  const end = literal.lastIndexOf("/");
  const { reports } = analyse({ source: literal.slice(1, end), flags: literal.slice(end + 1) });
  return reports.length > 0;
}

// The texts may be those of callers, or of files.
describe("a regular expression", () => {
  test("takes linear time, whatever the text is", async () => {
    const superlinear: string[] = [];
    let count = 0;
    for await (const name of new Bun.Glob("src/**/*.{ts,tsx}").scan(ROOT))
      for (const literal of repeatingExpressions(name, await Bun.file(join(ROOT, name)).text())) {
        count++;
        if (isSuperlinear(literal)) superlinear.push(`${name}: ${literal}`);
      }
    expect(count).toBeGreaterThan(100);
    expect(superlinear).toEqual([]);
  });

  test.each(["/\\s*(?:[,;&]|\\band\\b)\\s*/i", "/^(\\d+\\.?\\d*)$/", "/(a+)+$/", "/ +$/"])(
    "that takes more is found: %s",
    (literal) => {
      expect(isSuperlinear(literal)).toBe(true);
      expect(repeatingExpressions("a.ts", `export const a = ${literal};`)).toEqual([literal]);
    },
  );
});
