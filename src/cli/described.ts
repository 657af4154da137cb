import type { SettingKey } from "../config/settings.ts";

/* What a command says of itself: the parser, the help, the manual page and the shells' completion read it. */

/** A word of the command line. */
export type Named = {
  name: string;
  /** One line, without a full stop. */
  summary: string;
};

export type Described = {
  /** More for its `--help`, when the summary doesn't say it all. */
  description?: string;
  arguments: Arguments;
  options: Options;
  /** Whole command lines, shown in `--help`. */
  examples: readonly string[];
};

/** A command by all its words, such as `partner create`. */
export type DescribedCommand = Described & { path: string; summary: string };

/** Turns what was typed into a value; throws UsageError with what was expected. */
export type Parse<Value> = (text: string) => Value;

export type Argument = {
  description: string;
  presence: "required" | "optional" | "variadic";
  parse: Parse<unknown>;
  /** The value when nothing is typed. */
  absent: unknown;
  repeated: boolean;
};

export type Option = {
  description: string;
  /** What stands for the value in the help, such as URL; a switch has none. */
  placeholder: string | undefined;
  parse: Parse<unknown>;
  /** The value when the option isn't given. */
  absent: unknown;
  repeated: boolean;
  /** The setting that the option overrides. */
  setting?: SettingKey;
};

/** By name in camelCase, in order: `propertyId` is shown as `<property-id>`. */
export type Arguments = Readonly<Record<string, Argument>>;
/** By name in camelCase: `webhookUrl` is given as `--webhook-url`. */
export type Options = Readonly<Record<string, Option>>;
