/**
 * The command line: argv to one command of the table.
 *
 * To add a command, write `src/cli/commands/NAME.ts` that exports one made by `command`, and name it in `table.ts`; under
 * a word that has several (`partner create`), give it a name and a summary and put it into the list of that word's file.
 * `command.ts` says what arguments and options there may be. `--config`, `--data-dir`, `--json`, `--help`,
 * suggestions, exit codes and error reports come by themselves: `run` gives its result to `context.print` and throws
 * what goes wrong, as an OperatorError with a hint where the operator can mend it.
 */
import { CommanderError } from "commander";
import { type Entry, type Listed, loadEntry } from "./command.ts";
import { complete, completionLines } from "./complete.ts";
import { createContext, type Host } from "./context.ts";
import type { DescribedCommand } from "./described.ts";
import { createParser } from "./parser.ts";
import { EXIT, reportError } from "./report-error.ts";
import { COMMANDS } from "./table.ts";
import { asUsageError, helpAsOption, isJsonAsked, withHint } from "./usage.ts";

/**
 * Runs one command line (argv without the program) to its exit code: 0 done, 1 failed, 2 bad usage. Never throws.
 * Other `table` than the program's own is for tests.
 */
export async function runCommandLine(
  argv: readonly string[],
  host: Host,
  table: readonly Entry[] = COMMANDS,
): Promise<number> {
  const json = isJsonAsked(argv);
  let level = () => host.env.MAINSTAY_LOG__LEVEL;
  const report = (error: unknown) =>
    reportError(error, { json, verbose: isVerbose(level), stderr: host.stderr });

  const commands = await loadTyped(table, argv);
  // What a shell asks for when its user presses Tab; its words are no command line yet.
  if (argv[0] === "complete" && argv[1] === "--") {
    host.stdout.write(completionLines(complete(commands, argv.slice(2))));
    return EXIT.done;
  }
  let usage = "";
  const parser = createParser(commands, {
    columns: host.columns,
    writeHelp: (text) => host.stdout.write(text),
    writeUsage: (text) => {
      usage += text;
    },
    async invoke({ command, args, options, given, overrides }) {
      const context = createContext(host, given, overrides, () => describeAll(table));
      level = () => context.config.log.level;
      if (!command.longRunning) host.guard(report);
      await command.run(context, args as never, options as never);
    },
  });
  try {
    await parser.parseAsync(helpAsOption(argv, commands), { from: "user" });
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof CommanderError)) return report(withHint(error, argv, commands));
    if (error.exitCode === 0) return EXIT.done; // the help or the version has been printed
    if (error.code !== "commander.help" || json) return report(asUsageError(error, argv, commands));
    host.stderr.write(usage);
    return EXIT.badUsage;
  }
}

/** The table with the commands that the line may mean; of the others it has the name and the summary. */
function loadTyped(table: readonly Entry[], argv: readonly string[]): Promise<Listed[]> {
  return Promise.all(table.map((entry) => (argv.includes(entry.name) ? loadEntry(entry) : entry)));
}

async function describeAll(table: readonly Entry[]): Promise<DescribedCommand[]> {
  const loaded = await Promise.all(table.map(loadEntry));
  return loaded.flatMap((entry) =>
    "run" in entry
      ? [{ ...entry, path: entry.name }]
      : entry.commands.map((one) => ({ ...one, path: `${entry.name} ${one.name}` })),
  );
}

/** Whether the level, from settings that may be what is wrong, asks for the details of a fault. */
function isVerbose(level: () => string | undefined): boolean {
  try {
    return ["debug", "trace"].includes(level() ?? "");
  } catch {
    return false;
  }
}
