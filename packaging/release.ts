import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import pkg from "../package.json" with { type: "json" };
import { billOfMaterials } from "./bill-of-materials.ts";
import { commit, compile } from "./compile.ts";
import type { Contents } from "./contents.ts";
import { executableKind, HEAD_BYTES } from "./executable-kind.ts";

/** The executables of a release: Bun's target and the expected kind of each. */
const TARGETS: Readonly<Record<string, { bun: string; kind: string }>> = {
  "linux-x64": { bun: "bun-linux-x64-baseline", kind: "ELF x64 glibc" },
  "linux-x64-musl": { bun: "bun-linux-x64-baseline-musl", kind: "ELF x64 musl" },
  "linux-arm64": { bun: "bun-linux-arm64", kind: "ELF arm64 glibc" },
  "darwin-arm64": { bun: "bun-darwin-arm64", kind: "Mach-O arm64" },
  "windows-x64": { bun: "bun-windows-x64-baseline", kind: "PE x64" },
};
export const TARGET_NAMES = Object.keys(TARGETS);

/**
 * Builds the targets, a bill of materials and SHA256SUMS in the folder, and replaces the files of an earlier run. Reports
 * a target that cannot be built in one line and continues with the others. Returns true if all were built.
 */
export async function release(names: readonly string[], folder: string): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder))
    if (/^mainstay-\d|^SHA256SUMS$/.test(file)) rmSync(join(folder, file), { recursive: true });
  if (commit().endsWith("-modified"))
    console.warn("The work tree is modified: do not distribute this build.");

  const files: string[] = [];
  let contents: Contents | undefined;
  for (const name of names) {
    const { bun, kind } = TARGETS[name]!;
    const file = join(folder, `mainstay-${pkg.version}-${name}${name.startsWith("windows") ? ".exe" : ""}`);
    try {
      contents = await compile(bun, file);
      await checkKind(file, kind);
    } catch (error) {
      rmSync(file, { force: true });
      console.error(`${name} was not built: ${reasonOf(error, name)}`);
      continue;
    }
    files.push(file);
    console.log(`${file} for ${bun}, ${(statSync(file).size / 1e6).toFixed(0)} MB`);
  }
  if (contents === undefined) return false;

  const bill = join(folder, `mainstay-${pkg.version}.cdx.json`);
  writeFileSync(bill, `${JSON.stringify(billOfMaterials(contents), null, 2)}\n`);
  const sums = await Promise.all(
    [...files, bill].map(async (file) => `${await sha256(file)}  ${basename(file)}\n`),
  );
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
  console.log(`${bill}\n${join(folder, "SHA256SUMS")}`);
  return files.length === names.length;
}

async function checkKind(file: string, expected: string): Promise<void> {
  const kind = executableKind(await Bun.file(file).slice(0, HEAD_BYTES).bytes());
  if (kind !== expected) throw new Error(`expected ${expected}, got ${kind}`);
}

function reasonOf(error: unknown, name: string): string {
  const reasons = error instanceof AggregateError ? error.errors : [error];
  const reason = reasons.map((one) => (one instanceof Error ? one.message : String(one))).join("; ");
  if (!reason.includes("Failed to download")) return reason;
  return (
    `${reason}. Bun downloads its runtime for other machines from the npm registry: give this machine access to it, or ` +
    `build on a machine with access: bun build.ts --target ${name}`
  );
}

async function sha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(file)) hash.update(bytes);
  return hash.digest("hex");
}
