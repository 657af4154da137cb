import { expect, spyOn, test } from "bun:test";
import {
  type AdminCall,
  adminOperation,
  type PartnerCall,
  type PublicCall,
  partnerOperation,
  publicOperation,
  type Reply,
} from "../../src/http/http-operation.ts";
import { ResponseMemoryLimiter } from "../../src/http/response-memory-limiter.ts";
import { createAdministrator } from "../../src/usecases/administration/create-or-revoke-administrator.ts";
import { createPartner } from "../../src/usecases/partners/create-partner-and-credentials.ts";
import { eventually } from "../support/eventually.ts";
import { usePartnerStore } from "../support/partner-store.ts";
import { pipelineOn } from "../support/pipeline.ts";
import { requestContextAt, withoutDeadline } from "../support/request-context.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const MEGABYTE = 1_048_576;
const open = usePartnerStore();

/** Gets a response of so many bytes for an owner of memory, a or b. */
type Get = (owner: string, bytes: number) => Promise<Response>;
type Make = (reserve: (bytes: number) => void, bytes: number) => Reply<never>;

const page = { id: "page", method: "GET", path: "/page/{owner}", summary: "A page" } as const;

/** Returns a function that gets responses of a kind of caller. */
async function pipeline(of: "public" | "partner" | "administrator", make: Make): Promise<Get> {
  const fixture = await open(NOW);
  const pipeline = pipelineOn(fixture);
  const { administration } = fixture;
  const keyOf = async (name: string) => {
    if (of === "administrator") return (await createAdministrator(administration, name)).key;
    const terms = { name, dailyBudget: 100, webhookUrl: null };
    return (await createPartner(administration, terms)).credentials.apiKey;
  };
  const keys = new Map([
    ["a", await keyOf("a")],
    ["b", await keyOf("b")],
  ]);
  const operations = (bytes: number) => ({
    public: () =>
      publicOperation({
        ...page,
        handle: ({ params, reserveMemoryFor }: PublicCall) =>
          make((reserved) => reserveMemoryFor(params.owner!)(reserved), bytes),
      }),
    partner: () =>
      partnerOperation({ ...page, handle: ({ reserveMemory }: PartnerCall) => make(reserveMemory, bytes) }),
    administrator: () =>
      adminOperation({ ...page, handle: ({ reserveMemory }: AdminCall) => make(reserveMemory, bytes) }),
  });
  return async (owner, bytes) =>
    await pipeline.run(
      operations(bytes)[of](),
      new Request("http://x/page", { headers: { "x-api-key": keys.get(owner)! } }),
      { owner },
      requestContextAt(NOW),
    );
}

const KINDS = ["public", "partner", "administrator"] as const;
const SHAPES: [string, (bytes: number) => Reply<never>][] = [
  ["bytes", (bytes) => ({ raw: new Uint8Array(bytes).fill(120) })],
  ["a text", (bytes) => ({ raw: "x".repeat(bytes) })],
  ["chunks", (bytes) => ({ chunks: ["x".repeat(bytes / 2), "x".repeat(bytes / 2)] })],
];
const shapes = KINDS.flatMap((kind) => SHAPES.map(([name, reply]) => [kind, name, reply] as const));

// Rule: large-responses
test.each(shapes)(
  "responses of one owner share memory until they are sent: %s, as %s",
  async (kind, _, reply) => {
    const get = await pipeline(kind, (reserve, bytes) => {
      reserve(MEGABYTE);
      return reply(bytes);
    });
    const oldest = await get("a", 40 * MEGABYTE);
    const second = await get("a", 20 * MEGABYTE);
    const refused = await get("a", 20 * MEGABYTE);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect((await get("b", 20 * MEGABYTE)).status).toBe(200);
    expect((await oldest.bytes()).length).toBe(40 * MEGABYTE);
    await second.body!.cancel();
    const next = await get("a", 40 * MEGABYTE);
    expect((await get("a", 20 * MEGABYTE)).status).toBe(200);
    await next.body!.cancel();
  },
);

// Rule: large-responses
test("an administrator's JSON is complete, keeps its status, and takes part", async () => {
  const get = await pipeline("administrator", (_, bytes) => ({
    status: 202,
    body: { text: "x".repeat(bytes) } as never,
  }));
  const oldest = await get("a", 900_000);
  expect([oldest.status, oldest.headers.get("content-type")]).toEqual([202, "application/json"]);
  expect(((await oldest.json()) as { text: string }).text.length).toBe(900_000);
  const unread = await Promise.all(Array.from({ length: 80 }, () => get("a", 900_000)));
  expect(unread.map(({ status }) => status).filter((status) => status === 503)).toHaveLength(
    80 - Math.floor((64 * MEGABYTE) / 900_011),
  );
  await Promise.all(unread.map(({ body }) => body?.cancel()));
  expect((await get("a", 900_000)).status).toBe(202);
});

// Rule: large-responses
test.each(shapes)(
  "a failed handler and a small response release their memory: %s, as %s",
  async (kind, _, reply) => {
    const get = await pipeline(kind, (reserve, bytes) => {
      reserve(40 * MEGABYTE);
      if (bytes === 0) throw new Error("failed");
      return reply(bytes);
    });
    for (let i = 0; i < 3; i++) {
      expect((await get("a", 0)).status).toBe(500);
      const small = await get("a", 10);
      expect([small.status, (await small.bytes()).length]).toEqual([200, 10]);
    }
  },
);

// Rule: large-requests
test("small requests share memory of their own, so that a response that is read slowly rejects no sensor's event", () => {
  const limiter = new ResponseMemoryLimiter(MEGABYTE);
  const slow = limiter.forRead("a");
  slow.grow(2 * MEGABYTE);
  const write = (bytes: number) => {
    const reservation = limiter.forWrite("a");
    reservation.reserve(bytes);
    return reservation;
  };
  expect(() => write(65_537)).toThrow("Too many large requests");
  // The last one may exceed the limit.
  const small = Array.from({ length: 17 }, () => write(65_536));
  expect(() => write(1)).toThrow("Too many large requests");
  for (const one of small) one.release();
  const large = write(100);
  large.settle(2 * MEGABYTE);
  expect(() => write(1)).toThrow("Too many large requests");
  large.settle(100);
  write(1);
  slow.release();
  write(65_537);
});

// Rule: large-responses
test("few long reads of a partner run at a time, and the others wait; those of another partner run beside them", async () => {
  const fixture = await open(NOW);
  const pipeline = pipelineOn(fixture);
  const [a, b] = await Promise.all(
    ["a", "b"].map((name) =>
      createPartner(fixture.administration, { name, dailyBudget: 100, webhookUrl: null }),
    ),
  );
  let [running, most] = [0, 0];
  let letThemEnd = () => {};
  const end = new Promise<void>((resolve) => {
    letThemEnd = resolve;
  });
  const long = partnerOperation({
    ...page,
    isLong: true,
    async handle() {
      most = Math.max(most, ++running);
      await end;
      running--;
      return { raw: "x" };
    },
  });
  const get = ({ credentials }: NonNullable<typeof a>) =>
    pipeline.run(
      long,
      new Request("http://x/page", { headers: { "x-api-key": credentials.apiKey } }),
      { owner: "a" },
      requestContextAt(NOW),
    );
  const responses = [...Array.from({ length: 10 }, () => get(a!)), get(b!)];
  await eventually(() => expect(running).toBe(5));
  letThemEnd();
  const statuses = await Promise.all(responses.map(async (response) => (await response).status));
  expect(statuses).toEqual(Array(11).fill(200));
  expect(most).toBe(5);
});

test("a large body is parsed in steps, between which other requests run", async () => {
  const fixture = await open(NOW);
  const items = Array.from({ length: 100_000 }, (_, n) => ({ name: `part ${n}` }));
  const operation = publicOperation({
    id: "count",
    method: "POST",
    path: "/count",
    summary: "Count items",
    body: "json",
    handle: async ({ body }: PublicCall) => ({ raw: String((body.items as unknown[]).length) }),
  });
  const context = withoutDeadline();
  // A request that yields then checks that its caller is still there.
  const yields = spyOn(context.deadline.signal, "throwIfAborted");
  const response = await pipelineOn(fixture, undefined, { bodyBytes: 10 * MEGABYTE, bodyValues: 1e6 }).run(
    operation,
    new Request("http://x/count", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ items }),
    }),
    {},
    { requestId: "r", address: "::1", now: NOW, monotonicMs: 0, headers: {}, ...context },
  );
  expect([response.status, await response.text()]).toEqual([200, "100000"]);
  expect(yields.mock.calls.length).toBeGreaterThan(1);
});
