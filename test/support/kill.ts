type Killable = { isRunning: () => boolean; kill: () => Promise<unknown> };

/** When to kill: so many milliseconds after what is committed has come to `goal`. */
export type KillPoint = { goal: number; laterMs?: number };

/** Kills a process in the middle, and says how far it had come when it was dead. Throws when it ended before. */
export async function killAt(
  { goal, laterMs = 0 }: KillPoint,
  read: () => Promise<number>,
  process: Killable,
): Promise<number> {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  while ((await read()) < goal) {
    if (!process.isRunning()) throw new Error(`it ended at ${await read()}, before it came to ${goal}`);
    await turn();
  }
  for (const until = performance.now() + laterMs; performance.now() < until; ) await turn();
  await process.kill();
  return await read();
}

/** A command that runs, as something to kill. */
export const killable = (command: Bun.Subprocess): Killable => ({
  isRunning: () => command.exitCode === null,
  async kill() {
    command.kill("SIGKILL");
    await command.exited;
  },
});
