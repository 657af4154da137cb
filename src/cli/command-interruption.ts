import { readFileSync } from "node:fs";
import type { Yield } from "../event-loop/event-loop.ts";

/** How long an interrupted command has to reach the end of its step, which takes longer on a loaded machine. */
const GRACE_MS = 10_000;

/** Ends a command at the end of a step, so that it releases its locks. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";

  constructor(readonly exitCode: number) {
    super("interrupted by a signal");
  }
}

/**
 * Ends the process at a signal: at once, unless the command works in steps. Such a command ends with its step, or after a
 * grace period, or at a second signal.
 */
export class Interruption {
  #worksInSteps = false;
  #exitCode: number | undefined;

  constructor(
    private readonly exit: (code: number) => void,
    private readonly after: (ms: number, run: () => void) => void = (ms, run) => void setTimeout(run, ms),
  ) {}

  begin(exitCode: number): void {
    if (this.#worksInSteps && this.#exitCode === undefined) this.after(GRACE_MS, () => this.exit(exitCode));
    else this.exit(exitCode);
    this.#exitCode = exitCode;
  }

  /** Begins at the loss of the terminal, which is no second signal: the shell and the kernel both send SIGHUP. */
  hangUp(exitCode: number): void {
    if (this.#exitCode === undefined) this.begin(exitCode);
  }

  /** Returns a Yield that rejects with Interrupted after a signal. */
  betweenSteps(yieldNow: Yield): Yield {
    this.#worksInSteps = true;
    return async () => {
      await yieldNow();
      if (this.#exitCode !== undefined) throw new Interrupted(this.#exitCode);
    };
  }
}

/**
 * Returns whether the loss of its terminal (SIGHUP) ends this command. It does not under nohup, which ignores the signal: a
 * handler would undo that. False where the system does not tell, whose default then holds.
 */
export function hangupEndsCommand(): boolean {
  try {
    const ignored = /^SigIgn:\s*([\da-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return ignored !== undefined && (BigInt(`0x${ignored}`) & 1n) === 0n;
  } catch {
    return false;
  }
}
