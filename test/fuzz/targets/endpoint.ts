import { type AddressInfo, createServer } from "node:net";
import { createWebhookHttpSender } from "../../../src/webhooks/webhook-http-sender.ts";
import type { Target } from "../target.ts";

/** A response takes no longer than this: an endpoint that never ends its response is no hang. */
const TIMEOUT_MS = 200;

/** The response of a webhook endpoint, as bytes on the connection. */
export async function endpointTarget(): Promise<Target> {
  let reply: Buffer = Buffer.alloc(0);
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => socket.end(reply));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const sender = createWebhookHttpSender({
    policy: () => ({ allow: [], deny: [] }),
    resolve: async () => ["127.0.0.1"],
    extraAuthorities: null,
    proxy: null,
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    name: "endpoint",
    seeds: [
      "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
      "HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\ncontent-type: text/plain\r\n\r\n5\r\nerror\r\n0\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\n\r\n",
    ].map((text) => Buffer.from(text)),
    words: [
      "HTTP/1.1 ",
      "HTTP/0.9",
      "\r\n\r\n",
      "\r\n",
      "content-length: ",
      "ffffffff\r\n",
      "content-encoding: gzip\r\n",
    ],
    async parse(input) {
      reply = input;
      const { ok, statusCode } = await sender.send({
        url,
        headers: { "content-type": "application/json" },
        body: Buffer.from("{}"),
        timeoutMs: TIMEOUT_MS,
      });
      return `${ok ? "delivered" : "failed"} ${statusCode === null ? "without status" : `${Math.floor(statusCode / 100)}xx`}`;
    },
    end() {
      sender.close();
      server.close();
    },
  };
}
