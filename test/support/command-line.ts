import { runCommandLine } from "../../src/cli/command-line-program.ts";
import type { Outcome } from "./mainstay.ts";

type Surroundings = {
  /** The working folder. */
  cwd: string;
  /** The root of the file system, in which a system configuration is searched; `cwd` when not given. */
  root?: string;
  env?: Readonly<Record<string, string>>;
  now?: () => number;
};

/**
 * Runs a command line of the program in the tests' own process, which loads it once for all of them: for a test of what
 * commands say, not of the executable.
 */
export async function runInProcess(
  argv: readonly string[],
  { cwd, root = cwd, env = {}, now = Date.now }: Surroundings,
): Promise<Outcome> {
  const outcome: Outcome = { code: -1, stdout: "", stderr: "" };
  const output = (stream: "stdout" | "stderr") => ({
    write(text: string) {
      outcome[stream] += text;
    },
  });
  outcome.code = await runCommandLine(argv, {
    stdout: output("stdout"),
    texts: output("stdout"),
    stderr: output("stderr"),
    logLines: output("stderr"),
    env,
    cwd,
    root,
    isTty: false,
    columns: 100,
    tableWidth: Number.POSITIVE_INFINITY,
    now,
    random: (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
    guard: () => {},
    betweenSteps: (yieldNow) => yieldNow,
    lowerPriority: () => {},
  });
  return outcome;
}
