import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { outputOf, reproductionsIn } from "./support/bun-test.ts";

const folder = mkdtempSync(join(tmpdir(), "mainstay-run-"));
afterAll(() => rmSync(folder, { recursive: true }));

const SEED = '{ seed: -52234789, path: "2:1:3:1", endOnFailure: true }';

test("a file that fails and passes alone fails the run, which keeps the output and names the seeds", async () => {
  const file = join(folder, "unsteady.test.ts");
  const marker = join(folder, "has-failed");
  writeFileSync(
    file,
    `import { expect, test } from "bun:test";
    import { existsSync, writeFileSync } from "node:fs";
    import fc from "fast-check";
    test("passes the second time", () => {
      const isFirst = !existsSync(${JSON.stringify(marker)});
      writeFileSync(${JSON.stringify(marker)}, "");
      if (isFirst) throw new Error(${JSON.stringify(`Property failed\n${SEED}\n`)} + "Inputs: " + fc.sample(fc.nat(), 3));
    });`,
  );
  const run = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "run.ts"),
      "--seed",
      "7",
      "--unsteady",
      join(folder, "kept"),
      file,
    ],
    { cwd: join(import.meta.dir, ".."), stdio: ["ignore", "pipe", "pipe"] },
  );
  const [stdout, stderr] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
  ]);
  expect(stdout.trimEnd().split("\n").slice(-2)).toEqual([
    "Seed of the properties: 7",
    "0 passed, 1 failed, 1 unsteady file",
  ]);
  expect(await run.exited).toBe(1);
  const [, kept] = /Output of the failure: (.*)/.exec(stderr) ?? [];
  const failure = readFileSync(kept!, "utf8");
  expect(failure).toContain("(fail) passes the second time");
  expect(failure).toContain(`Inputs: ${fc.sample(fc.nat(), { numRuns: 3, seed: 7 })}`);
  expect(stderr.split("\n")).toContain(`  ${SEED}`);
});

test("the output of a file ends where that of the next begins", () => {
  const output = "\ntest/a.test.ts:\n(fail) one\n\ntest/b.test.ts:\n(fail) two\n\n 2 fail\n";
  expect(outputOf("test/a.test.ts", output)).toBe("test/a.test.ts:\n(fail) one\n");
  expect(outputOf("test/b.test.ts", output)).toBe("test/b.test.ts:\n(fail) two\n\n 2 fail\n");
  expect(outputOf("test/c.test.ts", output)).toBe("");
});

test("a failure is reproduced by its seeds, counterexamples and commands", () => {
  const command = "FUZZ_SEED=7 FUZZ_PATH=1:2 bun test test/blackbox/fuzz.test.ts";
  const output = `error: Property failed after 1 tests\n${SEED}\nCounterexample: [[4,11]]\n${command}\nseeds are sown\n`;
  expect(reproductionsIn(output)).toEqual([SEED, "Counterexample: [[4,11]]", command]);
});
