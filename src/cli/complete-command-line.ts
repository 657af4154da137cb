import type { Command, ListedCommand } from "./command.ts";
import type { Option, Options } from "./command-description.ts";
import { commandOptionFlag, GLOBAL_OPTIONS } from "./command-line-parser.ts";

/** The candidates at the cursor: words with their meanings, or file names. */
type Completion = { words: readonly { word: string; meaning: string }[]; files: boolean };

const NOTHING: Completion = { words: [], files: false };
const FILES: Completion = { words: [], files: true };
const PATHS = ["FILE", "DIR"];

/** Returns the candidates for the last word, which is still being typed. */
export function completeCommandLine(
  commands: readonly ListedCommand[],
  typed: readonly string[],
): Completion {
  const before = typed.slice(0, -1);
  const current = typed.at(-1) ?? "";
  const { command, next } = resolveCommand(commands, before);
  const options: Options = { ...command?.options, ...GLOBAL_OPTIONS };
  const option = optionBefore(options, before.at(-1));
  if (option) return startingWith(current, valuesOf(option));
  if (current.startsWith("-")) return startingWith(current, remainingOptions(options, before));
  if (command) return Object.keys(command.arguments).some((name) => /file|dir/i.test(name)) ? FILES : NOTHING;
  return startingWith(current, commandWords(next));
}

/** Returns the command that the words name, or the words that may follow on the way to one. */
function resolveCommand(
  commands: readonly ListedCommand[],
  words: readonly string[],
): { command?: Command; next: readonly ListedCommand[] } {
  let next = commands;
  for (const [i, word] of words.entries()) {
    const entry: ListedCommand | undefined = next.find(({ name }) => name === word);
    if (!entry || optionBefore(GLOBAL_OPTIONS, words[i - 1])) continue;
    if ("run" in entry) return { command: entry, next: [] };
    next = "commands" in entry ? entry.commands : [];
  }
  return { next };
}

/** Returns the option that the word names, if the option takes a value. */
const optionBefore = (options: Options, word: string | undefined): Option | undefined =>
  Object.entries(options).find(
    ([name, { placeholder }]) => placeholder && commandOptionFlag(name) === word,
  )?.[1];

const commandWords = (commands: readonly ListedCommand[]): Completion => ({
  words: commands.map(({ name, summary }) => ({ word: name, meaning: summary })),
  files: false,
});

/** Returns the options that are not given yet, and those that may be repeated. */
function remainingOptions(options: Options, given: readonly string[]): Completion {
  const words = Object.entries({ ...options, help: { description: "print this help", repeated: false } })
    .map(([name, { description, repeated }]) => ({
      word: commandOptionFlag(name),
      meaning: description,
      repeated,
    }))
    .filter(({ word, repeated }) => repeated || !given.includes(word));
  return { words, files: false };
}

/** Reads candidate values from the option's placeholder: `csv|json` in lower case, or a name such as FILE. */
function valuesOf({ placeholder = "" }: Option): Completion {
  if (PATHS.includes(placeholder)) return FILES;
  const choices = placeholder === placeholder.toLowerCase() ? placeholder.split("|") : [];
  return { words: choices.map((word) => ({ word, meaning: "" })), files: false };
}

const startingWith = (current: string, { words, files }: Completion): Completion => ({
  words: words.filter(({ word }) => word.startsWith(current)),
  files,
});

/** Formats candidates for the shell scripts: one word per line, then `:0` if file names are allowed, else `:4`. */
export function commandCompletionLines({ words, files }: Completion): string {
  return [...words.map(({ word, meaning }) => `${word}\t${meaning}`), `:${files ? 0 : 4}`, ""].join("\n");
}
