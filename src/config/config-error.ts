import { OperatorError } from "../domain/errors.ts";

/** All problems of the settings, one per line. */
export class ConfigError extends OperatorError {
  constructor(readonly problems: readonly string[]) {
    super(
      problems.length === 1
        ? problems[0]!
        : `${problems.length} problems in the configuration:\n${problems.map((line) => `  ${line}`).join("\n")}`,
      "`mainstay init --config NEW.toml` writes a file with every setting, its default and its meaning.",
    );
  }
}
