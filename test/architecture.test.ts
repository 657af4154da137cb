import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const ROOT = join(import.meta.dir, "..");

/*
 * Who may import whom, from the text of the sources: a scan by the transpiler would not see imports of types, and a
 * room that knows another's types knows the other.
 */

/** Rooms under `src`, or files there that are rooms of their own, with the rooms that each may know. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  knowledge: ["domain"],
  config: ["domain"],
  secrets: ["domain"],
  csv: ["domain"],
  webhooks: ["domain", "networks.ts"],
  "networks.ts": ["domain"],
  store: ["domain"],
  "log.ts": ["config", "secrets"],
  jobs: ["domain", "store", "usecases", "shapes", "config", "log.ts"],
  // What operators are shown is shaped from what the store and the use cases return.
  shapes: ["domain", "store", "usecases"],
  usecases: ["domain", "store", "webhooks", "csv", "secrets", "shapes", "knowledge", "config"],
  // Pages are made of the wire's forms alone, so that they show what any partner could read.
  web: ["domain"],
  http: [
    "domain",
    "web",
    "store",
    "usecases",
    "shapes",
    "secrets",
    "log.ts",
    "metrics",
    "networks.ts",
    "rm",
    "tls",
  ],
  metrics: ["domain", "store", "usecases", "webhooks", "backup"],
  rm: ["domain", "config", "webhooks"],
  tls: ["domain"],
  backup: ["domain", "store", "secrets", "log.ts"],
  doctor: ["domain", "store", "secrets", "networks.ts", "webhooks", "config", "backup"],
};
/** The rooms that put others together. Only `main.ts` and each other may know them. */
const COMPOSERS = ["app", "cli", "main.ts"];

/** Packages that one room keeps to itself, so that it alone would notice when they are replaced. */
const KEPT_IN: Record<string, readonly string[]> = {
  elysia: ["http"],
  "drizzle-orm": ["store"],
  // Types of it also where a database is looked at or copied as a file.
  "bun:sqlite": ["store", "app", "backup", "doctor"],
  croner: ["jobs"],
  commander: ["cli"],
  "cli-progress": ["cli"],
  jose: ["secrets"],
  pino: ["log.ts", "cli"],
  "pino-pretty": ["log.ts"],
  "toml-eslint-parser": ["config"],
  "csv-parse": ["csv"],
  "csv-stringify": ["csv"],
  "node:https": ["webhooks", "rm", "doctor"],
  "ipaddr.js": ["networks.ts", "webhooks"],
  "prom-client": ["metrics"],
};

/** Files that are longer than 320 lines for a reason. */
const MAY_BE_LONG: Record<string, string> = {
  "src/store/schema.ts": "every table in one place",
};
const LONGEST = 320;

type Source = { path: string; text: string };

function sourcesIn(folder: string): Source[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(ROOT, folder, name), "utf8") }));
}

/** The text without lines that are comments. */
const codeOf = ({ text }: Pick<Source, "text">) => text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, "");

/** What the source imports, exports from, or loads when it runs. */
function importsOf(source: Source): string[] {
  const statements = codeOf(source).matchAll(
    /^(?:import|export)\b[^;"]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm,
  );
  return [...statements].map(([, from, bare, dynamic]) => (from ?? bare ?? dynamic)!);
}

const roomOf = (path: string) => path.split("/")[1]!;
const isRelative = (specifier: string) => specifier.startsWith(".");
/** The room of `src` that a relative import leads to; undefined for files outside of `src`. */
function targetOf({ path }: Source, specifier: string): string | undefined {
  const target = relative(ROOT, resolve(ROOT, dirname(path), specifier));
  return target.startsWith("src/") ? roomOf(target) : undefined;
}

const src = sourcesIn("src");

test("the sources are found, and their imports seen", () => {
  expect(src.length).toBeGreaterThan(100);
  const app = src.find(({ path }) => path === "src/app/app.ts")!;
  expect(importsOf(app)).toEqual(expect.arrayContaining(["../store/sqlite.ts", "../http/server.ts"]));
  const types = importsOf({
    path: "",
    text: 'import type { A } from "./a.ts";\nimport {\n  type B,\n} from "./b.ts";',
  });
  expect(types).toEqual(["./a.ts", "./b.ts"]);
});

describe.each(Object.entries(MAY_IMPORT))("src/%s", (room, allowed) => {
  test(`knows ${allowed.join(", ") || "nobody"} only`, () => {
    const sources = src.filter(({ path }) => roomOf(path) === room);
    expect(sources).not.toBeEmpty();
    const strangers = sources.flatMap((source) =>
      importsOf(source)
        .filter(isRelative)
        .map((specifier) => targetOf(source, specifier))
        .filter((target) => target !== undefined && target !== room)
        .filter((target) => !allowed.includes(target!))
        .map((target) => `${source.path} imports ${target}`),
    );
    expect(strangers).toEqual([]);
  });
});

test("every room is on one of the lists", () => {
  const rooms = new Set(src.map(({ path }) => roomOf(path)));
  const known = [...Object.keys(MAY_IMPORT), ...COMPOSERS];
  expect([...rooms].filter((room) => !known.includes(room))).toEqual([]);
});

test("every room that is a folder is on the map of README.md", () => {
  const map = readFileSync(join(ROOT, "README.md"), "utf8");
  const rooms = new Set(src.map(({ path }) => roomOf(path)).filter((room) => !room.endsWith(".ts")));
  expect([...rooms].filter((room) => !map.includes(`| [src/${room}](src/${room}) |`))).toEqual([]);
});

test("the domain is pure: no package, no file, no clock, no chance", () => {
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

test("the process ends, and its environment is read, in few places", () => {
  const using = (pattern: RegExp) =>
    src.filter((source) => pattern.test(codeOf(source))).map(({ path }) => path);
  expect(using(/\bprocess\.exit\(/).sort()).toEqual(["src/cli/commands/serve.ts", "src/main.ts"]);
  expect(using(/\b(process|Bun)\.env\b/)).toEqual(["src/cli/terminal/process-host.ts"]);
});

test(`no file is over ${LONGEST} lines, but for those that have a reason and still need it`, () => {
  const long = src.filter(({ text }) => text.split("\n").length - 1 > LONGEST).map(({ path }) => path);
  expect(long.sort()).toEqual(Object.keys(MAY_BE_LONG).sort());
});

test("no name says that its maker had no better one", () => {
  const vague = /(^|\/)(utils?|helpers?|common|lib|core|misc|shared|index)(\.ts)?(\/|$)/;
  const paths = ["src", "test", "bench", "packaging"].flatMap((folder) =>
    sourcesIn(folder).map(({ path }) => path),
  );
  expect(paths.filter((path) => vague.test(path))).toEqual([]);
});

test("black-box tests import nothing of the product", () => {
  const tests = sourcesIn("test/blackbox");
  expect(tests).not.toBeEmpty();
  const support = sourcesIn("test/support");
  const known = tests.flatMap((source) =>
    importsOf(source)
      .filter(isRelative)
      .flatMap((specifier) => {
        const target = relative(ROOT, resolve(ROOT, dirname(source.path), specifier));
        const supporting = support.find(({ path }) => path === target);
        const isOfProduct =
          target.startsWith("src/") ||
          (supporting && importsOf(supporting).some((one) => one.includes("/src/")));
        return isOfProduct ? [`${source.path} imports ${target}`] : [];
      }),
  );
  expect(known).toEqual([]);
});

test("a test that is skipped or run alone is not committed", () => {
  const marked = sourcesIn("test").filter(
    ({ path, text }) =>
      path !== "test/architecture.test.ts" && /\b(test|describe|it)\.(only|skip|todo)\b/.test(text),
  );
  expect(marked.map(({ path }) => path)).toEqual([]);
});
