import { OperatorError } from "../domain/errors.ts";

/** Everything that is wrong with the settings, a line each. */
export class ConfigError extends OperatorError {
  constructor(readonly problems: readonly string[]) {
    super(
      problems.length === 1
        ? problems[0]!
        : `${problems.length} problems in the configuration:\n${problems.map((line) => `  ${line}`).join("\n")}`,
      "`mainstay init --config NEW.toml` writes a file with every key, its default and its meaning",
    );
  }
}
