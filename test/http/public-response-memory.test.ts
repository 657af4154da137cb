import { expect, test } from "bun:test";
import { Authenticator } from "../../src/http/auth.ts";
import { ConsoleSessions } from "../../src/http/console-sessions.ts";
import { type PublicCall, publicOperation, type Reply } from "../../src/http/operation.ts";
import { Pipeline } from "../../src/http/pipeline.ts";
import { SlidingWindow } from "../../src/http/sliding-window.ts";
import type { MasterKey } from "../../src/secrets/master-key.ts";
import { bearerTokens } from "../../src/secrets/tokens.ts";
import { DailyCallLimits } from "../../src/usecases/partners/daily-call-limits.ts";
import { usePartnerStore } from "../support/partner-store.ts";
import { knowledge } from "../support/portfolio-store.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const MEGABYTE = 1_048_576;
const open = usePartnerStore();

/** Returns a function that gets a public response, whose memory belongs to an owner. */
async function pipeline(make: (call: PublicCall, bytes: number) => Reply<never>) {
  const { store, administration, clock } = await open(NOW);
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  const { actor: _, ...parts } = administration;
  const budgets = new DailyCallLimits(store, clock);
  const tokens = bearerTokens(new Uint8Array(32) as MasterKey, random);
  const pipeline = new Pipeline({
    store,
    knowledge,
    clock,
    perPartnerPerMinute: 0,
    bodyBytes: 1,
    administration: parts,
    authenticator: new Authenticator(store, tokens, clock, budgets),
    consoleSessions: new ConsoleSessions(store, random, clock),
    budgets,
    partnerWindow: new SlidingWindow(0),
    log: { info() {}, warn() {}, error() {} } as never,
  });
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
        signal: new AbortController().signal,
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
