import { constants, fstatSync, openSync, writeSync } from "node:fs";

/** A stream of lines that never blocks its writer. */
type LineStream = {
  write(lines: string): void;
  /** Returns the number of lines that were not written: full disk, closed reader, or a reader that is too slow. */
  dropped(): number;
  /** Registers the listener that is called with the number of dropped lines once lines can be written again. */
  onRecovery(listener: (dropped: number) => void): void;
};

/** The number of characters to buffer for a slow reader. Further lines are dropped. */
const MAX_BUFFERED = 1 << 20;
/** The number of characters to collect in one iteration of the event loop before writing them. */
const MAX_BATCH = 65_536;
const RETRY_MS = 25;
/** How long the process waits for the reader to take the last lines before it exits. */
const EXIT_FLUSH_MS = 500;

/**
 * Opens standard output (1) or standard error (2) for lines that must not block their writer. Writes the lines of one
 * iteration of the event loop together: one system call per line took a third of the time of a request. When the process
 * exits, except by SIGKILL, buffered lines are written.
 */
export function standardTerminalStream(number: 1 | 2): LineStream {
  let descriptor: number | undefined;
  let buffered = "";
  /** The rest of a batch that was written in part. */
  let partlyWritten: Uint8Array = new Uint8Array();
  let lastByte = LINE_END;
  let isScheduled = false;
  let dropped = 0;
  let reportedDrops = 0;
  /** The number of dropped lines in a report that is being written. */
  let reporting = 0;
  let onRecovery = (_dropped: number) => {};

  /** Returns whether the buffer is empty. False means that the reader must read first. */
  function flush(): boolean {
    let hasWritten = false;
    while (partlyWritten.length > 0 || buffered !== "") {
      if (partlyWritten.length === 0) {
        // Starts on a new line if the end of the previous one was dropped.
        partlyWritten = Buffer.from(lastByte === LINE_END ? buffered : `\n${buffered}`);
        buffered = "";
      }
      try {
        descriptor ??= nonBlocking(number);
        const written = writeSync(descriptor, partlyWritten);
        lastByte = partlyWritten[written - 1] ?? lastByte;
        partlyWritten = partlyWritten.subarray(written);
        hasWritten = true;
        if (partlyWritten.length === 0) reporting = 0;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EAGAIN") return false;
        dropped += countLines(partlyWritten);
        reportedDrops -= reporting;
        reporting = 0;
        partlyWritten = new Uint8Array();
        return true;
      }
    }
    const since = dropped - reportedDrops;
    if (since === 0 || !hasWritten) return true;
    reportedDrops = dropped;
    reporting = since;
    onRecovery(since);
    // The report is written alone: it may find no room where a line before it did, and is then repeated.
    return flush();
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

/** Returns a descriptor of the stream whose writes fail with EAGAIN instead of blocking. Writes to files never block. */
function nonBlocking(number: 1 | 2): number {
  if (fstatSync(number).isFile()) return number;
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    // A new open file description: O_NONBLOCK on the existing one would affect other writers of the pipe or terminal.
    return openSync(`/proc/self/fd/${number}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // Sockets, such as that of journald, and pipes of other users cannot be opened. Bun's writer makes them non-blocking.
    (number === 1 ? Bun.stdout : Bun.stderr).writer();
    return number;
  }
}

function countLines(text: Uint8Array): number {
  let count = 0;
  for (const byte of text) if (byte === LINE_END) count++;
  return count;
}
