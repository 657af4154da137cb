import type { SettingKey } from "../config/settings.ts";

/* The description of a command, read by the parser, the help, the manual page and shell completion. */

/** The name of a command or a group, with its summary. */
export type NamedCommand = {
  name: string;
  /** One line, without a full stop. */
  summary: string;
};

export type DescribedBody = {
  /** More text for `--help`. */
  description?: string;
  arguments: Arguments;
  options: Options;
  /** Complete command lines, shown in `--help`. */
  examples: readonly string[];
};

/** A command with its full path, such as `partner create`. */
export type DescribedCommand = DescribedBody & { path: string; summary: string };

/** Converts the typed text into a value. Throws UsageError with the expected format. */
export type Parse<Value> = (text: string) => Value;

export type Argument = {
  description: string;
  presence: "required" | "optional" | "variadic";
  parse: Parse<unknown>;
  /** The value if the argument is omitted. */
  absent: unknown;
  repeated: boolean;
};

export type Option = {
  description: string;
  /** The name of the value in the help, such as URL; undefined for a switch. */
  placeholder: string | undefined;
  parse: Parse<unknown>;
  /** The value if the option is omitted. */
  absent: unknown;
  repeated: boolean;
  /** The setting that the option overrides. */
  setting?: SettingKey;
};

/** Arguments in order, by their names in camelCase: `propertyId` is shown as `<property-id>`. */
export type Arguments = Readonly<Record<string, Argument>>;
/** Options by their names in camelCase: `webhookUrl` is typed as `--webhook-url`. */
export type Options = Readonly<Record<string, Option>>;
