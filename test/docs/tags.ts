import ts from "typescript-5";

/** The separator between the names of the describes around a test and its own, and between a file and a test. */
export const STEP = " › ";
/** The tag above a test or a describe: the ids of the rules that it proves. */
const TAG = /^[ \t]*\/\/ Rule: *(.*)$/gm;

/**
 * A test or a describe of a source. Its name begins with those of the describes around it, as they are written:
 * with the placeholders of `each` and of templates.
 */
export type NamedTest = { name: string; line: number; rules: string[] };

/** `faults` has a sentence per faulty line. */
export type TaggedSource = { tests: NamedTest[]; faults: { line: number; fault: string }[] };

/** The enclosing describe, and the names of it and those around it. */
type Place = { describe: ts.Node | undefined; around: readonly string[] };

export function readTags(text: string): TaggedSource {
  const file = ts.createSourceFile("a.test.ts", text, ts.ScriptTarget.Latest, true);
  const tests: NamedTest[] = [];
  const faults: TaggedSource["faults"] = [];
  const taken = new Set<number>();
  const quoted: ts.Node[] = [];
  const lineOf = (at: number) => file.getLineAndCharacterOfPosition(at).line + 1;

  const visit = (node: ts.Node, place: Place): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) quoted.push(node);
    const named = ts.isCallExpression(node) ? namedCall(node, file) : undefined;
    let inside = place;
    if (named) {
      const tags = tagsAbove(node, place.describe, text);
      for (const at of tags.keys()) taken.add(at);
      const rules = [...tags.values()].flat();
      const name = [...place.around, named.name].join(STEP);
      const line = lineOf(node.getStart(file));
      tests.push({ name, line, rules });
      if (named.kind === "describe") inside = { describe: node, around: [...place.around, named.name] };
    }
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(file, { describe: undefined, around: [] });

  for (const { index } of text.matchAll(TAG))
    if (!taken.has(index) && !quoted.some((node) => node.getStart(file) <= index && index < node.end))
      faults.push({ line: lineOf(index), fault: "the tag stands above no test" });
  return { tests, faults };
}

/**
 * Returns the tags' places, each with its ids: above the call, or above the loop or condition whose only content is
 * the call.
 */
function tagsAbove(call: ts.Node, describe: ts.Node | undefined, text: string): Map<number, string[]> {
  const tags = new Map<number, string[]>();
  for (
    let node = call;
    node !== describe && !ts.isBlock(node) && !ts.isSourceFile(node);
    node = node.parent
  ) {
    const start = node.getFullStart();
    for (const { index, 1: ids } of text.slice(start, node.getStart()).matchAll(TAG))
      tags.set(
        start + index,
        ids!.split(",").map((id) => id.trim()),
      );
  }
  return tags;
}

type NamedCall = { kind: "test" | "describe"; name: string };
/** The functions that declare tests and groups. Those for SQLite skip their tests on PostgreSQL. */
const KINDS: Readonly<Record<string, NamedCall["kind"]>> = {
  it: "test",
  test: "test",
  testOnSqlite: "test",
  describe: "describe",
  describeOnSqlite: "describe",
};

/**
 * Returns the kind and name that `test("…")`, `describe.each(…)("…")` and similar calls declare, undefined for any
 * other call.
 */
function namedCall(call: ts.CallExpression, file: ts.SourceFile): NamedCall | undefined {
  let callee: ts.Expression = call.expression;
  while (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) callee = callee.expression;
  const [first] = call.arguments;
  if (!ts.isIdentifier(callee) || !first) return undefined;
  const kind = KINDS[callee.text];
  if (!kind) return undefined;
  if (ts.isStringLiteralLike(first)) return { kind, name: first.text };
  if (!ts.isTemplateExpression(first)) return undefined;
  return { kind, name: file.text.slice(first.getStart(file) + 1, first.end - 1) };
}
