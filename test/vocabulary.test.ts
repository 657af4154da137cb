import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript-5";

const ROOT = join(import.meta.dir, "..");

/*
 * Rejects retired words in file names and identifiers. docs/glossary.md has the words that are used instead. Texts are
 * left to readers; identifiers are what spreads. A comment begins with a verb or an article.
 */

/** Retired words, each with the word to use. A name is rejected if one of its parts is such a word. */
const RETIRED: Readonly<Record<string, string>> = {
  alike: "duplicate, matching or same",
  anew: "again, or re-",
  careless: "a name for what is skipped",
  courteous: "write throttle",
  courtesy: "write throttle",
  exactly: "fullPrecision",
  foresee: "preload",
  foreseen: "preloaded",
  gathered: "batched or collected",
  giveway: "yieldToEventLoop",
  happening: "event",
  kit: "columnTypes, or schema",
  lane: "writer, worker or lease",
  lanes: "writers, workers or leases",
  mend: "fix or repair",
  mends: "fix or repair",
  patience: "timeout",
  pulse: "poller",
  remains: "leftovers",
  revise: "bumpRevision",
  ruler: "modelContext",
  rulers: "modelContexts",
  said: "message or given",
  seal: "encrypt",
  sealed: "encrypted",
  sealer: "encryptor",
  silence: "timeout, or dead connection",
  somebody: "a name for the role",
  spares: "reserved",
  tallies: "counters",
  tally: "counter",
  tell: "notify or report",
  tells: "notifies or reports",
  told: "notified or reported",
  turn: "lock, lease, schedule or yield",
  turns: "locks, leases, schedules or yields",
  unseal: "decrypt",
  upkeep: "maintenance",
  walk: "iterate, or cursor",
  walker: "client",
  walks: "iterates, or cursors",
  whoever: "a name for the role",
  world: "deps, context or fixture",
};

/** The parts of a name, in lower case: `takeTurn`, `take-turn` and `TAKE_TURN` have the parts `take` and `turn`. */
const partsOf = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
const retiredIn = (name: string) => partsOf(name).filter((part) => Object.hasOwn(RETIRED, part));
const judged = new Map<string, boolean>();
/** Returns whether a name has a retired word as a part; the same names recur in many sources. */
function isRetired(name: string): boolean {
  const known = judged.get(name) ?? retiredIn(name).length > 0;
  judged.set(name, known);
  return known;
}

const files = Bun.spawnSync(["git", "ls-files", "src", "test", "bench", "packaging", "docs"], { cwd: ROOT })
  .stdout.toString()
  .split("\n")
  .filter((path) => path !== "" && !path.startsWith("test/fixtures/") && path !== "test/vocabulary.test.ts");

/** Comments follow a space or an opening bracket, unlike `//` of URLs and `/*` of media types. */
const COMMENT = /(?<=^|[\s({[])(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*)/gm;

/** The identifiers of a source with a retired word; not the words of its strings, comments and JSX text. */
function retiredIdentifiersOf(text: string, path: string): Set<string> {
  const names = new Set<string>();
  // Parsing takes most of the time, and most sources have no such word at all.
  if (!(text.replace(COMMENT, "").match(/\w+/g) ?? []).some(isRetired)) return names;
  const visit = (node: ts.Node): void => {
    if ((ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) && isRetired(node.text)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return names;
}

/** Comments that begin with what they are about instead of a verb or an article. */
const VAGUE_START = /^\s*(?:\/\*\*?|\/\/)\s*(?:\n\s*\*\s*)?(?:What|Whether|Of|One that|The same)\b.*/gm;

test("no comment begins with What, Whether, Of, One that or The same", () => {
  expect("/** What it holds. */\n  // Of all\n/**\n * The same.\n */".match(VAGUE_START)).toHaveLength(3);
  expect("/** The rows. */ // Only one\n// Offers it".match(VAGUE_START)).toBeNull();
  const found = files
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) =>
      (readFileSync(join(ROOT, path), "utf8").match(VAGUE_START) ?? []).map(
        (line) => `${path}: ${line.trim()}`,
      ),
    );
  expect(found).toEqual([]);
});

test("a retired word is found in every form of a name", () => {
  expect(["takeTurn", "TURN_MS", "in-turns", "#turns", "kit"].flatMap(retiredIn)).toHaveLength(5);
  expect(["returned", "Saturn", "kitchen", "plane"].flatMap(retiredIn)).toEqual([]);
  const source = `const a = "turn"; // turn
    /* turn */ b.turn(lane, 'kit', <p>Turn it on</p>)`;
  expect([...retiredIdentifiersOf(source, "a.tsx")]).toEqual(["turn", "lane"]);
});

test("no file has a retired word in its name", () => {
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((path) => retiredIn(path).length > 0)).toEqual([]);
});

test("no identifier has a retired word as a part", () => {
  const found = files
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) =>
      [...retiredIdentifiersOf(readFileSync(join(ROOT, path), "utf8"), path)].map(
        (name) => `${path}: ${name} (use: ${retiredIn(name).map((part) => RETIRED[part])})`,
      ),
    );
  expect(found).toEqual([]);
});

test("a comment names only files and identifiers that exist", () => {
  const sources = files.filter((path) => /\.tsx?$/.test(path));
  const texts = new Map(sources.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
  const tracked = Bun.spawnSync(["git", "ls-files"], { cwd: ROOT }).stdout.toString().split("\n");
  const fileNames = new Set(tracked.map((path) => path.split("/").at(-1)!));
  const words = new Set([...texts.values()].flatMap((text) => text.replace(COMMENT, "").match(/\w+/g) ?? []));
  const missing = [...texts].flatMap(([path, text]) =>
    (text.match(COMMENT) ?? []).flatMap((comment) => [
      ...[...comment.matchAll(/`(?:[\w./-]*\/)?([a-z][\w-]*\.tsx?)`/g)]
        .filter(([, name]) => !fileNames.has(name!))
        .map(([mention]) => `${path}: ${mention}`),
      ...[...comment.matchAll(/`([a-z]+[A-Z]\w+)`/g)]
        .filter(([, name]) => !words.has(name!))
        .map(([mention]) => `${path}: ${mention}`),
    ]),
  );
  expect(missing).toEqual([]);
});
