import { afterAll, beforeEach, expect, test } from "bun:test";
import { connect } from "node:net";
import { yieldToEventLoop } from "../../src/event-loop/event-loop.ts";
import { exchange, rawRequest } from "../support/raw-http.ts";

/*
 * The behavior of the runtime's HTTP server, without any code of ours, that `waitForParsedHttpSegment` works around as far as possible
 * and docs/operating.md describes. If a version of the runtime fails these tests, both may be obsolete.
 */

type Seen = { body: string; isAbortedAtOnce: boolean; isAbortedAfterYield: boolean };
let seen: Seen[];
let arrived: PromiseWithResolvers<void>;
let answer: Promise<void>;
beforeEach(() => {
  seen = [];
  arrived = Promise.withResolvers();
  answer = Promise.resolve();
});

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  async fetch(request) {
    const body = await request.text();
    const isAbortedAtOnce = request.signal.aborted;
    await yieldToEventLoop();
    seen.push({ body, isAbortedAtOnce, isAbortedAfterYield: request.signal.aborted });
    arrived.resolve();
    await answer;
    return new Response("done");
  },
});
afterAll(() => server.stop(true));

const WRITE = rawRequest("POST /", ["Content-Length: 5"], "write");
const CHUNKED = rawRequest("POST /", ["Transfer-Encoding: chunked"], "5\r\nwrite\r\n0\r\n");
const READ = rawRequest("GET /");

test.each([
  ["another request behind a write", WRITE + READ, []],
  ["a line end behind a write", `${WRITE}\r\n`, [{ status: 400, body: "" }]],
  ["trailers", `${CHUNKED}X-Checksum: 1\r\n\r\n`, [{ status: 400, body: "" }]],
])("%s: the handler gets the write, and the client no response to it", async (_, bytes, responses) => {
  expect(await exchange(server.url.href, bytes, 2)).toMatchObject({ responses, isClosed: true });
  await arrived.promise;
  expect(seen).toEqual([{ body: "write", isAbortedAtOnce: false, isAbortedAfterYield: true }]);
});

test.each([
  ["another request", READ, ""],
  ["a line end", "\r\n", "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"],
])(
  "%s that arrives while a write is processed: the client gets no response to it",
  async (_, next, expected) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answer = promise;
    const socket = connect(server.port!, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.write(WRITE);
    await arrived.promise;
    socket.write(next);
    await closed;
    resolve();
    expect(seen).toEqual([{ body: "write", isAbortedAtOnce: false, isAbortedAfterYield: false }]);
    expect(text).toBe(expected);
  },
);

test("a line end before a request: it is rejected, and no handler gets it", async () => {
  const { responses, isClosed } = await exchange(server.url.href, `\r\n${WRITE}`, 2);
  expect({ responses, isClosed }).toMatchObject({ responses: [{ status: 400, body: "" }], isClosed: true });
  expect(seen).toEqual([]);
});
