import { connect, createServer } from "node:net";

/** The traffic from clients to PostgreSQL. */
export type Counts = { statements: number; roundTrips: number };

const EXECUTE = "E".charCodeAt(0);
const QUERY = "Q".charCodeAt(0);
/** The code of an SSLRequest. It and the startup message come first on a connection and have no type byte. */
const SSL_REQUEST = 80_877_103;

/**
 * Starts a proxy between servers and PostgreSQL that counts executed statements (a text with several statements counts
 * once) and round trips: the times that a connection sent data after a response, for which a request may have waited.
 */
export async function startCountingProxy(target: { port: number }) {
  const counts: Counts = { statements: 0, roundTrips: 0 };
  const proxy = createServer({ noDelay: true }, (client) => {
    const database = connect({ host: "127.0.0.1", port: target.port, noDelay: true });
    const count = messageCounter(counts);
    let wasAnswered = false;
    client.on("data", (bytes) => {
      if (wasAnswered) counts.roundTrips++;
      wasAnswered = false;
      count(bytes as Buffer);
      database.write(bytes);
    });
    database.on("data", (bytes) => {
      wasAnswered = true;
      client.write(bytes);
    });
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as { port: number };
  return { port, counts, stop: () => void proxy.close() };
}

/** Counts the statements in the bytes of one connection, independent of their segmentation. */
function messageCounter(counts: Counts): (bytes: Buffer) => void {
  let pending = Buffer.alloc(0);
  let hasBegun = false;
  return (bytes) => {
    pending = Buffer.concat([pending, bytes]);
    for (;;) {
      const typeBytes = hasBegun ? 1 : 0;
      if (pending.length < typeBytes + 4) return;
      const end = typeBytes + pending.readUInt32BE(typeBytes);
      if (pending.length < end) return;
      if (!hasBegun) hasBegun = pending.readUInt32BE(4) !== SSL_REQUEST;
      else if (pending[0] === EXECUTE || pending[0] === QUERY) counts.statements++;
      pending = pending.subarray(end);
    }
  };
}
