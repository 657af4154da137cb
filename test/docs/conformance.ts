import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { closestSpelling } from "../../src/spelling/closest-spelling.ts";
import { RENEW } from "./manual.ts";
import { readTags, STEP } from "./tags.ts";

const ROOT = join(import.meta.dir, "../..");
export const PAGE = join(ROOT, "docs/conformance.md");
/** The page with a line `[id] text` for each rule, in place of its row. */
const SKELETON = "test/docs/rules.md";
const RULE = /^\[([^\]]*)\] +(.+)$/;
const NOTE = `<!-- written by \`${RENEW}\` from ${SKELETON} and the tags above the tests -->`;
const HEADER = ["| Rule | Proof |", "|---|---|"];

export type Rule = { line: number; id: string; text: string };

/** A test, or a describe with all its tests, in a file. */
export type Proof = { file: string; name: string };

export type Source = { file: string; text: string };

export const readSkeleton = () => readFileSync(join(ROOT, SKELETON), "utf8");

export const readPage = () => readFileSync(PAGE, "utf8");

/** Returns every test file: first those of the executable, which a newcomer would try first. */
export function readTestFiles(): Source[] {
  const names = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" });
  const rank = (file: string) => (file.startsWith("test/blackbox/") ? 0 : 1);
  return names
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `test/${name}`)
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));
}

export function rulesOf(skeleton: string): Rule[] {
  return skeleton.split("\n").flatMap((line, at) => {
    const [, id, text] = RULE.exec(line) ?? [];
    return id === undefined ? [] : [{ line: at + 1, id, text: text!.trim() }];
  });
}

/** Returns the proofs of each rule, by its id, and the faults of the tags. */
export function proofsOf(
  rules: readonly Rule[],
  sources: readonly Source[],
): { proofs: Map<string, Proof[]>; faults: string[] } {
  const proofs = new Map<string, Proof[]>(rules.map(({ id }) => [id, []]));
  const faults: string[] = [];
  for (const { file, text } of sources) {
    if (!text.includes("// Rule:")) continue;
    const { tests, faults: inFile } = readTags(text);
    faults.push(...inFile.map(({ line, fault }) => `${file}:${line}: ${fault}`));
    for (const { name, line, rules: ids } of tests) {
      const fault = (words: string) => faults.push(`${file}:${line}: ${words}`);
      if (ids.length > 0 && tests.some((other) => other.name === name && other.line !== line))
        fault(`another test is named "${name}" too`);
      for (const [nth, id] of ids.entries()) {
        if (ids.indexOf(id) < nth) fault(`"${id}" is named twice`);
        else if (!proofs.has(id)) fault(unknownRule(id, rules));
        else proofs.get(id)!.push({ file, name });
      }
    }
  }
  return { proofs, faults };
}

function unknownRule(id: string, rules: readonly Rule[]): string {
  const near = closestSpelling(
    id,
    rules.map((rule) => rule.id),
  );
  return `no rule "${id}" stands in ${SKELETON}${near ? `; did you mean "${near}"?` : ""}`;
}

/** Returns the faults of the rules: an invalid id, an id or a text that occurs twice, a rule without proof. */
export function faultsOf(rules: readonly Rule[], proofs: ReadonlyMap<string, readonly Proof[]>): string[] {
  const seen = new Map<string, number>();
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, " ");
  return rules.flatMap(({ line, id, text }) => {
    const faults: string[] = [];
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id)) faults.push("an id is lower-case words joined by hyphens");
    const before = seen.get(id) ?? seen.get(plain(text));
    if (before !== undefined) faults.push(`the same rule stands in line ${before}`);
    seen.set(id, line).set(plain(text), line);
    if (proofs.get(id)?.length === 0) faults.push(`no test has it: // Rule: ${id}`);
    return faults.map((fault) => `${SKELETON}:${line}: [${id}] ${fault}`);
  });
}

/** Returns the page: the skeleton with its rules as tables. */
export function pageOf(skeleton: string, proofs: ReadonlyMap<string, readonly Proof[]>): string {
  const lines: string[] = [];
  let inTable = false;
  for (const line of skeleton.split("\n")) {
    const [, id, text] = RULE.exec(line) ?? [];
    if (id !== undefined && !inTable) lines.push(...HEADER);
    inTable = id !== undefined;
    lines.push(id === undefined ? line : row(text!.trim(), proofs.get(id) ?? []));
  }
  const [title, ...rest] = lines;
  return [title, "", NOTE, ...rest].join("\n");
}

function row(rule: string, proofs: readonly Proof[]): string {
  const cell = proofs.map(({ file, name }) => `\`${file}\`${STEP}${escaped(name)}`).join("<br>");
  return `| ${rule.replace(/(?<!\\)\|/g, "\\|")} | ${cell} |`;
}

const escaped = (text: string) => text.replace(/[\\`*_|<>[\]]/g, "\\$&");

/** Returns the words that no rule has in code at its start. */
export const withoutRule = (rules: readonly Rule[], words: readonly string[]): string[] =>
  words.filter((word) => !rules.some(({ text }) => text.startsWith(`\`${word}\``)));
