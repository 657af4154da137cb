import { readFileSync } from "node:fs";
import { join } from "node:path";
import pkg from "../package.json" with { type: "json" };
import { commit, commitTime, ROOT } from "./compile.ts";
import type { Contents } from "./contents.ts";

/** A package in bun.lock: `name@version`, source, dependencies, and the hash of its archive. */
type Locked = readonly [id: string, source: string, dependencies: object, integrity: string];

/**
 * Returns the CycloneDX 1.6 bill of materials of an executable: the packages in its bundle, and Bun. The result does not
 * depend on the time or place of the build.
 */
export function billOfMaterials(contents: Contents): object {
  const paths = packagesIn(contents);
  const lock = Bun.JSONC.parse(readFileSync(join(ROOT, "bun.lock"), "utf8")) as {
    packages: Record<string, Locked>;
  };
  const components = new Map(paths.map((path) => [path, packageComponent(path, lock.packages)]));
  const ref = (path: string | undefined) =>
    path === undefined ? MAINSTAY : components.get(path)!["bom-ref"];

  const dependencies = new Map<string, Set<string>>([
    [MAINSTAY, new Set([BUN])],
    [BUN, new Set()],
  ]);
  for (const [file, { imports }] of Object.entries(contents.inputs)) {
    const from = packageOf(file);
    if (from !== undefined && !components.has(from)) continue;
    const known = dependencies.get(ref(from)) ?? new Set();
    dependencies.set(ref(from), known);
    for (const { path, entryPoint } of imports) {
      // The path of an import that is loaded later is that of the output.
      const to = packageOf(entryPoint ?? path);
      if (to !== undefined && to !== from && components.has(to)) known.add(ref(to));
    }
  }
  const timestamp = commitTime();
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      ...(timestamp !== undefined && { timestamp }),
      component: {
        type: "application",
        "bom-ref": MAINSTAY,
        name: pkg.name,
        version: pkg.version,
        description: pkg.description,
        properties: [{ name: "mainstay:commit", value: commit() }],
      },
    },
    components: byRef([
      BUN_COMPONENT,
      ...new Map([...components.values()].map((one) => [one.purl, one])).values(),
    ]),
    dependencies: [...dependencies]
      .map(([one, others]) => ({ ref: one, dependsOn: [...others].toSorted() }))
      .toSorted((a, b) => compare(a.ref, b.ref)),
  };
}

const MAINSTAY = `${pkg.name}@${pkg.version}`;
const BUN = `pkg:github/oven-sh/bun@bun-v${Bun.version}`;
/** The runtime, which makes up most of an executable. */
const BUN_COMPONENT = {
  type: "platform",
  "bom-ref": BUN,
  name: "bun",
  version: Bun.version,
  scope: "required",
  licenses: [{ license: { id: "MIT" } }],
  purl: BUN,
};

/** Returns the folders of the packages with bytes in the bundle. */
function packagesIn({ outputs }: Contents): string[] {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  return [...new Set(files.flatMap((file) => packageOf(file) ?? []))];
}

/** Returns the folder of a file's package, such as `node_modules/a/node_modules/@b/c`; undefined for the project's own files. */
function packageOf(file: string): string | undefined {
  return /(?:^|\/)((?:node_modules\/(?:@[^/]+\/)?[^/]+\/)+)/.exec(file)?.[1]?.slice(0, -1);
}

function packageComponent(path: string, locked: Readonly<Record<string, Locked>>) {
  const entry = locked[path.replaceAll("/node_modules/", "/").replace("node_modules/", "")];
  const { version: installed, license } = JSON.parse(readFileSync(join(ROOT, path, "package.json"), "utf8"));
  const [, name = "", version] = /^(.+)@([^@]+)$/.exec(entry?.[0] ?? "") ?? [];
  if (!entry || version !== installed)
    throw new Error(`${path} differs from bun.lock. Install again: bun install --frozen-lockfile`);
  if (typeof license !== "string")
    throw new Error(`${path} declares no license. Find its license and add it here`);
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    scope: "required",
    hashes: [{ alg: "SHA-512", content: hexOf(entry[3]) }],
    licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }],
    purl,
  };
}

function hexOf(integrity: string): string {
  return Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function byRef<T extends { "bom-ref": string }>(components: readonly T[]): T[] {
  return components.toSorted((a, b) => compare(a["bom-ref"], b["bom-ref"]));
}
