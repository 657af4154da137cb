import { SOURCE_ENTRY_FILE } from "./server-build-info.ts";

/** The environment variable that passes the id of the lock on calibrations from the server to its child process. */
export const FIT_LOCK = "MAINSTAY_FIT_LOCK";

type ChildCommand = {
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
};

/** A child process ended with a non-zero exit code. */
export class ServerChildCommandFailed extends Error {
  constructor(
    message: string,
    /** The JSON that it printed nevertheless. */
    readonly result: unknown,
    /** The remedy, if the command printed one. */
    readonly hint: string | undefined = undefined,
  ) {
    super(message);
  }
}

/**
 * Returns the command line that starts this executable. From its sources it is Bun with the program as its first
 * argument.
 */
export const serverExecutablePath = (): readonly string[] =>
  SOURCE_ENTRY_FILE === undefined ? [process.execPath] : [process.execPath, SOURCE_ENTRY_FILE];

/**
 * Variables that would turn the child into something other than this executable with these arguments, and those by which
 * the service manager hears of the server.
 */
const NOT_INHERITED = [
  "NOTIFY_SOCKET",
  "WATCHDOG_PID",
  "WATCHDOG_USEC",
  "BUN_BE_BUN",
  "BUN_OPTIONS",
  "BUN_INSPECT",
  "BUN_INSPECT_CONNECT_TO",
  "BUN_INSPECT_PRELOAD",
];

/**
 * Runs a command of this executable as a child process, with `--json`, and returns its result. Rejects with the
 * reported error if the command fails; kills it if the signal is aborted.
 */
export async function runServerChildProcess({ args, env, signal }: ChildCommand): Promise<unknown> {
  const child = Bun.spawn([...serverExecutablePath(), ...args, "--json"], {
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !NOT_INHERITED.includes(name))),
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code === 0) return JSON.parse(stdout);
  const { error, hint } = reported(stderr);
  const message = error ?? `\`mainstay ${args[0]}\` ended with ${child.signalCode ?? code}`;
  throw new ServerChildCommandFailed(message, stdout.startsWith("{") ? JSON.parse(stdout) : {}, hint);
}

/** Returns the error and its remedy as a text for people. */
export const serverChildFailureText = (failure: Error): string =>
  failure instanceof ServerChildCommandFailed && failure.hint !== undefined
    ? `${failure.message}. ${failure.hint}`
    : failure.message;

/** Parses the last line of stderr, the JSON in which a command reports its failure. */
function reported(stderr: string): { error?: string; hint?: string } {
  try {
    return JSON.parse(stderr.trimEnd().split("\n").at(-1)!);
  } catch {
    return {};
  }
}
