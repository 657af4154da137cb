import type { DestinationStream } from "pino";
import type { ConfigRequest, Override } from "../config/load-config.ts";
import type { Config } from "../config/settings.ts";
import type { FillRandom } from "../domain/ids/record-ids.ts";
import type { Instant } from "../domain/time.ts";
import { chooseWordingOfCurrencyAndUnits } from "../domain/wording/currency-and-unit-wording.ts";
import type { Yield } from "../event-loop/event-loop.ts";
import type { Logger } from "../logging/logger.ts";
import type { DescribedCommand } from "./command-description.ts";
import { printableTerminalText } from "./terminal/terminal-printable-text.ts";
import type { OutputWidths } from "./terminal/terminal-table.ts";

/** A synchronous text stream: `write` returns after all text is written. */
export type Output = { write(text: string): void };

/** The environment of a command. Tests pass their own. */
export type CommandHost = OutputWidths & {
  stdout: Output;
  /** Standard output for texts for people: in a terminal in color. */
  texts: Output;
  stderr: Output;
  /** The destination of log lines from short commands. */
  logLines: DestinationStream;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** The root folder under which `etc/mainstay/mainstay.toml` is searched. */
  root: string;
  /** True if standard error is a terminal, so that a progress bar may be drawn there. */
  isTty: boolean;
  now(): Instant;
  random: FillRandom;
  /** Ends the command at a signal only between two steps, so that it releases its locks: returns the pause between them. */
  betweenSteps(yieldNow: Yield): Yield;
  /** Lowers the priority of the process for good, so that a running server on this machine has priority. */
  lowerPriority(): void;
  /** Makes SIGINT exit with 130, and uncaught errors exit with the code that `report` returns. */
  guard(report: (error: unknown) => number): void;
};

/** The options of every command. */
export type GlobalOptions = { config?: string; dataDir?: string; json: boolean };

/** The environment, settings and output that `run` receives. */
export type CommandContext = Omit<CommandHost, "guard" | "logLines" | "texts"> & {
  /** The effective settings. Loaded on first use, so that `version` works with a broken configuration file. */
  readonly config: Config;
  /** A logger on standard error, since standard output carries the command's result. `serve` creates its own. */
  readonly log: Logger;
  readonly json: boolean;
  /** The options `--config`, `--data-dir` and `--json` as typed. */
  readonly given: GlobalOptions;
  /** Returns the descriptions of all commands, for the manual page. */
  allCommands(): Promise<DescribedCommand[]>;
  /** Prints the result: one line of JSON with `--json`, else the text, followed by a newline. */
  print(result: object, human: string): void;
  /** Prints the result like `print`, but with a text for programs, such as CSV, which is never in color. */
  printForPrograms(result: object, text: string): void;
};

/**
 * Returns the context of a command: its host, and the settings that its options, the environment and the configuration file
 * lead to, read when they are first asked for.
 */
export function createCommandContext(
  host: CommandHost,
  given: GlobalOptions,
  overrides: readonly Override[],
  allCommands: CommandContext["allCommands"],
): CommandContext {
  const { guard: _guard, logLines, texts, ...deps } = host;
  const request: ConfigRequest = {
    file: given.config,
    env: host.env,
    cwd: host.cwd,
    root: host.root,
    overrides,
  };
  const printTo = (output: Output) => (result: object, text: string) =>
    given.json
      ? host.stdout.write(`${JSON.stringify(result)}\n`)
      : output.write(`${printableTerminalText(text)}\n`);
  let config: Config | undefined;
  let log: Logger | undefined;
  return {
    ...deps,
    given,
    json: given.json,
    allCommands,
    get config() {
      // Imported on first use: validating settings takes longer than the whole `version` command.
      const { loadConfig } = require("../config/load-config.ts") as typeof import("../config/load-config.ts");
      if (!config) {
        config = loadConfig(request);
        chooseWordingOfCurrencyAndUnits(config.display);
      }
      return config;
    },
    get log() {
      const { createLogger } = require("../logging/logger.ts") as typeof import("../logging/logger.ts");
      log ??= createLogger({ ...this.config.log, destination: logLines });
      return log;
    },
    print: printTo(texts),
    printForPrograms: printTo(host.stdout),
  };
}
