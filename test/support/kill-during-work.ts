type Killable = { isRunning: () => boolean; kill: () => Promise<unknown> };

/** The moment of the kill: `laterMs` after the committed progress reaches `goal`. */
export type KillPoint = { goal: number; laterMs?: number };

/** Kills a process during its work and returns the progress at its death. Throws when the process ended before. */
export async function killAt(
  { goal, laterMs = 0 }: KillPoint,
  read: () => Promise<number>,
  process: Killable,
): Promise<number> {
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  while ((await read()) < goal) {
    if (!process.isRunning()) throw new Error(`it ended at ${await read()}, before it came to ${goal}`);
    // A transaction takes longer, and a loop without a pause takes a core from the process.
    await Bun.sleep(1);
  }
  for (const until = performance.now() + laterMs; performance.now() < until; ) await tick();
  await process.kill();
  return await read();
}

/** Wraps a running command for `killAt`. */
export const killable = (command: Bun.Subprocess): Killable => ({
  isRunning: () => command.exitCode === null,
  async kill() {
    command.kill("SIGKILL");
    await command.exited;
  },
});
