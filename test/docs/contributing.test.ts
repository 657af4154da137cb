import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

type Hunk = { file: string; before: string; after: string };

/** Returns the hunks of the document's diff with their files. */
function hunksOf(manual: string): Hunk[] {
  const diff = /```diff\n([\s\S]*?)```/.exec(manual)![1]!;
  return diff
    .split(/^--- a\//m)
    .slice(1)
    .flatMap((part) => {
      const [file = "", ...hunks] = part.split(/^@@\n/m);
      return hunks.map((hunk) => {
        const lines = hunk.trimEnd().split("\n");
        const side = (mark: string) =>
          lines.filter((line) => line[0] === " " || line[0] === mark).map((line) => line.slice(1));
        return { file: file.split("\n", 1)[0]!, before: side("-").join("\n"), after: side("+").join("\n") };
      });
    });
}

const hunks = hunksOf(readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8"));
let copy: string;
beforeAll(() => {
  const parent = join(ROOT, "node_modules/.cache");
  mkdirSync(parent, { recursive: true });
  copy = mkdtempSync(join(parent, "mainstay-"));
  for (const room of [
    "src/domain",
    "src/monitoring",
    "src/cluster",
    "src/event-loop/event-loop.ts",
    "src/api-schemas",
    "src/config/effective-setting.ts",
    "src/logging/logged-error.ts",
    "src/pms/pms-connection-report.ts",
    "src/table-cells",
    "src/validation/arktype-validators.ts",
  ])
    cpSync(join(ROOT, room), join(copy, room), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  const config = JSON.parse(readFileSync(join(ROOT, "tsconfig.json"), "utf8"));
  writeFileSync(join(copy, "tsconfig.json"), JSON.stringify({ ...config, include: ["src"] }));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function change({ file, before, after }: Hunk): void {
  const path = join(copy, file);
  const text = readFileSync(path, "utf8");
  expect(text.split(before), `${file} has once:\n${before}`).toHaveLength(2);
  writeFileSync(
    path,
    text.replace(before, () => after),
  );
}

/** Returns the files that do not compile. */
async function filesWithErrors(): Promise<Set<string>> {
  const options = ["--noEmit", "--checkers", "1", "--pretty", "false"];
  const run = Bun.spawn([process.execPath, TSC, ...options, "--project", copy], {
    cwd: copy,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors = (await new Response(run.stdout).text()).matchAll(/^(\S+?)\(\d+,\d+\): error TS/gm);
  return new Set([...errors].map(([, file]) => file!));
}

test("adding a field needs exactly the diff in CONTRIBUTING: without its last line the code does not compile", async () => {
  const schema = "src/api-schemas/figures-schema.ts";
  const withoutLastLine = "src/api-schemas/figures-schema-without-last-line.ts";
  expect(hunks.map(({ file }) => file)).toEqual([
    "src/domain/figures/reserve.ts",
    "src/domain/figures/reserve.ts",
    schema,
    schema,
  ]);
  for (const hunk of hunks.slice(0, -1)) change(hunk);
  // Beside the complete file, so that the compiler runs once.
  cpSync(join(copy, schema), join(copy, withoutLastLine));
  change(hunks.at(-1)!);
  expect(await filesWithErrors()).toEqual(new Set([withoutLastLine]));
});
