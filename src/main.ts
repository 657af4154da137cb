import { configure } from "arktype/config";
import { runCommandLine } from "./cli/program.ts";
import { EXIT } from "./cli/report-error.ts";
import { COMMANDS } from "./cli/table.ts";
import { processHost } from "./cli/terminal/process-host.ts";

/** Runs this process's command line to the end of the process. Nothing else ends it. */
export async function main(commands = COMMANDS): Promise<never> {
  // What any command writes holds a portfolio or a key: nobody else's to read.
  process.umask(0o077);
  const host = processHost((report) => {
    process.on("SIGINT", () => process.exit(EXIT.interrupted));
    process.on("SIGTERM", () => process.exit(EXIT.terminated));
    process.on("uncaughtException", (error) => process.exit(report(error)));
    process.on("unhandledRejection", (error) => process.exit(report(error)));
  });
  // Before any command, and with it any shape, is loaded: what is checked often compiles its check by itself.
  configure({ jitless: true });
  process.exit(await runCommandLine(process.argv.slice(2), host, commands));
}

if (import.meta.main) main(); // not awaited: an executable of bytecode has no top-level await
