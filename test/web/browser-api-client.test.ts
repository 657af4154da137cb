import { afterAll, expect, test } from "bun:test";
import { ApiClient } from "../../src/web/browser/browser-api-client.ts";
import { ApiFailure } from "../../src/web/browser/browser-api-failure.ts";

let status = "failed";
let requests = 0;
/** The first response has the state from before the change, and is held back until `release`. */
const [read, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
const api = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch({ method }) {
    if (method === "POST") status = "delivered";
    const response = Response.json({ status });
    if (method === "GET" && ++requests === 1) {
      read.resolve();
      await release.promise;
    }
    return response;
  },
});
afterAll(async () => await api.stop(true));

test("a response to a request from before a change is not read after it", async () => {
  const client = new ApiClient(`http://127.0.0.1:${api.port}`, async () => ({}));
  const before = client.read("/deliveries");
  await read.promise;
  await client.write("POST", "/deliveries/1/resend");
  expect(await client.read<unknown>("/deliveries")).toEqual({ status: "delivered" });
  release.resolve();
  expect(await before).toEqual({ status: "failed" });
  expect(await client.read<unknown>("/deliveries")).toEqual({ status: "delivered" });
  expect(requests).toBe(2);
});

test("a connection that breaks inside the response to a change is a failure that pages show", async () => {
  const broken = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":');
      },
    },
  });
  const client = new ApiClient(`http://127.0.0.1:${broken.port}`, async () => ({}));
  await expect(client.write("POST", "/v1/import-rows", {})).rejects.toBeInstanceOf(ApiFailure);
  broken.stop(true);
});
