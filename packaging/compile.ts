import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import pkg from "../package.json" with { type: "json" };
import { FILES } from "../src/knowledge/knowledge-files.ts";
import { readKnowledge } from "../src/knowledge/read-knowledge.ts";
import type { Contents } from "./contents.ts";
import { bundlePages, embeddingPages } from "./pages.ts";

export const ROOT = join(import.meta.dir, "..");

/** Bun's name for the target of this machine and runtime. */
export const OWN_TARGET = ownTarget();

/**
 * Compiles the executable for one of Bun's targets, or for this machine, which needs no download. It embeds its imports:
 * migrations, knowledge base, default configuration and pages. Version, commit and target come from package.json and git.
 * The same commit gives the same bytes, whatever the file name.
 */
export async function compile(target: string | undefined, outfile: string): Promise<Contents> {
  readKnowledge(FILES); // throws if it is inconsistent; the executable does not validate it again
  // Beside the output, since a file cannot be moved to another file system.
  mkdirSync(dirname(outfile), { recursive: true });
  const folder = mkdtempSync(join(dirname(outfile), ".building-"));
  try {
    // The output's name is part of its bytes, so build under a constant name and move the file.
    const built = join(folder, (target ?? OWN_TARGET).includes("windows") ? "mainstay.exe" : "mainstay");
    const pages = await bundlePages("best");
    const result = await Bun.build({
      plugins: [embeddingPages(pages.assets)],
      entrypoints: [join(ROOT, "src", "main.ts")],
      compile: {
        ...(target !== undefined && { target: target as Bun.Build.CompileTarget }),
        outfile: built,
        autoloadDotenv: false,
        autoloadBunfig: false,
      },
      bytecode: true,
      // A command loads the files of its imports only: all of them took a third of the processor time of a short one.
      format: "esm",
      splitting: true,
      minify: { whitespace: true, syntax: true, identifiers: false },
      metafile: true,
      define: {
        // Otherwise CommonJS modules would contain paths of the build machine.
        __dirname: JSON.stringify("/"),
        __filename: JSON.stringify("/mainstay"),
        "process.env.NODE_ENV": JSON.stringify("production"),
        MAINSTAY_VERSION: JSON.stringify(pkg.version),
        MAINSTAY_COMMIT: JSON.stringify(commit()),
        MAINSTAY_TARGET: JSON.stringify(target ?? OWN_TARGET),
      },
    });
    if (!result.success) throw new AggregateError(result.logs, "the build failed");
    chmodSync(built, 0o755);
    renameSync(built, outfile);
    return {
      inputs: { ...pages.contents.inputs, ...result.metafile!.inputs },
      outputs: { ...pages.contents.outputs, ...result.metafile!.outputs },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the commit, with a suffix if the work tree is modified. */
export function commit(): string {
  const head = git("rev-parse", "--short=12", "HEAD") || "unknown";
  return git("status", "--porcelain", "--untracked-files=no") === "" ? head : `${head}-modified`;
}

/** Returns the time of the commit in ISO 8601 (UTC); undefined outside a repository. */
export function commitTime(): string | undefined {
  const seconds = git("log", "-1", "--format=%ct");
  return seconds === "" ? undefined : new Date(Number(seconds) * 1000).toISOString();
}

function git(...args: string[]): string {
  return Bun.spawnSync(["git", ...args], { cwd: ROOT })
    .stdout.toString()
    .trim();
}

function ownTarget(): string {
  const os = process.platform === "win32" ? "windows" : process.platform;
  return `bun-${os}-${process.arch}${os === "linux" && usesMusl() ? "-musl" : ""}`;
}

function usesMusl(): boolean {
  const header = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header.header?.glibcVersionRuntime === undefined;
}
