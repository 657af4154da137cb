import { expect, test } from "bun:test";
import { Authenticator } from "../../src/http/auth.ts";
import { ConsoleSessions } from "../../src/http/console-sessions.ts";
import { ok, okReplies, partnerOperation } from "../../src/http/operation.ts";
import { Pipeline } from "../../src/http/pipeline.ts";
import { ResponseCache } from "../../src/http/response-cache.ts";
import { SlidingWindow } from "../../src/http/sliding-window.ts";
import type { MasterKey } from "../../src/secrets/master-key.ts";
import { bearerTokens } from "../../src/secrets/tokens.ts";
import { DailyCallLimits } from "../../src/usecases/partners/daily-call-limits.ts";
import { createPartner } from "../../src/usecases/partners/partners.ts";
import { writePortfolio } from "../../src/usecases/portfolio/portfolio-writer.ts";
import { createProperty } from "../../src/usecases/portfolio/properties.ts";
import { object, whole } from "../../src/wire/schema/fields.ts";
import { usePartnerStore } from "../support/partner-store.ts";
import { knowledge, PROPERTY } from "../support/portfolio-store.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePartnerStore();

/** Two partners, and the number of responses computed for one of them. */
async function pipeline() {
  const { store, administration, clock, open: openBeside } = await open(NOW);
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  const { actor: _, ...parts } = administration;
  const budgets = new DailyCallLimits(store, clock);
  const pipeline = new Pipeline({
    store,
    knowledge,
    clock,
    perPartnerPerMinute: 0,
    bodyBytes: 1,
    administration: parts,
    authenticator: new Authenticator(
      store,
      bearerTokens(new Uint8Array(32) as MasterKey, random),
      clock,
      budgets,
    ),
    consoleSessions: new ConsoleSessions(store, random, clock),
    budgets,
    partnerWindow: new SlidingWindow(0),
    log: { info() {}, warn() {}, error() {} } as never,
  });
  let workedOut = 0;
  const operation = partnerOperation({
    id: "count",
    method: "GET",
    path: "/count",
    summary: "How often",
    cacheable: true,
    replies: okReplies("How often", object({ workedOut: whole("How often", 1) })),
    handle: () => ok({ workedOut: ++workedOut }),
  });
  const partner = async (name: string) => {
    const made = await createPartner(administration, { name, dailyBudget: 1000, webhookUrl: null });
    const request = new Request("http://x/count", { headers: { "x-api-key": made.credentials.apiKey } });
    const visit = () => ({
      requestId: "r",
      address: "::1",
      now: NOW,
      monotonicMs: 0,
      headers: {},
      signal: new AbortController().signal,
    });
    const get = async () => await (await pipeline.run(operation, request, {}, visit())).json();
    const write = (into = store) =>
      writePortfolio(into.write, knowledge, made.partner, (writer) =>
        createProperty(writer, PROPERTY, { source: "api" }),
      );
    return { get, write, store };
  };
  return { ours: await partner("Ours"), theirs: await partner("Theirs"), store, openBeside };
}

test("a commit for another partner, by any process, invalidates nothing", async () => {
  const { ours, theirs, openBeside } = await pipeline();
  expect(await ours.get()).toEqual({ workedOut: 1 });
  await theirs.write();
  await theirs.write(await openBeside());
  expect(await ours.get()).toEqual({ workedOut: 1 });
});

test("a commit for the partner, by any process, and a change for all partners invalidate its responses", async () => {
  const { ours, store, openBeside } = await pipeline();
  await ours.get();
  await ours.write();
  expect(await ours.get()).toEqual({ workedOut: 2 });
  await ours.write(await openBeside());
  expect(await ours.get()).toEqual({ workedOut: 3 });
  await store.write((tx) => tx.partners.bumpAllRevisions());
  expect(await ours.get()).toEqual({ workedOut: 4 });
});

test("a failed commit invalidates nothing", async () => {
  const { ours, store } = await pipeline();
  await ours.get();
  const failed = store.write(async (tx) => {
    await tx.partners.bumpAllRevisions();
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  expect(await ours.get()).toEqual({ workedOut: 1 });
});

test("large responses are not cached, and the least recently used are evicted", () => {
  const answers = new ResponseCache();
  const body = "x".repeat(60_000);
  answers.set(1, "large", { body: "x".repeat(70_000), etag: "" });
  expect(answers.get(1, "large")).toBeUndefined();
  for (let i = 0; i < 300; i++) {
    answers.set(1, `page ${i}`, { body, etag: "" });
    expect(answers.get(1, "page 0")).toBeDefined();
  }
  expect(answers.get(1, "page 1")).toBeUndefined();
  expect(answers.get(1, "page 299")).toEqual({ body, etag: "" });
  expect(answers.get(2, "page 299")).toBeUndefined();
});
