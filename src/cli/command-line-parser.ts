import { Command as Commander, Option as CommanderOption } from "commander";
import type { Override } from "../config/load-config.ts";
import { BUILD } from "../server/server-build-info.ts";
import {
  type Command,
  commandSettingOption,
  type ListedCommand,
  switchOption,
  textOption,
  UsageError,
} from "./command.ts";
import type { GlobalOptions } from "./command-context.ts";
import type { Argument, Arguments, Option, Options } from "./command-description.ts";

/** A command with its validated values. */
type Invocation = {
  command: Command;
  args: Record<string, unknown>;
  options: Record<string, unknown>;
  given: GlobalOptions;
  overrides: Override[];
};

type ParserOptions = {
  invoke(invocation: Invocation): Promise<void>;
  writeHelp(text: string): void;
  /** Receives the help that is shown because a command is missing. */
  writeUsage(text: string): void;
  columns: number;
};

export const SUMMARY = "Predictive maintenance and risk intelligence for real estate, in one executable";

/** The options of every command, accepted before and after its name. */
export const GLOBAL_OPTIONS = {
  config: textOption(
    "FILE",
    "configuration file (default: MAINSTAY_CONFIG, else ./mainstay.toml, else /etc/mainstay/mainstay.toml)",
  ),
  dataDir: commandSettingOption("storage.data_dir", "DIR", "data folder (overrides storage.data_dir)"),
  json: switchOption("print one JSON object instead of text"),
} satisfies Options;

/** Builds a Commander program from the table. Its `parseAsync` throws CommanderError or UsageError on incorrect usage. */
export function createCommandParser(
  commands: readonly ListedCommand[],
  { invoke, writeHelp, writeUsage, columns }: ParserOptions,
): Commander {
  const program = new Commander("mainstay")
    .description(`${SUMMARY}.`)
    .version(`mainstay ${BUILD.version}`, "-V, --version", "print the version")
    .helpCommand("help [command...]", "print the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: writeHelp,
      writeErr: writeUsage,
      outputError: () => {}, // the error is also thrown, and reported by the caller
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  addGlobals(program);
  for (const entry of commands) addEntry(program, entry, invoke);
  return program;
}

function addEntry(parent: Commander, entry: ListedCommand, invoke: ParserOptions["invoke"]): void {
  const node = parent.command(entry.name).summary(entry.summary);
  addGlobals(node);
  if ("run" in entry) addCommand(node, entry, invoke);
  if ("commands" in entry) {
    node.description(asSentence(entry.summary)).helpCommand(false);
    for (const command of entry.commands) addEntry(node, command, invoke);
  }
}

function addCommand(node: Commander, command: Command, invoke: ParserOptions["invoke"]): void {
  const { summary, description, examples } = command;
  node.description([asSentence(summary), description].filter(Boolean).join("\n"));
  for (const [name, argument] of Object.entries(command.arguments)) {
    node.argument(commandArgumentForm(name, argument), argument.description);
  }
  addOptions(node, command.options);
  if (examples.length > 0) node.addHelpText("after", `\nExamples:\n  ${examples.join("\n  ")}`);
  node.action(() => {
    const typed = node.optsWithGlobals<Record<string, unknown>>();
    return invoke({
      command,
      args: parseArguments(command.arguments, node.processedArgs),
      options: parseOptions(command.options, typed),
      given: parseOptions(GLOBAL_OPTIONS, typed) as GlobalOptions,
      overrides: overridesIn({ ...GLOBAL_OPTIONS, ...command.options }, typed),
    });
  });
}

function addGlobals(node: Commander): void {
  addOptions(node.helpOption("-h, --help", "print this help"), GLOBAL_OPTIONS);
}

function addOptions(node: Commander, options: Options): void {
  for (const [name, { placeholder, description, repeated, setting }] of Object.entries(options)) {
    const option = new CommanderOption(
      commandOptionFlag(name) + (placeholder ? ` <${placeholder}>` : ""),
      description,
    );
    // Commander treats `--no-key` as the negation of `--key`; here it is a switch of its own.
    option.negate = false;
    if (repeated) option.argParser((text: string, before: string[] = []) => [...before, text]);
    // An option that overrides a setting may be repeated, and the last counts, so that a script can add its own.
    else if (placeholder && setting === undefined)
      option.argParser((text: string, before: string | undefined) => {
        if (before === undefined) return text;
        const [flag, values] = [
          commandOptionFlag(name),
          `${JSON.stringify(before)} and ${JSON.stringify(text)}`,
        ];
        throw new UsageError(`${flag} was given twice, with ${values}; give it once`);
      });
    node.addOption(option);
  }
}

function parseArguments(args: Arguments, typed: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, argument], i) => [
      name,
      parseTyped(argument, typed[i], commandArgumentForm(name, argument)),
    ]),
  );
}

function parseOptions(options: Options, typed: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      parseTyped(option, typed[name], commandOptionFlag(name)),
    ]),
  );
}

/** Parses a typed value: a text, a list of texts, true for a switch, or undefined. */
function parseTyped({ parse, absent }: Argument | Option, typed: unknown, form: string): unknown {
  if (typed === undefined) return absent;
  try {
    return Array.isArray(typed) ? typed.map((text) => parse(text)) : parse(typed as string);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${form}: ${error.message}`, error.hint) : error;
  }
}

function overridesIn(options: Options, typed: Record<string, unknown>): Override[] {
  return Object.entries(options).flatMap(([name, { setting: key }]) =>
    key && typed[name] !== undefined
      ? [{ key, text: typed[name] as string, flag: commandOptionFlag(name) }]
      : [],
  );
}

/** Returns the argument as the help shows it. */
export function commandArgumentForm(name: string, { presence }: Argument): string {
  const word = kebabCase(name);
  return { required: `<${word}>`, optional: `[${word}]`, variadic: `<${word}...>` }[presence];
}

/** Returns the option as it is typed. */
export function commandOptionFlag(name: string): string {
  return `--${kebabCase(name)}`;
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function asSentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
