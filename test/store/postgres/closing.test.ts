import { test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { usePostgres } from "../../support/postgres.ts";

const { newInstallation } = usePostgres();
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
/** The message with which a client ends a connection. */
const TERMINATE = Buffer.from([0x58, 0, 0, 0, 4]);

/** A proxy that ignores the end of connections, as a connection pooler without a server does. */
async function proxyThatStaysOpen(host: string, port: number) {
  const sockets: Socket[] = [];
  const way = createServer({ allowHalfOpen: true }, (client) => {
    const there = connect(port, host);
    sockets.push(client, there);
    client.on("data", (bytes: Buffer) => void (bytes.equals(TERMINATE) || there.write(bytes)));
    there.on("data", (bytes) => client.write(bytes));
    for (const socket of [client, there]) socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => way.listen(0, "127.0.0.1", resolve));
  return {
    port: (way.address() as { port: number }).port,
    close: () => {
      way.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

test("a store closes soon although the end of its connections is not acknowledged", async () => {
  const url = new URL(await newInstallation());
  const way = await proxyThatStaysOpen(url.hostname, Number(url.port));
  url.host = `127.0.0.1:${way.port}`;
  const store = await openPostgresStore(url.href, { clock: Date.now, random });
  await Promise.all([store.read.partners.list(), store.write((tx) => tx.installation.keyCheck("x"))]);
  await store.close();
  way.close();
});
