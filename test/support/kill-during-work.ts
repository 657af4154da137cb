type Killable = { isRunning: () => boolean; kill: () => Promise<unknown> };

/** The moment of the kill: `laterMs` after the committed progress reaches `goal`. */
export type KillPoint = { goal: number; laterMs?: number };

/**
 * Kills a process during its work and returns the progress at its death. On a busy machine, that may be further than the
 * goal, and the process may have ended before the goal was seen: see `untilInTime`.
 */
export async function killAt(
  { goal, laterMs = 0 }: KillPoint,
  read: () => Promise<number>,
  process: Killable,
): Promise<number> {
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  while ((await read()) < goal) {
    if (!process.isRunning()) break;
    // A transaction takes longer, and a loop without a pause takes a core from the process.
    await Bun.sleep(1);
  }
  for (const until = performance.now() + laterMs; performance.now() < until; ) await tick();
  await process.kill();
  return await read();
}

/** Repeats what prepares a test, and returns the first result that is defined: one that was not too late. */
export async function untilInTime<T>(prepare: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const prepared = await prepare();
    if (prepared !== undefined) return prepared;
  }
}

/** Wraps a running command for `killAt`. */
export const killable = (command: Bun.Subprocess): Killable => ({
  isRunning: () => command.exitCode === null,
  async kill() {
    command.kill("SIGKILL");
    await command.exited;
  },
});
