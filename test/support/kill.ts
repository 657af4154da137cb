import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Installation } from "./mainstay.ts";

/** What a query of one number says of the installation's database, as another process sees it. */
export function watch({ dataDir }: Installation, sql: string): { read(): number; close(): void } {
  const db = new Database(join(dataDir, "mainstay.db"), { readonly: true });
  const query = db.query(sql);
  return { read: () => Number(query.values()[0]?.[0] ?? 0), close: () => db.close(true) };
}

type Killable = { isRunning: () => boolean; kill: () => Promise<unknown> };

/** When to kill: so many milliseconds after what is committed has come to `goal`. */
export type KillPoint = { goal: number; laterMs?: number };

/** Kills a process in the middle, and says how far it had come when it was dead. Throws when it ended before. */
export async function killAt(
  { goal, laterMs = 0 }: KillPoint,
  read: () => number,
  process: Killable,
): Promise<number> {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  while (read() < goal) {
    if (!process.isRunning()) throw new Error(`it ended at ${read()}, before it came to ${goal}`);
    await turn();
  }
  for (const until = performance.now() + laterMs; performance.now() < until; ) await turn();
  await process.kill();
  return read();
}

/** A command that runs, as something to kill. */
export const killable = (command: Bun.Subprocess): Killable => ({
  isRunning: () => command.exitCode === null,
  async kill() {
    command.kill("SIGKILL");
    await command.exited;
  },
});
