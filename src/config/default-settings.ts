import example from "../../config.example.toml" with { type: "text" };

/** The text of `config.example.toml`: the defaults, and what `mainstay init` writes. */
export const EXAMPLE_CONFIG: string = example;

let defaults: ReadonlyMap<string, unknown> | undefined;

/**
 * Returns the default of each setting by its full name. Does not use `readConfigToml`, which also records lines and would
 * take a fifth of the time of a small command.
 */
export function defaultSettings(): ReadonlyMap<string, unknown> {
  defaults ??= new Map(
    Object.entries(Bun.TOML.parse(EXAMPLE_CONFIG)).flatMap(([section, values]) =>
      Object.entries(values).map(([key, value]) => [`${section}.${key}`, value] as const),
    ),
  );
  return defaults;
}
