import { SOURCE_ENTRY_FILE } from "../server/server-build-info.ts";

/** The start of the names of the engine's settings, which it reads from the environment only. */
const PREFIX = "BUN_JSC_";

/**
 * Functions get to the last tier of the just-in-time compiler after ten times the usual number of calls. For functions that
 * are called less often it takes more processor time than it saves, a fifth of that of a server's first bulk requests.
 */
const SETTINGS = {
  [`${PREFIX}thresholdForFTLOptimizeAfterWarmUp`]: "1000000",
  [`${PREFIX}thresholdForFTLOptimizeSoon`]: "10000",
};

/** The commands that run for long enough. */
const COMMANDS: readonly (string | undefined)[] = ["serve", "snapshot", "import", "calibrate"];

/**
 * Starts this executable again in this process, with settings of its engine, if its command runs for long. Returns if the
 * environment has such settings, or if the system cannot do it. Called before anything is opened.
 */
export function restartCommandWithEngineSettings(argv: readonly string[], env: NodeJS.ProcessEnv): void {
  if (process.platform !== "linux" || SOURCE_ENTRY_FILE !== undefined || !COMMANDS.includes(argv[0])) return;
  if (Object.keys(env).some((name) => name.startsWith(PREFIX))) return;
  try {
    process.execve?.(process.execPath, [process.execPath, ...argv], { ...env, ...SETTINGS });
  } catch {
    // The command runs without them, for instance if the executable was replaced since it started.
  }
}
