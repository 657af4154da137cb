import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import pkg from "../package.json" with { type: "json" };
import { billOfMaterials } from "./bill-of-materials.ts";
import { commit, compile } from "./compile.ts";
import type { Contents } from "./contents.ts";
import { executableKind, HEAD_BYTES } from "./executable-kind.ts";

/** What a release consists of: Bun's target for each, and the kind of executable that must come of it. */
const TARGETS: Readonly<Record<string, { bun: string; kind: string }>> = {
  "linux-x64": { bun: "bun-linux-x64-baseline", kind: "ELF x64 glibc" },
  "linux-x64-musl": { bun: "bun-linux-x64-baseline-musl", kind: "ELF x64 musl" },
  "linux-arm64": { bun: "bun-linux-arm64", kind: "ELF arm64 glibc" },
  "darwin-arm64": { bun: "bun-darwin-arm64", kind: "Mach-O arm64" },
  "windows-x64": { bun: "bun-windows-x64-baseline", kind: "PE x64" },
};
export const TARGET_NAMES = Object.keys(TARGETS);

/**
 * Builds the named targets into the folder, with a bill of materials and SHA256SUMS, in place of what an earlier run
 * left there. A target that cannot be built is reported in one line and keeps none of the others from being built.
 * Whether all were.
 */
export async function release(names: readonly string[], folder: string): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder))
    if (/^mainstay-\d|^SHA256SUMS$/.test(file)) rmSync(join(folder, file), { recursive: true });
  if (commit().endsWith("-modified"))
    console.warn("The tree differs from its commit: not for others' hands.");

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
      console.error(`${name} was not built: ${inWords(error, name)}`);
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
  if (kind !== expected) throw new Error(`what came of it is no ${expected} but ${kind}`);
}

function inWords(error: unknown, name: string): string {
  const reasons = error instanceof AggregateError ? error.errors : [error];
  const reason = reasons.map((one) => (one instanceof Error ? one.message : String(one))).join("; ");
  if (!reason.includes("Failed to download")) return reason;
  return (
    `${reason}. Bun fetches its runtime for other machines from the npm registry: let this machine reach that, or ` +
    `build on a machine that does: bun build.ts --target ${name}`
  );
}

async function sha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(file)) hash.update(bytes);
  return hash.digest("hex");
}
