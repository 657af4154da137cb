import { configure } from "arktype/config";
import { Interruption } from "./cli/command-interruption.ts";
import { runCommandLine } from "./cli/command-line-program.ts";
import { COMMANDS } from "./cli/command-list.ts";
import { EXIT } from "./cli/report-command-error.ts";
import { processCommandHost } from "./cli/terminal/process-command-host.ts";

/** Runs this process's command line and exits with its code. No other code ends the process. */
export async function main(commands = COMMANDS): Promise<never> {
  // Every file that a command writes may hold a portfolio or a key, so only its owner may read it.
  process.umask(0o077);
  const interruption = new Interruption((code) => process.exit(code));
  const host = processCommandHost({
    guard(report) {
      process.on("SIGINT", () => interruption.begin(EXIT.interrupted));
      process.on("SIGTERM", () => interruption.begin(EXIT.terminated));
      process.on("uncaughtException", (error) => process.exit(report(error)));
      process.on("unhandledRejection", (error) => process.exit(report(error)));
    },
    betweenSteps: (yieldNow) => interruption.betweenSteps(yieldNow),
  });
  // Set before any command loads a schema. Schemas on hot paths compile themselves.
  configure({ jitless: true });
  process.exit(await runCommandLine(process.argv.slice(2), host, commands));
}

if (import.meta.main) main(); // not awaited: bytecode executables do not support top-level await
