import { SingleBar } from "cli-progress";

/** A progress bar on standard error for work of known size. It is cleared when the work is done. */
type ProgressBar = { show(name: string, done: number, total: number): void; stop(): void };

/** Used when standard error is not a terminal. */
const SILENT: ProgressBar = { show: () => {}, stop: () => {} };

/** Returns the length of the bar in characters, so that the text beside it is not cut. */
export function terminalProgressBarWidth(columns: number): number {
  return Math.max(5, Math.min(30, columns - 58));
}

/** Returns a progress bar on standard error; one that shows nothing where that is no terminal. */
export function createTerminalProgressBar(isTty: boolean, columns: number): ProgressBar {
  if (!isTty) return SILENT;
  // Fails with EIO once the terminal is lost, when SIGHUP ends the command.
  process.stderr.on("error", () => {});
  const bar = new SingleBar({
    stream: process.stderr,
    format: "{name} [{bar}] {percentage}%  {value} of {total}  {eta_formatted} left",
    barCompleteChar: "#",
    barIncompleteChar: "-",
    barsize: terminalProgressBarWidth(columns),
    clearOnComplete: true,
    stopOnComplete: false,
    gracefulExit: false, // the program handles signals
  });
  let current: string | undefined;
  return {
    show(name, done, total) {
      if (name !== current) {
        bar.stop();
        bar.start(total, done, { name: name.padEnd(14) });
        current = name;
      }
      bar.update(done);
    },
    stop: () => bar.stop(),
  };
}
