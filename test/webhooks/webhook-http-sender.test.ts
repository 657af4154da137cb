import { afterEach, describe, expect, test } from "bun:test";
import { createWebhookHttpSender, type HttpSender } from "../../src/webhooks/webhook-http-sender.ts";
import { eventually, TIMEOUT_MS } from "../support/eventually.ts";
import { withLongerTimeouts } from "../support/longer-timeouts.ts";
import { startReceiver } from "../support/receiver.ts";
import { ManualTime } from "./manual-time.ts";
import { SimulatedEndpoints, type SimulatedResponse } from "./simulated-endpoints.ts";

/** The first timeout if no response is expected; otherwise it is TIMEOUT_MS. */
const SHORT_MS = 200;
type SenderFixture = {
  send: HttpSender["send"];
  url: string;
  pass(ms: number): Promise<unknown>;
  bodies(): string[];
};

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function connected(answer: SimulatedResponse): Promise<SenderFixture> {
  const behavior = answer === "hang" ? answer : { status: answer.status, delayMs: answer.afterMs };
  const receiver = await startReceiver({ behave: () => behavior });
  const policy = { allow: [], deny: [] };
  const resolve = async () => [];
  const sender = createWebhookHttpSender({
    policy: () => policy,
    resolve,
    extraAuthorities: null,
    proxy: null,
  });
  closing.push(sender.close, receiver.close);
  const bodies = () => receiver.received.map(({ body }) => body.toString());
  return { send: sender.send, url: receiver.url, pass: async () => {}, bodies };
}

async function inMemory(answer: SimulatedResponse): Promise<SenderFixture> {
  const time = new ManualTime();
  const receivers = new SimulatedEndpoints(time);
  receivers.answer = () => answer;
  return {
    send: (request) => receivers.send(request),
    url: "http://p1.test/",
    pass: (ms) => time.advance(ms),
    bodies: () => receivers.sent.map(({ body }) => body),
  };
}

describe.each([
  ["over connections", connected],
  ["in memory, which other tests take for it", inMemory],
])("a sender %s", (_, open) => {
  const sendOnce = async (answer: SimulatedResponse, timeoutMs = TIMEOUT_MS) => {
    const { send, url, pass, bodies } = await open(answer);
    const headers = { "webhook-id": "WH_1_aaaaa" };
    const sending = send({ url, headers, body: Buffer.from("Zürich"), timeoutMs });
    await pass(timeoutMs);
    const result = await sending;
    if (result.address !== null) await eventually(() => expect(bodies()).toEqual(["Zürich"]));
    return result;
  };

  test.each([200, 204, 299])("succeeds with %d", async (status) => {
    expect(await sendOnce({ status })).toMatchObject({
      ok: true,
      statusCode: status,
      error: null,
      address: "127.0.0.1",
      responseHead: expect.any(String),
    });
  });

  test.each([301, 304, 400, 404, 410, 500, 503])("fails with %d and a message", async (status) => {
    const result = await sendOnce({ status });
    expect(result).toMatchObject({ ok: false, statusCode: status, address: "127.0.0.1" });
    expect(result.error).toContain(`${status}`);
  });

  test("fails without a status if no response arrives within the timeout", async () => {
    const { result, timeoutMs } = await withLongerTimeouts(
      SHORT_MS,
      (timeoutMs) => sendOnce("hang", timeoutMs),
      ({ address }) => address !== null,
    );
    expect(result).toMatchObject({ ok: false, statusCode: null });
    expect(result.error).toContain("no response");
    expect(result.durationMs).toBeGreaterThanOrEqual(timeoutMs - 20);
  });

  test("measures the duration", async () => {
    const { durationMs, ok } = await sendOnce({ status: 200, afterMs: 50 });
    expect(ok).toBe(true);
    expect(durationMs).toBeGreaterThanOrEqual(49);
  });
});
