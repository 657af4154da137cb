/**
 * The command line: maps argv to one command of the table.
 *
 * To add a command, export it from `src/cli/commands/NAME.ts` with `defineCommand` and list it in `command-list.ts`. For a
 * command of a group (`partner create`), add a name and a summary and list it in the group's file. `command.ts` defines
 * the kinds of arguments and options. `--config`, `--data-dir`, `--json`, `--help`, suggestions, exit codes and error
 * reports are built in: `run` passes its result to `context.print`, and throws an OperatorError with a hint if the
 * operator can fix the problem.
 */
import { CommanderError } from "commander";
import { type CommandEntry, type ListedCommand, loadCommandModule } from "./command.ts";
import { type CommandHost, createCommandContext } from "./command-context.ts";
import type { DescribedCommand } from "./command-description.ts";
import { createCommandParser } from "./command-line-parser.ts";
import { COMMANDS } from "./command-list.ts";
import {
  asCommandUsageError,
  isCommandJsonOutputAsked,
  rewriteHelpAsOption,
  withCommandHelpHint,
} from "./command-usage.ts";
import { commandCompletionLines, completeCommandLine } from "./complete-command-line.ts";
import { EXIT, reportCommandError } from "./report-command-error.ts";
import { printableTerminalText } from "./terminal/terminal-printable-text.ts";

/**
 * Runs one command line (argv without the program) and returns its exit code (see `EXIT`). Never throws. Tests pass
 * their own `table`.
 */
export async function runCommandLine(
  argv: readonly string[],
  given: CommandHost,
  table: readonly CommandEntry[] = COMMANDS,
): Promise<number> {
  const host = {
    ...given,
    stderr: { write: (text: string) => given.stderr.write(printableTerminalText(text)) },
  };
  const json = isCommandJsonOutputAsked(argv);
  let level = () => host.env.MAINSTAY_LOG__LEVEL;
  const report = (error: unknown) =>
    reportCommandError(error, { json, verbose: isVerbose(level), stderr: host.stderr });

  const commands = await loadMentioned(table, argv);
  // Called by the completion script. Its words are not a complete command line.
  if (argv[0] === "complete" && argv[1] === "--") {
    host.stdout.write(commandCompletionLines(completeCommandLine(commands, argv.slice(2))));
    return EXIT.done;
  }
  let usage = "";
  const parser = createCommandParser(commands, {
    columns: host.columns,
    writeHelp: (text) => host.stdout.write(text),
    writeUsage: (text) => {
      usage += text;
    },
    async invoke({ command, args, options, given: globalOptions, overrides }) {
      const context = createCommandContext(host, globalOptions, overrides, () => describeAll(table));
      level = () => context.config.log.level;
      if (!command.longRunning) host.guard(report);
      await command.run(context, args as never, options as never);
    },
  });
  try {
    await parser.parseAsync(rewriteHelpAsOption(argv, commands), { from: "user" });
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof CommanderError)) return report(withCommandHelpHint(error, argv, commands));
    if (error.exitCode === 0) return EXIT.done; // help or version, already printed
    if (error.code !== "commander.help" || json) return report(asCommandUsageError(error, argv, commands));
    host.stderr.write(usage);
    return EXIT.badUsage;
  }
}

/** Loads the commands whose names occur in argv. Of the others only the name and summary are needed. */
function loadMentioned(table: readonly CommandEntry[], argv: readonly string[]): Promise<ListedCommand[]> {
  return Promise.all(table.map((entry) => (argv.includes(entry.name) ? loadCommandModule(entry) : entry)));
}

async function describeAll(table: readonly CommandEntry[]): Promise<DescribedCommand[]> {
  const loaded = await Promise.all(table.map(loadCommandModule));
  return loaded.flatMap((entry) =>
    "run" in entry
      ? [{ ...entry, path: entry.name }]
      : entry.commands.map((command) => ({ ...command, path: `${entry.name} ${command.name}` })),
  );
}

/** Returns true if the log level asks for stack traces. The settings themselves may be invalid. */
function isVerbose(level: () => string | undefined): boolean {
  try {
    return ["debug", "trace"].includes(level() ?? "");
  } catch {
    return false;
  }
}
