import { SingleBar } from "cli-progress";

/** A bar on standard error for work whose size is known; it is gone when the work is done. */
export type ProgressBar = { show(name: string, done: number, total: number): void; stop(): void };

/** For when nobody watches. */
const SILENT: ProgressBar = { show: () => {}, stop: () => {} };

/** Characters of the bar in a terminal of so many columns: what stands beside it may take the others, and is not cut. */
export function barSize(columns: number): number {
  return Math.max(5, Math.min(30, columns - 58));
}

export function progressBar(isTty: boolean, columns: number): ProgressBar {
  if (!isTty) return SILENT;
  const bar = new SingleBar({
    stream: process.stderr,
    format: "{name} [{bar}] {percentage} %  {value} of {total}  {eta_formatted} left",
    barCompleteChar: "#",
    barIncompleteChar: "-",
    barsize: barSize(columns),
    clearOnComplete: true,
    stopOnComplete: false,
    gracefulExit: false, // signals are the program's business
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
