import { ConfigError } from "../config/config-error.ts";
import { Failure, OperatorError, UnreadableBackup } from "../domain/errors.ts";
import { FOLDER_REMEDY } from "../files/durable-files.ts";
import { CREDENTIAL_PATTERN, REDACTED } from "../secrets/credentials.ts";
import { NothingDone, UsageError } from "./command.ts";
import type { Output } from "./command-context.ts";
import { Interrupted } from "./command-interruption.ts";
import { OutputClosed } from "./terminal/process-command-host.ts";

/** The exit codes of a command. */
export const EXIT = {
  done: 0,
  failed: 1,
  badUsage: 2,
  nothingDone: 3,
  unreadableBackup: 4,
  /** A bug: EX_SOFTWARE of sysexits.h. */
  bug: 70,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

type Report = { error: string; hint?: string | undefined; stack?: string | undefined };

/**
 * Writes the error and its remedy to standard error, with `json` as one object, and returns the exit code. The stack of
 * an unexpected error is shown only if `verbose`.
 */
export function reportCommandError(
  error: unknown,
  { json, verbose, stderr }: { json: boolean; verbose: boolean; stderr: Output },
): number {
  if (error instanceof OutputClosed) return error.isTerminalLost ? EXIT.hungUp : EXIT.done;
  if (error instanceof Interrupted) return error.exitCode;
  const { stack, ...report } = describe(error);
  const shown: Report = verbose ? { ...report, stack } : report;
  stderr.write(`${withoutSecrets(json ? JSON.stringify(shown) : forPeople(shown))}\n`);
  if (error instanceof NothingDone) return EXIT.nothingDone;
  if (error instanceof UnreadableBackup) return EXIT.unreadableBackup;
  if (isBadUsage(error)) return EXIT.badUsage;
  return report.hint === BUG ? EXIT.bug : EXIT.failed;
}

/** Replaces credentials and passwords of URLs: an error may repeat a misplaced argument, and is often stored in a log. */
const withoutSecrets = (text: string) =>
  text.replace(CREDENTIAL_PATTERN, REDACTED).replace(/[^\s"]+/g, withoutPassword);

/** Replaces what follows the user's name in a URL, up to the last @: a password may contain any character. */
function withoutPassword(word: string): string {
  const end = word.lastIndexOf("@");
  const start = /:\/\/[^/:]*:/.exec(word.slice(0, Math.max(0, end)));
  if (!start) return word;
  return word.slice(0, start.index + start[0].length) + REDACTED + word.slice(end);
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
  return { error: message, hint: BUG, stack };
}

const BUG =
  "This is a bug in Mainstay. Run the command again with MAINSTAY_LOG__LEVEL=debug and report the output.";

/** Remedies for system errors, which the operator can fix. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: "The user that runs Mainstay lacks permission. Check the owner and the mode.",
  EPERM: "The user that runs Mainstay lacks permission. Check the owner and the mode.",
  ENOENT: "File or folder not found. Check the path.",
  ENOTDIR: "Part of the path is a file, not a folder. Check the path.",
  EEXIST: "A file exists where a folder is expected. Specify another path.",
  ELOOP: "Symbolic links form a loop. Specify another path.",
  ENAMETOOLONG: "The path is longer than the file system allows. Specify a shorter one.",
  EISDIR: FOLDER_REMEDY,
  EROFS: "The file system is read-only. Specify another folder with --data-dir.",
  ENOSPC: "The disk is full. Free some space and try again.",
  EDQUOT: "The disk quota is exceeded. Free some space and try again.",
  EIO: "The disk cannot be read or written. Look for its errors in the system's log (`journalctl -k`).",
  EMFILE: "Too many open files. Raise the limit (ulimit -n).",
  EADDRINUSE: "Another process is using this address. Stop it or choose another port.",
};

function unknownError(error: unknown): { code?: string; message: string; stack?: string } {
  return { message: String(error) };
}

function isBadUsage(error: unknown): boolean {
  if (error instanceof ConfigError) return error.problems.every((problem) => problem.startsWith("--"));
  return error instanceof UsageError;
}
