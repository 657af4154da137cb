import { constants, fstatSync, openSync, writeSync } from "node:fs";

/** Takes lines and never waits for whoever reads them. */
export type LineStream = {
  write(lines: string): void;
  /** Lines that were not written: the disk was full, the reader gone, or so slow that too much waited for it. */
  dropped(): number;
  /** Told, once lines are taken again, how many were dropped since it was last told. */
  onRecovery(listener: (dropped: number) => void): void;
};

/** Waits in memory for a reader at most, in characters; what comes beyond is dropped. */
const MAX_BUFFERED = 1 << 20;
/** Gathered in one turn of the event loop at most before it is written. */
const MAX_BATCH = 65_536;
const RETRY_MS = 25;
/** What a reader has at the end of the process to take the last lines. */
const EXIT_FLUSH_MS = 500;

/**
 * Standard output (1) or standard error (2) for lines that must not stop the one who writes them. The lines of one turn
 * of the event loop are written together: a system call a line took a third of a request's time. What is gathered is
 * written when the process ends, whatever the reason but a kill.
 */
export function standardStream(number: 1 | 2): LineStream {
  let descriptor: number | undefined;
  let buffered = "";
  /** What the system has not taken yet of what it was given. */
  let partlyWritten: Uint8Array = new Uint8Array();
  let lastByte = LINE_END;
  let isScheduled = false;
  let dropped = 0;
  let reportedDrops = 0;
  let onRecovery = (_dropped: number) => {};

  /** Whether everything is written or dropped; false when the reader must take something first. */
  function flush(): boolean {
    while (partlyWritten.length > 0 || buffered !== "") {
      if (partlyWritten.length === 0) {
        // After a line of which the end was dropped.
        partlyWritten = Buffer.from(lastByte === LINE_END ? buffered : `\n${buffered}`);
        buffered = "";
      }
      try {
        descriptor ??= nonBlocking(number);
        const written = writeSync(descriptor, partlyWritten);
        lastByte = partlyWritten[written - 1] ?? lastByte;
        partlyWritten = partlyWritten.subarray(written);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EAGAIN") return false;
        dropped += countLines(partlyWritten);
        partlyWritten = new Uint8Array();
        return true;
      }
    }
    const since = dropped - reportedDrops;
    reportedDrops = dropped;
    if (since > 0) onRecovery(since);
    return true;
  }

  function flushSoon(): void {
    isScheduled = false;
    if (flush() || isScheduled) return;
    isScheduled = true;
    setTimeout(flushSoon, RETRY_MS).unref();
  }

  process.on("exit", () => {
    const endAt = performance.now() + EXIT_FLUSH_MS;
    while (!flush() && performance.now() < endAt) Bun.sleepSync(5);
  });
  return {
    write(lines) {
      if (buffered.length + partlyWritten.length > MAX_BUFFERED) {
        dropped += countLines(Buffer.from(lines));
        return;
      }
      buffered += lines;
      if (isScheduled) {
        if (partlyWritten.length === 0 && buffered.length > MAX_BATCH) flush();
        return;
      }
      isScheduled = true;
      setImmediate(flushSoon);
    },
    dropped: () => dropped,
    onRecovery(listener) {
      onRecovery = listener;
    },
  };
}

const LINE_END = 10;

/** A descriptor of the same stream whose writes fail with EAGAIN where they would wait. A file's never do. */
function nonBlocking(number: 1 | 2): number {
  if (fstatSync(number).isFile()) return number;
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    // Opened anew, so that others who write to the same pipe or terminal find theirs as it was.
    return openSync(`/proc/self/fd/${number}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // Not so a socket, such as journald's, nor another user's pipe: the runtime's own writer stops them from waiting.
    (number === 1 ? Bun.stdout : Bun.stderr).writer();
    return number;
  }
}

function countLines(text: Uint8Array): number {
  let count = 0;
  for (const byte of text) if (byte === LINE_END) count++;
  return count;
}
