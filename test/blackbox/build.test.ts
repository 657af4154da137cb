import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import pkg from "../../package.json" with { type: "json" };
import { TEST_TIMEOUT_MS } from "../support/eventually.ts";

const ROOT = join(import.meta.dir, "../..");
const OWN = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const FOREIGN = OWN === "darwin-arm64" ? "linux-arm64" : "darwin-arm64";
const NAME = `mainstay-${pkg.version}-${OWN}${OWN.startsWith("windows") ? ".exe" : ""}`;
const BILL = `mainstay-${pkg.version}.cdx.json`;

/** An address without a listener. */
const NOWHERE = "http://127.0.0.1:9";

setDefaultTimeout(TEST_TIMEOUT_MS);
let folder: string;
let releases: [string, string];
/** The result of the second release, for a machine whose runtime could not be downloaded. */
let partial: { code: number; stderr: string };

async function build(args: readonly string[], env: Record<string, string> = {}) {
  const run = Bun.spawn([process.execPath, "build.ts", ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stderr = await new Response(run.stderr).text();
  return { code: await run.exited, stderr };
}

/** A cache of Bun's that holds the runtimes of this machine's own build, and no other. */
function ownRuntimes(): string {
  const cache = join(folder, "cache");
  mkdirSync(cache);
  const usual = Bun.spawnSync([process.execPath, "pm", "cache"], { cwd: ROOT }).stdout.toString().trim();
  const own = /^bun-(linux-x64-baseline|linux-aarch64|darwin-aarch64|windows-x64-baseline)-v/;
  const foreign = FOREIGN.replace("arm64", "aarch64");
  for (const entry of readdirSync(usual))
    if (own.test(entry) && !entry.includes(foreign)) symlinkSync(join(usual, entry), join(cache, entry));
  return cache;
}

/**
 * Two releases of what is checked out, for this machine, one after the other: the second one asked for another machine
 * too, where nothing but what this machine's own build takes is at hand, and nothing can be fetched.
 */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mainstay-build-"));
  releases = [join(folder, "first"), join(folder, "second")];
  const { code, stderr } = await build(["--target", OWN, "--into", releases[0]]);
  if (code !== 0) throw new Error(`the build failed:\n${stderr}`);
  partial = await build(["--target", FOREIGN, "--target", OWN, "--into", releases[1]], {
    BUN_INSTALL_CACHE_DIR: ownRuntimes(),
    HTTPS_PROXY: NOWHERE,
    https_proxy: NOWHERE,
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

const bytesOf = (...path: string[]) => readFileSync(join(...path));

test("two builds of one commit have the same bytes, in any folder", () => {
  const [first, second] = releases;
  expect(readdirSync(first).toSorted()).toEqual(["SHA256SUMS", NAME, BILL].toSorted());
  for (const file of readdirSync(first))
    expect(bytesOf(first, file).equals(bytesOf(second, file)), file).toBe(true);
});

test("nothing in a release discloses where it was built", () => {
  for (const file of readdirSync(releases[0]))
    for (const encoding of ["utf8", "utf16le"] as const)
      expect(bytesOf(releases[0], file).includes(Buffer.from(`${ROOT}/`, encoding)), file).toBe(false);
});

test("an executable runs with nothing else installed, and stays in production mode in any environment", () => {
  const env = { PATH: "/nonexistent", NODE_ENV: "development" };
  const run = Bun.spawnSync([join(releases[0], NAME), "version", "--json"], { cwd: folder, env });
  expect(run.exitCode).toBe(0);
  expect(JSON.parse(run.stdout.toString())).toMatchObject({ name: "mainstay", bun: Bun.version });
  expect(existsSync(join(folder, "node_modules"))).toBe(false);
});

test("sha256sum accepts a release, and detects a changed byte", async () => {
  const check = () => Bun.spawnSync(["sha256sum", "--check", "--strict", "SHA256SUMS"], { cwd: releases[1] });
  const good = check();
  expect(good.stdout.toString().trim().split("\n").toSorted()).toEqual(
    [`${NAME}: OK`, `${BILL}: OK`].toSorted(),
  );
  expect(good.exitCode).toBe(0);
  const bill = bytesOf(releases[1], BILL);
  Bun.spawnSync(["sh", "-c", `printf ' ' >> ${BILL}`], { cwd: releases[1] });
  const bad = check();
  expect(bad.stdout.toString()).toContain(`${BILL}: FAILED`);
  expect(bad.exitCode).toBe(1);
  await Bun.write(join(releases[1], BILL), bill);
});

test("a target whose runtime can't be downloaded is reported with a remedy, and the others are built", () => {
  const { code, stderr } = partial;
  expect(code).toBe(1);
  const complaints = stderr.split("\n").filter((line) => line.includes(FOREIGN));
  expect(complaints).toHaveLength(1);
  expect(complaints[0]).toStartWith(`${FOREIGN} was not built: Failed to download`);
  expect(complaints[0]).toEndWith(`bun build.ts --target ${FOREIGN}`);
  expect(readdirSync(releases[1]).toSorted()).toEqual(["SHA256SUMS", NAME, BILL].toSorted());
});

test("an unknown target is rejected with the list of targets", async () => {
  const { code, stderr } = await build(["--target", "linux-sparc"]);
  expect(code).toBe(2);
  expect(stderr).toContain("There is no target linux-sparc. There are: linux-x64, ");
});

describe("the bill of materials", () => {
  const bill = () => JSON.parse(bytesOf(releases[0], BILL).toString());
  type Component = { name: string; version: string; purl: string; licenses: unknown[]; hashes?: unknown[] };
  const libraries = (): Component[] =>
    bill().components.filter(({ type }: { type: string }) => type === "library");

  test("conforms to CycloneDX 1.6", () => {
    const folder = join(ROOT, "node_modules/@cyclonedx/cyclonedx-library/res/schema");
    const schema = (file: string) => JSON.parse(bytesOf(folder, file).toString());
    const ajv = new Ajv({ strict: false, formats: { "iri-reference": true, "idn-email": true } });
    addFormats(ajv);
    // The schema refers to others by their files' names.
    for (const file of ["spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json"])
      ajv.addSchema({ ...schema(file), $id: `http://cyclonedx.org/schema/${file}` });
    const validate = ajv.compile(schema("bom-1.6.SNAPSHOT.schema.json"));
    validate(bill());
    expect(validate.errors).toBeNull();
    expect(validate({ ...bill(), components: [{ type: "library" }] })).toBe(false);
  });

  test("has every package that was bundled, and no other", async () => {
    const bundled = await Bun.build({
      entrypoints: [join(ROOT, "src/main.ts")],
      target: "bun",
      minify: { whitespace: true, syntax: true },
      metafile: true,
    });
    const folders = Object.values(bundled.metafile!.outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .filter(([file, { bytesInOutput }]) => file.includes("node_modules/") && bytesInOutput > 0)
      .map(([file]) => {
        const [beyond] = /^(@[^/]+\/)?[^/]+/.exec(file.split("node_modules/").at(-1)!)!;
        return `${file.slice(0, file.lastIndexOf("node_modules/"))}node_modules/${beyond}`;
      });
    // The bundler that makes the executable does not see into what browsers load.
    folders.push("node_modules/@picocss/pico");
    const packages = [...new Set(folders)].map((path) => {
      const { name, version } = JSON.parse(bytesOf(ROOT, path, "package.json").toString());
      return `${name}@${version}`;
    });
    expect(packages.length).toBeGreaterThan(40);
    expect(
      libraries()
        .map(({ name, version }) => `${name}@${version}`)
        .toSorted(),
    ).toEqual(packages.toSorted());
  });

  test("has every dependency, no development dependency, and Bun", () => {
    const names = libraries().map(({ name }) => name);
    expect(Object.keys(pkg.dependencies).filter((name) => !names.includes(name))).toEqual([]);
    expect(Object.keys(pkg.devDependencies).filter((name) => names.includes(name))).toEqual([]);
    expect(bill().components).toContainEqual(
      expect.objectContaining({ type: "platform", name: "bun", version: Bun.version }),
    );
  });

  test("lists the origin of each package, its license, and the hash in the lock file", () => {
    const lock = bytesOf(ROOT, "bun.lock").toString();
    for (const { name, version, purl, licenses, hashes } of libraries()) {
      expect(purl).toBe(`pkg:npm/${name.replace("@", "%40")}@${version}`);
      expect(licenses).toHaveLength(1);
      const [{ alg, content }] = hashes as [{ alg: string; content: string }];
      expect(alg).toBe("SHA-512");
      const line = lock.split("\n").find((one) => one.includes(`["${name}@${version}",`));
      expect(line).toContain(`"sha512-${Buffer.from(content, "hex").toString("base64")}"`);
    }
  });

  test("links Mainstay to every component through its dependencies", () => {
    const { components, dependencies, metadata } = bill();
    const needs = new Map<string, string[]>(
      dependencies.map(({ ref, dependsOn }: { ref: string; dependsOn: string[] }) => [ref, dependsOn]),
    );
    const reached = new Set<string>([metadata.component["bom-ref"]]);
    for (const ref of reached) for (const other of needs.get(ref)!) reached.add(other);
    const known = [metadata.component, ...components].map((one) => one["bom-ref"] as string);
    expect([...reached].toSorted()).toEqual(known.toSorted());
  });
});
