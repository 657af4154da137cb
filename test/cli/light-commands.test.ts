import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { COMMANDS } from "../../src/cli/table.ts";

/*
 * A command's file is loaded when its word is typed, to run it and to print its help. What takes longer to load than
 * such a command has altogether (100 ms) is not to be among what the file imports at once, at any remove: it imports
 * that in its `run` where it needs it.
 */

const HEAVY = new Set(["arktype", "@ark/schema", "elysia", "pg", "prom-client", "marked", "age-encryption"]);
/** They check or serve so much that they load most of the program anyway. */
const HEAVY_COMMANDS = new Set(["demo", "import", "move"]);
/** Of two commands that share a file. */
const FILES: Readonly<Record<string, string>> = { restore: "backup" };

const folder = join(import.meta.dir, "../../src/cli/commands");
const transpilers = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) };

/** What a file imports as it is loaded, types left out: other files by their paths, packages by their names. */
function importsOf(file: string): string[] {
  const transpiler = transpilers[file.endsWith(".tsx") ? "tsx" : "ts"];
  const imports = transpiler.scanImports(transpiler.transformSync(readFileSync(file, "utf8")));
  return imports
    .filter(({ kind }) => kind === "import-statement")
    .map(({ path }) => (path.startsWith(".") ? resolve(dirname(file), path) : path));
}

/** The package that an import such as `arktype/internal/scope.js` is of. */
const packageOf = (name: string) => /^(@[^/]+\/)?[^/]*/.exec(name)![0];

/** The heavy packages that are loaded with a file, each with the files that lead to it. */
function heavyOf(start: string): string[] {
  const paths = new Map([[start, [start]]]);
  for (const [file, path] of paths) {
    if (!/\.tsx?$/.test(file)) continue;
    for (const next of importsOf(file)) if (!paths.has(next)) paths.set(next, [...path, next]);
  }
  return [...paths].filter(([name]) => HEAVY.has(packageOf(name))).map(([, path]) => path.join(" > "));
}

test("a small command loads nothing heavy before it runs", () => {
  const small = COMMANDS.map(({ name }) => FILES[name] ?? name).filter((name) => !HEAVY_COMMANDS.has(name));
  const files = [...new Set(small)].map((name) => join(folder, `${name}.ts`));
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap(heavyOf)).toEqual([]);
});
