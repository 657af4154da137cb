import { dlopen, ptr } from "bun:ffi";
import { endianness } from "node:os";

/*
 * A datagram socket of the Unix domain, through the C library: the runtime has streams of that domain only. The constants
 * are those of Linux on x86-64 and ARM64.
 */

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const CLOCK_MONOTONIC = 1;
/** The size of sun_path, whose last byte is NUL for a path. */
const MAX_PATH_BYTES = 107;

/** glibc's, then musl's. */
const C_LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];
const FUNCTIONS = {
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  sendto: { args: ["i32", "ptr", "u64", "i32", "ptr", "u32"], returns: "i64" },
  clock_gettime: { args: ["i32", "ptr"], returns: "i32" },
} as const;

type NotifySocket = {
  /** Sends one datagram without waiting. Returns false if nothing receives it. */
  send(text: string): boolean;
  /** Returns the time of the clock CLOCK_MONOTONIC. */
  monotonicMicroseconds(): bigint;
};

/** Opens a socket that sends to an address: a path, or with `@` a name in the abstract namespace. Throws on failure. */
export function openSystemdNotifySocket(address: string): NotifySocket {
  if (!/^[/@]./.test(address)) throw new Error("expected a path, or a name after @");
  const to = socketAddress(address);
  const { socket, sendto, clock_gettime } = loadLibrary().symbols;
  const descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw new Error("the socket cannot be created");
  return {
    send(text) {
      const bytes = Buffer.from(text);
      const flags = MSG_DONTWAIT | MSG_NOSIGNAL;
      return sendto(descriptor, ptr(bytes), BigInt(bytes.length), flags, ptr(to), to.length) >= 0n;
    },
    monotonicMicroseconds() {
      const time = new BigInt64Array(2);
      clock_gettime(CLOCK_MONOTONIC, ptr(time));
      return time[0]! * 1_000_000n + time[1]! / 1_000n;
    },
  };
}

/** Returns the sockaddr_un of an address. */
function socketAddress(address: string): Uint8Array {
  const name = Buffer.from(address);
  if (name.length > MAX_PATH_BYTES) throw new Error(`longer than ${MAX_PATH_BYTES} bytes`);
  if (address.startsWith("@")) name[0] = 0;
  const bytes = new Uint8Array(2 + name.length);
  new DataView(bytes.buffer).setUint16(0, AF_UNIX, endianness() === "LE");
  bytes.set(name, 2);
  return bytes;
}

function loadLibrary(): ReturnType<typeof dlopen<typeof FUNCTIONS>> {
  for (const name of C_LIBRARIES)
    try {
      return dlopen(name, FUNCTIONS);
    } catch {
      // The library of another system.
    }
  throw new Error(`none of ${C_LIBRARIES.join(", ")} can be loaded`);
}
