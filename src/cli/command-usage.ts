import type { CommanderError } from "commander";
import { closestSpelling } from "../spelling/closest-spelling.ts";
import { type ListedCommand, UsageError } from "./command.ts";

type Commands = readonly ListedCommand[];

/** Returns true if errors must be JSON, even if the command line cannot be parsed. */
export function isCommandJsonOutputAsked(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).includes("--json");
}

const OPTIONS_OF_HELP = ["-h", "--help", "--json"];

/** Rewrites `help partner create` as `partner create --help`. Returns any other command line unchanged. */
export function rewriteHelpAsOption(argv: readonly string[], commands: Commands): string[] {
  if (argv[0] !== "help") return [...argv];
  const path = argv.slice(1).filter((word) => !word.startsWith("-"));
  const unknown = argv.find((word) => word.startsWith("-") && !OPTIONS_OF_HELP.includes(word));
  if (unknown !== undefined) throw new UsageError(`unknown option '${unknown}'`, "See: mainstay help --help");
  let known = commands;
  for (const word of path) {
    const entry = known.find(({ name }) => name === word);
    if (!entry) throw unknownCommand(word, known);
    known = "commands" in entry ? entry.commands : [];
  }
  return [...path, "--help"];
}

/** Converts Commander's error, and adds a pointer to the command's help. */
export function asCommandUsageError(
  { code, message }: CommanderError,
  argv: readonly string[],
  commands: Commands,
) {
  const [problem = "", suggestion] = message.replace(/^error: /, "").split("\n");
  const path = ["mainstay", ...typedPath(argv, commands)].join(" ");
  return new UsageError(
    code === "commander.help" ? `${path} needs a command` : problem,
    [suggestion?.replace(/^\((.*)\)$/, "$1"), `See: ${path} --help`].filter(Boolean).join(" "),
  );
}

/** Adds a pointer to the command's help to a usage error without a hint. Returns any other error unchanged. */
export function withCommandHelpHint(error: unknown, argv: readonly string[], commands: Commands): unknown {
  if (!(error instanceof UsageError) || error.hint !== undefined) return error;
  return new UsageError(error.message, `See: ${["mainstay", ...typedPath(argv, commands)].join(" ")} --help`);
}

function unknownCommand(word: string, known: Commands): UsageError {
  const meant = closestSpelling(
    word,
    known.map(({ name }) => name),
  );
  return new UsageError(
    `unknown command '${word}'`,
    meant ? `Did you mean ${meant}?` : "See: mainstay --help",
  );
}

/** Returns the known words of the intended command. */
function typedPath(argv: readonly string[], commands: Commands): string[] {
  const path: string[] = [];
  let known = commands;
  for (const word of argv) {
    const entry = known.find(({ name }) => name === word);
    if (!entry) continue;
    path.push(word);
    known = "commands" in entry ? entry.commands : [];
  }
  return path;
}
