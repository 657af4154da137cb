import { ConfigError } from "../config/config-error.ts";
import { Failure, OperatorError } from "../domain/errors.ts";
import { NothingDone, UsageError } from "./command.ts";
import type { Output } from "./context.ts";
import { OutputClosed } from "./terminal/process-host.ts";

/** How a command may end. */
export const EXIT = {
  done: 0,
  failed: 1,
  badUsage: 2,
  nothingDone: 3,
  interrupted: 130,
  terminated: 143,
} as const;

type Report = { error: string; hint?: string | undefined; stack?: string | undefined };

/**
 * Tells the operator what went wrong, what to do, and returns the exit code. With `json` it is one object on standard
 * error. An unexpected error's stack is shown only when `verbose`.
 */
export function reportError(
  error: unknown,
  { json, verbose, stderr }: { json: boolean; verbose: boolean; stderr: Output },
): number {
  if (error instanceof OutputClosed) return EXIT.done;
  const { stack, ...report } = describe(error);
  const shown: Report = verbose ? { ...report, stack } : report;
  stderr.write(`${json ? JSON.stringify(shown) : forPeople(shown)}\n`);
  if (error instanceof NothingDone) return EXIT.nothingDone;
  return isBadUsage(error) ? EXIT.badUsage : EXIT.failed;
}

function forPeople({ error, hint, stack }: Report): string {
  return [`mainstay: ${error}`, hint, stack].filter(Boolean).join("\n");
}

function describe(error: unknown): Report {
  if (error instanceof OperatorError) return { error: error.message, hint: error.hint };
  if (error instanceof Failure) return { error: error.message };
  const { code, message, stack } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : unknownError(error);
  const remedy = code === undefined ? undefined : REMEDIES[code];
  if (remedy) return { error: message, hint: remedy, stack };
  return { error: message, hint: FAULT, stack };
}

const FAULT =
  "This is a fault in Mainstay. Run it again with MAINSTAY_LOG__LEVEL=debug and report what it prints.";

/** What the machine refuses is for its operator to mend. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: "The user that runs Mainstay lacks the right; check owner and permissions.",
  EPERM: "The user that runs Mainstay lacks the right; check owner and permissions.",
  ENOENT: "There is no such file or folder; check the path.",
  ENOTDIR: "A part of the path is a file, not a folder; check the path.",
  EEXIST: "A file stands where a folder belongs; name another path.",
  EISDIR: "That is a folder; name a file.",
  EROFS: "The file system is read-only; name another folder by --data-dir.",
  ENOSPC: "The disk is full; make room and run it again.",
  EDQUOT: "The disk quota is used up; make room and run it again.",
  EMFILE: "Too many open files; raise the limit (ulimit -n).",
  EADDRINUSE: "Another process listens there; stop it or choose another port.",
};

function unknownError(error: unknown): { code?: string; message: string; stack?: string } {
  return { message: String(error) };
}

function isBadUsage(error: unknown): boolean {
  if (error instanceof ConfigError) return error.problems.every((problem) => problem.startsWith("--"));
  return error instanceof UsageError;
}
