import example from "../../config.example.toml" with { type: "text" };
import { readToml } from "./toml.ts";

/** The text of `config.example.toml`: the defaults, and what `mainstay init` writes. */
export const EXAMPLE_CONFIG: string = example;

let defaults: ReadonlyMap<string, unknown> | undefined;

/** Each setting's default by its full name. */
export function defaultValues(): ReadonlyMap<string, unknown> {
  defaults ??= new Map(
    readToml(EXAMPLE_CONFIG, "config.example.toml").entries.map(({ key, value }) => [key, value]),
  );
  return defaults;
}
