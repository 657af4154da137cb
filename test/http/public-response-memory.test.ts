import { expect, test } from "bun:test";
import { type PublicCall, publicOperation, type Reply } from "../../src/http/operation.ts";
import { usePartnerStore } from "../support/partner-store.ts";
import { pipelineOn } from "../support/pipeline.ts";
import { withoutDeadline } from "../support/request-context.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const MEGABYTE = 1_048_576;
const open = usePartnerStore();

/** Returns a function that gets a public response, whose memory belongs to an owner. */
async function pipeline(make: (call: PublicCall, bytes: number) => Reply<never>) {
  const pipeline = pipelineOn(await open(NOW));
  const operation = (bytes: number) =>
    publicOperation({
      id: "page",
      method: "GET",
      path: "/page/{owner}",
      summary: "A page",
      handle: (call) => make(call, bytes),
    });
  return async (owner: string, bytes: number) =>
    await pipeline.run(
      operation(bytes),
      new Request("http://x/page"),
      { owner },
      {
        requestId: "r",
        address: "::1",
        now: NOW,
        monotonicMs: 0,
        headers: {},
        ...withoutDeadline(),
      },
    );
}

test.each<[string, (bytes: number) => Reply<never>]>([
  ["bytes", (bytes) => ({ raw: new Uint8Array(bytes).fill(120) })],
  ["a text", (bytes) => ({ raw: "x".repeat(bytes) })],
  ["chunks", (bytes) => ({ chunks: ["x".repeat(bytes / 2), "x".repeat(bytes / 2)] })],
])("public responses of one owner share memory until they are sent, as %s", async (_, reply) => {
  const get = await pipeline(({ params, reserveMemoryFor }, bytes) => {
    reserveMemoryFor(params.owner!)(MEGABYTE);
    return reply(bytes);
  });
  const oldest = await get("a", 40 * MEGABYTE);
  const second = await get("a", 20 * MEGABYTE);
  expect((await get("a", 20 * MEGABYTE)).status).toBe(503);
  expect((await get("b", 20 * MEGABYTE)).status).toBe(200);
  expect((await oldest.bytes()).length).toBe(40 * MEGABYTE);
  await second.body!.cancel();
  const next = await get("a", 40 * MEGABYTE);
  expect((await get("a", 20 * MEGABYTE)).status).toBe(200);
  await next.body!.cancel();
});

test("a failed handler and a small response release their memory at once", async () => {
  const get = await pipeline(({ params, reserveMemoryFor }, bytes) => {
    reserveMemoryFor(params.owner!)(40 * MEGABYTE);
    if (bytes === 0) throw new Error("failed");
    return { raw: "x".repeat(bytes) };
  });
  for (let i = 0; i < 3; i++) {
    expect((await get("a", 0)).status).toBe(500);
    expect((await get("a", 10)).status).toBe(200);
  }
});
