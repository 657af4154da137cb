import example from "../../config.example.toml" with { type: "text" };

/** The text of `config.example.toml`: the defaults, and what `mainstay init` writes. */
export const EXAMPLE_CONFIG: string = example;

let defaults: ReadonlyMap<string, unknown> | undefined;

/**
 * Each setting's default by its full name. Not by `readToml`, which knows the line of each and takes a small command
 * a fifth of its time.
 */
export function defaultValues(): ReadonlyMap<string, unknown> {
  defaults ??= new Map(
    Object.entries(Bun.TOML.parse(EXAMPLE_CONFIG)).flatMap(([section, values]) =>
      Object.entries(values).map(([key, value]) => [`${section}.${key}`, value] as const),
    ),
  );
  return defaults;
}
