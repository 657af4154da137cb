import { fstatSync, writeSync } from "node:fs";
import { setPriority } from "node:os";
import { isatty } from "node:tty";
import type { CommandHost, Output } from "../command-context.ts";
import { coloredTerminalText } from "./terminal-colored-text.ts";
import { terminalOutputWidths } from "./terminal-output-widths.ts";
import { printableTerminalText } from "./terminal-printable-text.ts";
import { standardTerminalStream } from "./terminal-standard-streams.ts";

/** The reader of standard output has closed it, as `head` does, or it was a terminal that is lost. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";

  constructor(readonly isTerminalLost: boolean) {
    super();
  }
}

/** The nice value of a command that leaves the processor to others. */
const LOW_PRIORITY = 10;

/** Returns the host of a command that runs in this process. */
export function processCommandHost({
  guard,
  betweenSteps,
}: Pick<CommandHost, "guard" | "betweenSteps">): CommandHost {
  const stdout = isatty(1) ? printable(descriptor(1)) : descriptor(1);
  return {
    stdout,
    texts: isatty(1) && showsColors(process.env) ? colored(descriptor(1)) : stdout,
    stderr: descriptor(2),
    logLines: standardTerminalStream(2),
    env: process.env,
    cwd: process.cwd(),
    root: "/",
    isTty: isatty(2),
    ...terminalOutputWidths(isatty(1) ? process.stdout.columns : undefined),
    now: Date.now,
    random: (bytes) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
    guard,
    betweenSteps,
    lowerPriority: () => setPriority(LOW_PRIORITY),
  };
}

/** Also replaces control characters in what files and pipes get unchanged, such as a table in CSV. */
const printable = ({ write }: Output): Output => ({ write: (text) => write(printableTerminalText(text)) });

const colored = ({ write }: Output): Output => ({
  write: (text) => write(coloredTerminalText(printableTerminalText(text))),
});

const showsColors = ({ NO_COLOR, TERM }: CommandHost["env"]) => (NO_COLOR ?? "") === "" && TERM !== "dumb";

/** Writes synchronously: process.stdout would lose buffered output when the process exits. */
function descriptor(number: 1 | 2): Output {
  return {
    write(text) {
      let rest: Uint8Array = Buffer.from(text);
      while (rest.length > 0) rest = rest.subarray(writeSome(number, rest));
    },
  };
}

function writeSome(number: 1 | 2, bytes: Uint8Array): number {
  try {
    return writeSync(number, bytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EPIPE" && number === 1) throw new OutputClosed(false);
    // A lost terminal is none to isatty; of a file, EIO is an error of its disk.
    if (code === "EIO" && number === 1 && fstatSync(1).isCharacterDevice()) throw new OutputClosed(true);
    // Its reader is gone, or the terminal.
    if (number === 2 && (code === "EPIPE" || code === "EIO")) return bytes.length;
    if (code !== "EAGAIN") throw error;
    // The pipe is full, and another process has made it non-blocking.
    Bun.sleepSync(5);
    return 0;
  }
}
