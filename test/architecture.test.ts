import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const ROOT = join(import.meta.dir, "..");

/*
 * The rooms that each room may import, checked in the text of the sources: a scan by the transpiler would miss type
 * imports, and a room that uses another's types depends on it.
 */

/** The rooms at the top of `src`, from the ground up, each with those that it knows: none that stands after it. */
const KNOWS: Record<string, readonly string[]> = {
  domain: [],
  "event-loop": [],
  cluster: ["domain", "event-loop"],
  monitoring: ["domain"],
  spelling: [],
  validation: [],
  "ip-networks": ["domain"],
  files: ["domain"],
  "table-cells": ["domain"],
  csv: ["domain", "event-loop", "files"],
  xlsx: ["domain", "files"],
  xml: ["domain", "files"],
  tls: ["domain", "files"],
  knowledge: ["domain", "validation"],
  secrets: ["domain", "files"],
  config: ["domain", "spelling", "ip-networks", "files"],
  store: ["domain", "event-loop", "cluster", "files", "tls"],
  logging: ["domain", "secrets", "config"],
  webhooks: ["domain", "event-loop", "ip-networks", "tls"],
  pms: ["domain", "tls", "config", "webhooks"],
  "api-schemas": ["domain", "cluster", "monitoring", "table-cells", "validation"],
  usecases: [
    "domain",
    "event-loop",
    "cluster",
    "monitoring",
    "spelling",
    "table-cells",
    "csv",
    "xlsx",
    "xml",
    "knowledge",
    "secrets",
    "store",
    "webhooks",
    "api-schemas",
  ],
  backup: ["domain", "validation", "files", "secrets", "store", "logging"],
  metrics: ["domain", "monitoring", "store", "webhooks"],
  jobs: [
    "domain",
    "event-loop",
    "cluster",
    "monitoring",
    "config",
    "store",
    "logging",
    "api-schemas",
    "usecases",
  ],
  doctor: ["domain", "monitoring", "ip-networks", "tls", "secrets", "config", "store", "webhooks", "backup"],
  web: ["domain", "table-cells", "csv", "xlsx"],
  http: [
    "domain",
    "event-loop",
    "cluster",
    "monitoring",
    "ip-networks",
    "table-cells",
    "csv",
    "secrets",
    "store",
    "logging",
    "api-schemas",
    "usecases",
    "web",
  ],
  server: [
    ...[
      "domain",
      "event-loop",
      "cluster",
      "monitoring",
      "ip-networks",
      "files",
      "tls",
      "knowledge",
      "secrets",
    ],
    ...[
      "config",
      "store",
      "logging",
      "webhooks",
      "pms",
      "usecases",
      "backup",
      "metrics",
      "jobs",
      "doctor",
      "http",
    ],
  ],
  cli: [
    ...[
      "domain",
      "event-loop",
      "cluster",
      "spelling",
      "files",
      "table-cells",
      "csv",
      "knowledge",
      "secrets",
      "config",
      "store",
    ],
    ...["logging", "api-schemas", "usecases", "backup", "doctor", "web", "http", "server"],
  ],
  "main.ts": ["cli"],
};
/** The rooms of which a room may import types only. */
const KNOWS_TYPES_OF: Record<string, readonly string[]> = {
  // A response shows what these rooms know, and depends on nothing that they do.
  "api-schemas": ["config", "logging", "pms"],
  // A search finds settings, which are given to it.
  usecases: ["config"],
  http: ["config", "pms"],
  // Pages show responses of the API. A value of the schemas would bring their validators into what browsers load.
  web: ["api-schemas"],
};
/** Code outside of `src` that it imports. */
const OUTSIDE = [
  // Imported as text, to be shown to partners.
  "src/http/routes/api-document-routes.ts imports docs/examples/receiver.ts",
  "src/http/routes/api-document-routes.ts imports docs/examples/webhooks.ts",
];

/** Packages that one room keeps to itself, so that it alone would notice when they are replaced. */
const KEPT_IN: Record<string, readonly string[]> = {
  elysia: ["http"],
  arktype: ["validation", "main.ts"],
  "@ark/schema": ["validation"],
  "drizzle-orm": ["store"],
  pg: ["store"],
  // Types of it also where a database is looked at or copied as a file.
  "bun:sqlite": ["store", "server", "backup", "doctor"],
  "bun:ffi": ["server"],
  "bun:jsc": ["event-loop"],
  croner: ["jobs", "doctor"],
  commander: ["cli"],
  "cli-progress": ["cli"],
  jose: ["secrets"],
  pino: ["logging", "cli"],
  "pino-pretty": ["logging"],
  "toml-eslint-parser": ["config"],
  "csv-parse": ["csv"],
  "csv-stringify": ["csv"],
  "hucre/xlsx": ["xlsx"],
  "@rgrove/parse-xml": ["xml"],
  "node:https": ["webhooks", "pms", "doctor"],
  "ipaddr.js": ["ip-networks", "webhooks"],
  "prom-client": ["metrics"],
  preact: ["web"],
  "preact-render-to-string": ["web"],
  "d3-scale": ["web"],
  "d3-shape": ["web"],
};

/** Files that are longer than 450 lines for a reason. */
const MAY_BE_LONG: Record<string, string> = {
  "src/store/store-schema.ts": "every table in one place",
};
const LONGEST = 450;

type Source = { path: string; text: string };

function sourcesIn(folder: string): Source[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(ROOT, folder, name), "utf8") }));
}

/** The text without lines that are comments. */
const codeOf = ({ text }: Pick<Source, "text">) => text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, "");

type Import = { specifier: string; isTypeOnly: boolean };

/** Returns what the source imports, exports from, or loads when it runs. */
function importStatementsOf(source: Source): Import[] {
  const statements = codeOf(source).matchAll(
    /^(?:import|export)\b(\s+type\b)?[^;"]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)",?\s*\)/gm,
  );
  return [...statements].map(([, type, from, bare, dynamic]) => ({
    specifier: (from ?? bare ?? dynamic)!,
    isTypeOnly: type !== undefined,
  }));
}
const importsOf = (source: Source): string[] => importStatementsOf(source).map(({ specifier }) => specifier);

const roomOf = (path: string) => path.split("/")[1]!;
const isRelative = (specifier: string) => specifier.startsWith(".");
const fileAt = (source: Source, specifier: string) =>
  relative(ROOT, resolve(ROOT, dirname(source.path), specifier));
/** The files, from the root, that the source imports by their place. */
const filesKnownTo = (source: Source): string[] =>
  importsOf(source)
    .filter(isRelative)
    .map((specifier) => fileAt(source, specifier));
/** Returns the imported files of which the source uses more than types. */
const filesLoadedBy = (source: Source): string[] =>
  importStatementsOf(source)
    .filter(({ specifier, isTypeOnly }) => isRelative(specifier) && !isTypeOnly)
    .map(({ specifier }) => fileAt(source, specifier));

/** The files that import each other, straight or through others, and those between two such circles. */
function inCircles(sources: readonly Source[]): string[] {
  let left = new Map(sources.map((source) => [source.path, filesKnownTo(source)]));
  for (;;) {
    const imported = new Set([...left.values()].flat());
    const kept = [...left].filter(
      ([path, known]) => imported.has(path) && known.some((one) => left.has(one)),
    );
    if (kept.length === left.size) return [...left.keys()];
    left = new Map(kept);
  }
}

/** Returns the exported names of a source, except default exports. */
const exportsOf = (source: Source): string[] =>
  [
    ...codeOf(source).matchAll(
      /^export (?:abstract |async )*(?:const|let|function\*?|class|type|enum) ([A-Za-z_$][\w$]*)/gm,
    ),
  ].map(([, name]) => name!);

/** Returns the names that a source imports from a file; undefined if it imports the module as a whole. */
function namesImported(source: Source, file: string): string[] | undefined {
  const from = (specifier: string) => isRelative(specifier) && fileAt(source, specifier) === file;
  const names: string[] = [];
  for (const [, list, specifier] of codeOf(source).matchAll(
    /^(?:import|export)\b(?:\s+type)?\s*(?:\w+,\s*)?\{([^}]*)\}\s*from\s+"([^"]+)"/gm,
  ))
    if (from(specifier!))
      names.push(
        ...list!.split(",").map(
          (one) =>
            one
              .trim()
              .replace(/^type /, "")
              .split(" as ")[0]!,
        ),
      );
  const isWhole = [...codeOf(source).matchAll(/(?:\* as \w+ from|\bimport\()\s*"([^"]+)"/g)];
  return isWhole.some(([, specifier]) => from(specifier!)) ? undefined : names;
}

const src = sourcesIn("src");

test("the sources and their imports are found", () => {
  expect(src.length).toBeGreaterThan(100);
  const start = src.find(({ path }) => path === "src/server/start-server.ts")!;
  expect(importsOf(start)).toEqual(
    expect.arrayContaining(["../store/sqlite/leftover-sqlite-files.ts", "../http/http-server.ts"]),
  );
  const types = importsOf({
    path: "",
    text: 'import type { A } from "./a.ts";\nimport {\n  type B,\n} from "./b.ts";',
  });
  expect(types).toEqual(["./a.ts", "./b.ts"]);
  const [only, some] = importStatementsOf({
    path: "",
    text: 'import type { A } from "./a.ts";\nimport { type B } from "./b.ts";',
  });
  expect(only!.isTypeOnly).toBe(true);
  expect(some!.isTypeOnly).toBe(false);
});

describe.each(Object.entries(KNOWS))("src/%s", (room, known) => {
  test(`depends on ${known.join(", ") || "no room"} only`, () => {
    const imports = src
      .filter(({ path }) => roomOf(path) === room)
      .flatMap((source) => filesKnownTo(source).map((file) => ({ from: source.path, file })))
      .filter(({ file }) => file.startsWith("src/") && roomOf(file) !== room);
    const typesOf = KNOWS_TYPES_OF[room] ?? [];
    const strangers = imports.filter(({ file }) => ![...known, ...typesOf].includes(roomOf(file)));
    expect(strangers.map(({ from, file }) => `${from} imports ${file}`)).toEqual([]);
    const met = imports.map(({ file }) => roomOf(file));
    expect([...known, ...typesOf].filter((one) => !met.includes(one))).toEqual([]);
  });
});

test.each(Object.entries(KNOWS_TYPES_OF))("src/%s imports only types from %p", (room, typesOf) => {
  const values = src
    .filter(({ path }) => roomOf(path) === room)
    .flatMap((source) => filesLoadedBy(source).map((file) => ({ from: source.path, file })))
    .filter(({ file }) => file.startsWith("src/") && typesOf.includes(roomOf(file)));
  expect(values.map(({ from, file }) => `${from} imports ${file}`)).toEqual([]);
});

test("a room imports none from a higher layer", () => {
  const rooms = Object.keys(KNOWS);
  const upward = Object.entries(KNOWS).flatMap(([room, known]) =>
    [...known, ...(KNOWS_TYPES_OF[room] ?? [])]
      .filter((one) => rooms.indexOf(one) > rooms.indexOf(room))
      .map((one) => `${room} knows ${one}`),
  );
  expect(upward).toEqual([]);
});

test("every file and folder directly in src is a room of this list and of the map in CONTRIBUTING.md", () => {
  const names = readdirSync(join(ROOT, "src")).sort();
  expect(Object.keys(KNOWS).sort()).toEqual(names);
  const map = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
  const rows = [...map.matchAll(/^\| \[src\/([^/\]]+)\]\(src\/\1\) \|/gm)].map(([, name]) => name!);
  expect(rows.sort()).toEqual(names);
});

test("no files import each other, not even types", () => {
  const importing = (path: string, ...files: string[]): Source => ({
    path,
    text: files.map((file) => `import type { A } from "./${file}";\n`).join(""),
  });
  const three = [importing("src/a.ts", "b.ts"), importing("src/b.ts", "c.ts"), importing("src/c.ts", "a.ts")];
  const beside = [importing("src/d.ts", "a.ts"), importing("src/e.ts")];
  expect(inCircles([...three, ...beside])).toEqual(["src/a.ts", "src/b.ts", "src/c.ts"]);

  expect(inCircles(["src", "test", "bench", "packaging"].flatMap(sourcesIn))).toEqual([]);
});

test("every export is imported by another file", () => {
  const importing = {
    path: "src/b.ts",
    text: 'import { type A, b as c } from "./a.ts";\nimport type { D } from "./d.ts";\n',
  };
  expect(namesImported(importing, "src/a.ts")).toEqual(["A", "b"]);
  expect(exportsOf({ path: "", text: "export type A = 1;\nexport async function b() {}\n" })).toEqual([
    "A",
    "b",
  ]);

  const others = [...src, ...["test", "bench", "packaging", "docs"].flatMap(sourcesIn)];
  for (const path of ["build.ts", "drizzle.config.ts"])
    others.push({ path, text: readFileSync(join(ROOT, path), "utf8") });
  const importers = new Map<string, Source[]>();
  for (const other of others)
    for (const file of new Set(filesKnownTo(other)))
      importers.set(file, [...(importers.get(file) ?? []), other]);
  const unused = src
    .filter(({ path }) => path !== "src/main.ts")
    .flatMap((source) => {
      const imported = (importers.get(source.path) ?? []).map((other) => ({
        names: namesImported(other, source.path),
        text: other.text,
      }));
      const isImported = (name: string) =>
        imported.some(({ names, text }) => names?.includes(name) ?? new RegExp(`\\b${name}\\b`).test(text));
      return exportsOf(source)
        .filter((name) => !isImported(name))
        .map((name) => `${source.path}: ${name}`);
    });
  expect(unused).toEqual([]);
});

test("the sources import only their own code and the listed packages", () => {
  const outside = src.flatMap((source) =>
    filesKnownTo(source)
      .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("src/"))
      .map((file) => `${source.path} imports ${file}`),
  );
  expect(outside).toEqual(OUTSIDE);
});

test("the domain is pure: no packages, files, clocks or randomness", () => {
  const impure = src
    .filter(({ path }) => path.startsWith("src/domain/"))
    .filter((source) => {
      const packages = importsOf(source).filter((specifier) => !isRelative(specifier));
      return (
        packages.length > 0 || /\b(Date\.now\(|new Date\(\)|Math\.random|process\.|Bun\.)/.test(source.text)
      );
    })
    .map(({ path }) => path);
  expect(impure).toEqual([]);
});

test.each(Object.entries(KEPT_IN))("%s is used in %p only", (name, rooms) => {
  const users = src.filter((source) =>
    importsOf(source).some((specifier) => specifier === name || specifier.startsWith(`${name}/`)),
  );
  expect(users).not.toBeEmpty();
  expect(users.filter(({ path }) => !rooms.includes(roomOf(path))).map(({ path }) => path)).toEqual([]);
});

test("only src/api-schemas converts cents to dollars, hundredths to scores, and values to their serialized form", () => {
  const outside = src.filter(({ path }) => !/^src\/(api-schemas|domain|web)\//.test(path));
  const converting = outside.filter((source) =>
    /\b(jsonUsdFromCents|jsonUsdFromCentsOrNull|jsonScoreFromHundredths|jsonInstantOrNull)\b|\b(\w*[cC]ents|\w*[sS]core) \/ 100\b/.test(
      codeOf(source),
    ),
  );
  expect(converting.map(({ path }) => path)).toEqual([]);
  // Handlers leave their responses to views, whose fields tsc checks, and build no objects themselves.
  const routes = outside.filter(({ path }) => path.startsWith("src/http/routes/"));
  const making = routes.filter((source) =>
    /\bisoTextOfInstant\b|\baddPartnerToJson\(\s*\{/.test(codeOf(source)),
  );
  expect(making.map(({ path }) => path)).toEqual([]);
});

test("the process is ended, and its environment is read, only in the listed places", () => {
  const using = (pattern: RegExp) =>
    src.filter((source) => pattern.test(codeOf(source))).map(({ path }) => path);
  expect(using(/\bprocess\.exit\(/).sort()).toEqual(["src/cli/commands/serve-command.ts", "src/main.ts"]);
  expect(using(/\b(process|Bun)\.env\b/)).toEqual([
    "src/main.ts",
    "src/cli/terminal/process-command-host.ts",
  ]);
});

test(`no file is over ${LONGEST} lines, except those listed with a reason`, () => {
  const long = src.filter(({ text }) => text.split("\n").length - 1 > LONGEST).map(({ path }) => path);
  expect(long.sort()).toEqual(Object.keys(MAY_BE_LONG).sort());
});

test("no properties are spread into an object that can list them", () => {
  const spread = ["src", "test", "bench", "packaging"]
    .flatMap(sourcesIn)
    .filter(({ text }) => /\.\.\.\{\s*\w/.test(text));
  expect(spread.map(({ path }) => path)).toEqual([]);
});

test("no file or folder has a meaningless name", () => {
  const vague = /(^|\/)(utils?|helpers?|common|lib|core|misc|shared|index)(\.ts)?(\/|$)/;
  const paths = ["src", "test", "bench", "packaging"].flatMap((folder) =>
    sourcesIn(folder).map(({ path }) => path),
  );
  expect(paths.filter((path) => vague.test(path))).toEqual([]);
});

test("black-box tests import nothing from src, directly or indirectly", () => {
  const tests = sourcesIn("test");
  const reached = new Set(tests.map(({ path }) => path).filter((path) => path.startsWith("test/blackbox/")));
  expect(reached).not.toBeEmpty();
  const known: string[] = [];
  // The loop also visits the files that it adds.
  for (const path of reached)
    for (const file of filesKnownTo(tests.find((one) => one.path === path)!))
      if (file.startsWith("src/")) known.push(`${path} imports ${file}`);
      else if (tests.some((one) => one.path === file)) reached.add(file);
  expect(known).toEqual([]);
});

test("no test is skipped or marked as the only one", () => {
  const marked = sourcesIn("test").filter(
    ({ path, text }) =>
      path !== "test/architecture.test.ts" && /\b(test|describe|it)\.(only|skip|todo)\b/.test(text),
  );
  expect(marked.map(({ path }) => path)).toEqual([]);
});

test("every assertion about a promise is awaited", () => {
  const statement = /^[ \t]*expect\((?:(?!;\n)[\s\S])*?\)\s*\.(?:rejects|resolves)\s*\./gm;
  const unawaited = sourcesIn("test").flatMap(({ path, text }) =>
    [...text.matchAll(statement)].map((match) => `${path}: ${match[0].trim().slice(0, 80)}`),
  );
  expect(unawaited).toEqual([]);
});
