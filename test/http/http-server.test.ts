import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { anyHostHeaderCheck } from "../../src/http/host-header.ts";
import {
  type Operation,
  type PublicCall,
  publicOperation,
  type Reply,
} from "../../src/http/http-operation.ts";
import { createHttpHandler } from "../../src/http/http-server.ts";
import { RequestSlidingWindow } from "../../src/http/request-sliding-window.ts";
import { type Listener, openServerHttpListener } from "../../src/server/server-http-listener.ts";
import { eventually } from "../support/eventually.ts";
import { type PartnerFixture, usePartnerStore } from "../support/partner-store.ts";
import { pipelineOn } from "../support/pipeline.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
/** More than the buffers of a connection hold. */
const LONG = ["x".repeat(40_000_000)];
const open = usePartnerStore();
let fixture: PartnerFixture;
// One for all tests, some of which are concurrent: a store that a test opens is closed when any test has ended.
beforeAll(async () => {
  fixture = await open(NOW);
});
const listeners: Listener[] = [];
afterAll(() => Promise.all(listeners.map((listener) => listener.stop(100))));

type Handle = (call: PublicCall) => Promise<Reply<never>> | Reply<never>;

/** Listens with one operation; `logged` returns what was logged about each request. */
async function serve(
  handle: Handle,
  { method = "GET" as Operation["method"], responseTimeoutS = 60, idleTimeoutS = 30 } = {},
) {
  const lines: { status: number; unsent_status?: number; complete?: false }[] = [];
  const counted: number[] = [];
  const fetch = createHttpHandler({
    operations: [publicOperation({ id: "page", method, path: "/page", summary: "A page", handle })],
    basePath: "",
    pipeline: pipelineOn(fixture),
    addressWindow: new RequestSlidingWindow(0),
    clientAddress: (address) => address,
    clock: fixture.clock,
    monotonicMs: () => performance.now(),
    newRequestId: () => "r",
    responseTimeoutS,
    checkHost: anyHostHeaderCheck,
    log: { info: (line: never) => lines.push(line) } as never,
    onResponse: (_route, _method, status) => counted.push(status),
  });
  const faults: Error[] = [];
  const onFault = (error: Error) => faults.push(error);
  const listener = await openServerHttpListener({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeoutS,
    fetch,
    onFault,
  });
  listeners.push(listener);
  const logged = async (count = 1) => {
    await eventually(() => expect(lines).toHaveLength(count));
    expect(counted).toEqual(lines.map(({ status }) => status));
    expect(faults).toEqual([]);
    return lines.map(({ status, unsent_status, complete }) => ({ status, unsent_status, complete }));
  };
  return { url: `${listener.url}/page`, logged };
}

/** Opens a connection and sends a request. */
function send(url: string, method = "GET"): Socket {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.write(`${method} /page HTTP/1.1\r\nHost: x\r\n\r\n`);
  return socket;
}

const ok: Reply<never> = { raw: "done", headers: { "content-type": "text/plain" } };
const long: Reply<never> = { chunks: LONG, headers: { "content-type": "text/plain" } };

test.concurrent("a response that is sent completely is logged with its status", async () => {
  const { url, logged } = await serve(() => long);
  expect((await (await fetch(url)).text()).length).toBe(LONG[0]!.length);
  expect(await logged()).toEqual([{ status: 200, unsent_status: undefined, complete: undefined }]);
  await fetch(url, { method: "HEAD" });
  expect((await logged(2)).at(-1)).toEqual({ status: 200, unsent_status: undefined, complete: undefined });
});

test.concurrent("a response whose caller leaves in between is logged with its status, as incomplete", async () => {
  const { url, logged } = await serve(() => long);
  const socket = send(url);
  await new Promise((resolve) => socket.once("data", resolve));
  socket.destroy();
  expect(await logged()).toEqual([{ status: 200, unsent_status: undefined, complete: false }]);
});

test.concurrent.each([
  ["a text", ok],
  ["a stream", long],
])("a response whose caller has left before is logged as 499, as %s", async (_, reply) => {
  const arrived = Promise.withResolvers<void>();
  const { url, logged } = await serve(async ({ signal }) => {
    arrived.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return reply;
  });
  const socket = send(url);
  await arrived.promise;
  socket.destroy();
  expect(await logged()).toEqual([{ status: 499, unsent_status: 200, complete: undefined }]);
});

test.concurrent.each<[string, (call: PublicCall) => Promise<Reply<never>>]>([
  [
    "work that yields",
    async ({ yieldNow }) => {
      while (true) await yieldNow();
    },
  ],
  ["work that waits", () => new Promise(() => {})],
])("a response that is not ready in time is a 503 with Retry-After: %s", async (_, handle) => {
  const { url, logged } = await serve(handle, { responseTimeoutS: 0.05 });
  const response = await fetch(url);
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await response.json()).toEqual({
    error: "The response was not ready within 0.05 s. Retry later.",
    code: "unavailable",
    request_id: "r",
  });
  expect(await logged()).toEqual([{ status: 503, unsent_status: undefined, complete: undefined }]);
});

test.concurrent("the result of a write that takes longer than the limit is sent", async () => {
  const write = async ({ signal }: PublicCall) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return ok;
  };
  const { url } = await serve(write, { method: "POST", responseTimeoutS: 0.05 });
  const response = await fetch(url, { method: "POST" });
  expect({ status: response.status, text: await response.text() }).toEqual({ status: 200, text: "done" });
});

test.concurrent("a response that is sent and read for longer than the shortest idle timeout is complete", async () => {
  const ended = Promise.withResolvers<void>();
  let isEnded = false;
  void ended.promise.then(() => {
    isEnded = true;
  });
  const stream = () =>
    new ReadableStream({
      async pull(controller) {
        controller.enqueue(new Uint8Array(100));
        if (isEnded) controller.close();
        else await Promise.race([ended.promise, Bun.sleep(50)]);
      },
    });
  let isFirst = true;
  const { url } = await serve(
    () => {
      const raw = isFirst ? stream() : "done";
      isFirst = false;
      return { raw, headers: { "content-type": "text/plain" } };
    },
    { idleTimeoutS: 1 },
  );
  const streamed = await fetch(url);
  const text = streamed.text();
  const idle = send(url);
  idle.resume();
  await new Promise((resolve) => idle.once("close", resolve));
  ended.resolve();
  expect((await text).length).toBeGreaterThan(100);
});

test.concurrent("a response is sent however long it is computed, and its connection is closed when it is idle after that", async () => {
  const arrived = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  let isFirst = true;
  const { url, logged } = await serve(
    async () => {
      if (!isFirst) return ok;
      isFirst = false;
      arrived.resolve();
      await finished.promise;
      return ok;
    },
    { idleTimeoutS: 1 },
  );
  const waiting = send(url);
  let received = "";
  waiting.on("data", (bytes) => {
    received += bytes;
  });
  const ended = new Promise((resolve) => waiting.once("close", resolve));
  await arrived.promise;
  // This connection is used later, and closed for being idle.
  const idle = send(url);
  idle.resume();
  await new Promise((resolve) => idle.once("close", resolve));
  finished.resolve();
  await eventually(() => expect(received).toEndWith("done"));
  expect((await logged(2)).map(({ status }) => status)).toEqual([200, 200]);
  await ended;
});
