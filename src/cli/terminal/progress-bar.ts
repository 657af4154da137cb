import { SingleBar } from "cli-progress";

/** A bar on standard error for work whose size is known; it is gone when the work is done. */
export type ProgressBar = { show(name: string, done: number, total: number): void; stop(): void };

/** For when nobody watches. */
const SILENT: ProgressBar = { show: () => {}, stop: () => {} };

export function progressBar(isTty: boolean): ProgressBar {
  if (!isTty) return SILENT;
  const bar = new SingleBar({
    stream: process.stderr,
    format: "{name} [{bar}] {percentage} %  {value} of {total}  {eta_formatted} left",
    barCompleteChar: "#",
    barIncompleteChar: "-",
    barsize: 30,
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
