import { join } from "node:path";
import type { Subprocess } from "bun";

/*
 * Runs everything that must pass: `bun run check`. The build, Biome and TypeScript run side by side, and the tests as soon
 * as they have an executable. The first that fails ends the others, and its output is the last.
 */

const ROOT = join(import.meta.dir, "..");
const running = new Set<Subprocess>();
let failure: { command: string; output: string } | undefined;

type Output = "inherit" | "pipe";

/** Runs a command of `bun`; piped output is printed as a whole. Ends the others when it fails. */
async function run(
  command: string,
  output: Output = "pipe",
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  if (failure) return;
  const child = Bun.spawn([process.execPath, ...command.split(" ")], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", output, output],
  });
  running.add(child);
  const texts = await Promise.all(
    [child.stdout, child.stderr].map((stream) => (stream ? new Response(stream).text() : "")),
  );
  const exitCode = await child.exited;
  running.delete(child);
  if (failure) return;
  if (exitCode === 0) return void process.stdout.write(texts.join(""));
  failure = { command, output: texts.join("") };
  for (const other of running) other.kill();
}

/** Without cached runtimes and where none can be downloaded: the executable for this machine has the one that builds it. */
const OFFLINE = {
  BUN_INSTALL_CACHE_DIR: "/nonexistent",
  HTTPS_PROXY: "http://127.0.0.1:9",
  https_proxy: "http://127.0.0.1:9",
};

// One checker, since each that works beside it repeats some of its work: it takes two thirds of the processor time. The
// compiler's garbage collector runs when the heap is five times what was in use, not twice, which takes a fifth less.
const types = run("run tsc --noEmit --checkers 1", "pipe", { GOGC: "400" });
await Promise.all([run("build.ts", "pipe", OFFLINE), run("run biome check .")]);
await run("test/run.ts", "inherit");
await types;
if (failure) {
  console.error(`${failure.output}\nFailed: bun ${failure.command}`);
  process.exit(1);
}
