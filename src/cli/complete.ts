import type { Command, Listed } from "./command.ts";
import type { Option, Options } from "./described.ts";
import { GLOBAL_OPTIONS, optionForm } from "./parser.ts";

/** What may stand where the cursor is: words with what they mean, or any file's name. */
export type Completion = { words: readonly { word: string; meaning: string }[]; files: boolean };

const NOTHING: Completion = { words: [], files: false };
const FILES: Completion = { words: [], files: true };
const PATHS = ["FILE", "DIR"];

/** What the last of the words, which is being typed, may become. The others are whole. */
export function complete(commands: readonly Listed[], typed: readonly string[]): Completion {
  const before = typed.slice(0, -1);
  const current = typed.at(-1) ?? "";
  const { command, next } = walk(commands, before);
  const options: Options = { ...command?.options, ...GLOBAL_OPTIONS };
  const awaited = takesValue(options, before.at(-1));
  if (awaited) return starting(current, valuesOf(awaited));
  if (current.startsWith("-")) return starting(current, flags(options, before));
  if (command) return Object.keys(command.arguments).some((name) => /file|dir/i.test(name)) ? FILES : NOTHING;
  return starting(current, named(next));
}

/** The command that the words name, or what may come next on the way to one. */
function walk(
  commands: readonly Listed[],
  words: readonly string[],
): { command?: Command; next: readonly Listed[] } {
  let next = commands;
  for (const [i, word] of words.entries()) {
    const entry: Listed | undefined = next.find(({ name }) => name === word);
    if (!entry || takesValue(GLOBAL_OPTIONS, words[i - 1])) continue;
    if ("run" in entry) return { command: entry, next: [] };
    next = "commands" in entry ? entry.commands : [];
  }
  return { next };
}

/** The option that the word is, when what follows it is its value. */
const takesValue = (options: Options, word: string | undefined): Option | undefined =>
  Object.entries(options).find(([name, { placeholder }]) => placeholder && optionForm(name) === word)?.[1];

const named = (commands: readonly Listed[]): Completion => ({
  words: commands.map(({ name, summary }) => ({ word: name, meaning: summary })),
  files: false,
});

/** The options that were not given yet, but for those that may be given again. */
function flags(options: Options, given: readonly string[]): Completion {
  const words = Object.entries({ ...options, help: { description: "print this help", repeated: false } })
    .map(([name, { description, repeated }]) => ({ word: optionForm(name), meaning: description, repeated }))
    .filter(({ word, repeated }) => repeated || !given.includes(word));
  return { words, files: false };
}

/** An option's placeholder says what its value is: `csv|json` in the letters that are typed, or a name such as FILE. */
function valuesOf({ placeholder = "" }: Option): Completion {
  if (PATHS.includes(placeholder)) return FILES;
  const choices = placeholder === placeholder.toLowerCase() ? placeholder.split("|") : [];
  return { words: choices.map((word) => ({ word, meaning: "" })), files: false };
}

const starting = (current: string, { words, files }: Completion): Completion => ({
  words: words.filter(({ word }) => word.startsWith(current)),
  files,
});

/** As the shells' scripts read it: a line a word, and last what else the shell may offer (0 for files, 4 for none). */
export function completionLines({ words, files }: Completion): string {
  return [...words.map(({ word, meaning }) => `${word}\t${meaning}`), `:${files ? 0 : 4}`, ""].join("\n");
}
