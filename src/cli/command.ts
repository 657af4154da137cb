import type { SettingKey } from "../config/settings.ts";
import { OperatorError } from "../domain/errors.ts";
import type { CommandContext } from "./command-context.ts";
import type { Arguments, DescribedBody, NamedCommand, Options, Parse } from "./command-description.ts";

/** The arguments, options and action of a command. Created by `defineCommand`. */
type CommandBody = DescribedBody & {
  /** True for a command that runs until it is stopped. It handles signals and uncaught errors itself. */
  longRunning: boolean;
  run(context: CommandContext, args: never, options: never): void | Promise<void>;
};

export type Command = NamedCommand & CommandBody;

/** Commands that share a first word, such as `partner create` and `partner list`. */
type CommandGroup = NamedCommand & { commands: readonly Command[] };

/** A row of the command table: the text that the help needs, and a loader for the rest. */
export type CommandEntry = NamedCommand & {
  load(): Promise<CommandBody | readonly Command[]>;
};

/** A loaded entry, or only the name and summary of an entry that the command line does not mention. */
export type ListedCommand = Command | CommandGroup | NamedCommand;

/** Loads the module of a listed command or group, and returns it with its name and summary. */
export async function loadCommandModule({
  name,
  summary,
  load,
}: CommandEntry): Promise<Command | CommandGroup> {
  const body = await load();
  return "run" in body ? { ...body, name, summary } : { name, summary, commands: body };
}

type Definition<A extends Arguments, O extends Options> = Pick<CommandBody, "description"> & {
  arguments?: A;
  options?: O;
  examples?: readonly string[];
  longRunning?: boolean;
  run(context: CommandContext, args: Values<A>, options: Values<O>): void | Promise<void>;
};

/**
 * Defines a command. The parameters of `run` get their types from the arguments and options. A command of a group has
 * its name and summary here; any other command has them in the command table.
 */
export function defineCommand<
  A extends Arguments = Record<never, never>,
  O extends Options = Record<never, never>,
>(definition: Definition<A, O> & NamedCommand): Command;
/**
 * Returns the definition with its defaults; the types of the values that `run` gets follow from the arguments and options.
 */
export function defineCommand<
  A extends Arguments = Record<never, never>,
  O extends Options = Record<never, never>,
>(definition: Definition<A, O>): CommandBody;
export function defineCommand(definition: Definition<Arguments, Options>): CommandBody {
  return { arguments: {}, options: {}, examples: [], longRunning: false, ...definition };
}

type Values<Shape> = { readonly [Name in keyof Shape]: ValueOf<Shape[Name]> };
type ValueOf<Item> = Item extends {
  parse: Parse<infer Value>;
  absent: infer Absent;
  repeated: infer Repeated;
}
  ? Repeated extends true
    ? readonly Value[]
    : Value | Absent
  : never;

/** The command ran without a fault but had no effect: exit code 3. */
export class NothingDone extends OperatorError {}

/** The command was used incorrectly: exit code 2. */
export class UsageError extends OperatorError {}

const asIs: Parse<string> = (text) => text;

/** The `absent` value of a required argument, typed so that the argument's type has no `undefined`. */
const never = undefined as never;

export const requiredCommandArgument = (description: string) =>
  ({ description, presence: "required", parse: asIs, absent: never, repeated: false }) as const;

export const optionalCommandArgument = (description: string) =>
  ({ description, presence: "optional", parse: asIs, absent: undefined, repeated: false }) as const;

/** A switch: true when given, else false. */
export const switchOption = (description: string) =>
  ({
    description,
    placeholder: undefined,
    parse: (): boolean => true,
    absent: false,
    repeated: false,
  }) as const;

/** An option with a value of any type; undefined when it is not given. */
export const valueOption = <Value>(placeholder: string, description: string, parse: Parse<Value>) =>
  ({ description, placeholder, parse, absent: undefined, repeated: false }) as const;

export const textOption = (placeholder: string, description: string) =>
  valueOption(placeholder, description, asIs);

/** An option that may be repeated; an empty list when it is not given. */
export const repeatableOption = (placeholder: string, description: string) =>
  ({ description, placeholder, parse: asIs, absent: [], repeated: true }) as const;

/** An option that takes a whole number from `min` to `max`, inclusive. */
export const wholeNumberOption = (
  placeholder: string,
  description: string,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
) =>
  valueOption(placeholder, description, (typed) => {
    const number = /^-?\d+$/.test(typed) ? Number(typed) : Number.NaN;
    if (number >= min && number <= max) return number;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new UsageError(`expected a whole number ${range}, got ${JSON.stringify(typed)}`);
  });

/** An option that takes one of `values`. The help lists them, or shows `placeholder` where the list is long. */
export const choiceOption = <const V extends readonly string[]>(
  values: V,
  description: string,
  placeholder = values.join("|"),
) =>
  valueOption(placeholder, description, (typed): V[number] => {
    if (values.includes(typed)) return typed;
    throw new UsageError(`expected ${values.join(" or ")}, got ${JSON.stringify(typed)}`);
  });

/** An option that overrides a setting. `context.config` already contains its value, validated like the setting. */
export const commandSettingOption = (key: SettingKey, placeholder: string, description: string) => ({
  ...textOption(placeholder, description),
  setting: key,
});
