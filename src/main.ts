import { configure } from "arktype/config";
import { runCommandLine } from "./cli/program.ts";
import { EXIT } from "./cli/report-error.ts";
import { COMMANDS } from "./cli/table.ts";
import { processHost } from "./cli/terminal/process-host.ts";

/** Runs this process's command line and exits with its code. No other code ends the process. */
export async function main(commands = COMMANDS): Promise<never> {
  // Every file that a command writes may hold a portfolio or a key, so only its owner may read it.
  process.umask(0o077);
  const host = processHost((report) => {
    process.on("SIGINT", () => process.exit(EXIT.interrupted));
    process.on("SIGTERM", () => process.exit(EXIT.terminated));
    process.on("uncaughtException", (error) => process.exit(report(error)));
    process.on("unhandledRejection", (error) => process.exit(report(error)));
  });
  // Set before any command loads a schema. Schemas on hot paths compile themselves.
  configure({ jitless: true });
  process.exit(await runCommandLine(process.argv.slice(2), host, commands));
}

if (import.meta.main) main(); // not awaited: bytecode executables do not support top-level await
