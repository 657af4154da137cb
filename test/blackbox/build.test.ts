import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
let folder: string;
let builds: [string, string];

/** Two builds of what is checked out, one after the other. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mainstay-build-"));
  builds = [join(folder, "first"), join(folder, "second")];
  for (const outfile of builds) {
    const run = Bun.spawn([process.execPath, "build.ts", "--outfile", outfile], {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const complaints = await new Response(run.stderr).text();
    if ((await run.exited) !== 0) throw new Error(`the build failed:\n${complaints}`);
  }
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

const bytesOf = async (file: string) => Buffer.from(await Bun.file(file).arrayBuffer());

test("two builds of one commit have the same bytes, whatever they are called", async () => {
  const [first, second] = await Promise.all(builds.map(bytesOf));
  expect(first!.equals(second!)).toBe(true);
});

test("an executable does not tell where it was built", async () => {
  const bytes = await bytesOf(builds[0]);
  for (const encoding of ["utf8", "utf16le"] as const)
    expect(bytes.includes(Buffer.from(`${ROOT}/`, encoding)), encoding).toBe(false);
});

test("an executable runs with nothing else installed, and stays in production whatever the environment says", async () => {
  const env = { PATH: "/nonexistent", NODE_ENV: "development" };
  const run = Bun.spawnSync([builds[0], "version", "--json"], { cwd: folder, env });
  expect(run.exitCode).toBe(0);
  expect(JSON.parse(run.stdout.toString()).name).toBe("mainstay");
  expect(existsSync(join(folder, "node_modules"))).toBe(false);
});
