import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript-5";

const ROOT = join(import.meta.dir, "../..");
/** Stands between the names of the describes around a test and its own, and between a file and a test. */
const STEP = " › ";
const HEADER = "| Rule | Proof |";

export type Proof = { file: string; test: string };

/** A row of the tables of rules. `unread` are the parts of its proof that name no test. */
export type Row = { line: number; rule: string; proofs: Proof[]; unread: string[] };

export const readConformance = () => readFileSync(join(ROOT, "docs/conformance.md"), "utf8");

/** Every row of every table, which all have the columns Rule and Proof. */
export function rowsOf(text: string): Row[] {
  const rows: Row[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (!line.startsWith("|") || line === HEADER || /^\|[-|]+\|$/.test(line)) continue;
    const [rule = "", proof = "", ...more] = line.split(/(?<!\\)\|/).slice(1, -1);
    const parts = [proof, ...more].join("|").split("<br>");
    const read = parts.map((part) => /^`([^`]+)` › (.+)$/.exec(part.trim()));
    rows.push({
      line: at + 1,
      rule: rule.trim(),
      proofs: read.flatMap((found) => (found ? [{ file: found[1]!, test: unescaped(found[2]!) }] : [])),
      unread: parts.filter((_, nth) => !read[nth]).map((part) => part.trim()),
    });
  }
  return rows;
}

const unescaped = (text: string) => text.replace(/\\([\\`*_|<>[\]])/g, "$1");

/**
 * The tests that a source holds, each as the names of the describes around it and its own, as they are written: with
 * the placeholders of `each` and of templates.
 */
export function testsIn(source: string): string[] {
  const tests: string[] = [];
  const file = ts.createSourceFile("a.test.ts", source, ts.ScriptTarget.Latest);
  const visit = (node: ts.Node, around: readonly string[]): void => {
    const named = ts.isCallExpression(node) ? namedCall(node, file) : undefined;
    if (named?.kind === "test") tests.push([...around, named.name].join(STEP));
    const inside = named?.kind === "describe" ? [...around, named.name] : around;
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(file, []);
  return tests;
}

/** What `test("…")`, `describe.each(…)("…")` and their like are called with, undefined for any other call. */
function namedCall(
  call: ts.CallExpression,
  file: ts.SourceFile,
): { kind: "test" | "describe"; name: string } | undefined {
  let callee: ts.Expression = call.expression;
  while (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) callee = callee.expression;
  const [first] = call.arguments;
  if (!ts.isIdentifier(callee) || !first) return undefined;
  const kind = callee.text === "it" ? "test" : callee.text;
  if (kind !== "test" && kind !== "describe") return undefined;
  if (ts.isStringLiteral(first)) return { kind, name: first.text };
  if (ts.isNoSubstitutionTemplateLiteral(first)) return { kind, name: first.text };
  if (!ts.isTemplateExpression(first)) return undefined;
  return { kind, name: file.text.slice(first.getStart(file) + 1, first.end - 1) };
}

/** Reads a project's file; undefined when there is none. */
export type ReadFile = (path: string) => string | undefined;

export const readProjectFile: ReadFile = (path) => {
  try {
    return readFileSync(join(ROOT, path), "utf8");
  } catch {
    return undefined;
  }
};

/** What is wrong with the rows: no test named, one that does not exist or is not the only one, a rule given twice. */
export function faultsOf(rows: readonly Row[], read: ReadFile): string[] {
  const known = new Map<string, string[] | undefined>();
  const testsOf = (file: string) => {
    if (!known.has(file)) {
      const source = file.startsWith("test/") && file.endsWith(".test.ts") ? read(file) : undefined;
      known.set(file, source === undefined ? undefined : testsIn(source));
    }
    return known.get(file);
  };
  const seen = new Map<string, number>();
  return rows.flatMap(({ line, rule, proofs, unread }) => {
    const faults = unread.map((part) => `${part ? `"${part}"` : "nothing"} is no proof: \`file\`${STEP}test`);
    const plain = rule.toLowerCase().replace(/[^a-z0-9]+/g, " ");
    const before = seen.get(plain);
    if (before !== undefined) faults.push(`the same rule stands in line ${before}`);
    seen.set(plain, line);
    for (const { file, test } of proofs) {
      const found = testsOf(file)?.filter((path) => path === test || path.endsWith(STEP + test));
      if (!found) faults.push(`${file} is no file of tests`);
      else if (found.length === 0) faults.push(`${file} holds no test "${test}"`);
      else if (found.length > 1)
        faults.push(`${file} holds ${found.length} tests "${test}": begin with the describe's name`);
    }
    return faults.map((fault) => `line ${line}, "${rule.slice(0, 60)}": ${fault}`);
  });
}

/** Those of the words that no rule begins with, in code. */
export const withoutRow = (rows: readonly Row[], words: readonly string[]): string[] =>
  words.filter((word) => !rows.some(({ rule }) => rule.startsWith(`\`${word}\``)));
