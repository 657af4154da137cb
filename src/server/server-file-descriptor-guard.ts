import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import type { Listener } from "./server-http-listener.ts";

/** Returns whether the process can open `count` more files and connections. */
function hasDescriptors(count: number): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, "r"));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EMFILE" || code === "ENFILE") return false;
    throw error;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** A listener, and the file descriptors that it leaves to the rest of the process. */
export type GuardedListener = { reservedDescriptors: number; listener: Pick<Listener, "pause" | "resume"> };

const CHECK_INTERVAL_MS = 250;
/** The descriptors that must be free in addition before a listener resumes. */
const RESUME_MARGIN = 16;

/**
 * Pauses listeners while the process runs out of file descriptors, the first listener first. Without a free descriptor
 * the runtime retries to accept a connection in a loop, which takes a whole core; a paused listener refuses clients
 * immediately. Returns a function that ends the checks.
 *
 * The check opens as many files as it needs free descriptors. `Bun.serve` does not report its connections, so they cannot
 * be counted. Listing /proc/self/fd takes 5 ms with 10,000 connections; opening 32 files takes 0.08 ms with any number of
 * them, or 0.03% of a core at four checks per second.
 */
export function guardServerFileDescriptors(
  listeners: readonly GuardedListener[],
  onChange: (isOpen: boolean) => void,
  hasRoom: (count: number) => boolean = hasDescriptors,
): () => void {
  const paused = new Set<GuardedListener>();
  const check = async () => {
    for (const guarded of listeners) {
      const { listener, reservedDescriptors } = guarded;
      if (paused.has(guarded)) {
        if (!hasRoom(reservedDescriptors + RESUME_MARGIN)) continue;
        // If the address is in use by now, the next check tries again.
        if (!(await resumed(listener))) continue;
        paused.delete(guarded);
        onChange(true);
      } else if (!hasRoom(reservedDescriptors)) {
        listener.pause();
        paused.add(guarded);
        onChange(false);
        // The next check sees the descriptors that this frees.
        return;
      }
    }
  };
  let isChecking = false;
  const timer = setInterval(async () => {
    if (isChecking) return;
    isChecking = true;
    await check().finally(() => {
      isChecking = false;
    });
  }, CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}

const resumed = (listener: GuardedListener["listener"]): Promise<boolean> =>
  listener.resume().then(
    () => true,
    () => false,
  );
