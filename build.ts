/*
 * Compiles the executable.
 *
 *   bun build.ts [--outfile FILE]             for this machine, with the runtime that runs this, to dist/mainstay
 *   bun build.ts --all [--into DIR]           a release: for every machine, to dist/release
 *   bun build.ts --target NAME [--into DIR]   for that machine only; may be given several times
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compile, OWN_TARGET, ROOT } from "./packaging/compile.ts";
import { release, TARGET_NAMES } from "./packaging/release.ts";

const { values } = parseArgs({
  options: {
    outfile: { type: "string" },
    all: { type: "boolean", default: false },
    target: { type: "string", multiple: true, default: [] },
    into: { type: "string", default: join(ROOT, "dist", "release") },
  },
});
const unknown = values.target.filter((name) => !TARGET_NAMES.includes(name));
if (unknown.length > 0) {
  console.error(`There is no target ${unknown.join(", ")}. There are: ${TARGET_NAMES.join(", ")}`);
  process.exit(2);
}

const names = values.all ? TARGET_NAMES : [...new Set(values.target)];
if (names.length > 0) {
  process.exitCode = (await release(names, values.into)) ? 0 : 1;
} else {
  const outfile = values.outfile ?? join(ROOT, "dist", "mainstay");
  await compile(undefined, outfile);
  console.log(`${outfile} for ${OWN_TARGET}, ${(Bun.file(outfile).size / 1e6).toFixed(0)} MB`);
}
