/*
 * Compiles the executable: `bun build.ts [--outfile dist/mainstay]`. What it embeds (migrations, knowledge base,
 * default configuration) it imports; what it stamps (version, commit, target) comes from package.json and git.
 */
import { chmodSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import pkg from "./package.json" with { type: "json" };

const root = import.meta.dir;

/** Bun's target for the machine that builds; on x64 the baseline one, which starts without AVX2. */
function nativeTarget(): string {
  const os = process.platform === "win32" ? "windows" : process.platform;
  const musl = os === "linux" && usesMusl() ? "-musl" : "";
  return process.arch === "x64" ? `bun-${os}-x64-baseline${musl}` : `bun-${os}-arm64${musl}`;
}

function usesMusl(): boolean {
  const header = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header.header?.glibcVersionRuntime === undefined;
}

/** The commit that is built, marked when the tree differs from it. */
function commit(): string {
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", ...args], { cwd: root })
      .stdout.toString()
      .trim();
  const head = git("rev-parse", "--short=12", "HEAD") || "unknown";
  return git("status", "--porcelain", "--untracked-files=no") === "" ? head : `${head}-modified`;
}

export async function build(target: string, outfile: string): Promise<void> {
  const folder = join(root, "dist", `.building-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // The output's name becomes part of its bytes: always the same one, in a folder of its own, and moved afterwards.
  const built = join(folder, target.includes("windows") ? "mainstay.exe" : "mainstay");
  const result = await Bun.build({
    entrypoints: [join(root, "src", "main.ts")],
    compile: {
      target: target as Bun.Build.CompileTarget,
      outfile: built,
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    bytecode: true,
    format: "cjs",
    minify: { whitespace: true, syntax: true, identifiers: false },
    define: {
      // What CommonJS modules would be given: the folder of the machine that builds.
      __dirname: JSON.stringify("/"),
      __filename: JSON.stringify("/mainstay"),
      "process.env.NODE_ENV": JSON.stringify("production"),
      MAINSTAY_VERSION: JSON.stringify(pkg.version),
      MAINSTAY_COMMIT: JSON.stringify(commit()),
      MAINSTAY_TARGET: JSON.stringify(target),
    },
  });
  if (!result.success) throw new AggregateError(result.logs, "the build failed");
  chmodSync(built, 0o755);
  renameSync(built, outfile);
  rmSync(folder, { recursive: true, force: true });
}

if (import.meta.main) {
  const at = process.argv.indexOf("--outfile");
  const outfile = at < 0 ? join(root, "dist", "mainstay") : process.argv[at + 1]!;
  const target = nativeTarget();
  await build(target, outfile);
  console.log(`${outfile} for ${target}, ${(Bun.file(outfile).size / 1e6).toFixed(0)} MB`);
}
