import { PROGRAM_FILE } from "./build-info.ts";

/** The environment variable that passes the id of the lock on calibrations from the server to its child process. */
export const FIT_LOCK = "MAINSTAY_FIT_LOCK";

export type OwnCommand = {
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
};

/** It ended with an exit code that is not 0. */
export class OwnCommandFailed extends Error {
  constructor(
    message: string,
    /** The JSON that it printed all the same. */
    readonly result: unknown,
    /** What to do about it, where it said so. */
    readonly hint: string | undefined = undefined,
  ) {
    super(message);
  }
}

/** What starts this executable once more. Run from its sources it is Bun, whose first argument is the program. */
export const ownProgram = (): readonly string[] =>
  PROGRAM_FILE === undefined ? [process.execPath] : [process.execPath, PROGRAM_FILE];

/** Variables that would make of the child something else than this executable with these arguments. */
const NOT_INHERITED = [
  "BUN_BE_BUN",
  "BUN_OPTIONS",
  "BUN_INSPECT",
  "BUN_INSPECT_CONNECT_TO",
  "BUN_INSPECT_PRELOAD",
];

/**
 * Runs a command of this same executable as a process of its own, with `--json`, to its end. Rejects with what it
 * reported when it fails; when the signal is given it is killed.
 */
export async function runOwnCommand({ args, env, signal }: OwnCommand): Promise<unknown> {
  const child = Bun.spawn([...ownProgram(), ...args, "--json"], {
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
  throw new OwnCommandFailed(message, stdout.startsWith("{") ? JSON.parse(stdout) : {}, hint);
}

/** What went wrong and what to do about it, for a person who has asked for it by another way than the command. */
export const inWords = (failure: Error): string =>
  failure instanceof OwnCommandFailed && failure.hint !== undefined
    ? `${failure.message}. ${failure.hint}`
    : failure.message;

/** The last line, a JSON object that a command reports its failure with. */
function reported(stderr: string): { error?: string; hint?: string } {
  try {
    return JSON.parse(stderr.trimEnd().split("\n").at(-1)!);
  } catch {
    return {};
  }
}
