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

async function compilerErrors(): Promise<string> {
  const run = Bun.spawn([process.execPath, TSC, "--noEmit", "--project", copy, "--pretty", "false"], {
    cwd: copy,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return await new Response(run.stdout).text();
}

test("adding a field needs exactly the diff in CONTRIBUTING: without its last line the code does not compile", async () => {
  expect(hunks.map(({ file }) => file)).toEqual([
    "src/domain/figures/reserve.ts",
    "src/domain/figures/reserve.ts",
    "src/api-schemas/figures-schema.ts",
    "src/api-schemas/figures-schema.ts",
  ]);
  for (const hunk of hunks.slice(0, -1)) change(hunk);
  expect(await compilerErrors()).toMatch(/src\/api-schemas\/figures-schema\.ts.*error TS/);
  change(hunks.at(-1)!);
  expect(await compilerErrors()).toBe("");
});
