import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { readHttpBodyBytes } from "../../src/http/request-body.ts";
import { openServerHttpListener } from "../../src/server/server-http-listener.ts";
import { FIXTURE_TLS } from "../support/certificates.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
const identity = {
  cert: readFileSync(FIXTURE_TLS.cert, "utf8"),
  key: readFileSync(FIXTURE_TLS.key, "utf8"),
  subject: "receiver.test",
  validFrom: 0,
  validTo: 0,
};

// The runtime sets the signal; the pages and the API stop their work by it.
test.each<[string, boolean, string, (socket: Socket) => void]>([
  ["is closed", false, REQUEST, (socket) => socket.destroy()],
  ["is reset", false, REQUEST, (socket) => socket.resetAndDestroy()],
  ["is half closed", false, REQUEST, (socket) => socket.end()],
  ["is closed, with HTTP/1.0 and no host", false, "GET / HTTP/1.0\r\n\r\n", (socket) => socket.destroy()],
  ["is closed, behind TLS", true, REQUEST, (socket) => socket.destroy()],
])("the signal of a request is aborted when its connection %s", async (_, isTls, request, close) => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<Request>();
  const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
  const listener = await openServerHttpListener({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeoutS: 30,
    onFault(error) {
      throw error;
    },
    tls: isTls ? identity : undefined,
    async fetch(request) {
      request.signal.addEventListener("abort", () => abort());
      arrive(request);
      await aborted;
      return new Response();
    },
  });
  const port = Number(new URL(listener.url).port);
  const socket: Socket = isTls
    ? connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false })
    : connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(request);
  const { signal } = await arrived;
  expect(signal.aborted).toBe(false);
  close(socket);
  await aborted;
  expect((signal.reason as Error).name).toBe("AbortError");
  await listener.stop(100);
});

// Rule: pipelining
test.each([
  ["plain", undefined],
  ["TLS", identity],
])("a write with further bytes in its segment is interrupted before it is made, over %s", async (_, tls) => {
  const { promise: outcome, resolve } = Promise.withResolvers<unknown>();
  const listener = await openServerHttpListener({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeoutS: 30,
    tls,
    async fetch(request) {
      resolve(await readHttpBodyBytes(request, 100).catch((error) => error.name));
      return new Response();
    },
    onFault(error) {
      throw error;
    },
  });
  const port = Number(new URL(listener.url).port);
  const socket: Socket = tls
    ? connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false })
    : connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nwrite${REQUEST}`);
  expect(await outcome).toBe("AbortError");
  socket.destroy();
  await listener.stop(100);
});

test("a listener over TLS that is paused and resumed many times collects no event listeners", async () => {
  const warnings: string[] = [];
  const warn = ({ name }: Error) => warnings.push(name);
  process.on("warning", warn);
  const listener = await openServerHttpListener({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeoutS: 30,
    tls: identity,
    fetch: async () => new Response(),
    onFault(error) {
      throw error;
    },
  });
  for (let i = 0; i < 12; i++) {
    listener.pause();
    await listener.resume();
  }
  await listener.stop(100);
  process.off("warning", warn);
  expect(warnings).toEqual([]);
});
