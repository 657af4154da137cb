import { connect, createServer } from "node:net";

/** Counts of messages that the clients of a PostgreSQL server have sent. */
export type Counts = { statements: number; roundTrips: number };

const EXECUTE = "E".charCodeAt(0);
const QUERY = "Q".charCodeAt(0);
/** The messages before a connection's first typed one: the request for encryption, and the startup message. */
const ASKS_FOR_ENCRYPTION = 80_877_103;

/**
 * Stands between servers and PostgreSQL and counts what is executed (a text of several statements counts once, as it is
 * sent once), and how often a connection sent on after it had been answered: the times that somebody may have waited.
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

/** Counts the statements in the bytes of one connection, however they are cut. */
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
      if (!hasBegun) hasBegun = pending.readUInt32BE(4) !== ASKS_FOR_ENCRYPTION;
      else if (pending[0] === EXECUTE || pending[0] === QUERY) counts.statements++;
      pending = pending.subarray(end);
    }
  };
}
