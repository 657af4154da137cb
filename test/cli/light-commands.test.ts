import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { COMMANDS } from "../../src/cli/command-list.ts";

/*
 * A command's file is loaded when its name is typed, to run it or to print its help. Packages that take longer to load
 * than a small command may take (100 ms) must not be among its static imports, directly or indirectly. The command imports
 * them in its `run`.
 */

const HEAVY = new Set(["arktype", "@ark/schema", "elysia", "pg", "prom-client", "marked", "age-encryption"]);
/** Commands that load most of the program anyway. */
const HEAVY_COMMANDS = new Set(["demo", "move"]);
/** The files of commands that share a file with another command. */
const FILES: Readonly<Record<string, string>> = { restore: "backup", event: "service-event" };

const folder = join(import.meta.dir, "../../src/cli/commands");
const transpilers = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) };

const imported = new Map<string, readonly string[]>();
/** Returns the static imports of a file without types: files by path, packages by name. Each file is read once. */
function importsOf(file: string): readonly string[] {
  const known = imported.get(file) ?? readImports(file);
  imported.set(file, known);
  return known;
}

function readImports(file: string): string[] {
  const transpiler = transpilers[file.endsWith(".tsx") ? "tsx" : "ts"];
  const imports = transpiler.scanImports(transpiler.transformSync(readFileSync(file, "utf8")));
  return imports
    .filter(({ kind }) => kind === "import-statement")
    .map(({ path }) => (path.startsWith(".") ? resolve(dirname(file), path) : path));
}

/** Returns the package of an import such as `arktype/internal/scope.js`. */
const packageOf = (name: string) => /^(@[^/]+\/)?[^/]*/.exec(name)![0];

/** Returns the heavy packages that are loaded with a file, each with the chain of imports. */
function heavyOf(start: string): string[] {
  const paths = new Map([[start, [start]]]);
  for (const [file, path] of paths) {
    if (!/\.tsx?$/.test(file)) continue;
    for (const next of importsOf(file)) if (!paths.has(next)) paths.set(next, [...path, next]);
  }
  const isHeavy = (name: string) => HEAVY.has(packageOf(name));
  return [...paths].filter(([name]) => isHeavy(name)).map(([, path]) => path.join(" > "));
}

test("a small command loads no heavy package before it runs", () => {
  const small = COMMANDS.map(({ name }) => FILES[name] ?? name).filter((name) => !HEAVY_COMMANDS.has(name));
  const files = [...new Set(small)].map((name) => join(folder, `${name}-command.ts`));
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap(heavyOf)).toEqual([]);
});

test("a server loads arktype with its first validation, not at its start", () => {
  const app = join(import.meta.dir, "../../src/server/start-server.ts");
  expect(heavyOf(app).some((chain) => chain.endsWith(" > elysia"))).toBe(true);
  expect(heavyOf(app).filter((chain) => / > (arktype|@ark)/.test(chain))).toEqual([]);
});

test("no file creates a formatter when it is loaded: the first one loads the data of the language", () => {
  const sources = join(import.meta.dir, "../../src");
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" });
  const atTheTop = /^(export )?const .*= new Intl\./m;
  const eager = files.filter(
    (file) => /\.tsx?$/.test(file) && atTheTop.test(readFileSync(join(sources, file), "utf8")),
  );
  expect(eager).toEqual([]);
});
