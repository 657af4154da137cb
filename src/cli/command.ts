import type { SettingKey } from "../config/settings.ts";
import { OperatorError } from "../domain/errors.ts";
import type { Context } from "./context.ts";
import type { Arguments, Described, Named, Options, Parse } from "./described.ts";

/** What a command takes and does. Made by `command`. */
export type CommandBody = Described & {
  /** It runs until it is told to stop: signals and stray errors are its own business, not the program's. */
  longRunning: boolean;
  run(context: Context, args: never, options: never): void | Promise<void>;
};

export type Command = Named & CommandBody;

/** Commands under one word, such as `partner create` and `partner list`. */
export type CommandGroup = Named & { commands: readonly Command[] };

/** A line of the program's table: what the help needs, and where the rest is. */
export type Entry = Named & {
  load(): Promise<CommandBody | readonly Command[]>;
};

/** An entry that was loaded, or the name and the summary of one that nobody asked for. */
export type Listed = Command | CommandGroup | Named;

export async function loadEntry({ name, summary, load }: Entry): Promise<Command | CommandGroup> {
  const body = await load();
  return "run" in body ? { ...body, name, summary } : { name, summary, commands: body };
}

type Definition<A extends Arguments, O extends Options> = Pick<CommandBody, "description"> & {
  arguments?: A;
  options?: O;
  examples?: readonly string[];
  longRunning?: boolean;
  run(context: Context, args: Values<A>, options: Values<O>): void | Promise<void>;
};

/**
 * A command; what `run` receives is typed by its arguments and options. Name and summary stand here for one of several
 * under a word, else in the program's table.
 */
export function command<A extends Arguments = Record<never, never>, O extends Options = Record<never, never>>(
  definition: Definition<A, O> & Named,
): Command;
export function command<A extends Arguments = Record<never, never>, O extends Options = Record<never, never>>(
  definition: Definition<A, O>,
): CommandBody;
export function command(definition: Definition<Arguments, Options>): CommandBody {
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

/** All was as it should be but what was asked for: exit code 3. */
export class NothingDone extends OperatorError {}

/** Bad usage of a command: exit code 2. */
export class UsageError extends OperatorError {}

const asIs: Parse<string> = (text) => text;

/** For a value that is never absent, so that its type has no `undefined`. */
const never = undefined as never;

export const required = (description: string) =>
  ({ description, presence: "required", parse: asIs, absent: never, repeated: false }) as const;

export const optional = (description: string) =>
  ({ description, presence: "optional", parse: asIs, absent: undefined, repeated: false }) as const;

/** One or more. */
export const variadic = (description: string) =>
  ({ description, presence: "variadic", parse: asIs, absent: never, repeated: true }) as const;

/** An option that is there or not: true or false. */
export const flag = (description: string) =>
  ({
    description,
    placeholder: undefined,
    parse: (): boolean => true,
    absent: false,
    repeated: false,
  }) as const;

/** An option with a value of any kind; undefined when it isn't given. */
export const value = <Value>(placeholder: string, description: string, parse: Parse<Value>) =>
  ({ description, placeholder, parse, absent: undefined, repeated: false }) as const;

export const text = (placeholder: string, description: string) => value(placeholder, description, asIs);

/** An option that may be given many times; an empty list when it isn't given. */
export const many = (placeholder: string, description: string) =>
  ({ description, placeholder, parse: asIs, absent: [], repeated: true }) as const;

/** A whole number within the bounds, both included. */
export const whole = (placeholder: string, description: string, min: number, max = Number.MAX_SAFE_INTEGER) =>
  value(placeholder, description, (typed) => {
    const number = /^-?\d+$/.test(typed) ? Number(typed) : Number.NaN;
    if (number >= min && number <= max) return number;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new UsageError(`expected a whole number ${range}, got ${JSON.stringify(typed)}`);
  });

/** One of some words. The help shows them in the placeholder, or a name for them where they are many. */
export const choice = <const V extends readonly string[]>(
  values: V,
  description: string,
  placeholder = values.join("|"),
) =>
  value(placeholder, description, (typed): V[number] => {
    if (values.includes(typed)) return typed;
    throw new UsageError(`expected ${values.join(" or ")}, got ${JSON.stringify(typed)}`);
  });

/** An option that overrides a setting: `context.config` has it already, checked as the setting is. */
export const setting = (key: SettingKey, placeholder: string, description: string) => ({
  ...text(placeholder, description),
  setting: key,
});
