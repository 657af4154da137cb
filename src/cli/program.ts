/**
 * The command line: argv to one command of the table below.
 *
 * To add a command, write `src/cli/commands/NAME.ts` that exports one made by `command`, and put it into COMMANDS; under a
 * word of its own (`partner create`), put it into that word's group, `{ name: "partner", summary, commands }`.
 * `command.ts` says what arguments and options there may be. `--config`, `--data-dir`, `--json`, `--help`,
 * suggestions, exit codes and error reports come by themselves: `run` gives its result to `context.print` and throws
 * what goes wrong, as an OperatorError with a hint where the operator can mend it.
 */
import { CommanderError } from "commander";
import type { Command, CommandGroup } from "./command.ts";
import { adminCommands } from "./commands/admin.ts";
import { auditCommand } from "./commands/audit.ts";
import { backupCommand, restoreCommand } from "./commands/backup.ts";
import { deliveryCommands } from "./commands/deliveries.ts";
import { demoCommand } from "./commands/demo.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { exportCommand } from "./commands/export.ts";
import { healthcheckCommand } from "./commands/healthcheck.ts";
import { importCommand } from "./commands/import.ts";
import { initCommand } from "./commands/init.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { openapiCommand } from "./commands/openapi.ts";
import { partnerCommands } from "./commands/partner.ts";
import { serveCommand } from "./commands/serve.ts";
import { smokeCommand } from "./commands/smoke.ts";
import { snapshotCommand } from "./commands/snapshot.ts";
import { versionCommand } from "./commands/version.ts";
import { createContext, type Host } from "./context.ts";
import { createParser } from "./parser.ts";
import { EXIT, reportError } from "./report-error.ts";
import { asUsageError, helpAsOption, isJsonAsked, withHint } from "./usage.ts";

/** In the order of the help. */
export const COMMANDS: readonly (Command | CommandGroup)[] = [
  initCommand,
  serveCommand,
  migrateCommand,
  partnerCommands,
  deliveryCommands,
  adminCommands,
  auditCommand,
  importCommand,
  exportCommand,
  backupCommand,
  restoreCommand,
  doctorCommand,
  healthcheckCommand,
  snapshotCommand,
  demoCommand,
  smokeCommand,
  openapiCommand,
  versionCommand,
];

/**
 * Runs one command line (argv without the program) to its exit code: 0 done, 1 failed, 2 bad usage. Never throws.
 * Other `commands` than the program's own are for tests.
 */
export async function runCommandLine(
  argv: readonly string[],
  host: Host,
  commands = COMMANDS,
): Promise<number> {
  const json = isJsonAsked(argv);
  let level = () => host.env.MAINSTAY_LOG__LEVEL;
  const report = (error: unknown) =>
    reportError(error, { json, verbose: isVerbose(level), stderr: host.stderr });

  let usage = "";
  const parser = createParser(commands, {
    columns: host.columns,
    writeHelp: (text) => host.stdout.write(text),
    writeUsage: (text) => {
      usage += text;
    },
    async invoke({ command, args, options, given, overrides }) {
      const context = createContext(host, given, overrides);
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

/** Whether the level, from settings that may be what is wrong, asks for the details of a fault. */
function isVerbose(level: () => string | undefined): boolean {
  try {
    return ["debug", "trace"].includes(level() ?? "");
  } catch {
    return false;
  }
}
