import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { guardServerFileDescriptors } from "../../src/server/server-file-descriptor-guard.ts";
import { openServerHttpListener } from "../../src/server/server-http-listener.ts";
import { readTlsIdentity } from "../../src/tls/pem-files.ts";
import { FIXTURE_TLS } from "../support/certificates.ts";

const { cert: certFile, key: keyFile } = FIXTURE_TLS;

test.each([
  ["http", undefined],
  ["https", readTlsIdentity({ certFile, keyFile })],
] as const)("%s: a paused listener whose address is in use resumes as soon as it is free", async (_, tls) => {
  const listener = await openServerHttpListener({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeoutS: 10,
    fetch: async () => new Response("ok"),
    onFault(error) {
      throw error;
    },
    tls,
  });
  const port = Number(new URL(listener.url).port);
  const states: boolean[] = [];
  let hasRoom = false;
  const endGuard = guardServerFileDescriptors(
    [{ listener, reservedDescriptors: 1 }],
    (isOpen) => states.push(isOpen),
    () => hasRoom,
  );
  const until = async (count: number) => {
    while (states.length < count) await Bun.sleep(10);
  };
  try {
    await until(1);
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
    hasRoom = true;
    await Bun.sleep(600);
    expect(states).toEqual([false]);
    await new Promise((resolve) => other.close(resolve));
    await until(2);
    expect(states).toEqual([false, true]);
    const reply = await fetch(listener.url, { tls: { rejectUnauthorized: false } });
    expect(await reply.text()).toBe("ok");
  } finally {
    endGuard();
    await listener.stop(1000);
  }
});
