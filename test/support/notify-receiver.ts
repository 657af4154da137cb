import { dlopen, ptr } from "bun:ffi";
import { endianness } from "node:os";
import { eventually } from "./eventually.ts";

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MSG_DONTWAIT = 0x40;
const MAX_BYTES = 4096;

/** A service manager's end of sd_notify(3): a datagram socket of the Unix domain, at a path or an abstract name (`@…`). */
export class NotifyReceiver {
  readonly #libc = dlopen("libc.so.6", {
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    bind: { args: ["i32", "ptr", "u32"], returns: "i32" },
    recv: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
    close: { args: ["i32"], returns: "i32" },
  });
  readonly #descriptor: number;
  readonly #messages: string[] = [];

  constructor(readonly address: string) {
    const { socket, bind } = this.#libc.symbols;
    this.#descriptor = socket(AF_UNIX, SOCK_DGRAM, 0);
    const name = Buffer.from(address.replace(/^@/, "\0"));
    const bytes = new Uint8Array(2 + name.length);
    new DataView(bytes.buffer).setUint16(0, AF_UNIX, endianness() === "LE");
    bytes.set(name, 2);
    if (bind(this.#descriptor, ptr(bytes), bytes.length) !== 0) throw new Error(`cannot bind to ${address}`);
  }

  /** Returns everything that was received so far, oldest first. */
  messages(): readonly string[] {
    const buffer = Buffer.alloc(MAX_BYTES);
    for (;;) {
      const length = Number(
        this.#libc.symbols.recv(this.#descriptor, ptr(buffer), BigInt(buffer.length), MSG_DONTWAIT),
      );
      if (length < 0) return this.#messages;
      this.#messages.push(buffer.toString("utf8", 0, length));
    }
  }

  /** Waits until something that matches has been received after the first `after` messages; returns it. */
  async received(pattern: RegExp, after = 0): Promise<string> {
    return await eventually(() => {
      const found = this.messages()
        .slice(after)
        .find((message) => pattern.test(message));
      if (found === undefined)
        throw new Error(`nothing like ${pattern} in ${JSON.stringify(this.#messages)}`);
      return found;
    });
  }

  close(): void {
    this.#libc.symbols.close(this.#descriptor);
    this.#libc.close();
  }
}
