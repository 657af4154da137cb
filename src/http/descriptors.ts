import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import type { Listener } from "./listen.ts";

/** Whether the process may open so many files and connections more. */
export function hasDescriptors(count: number): boolean {
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

/** What takes connections, and leaves so many descriptors to what else needs them. */
export type Door = { spares: number; listener: Pick<Listener, "close" | "open"> };

const LOOKS_EVERY_MS = 250;
/** Room for this much more than is spared is there before a door is opened again. */
const MARGIN = 16;

/**
 * Closes doors while descriptors run out. The runtime tries again and again, with a whole core, to take a connection
 * for which there is none; at a closed door its client is told at once. The first is closed first. Returns how to end
 * the watch.
 */
export function watchDescriptors(
  doors: readonly Door[],
  onChange: (isOpen: boolean) => void,
  hasRoom: (count: number) => boolean = hasDescriptors,
): () => void {
  const closed = new Set<Door>();
  const look = () => {
    for (const door of doors) {
      if (closed.has(door)) {
        if (!hasRoom(door.spares + MARGIN)) continue;
        door.listener.open();
        closed.delete(door);
        onChange(true);
      } else if (!hasRoom(door.spares)) {
        door.listener.close();
        closed.add(door);
        onChange(false);
        // What that sets free is seen at the next look.
        return;
      }
    }
  };
  const timer = setInterval(look, LOOKS_EVERY_MS);
  return () => clearInterval(timer);
}
