import type { DestinationStream } from "pino";
import type { ConfigRequest, Override } from "../config/load.ts";
import type { Config } from "../config/settings.ts";
import type { FillRandom } from "../domain/ids.ts";
import type { Instant } from "../domain/time.ts";
import type { Logger } from "../log.ts";
import type { DescribedCommand } from "./described.ts";

/** Takes text and has written all of it when it returns. */
export type Output = { write(text: string): void };

/** The world around a command; tests hand in their own. */
export type Host = {
  stdout: Output;
  stderr: Output;
  /** Where the log lines of short commands go. */
  logLines: DestinationStream;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Below which the system's own configuration is looked for. */
  root: string;
  /** Whether a person reads standard error, so that progress may be drawn there. */
  isTty: boolean;
  /** Width of the terminal in characters. */
  columns: number;
  now(): Instant;
  random: FillRandom;
  /** From now on SIGINT ends the process with 130, and a stray error with the exit code that `report` gives it. */
  guard(report: (error: unknown) => number): void;
};

/** What every command takes. */
export type GlobalOptions = { config?: string; dataDir?: string; json: boolean };

/** What a command works with. */
export type Context = Omit<Host, "guard" | "logLines"> & {
  /** The settings in force. Read when first asked for, so that `version` works beside a broken file. */
  readonly config: Config;
  /** A logger on standard error, since standard output carries the command's result. `serve` makes its own. */
  readonly log: Logger;
  readonly json: boolean;
  /** `--config` and `--data-dir` as they were typed. */
  readonly given: GlobalOptions;
  /** What the program can do, for who describes it. */
  allCommands(): Promise<DescribedCommand[]>;
  /** The result: one line of JSON with `--json`, else the text for people (a line end is added). */
  print(result: object, human: string): void;
};

export function createContext(
  host: Host,
  given: GlobalOptions,
  overrides: readonly Override[],
  allCommands: Context["allCommands"],
): Context {
  const { guard: _guard, logLines, ...world } = host;
  const request: ConfigRequest = {
    file: given.config,
    env: host.env,
    cwd: host.cwd,
    root: host.root,
    overrides,
  };
  let config: Config | undefined;
  let log: Logger | undefined;
  return {
    ...world,
    given,
    json: given.json,
    allCommands,
    get config() {
      // Loaded when it is asked for, since the checks of the settings take longer than `version` does as a whole.
      const { loadConfig } = require("../config/load.ts") as typeof import("../config/load.ts");
      config ??= loadConfig(request);
      return config;
    },
    get log() {
      const { createLogger } = require("../log.ts") as typeof import("../log.ts");
      log ??= createLogger({ ...this.config.log, destination: logLines });
      return log;
    },
    print: (result, human) => host.stdout.write(`${given.json ? JSON.stringify(result) : human}\n`),
  };
}
