import type { CommandEntry } from "./cli/command.ts";
import { restartCommandWithEngineSettings } from "./cli/restart-command-with-engine-settings.ts";

/** Runs this process's command line and exits with its code. No other code ends the process. */
export async function main(commands?: readonly CommandEntry[]): Promise<never> {
  const argv = process.argv.slice(2);
  restartCommandWithEngineSettings(argv, process.env);
  // Loaded after the restart, which would otherwise load everything twice.
  const [
    { configure },
    { hangupEndsCommand, Interruption },
    { runCommandLine },
    { EXIT },
    { processCommandHost },
  ] = await Promise.all([
    import("arktype/config"),
    import("./cli/command-interruption.ts"),
    import("./cli/command-line-program.ts"),
    import("./cli/report-command-error.ts"),
    import("./cli/terminal/process-command-host.ts"),
  ]);
  // Every file that a command writes may hold a portfolio or a key, so only its owner may read it.
  process.umask(0o077);
  const interruption = new Interruption((code) => process.exit(code));
  const host = processCommandHost({
    guard(report) {
      process.on("SIGINT", () => interruption.begin(EXIT.interrupted));
      process.on("SIGTERM", () => interruption.begin(EXIT.terminated));
      if (hangupEndsCommand()) process.on("SIGHUP", () => interruption.hangUp(EXIT.hungUp));
      process.on("uncaughtException", (error) => process.exit(report(error)));
      process.on("unhandledRejection", (error) => process.exit(report(error)));
    },
    betweenSteps: (yieldNow) => interruption.betweenSteps(yieldNow),
  });
  // Set before any command loads a schema. Schemas on hot paths compile themselves.
  configure({ jitless: true });
  process.exit(await runCommandLine(argv, host, commands));
}

if (import.meta.main) main(); // not awaited: bytecode executables do not support top-level await
