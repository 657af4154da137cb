import { afterAll, expect, test } from "bun:test";
import { ApiClient } from "../../src/web/browser/api-client.ts";

let status = "failed";
let asked = 0;
/** The first answer has been read from what there is, and waits until it may go out. */
const [read, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
const api = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch({ method }) {
    if (method === "POST") status = "delivered";
    const answer = Response.json({ status });
    if (method === "GET" && ++asked === 1) {
      read.resolve();
      await held.promise;
    }
    return answer;
  },
});
afterAll(async () => await api.stop(true));

test("what was under way before a change is not what is read after it", async () => {
  const client = new ApiClient(`http://127.0.0.1:${api.port}`, async () => ({}));
  const before = client.read("/deliveries");
  await read.promise;
  await client.write("POST", "/deliveries/1/resend");
  expect(await client.read<unknown>("/deliveries")).toEqual({ status: "delivered" });
  held.resolve();
  expect(await before).toEqual({ status: "failed" });
  expect(await client.read<unknown>("/deliveries")).toEqual({ status: "delivered" });
  expect(asked).toBe(2);
});
