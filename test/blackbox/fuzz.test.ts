import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { operationsOf, readApiDocument } from "../support/api-document.ts";
import type { ApiClient } from "../support/client.ts";
import { eventually, TEST_TIMEOUT_MS } from "../support/eventually.ts";
import { fill, type HostileRequest, requestsFor } from "../support/hostile-requests.ts";
import { STAND_INS } from "../support/hostile-values.ts";
import { expectNoLeak } from "../support/leaks.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { startReceiver } from "../support/receiver.ts";
import { addRecords } from "../support/records.ts";

/*
 * Sends requests to every operation of the API document, both as the document describes and in other ways. The
 * client checks each response against the document. In addition, no response is a fault or discloses internals of
 * the server. CONTRIBUTING.md says how to run it for longer and how to reproduce a failure.
 */

const { FUZZ_RUNS, FUZZ_SEED, FUZZ_PATH } = process.env;
const RUNS = Number(FUZZ_RUNS ?? 16);
/** A fixed seed, except for a longer run. */
const SEED = FUZZ_SEED === undefined ? (FUZZ_RUNS === undefined ? 1 : undefined) : Number(FUZZ_SEED);

const { serve } = useMainstay();
const document = readApiDocument();
let server: Installation;
let partner: Partner;
let client: ApiClient;
let other: ApiClient;
/** The values of the placeholders for operations that only read. */
let toRead: Record<string, string> | undefined;

beforeAll(async () => {
  server = await serve();
  // Has a receiver, so that there are deliveries to send again.
  const { url } = await startReceiver();
  partner = await server.createPartner("Acme", "--webhook-url", url);
  client = server.as(partner);
  await addRecords(client);
  await eventually(async () => expect((await addRecords(client)).WH_).not.toBe("WH_1795230000000_k3v9x"));
  other = server.as(await server.createPartner("Other"));
});

test("the document equals the served one", async () => {
  expect((await server.anonymous.get("/v1/openapi.json")).body).toEqual(document);
});

// Rule: documented-responses
test.each(operationsOf(document).map((at) => [at.operation.operationId, at] as const))(
  "%s sends a documented response to any request",
  async (_, at) => {
    if (at.method === "GET") toRead ??= await placeholderValues();
    const values = at.method === "GET" ? toRead! : await placeholderValues();
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(requestsFor(document, at), async (request) => {
        const { status, text } = await send(at.method, request, values);
        seen.add(status);
        // Nothing is limited here, and nothing is wrong with the server.
        expect(status, text).not.toBe(429);
        expect(status, text).toBeLessThan(500);
        expect(Object.keys(at.operation.responses), text).toContain(String(status));
        if (status >= 400)
          expectNoLeak(text, [partner.api_key, partner.client_secret, partner.webhook_secret]);
      }),
      { numRuns: RUNS, seed: SEED, path: FUZZ_PATH },
    );
    // Or everything was refused at the door, and little was tried.
    // Two IDs that belong together come up too rarely, and so do two of properties that can be merged.
    const pathParameters = at.path.match(/\{/g) ?? [];
    if (FUZZ_PATH === undefined && pathParameters.length < 2 && !at.path.endsWith("/merge"))
      expect([...seen].some((status) => status < 300)).toBe(true);
  },
  TEST_TIMEOUT_MS + RUNS * 100,
);

function send(
  method: "GET" | "POST" | "PUT" | "DELETE",
  { target, headers, body, encoding }: HostileRequest,
  values: Record<string, string>,
) {
  const filled = Object.entries(headers).map(([name, value]) => [name, fill(value, values)]);
  return client.send(method, fill(target, values), {
    headers: Object.fromEntries(filled),
    ...(body !== undefined && { raw: Buffer.from(fill(body, values), encoding) }),
  });
}

/**
 * Returns the values of the placeholders in requests. They are new for each operation that writes: otherwise what one
 * operation adds would slow the next.
 */
async function placeholderValues(): Promise<Record<string, string>> {
  const [own, others] = await Promise.all([addRecords(client), addRecords(other)]);
  return {
    ...STAND_INS,
    ...own,
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [`other ${name}`, value])),
    svc_client: partner.client_id,
    svc_secret: partner.client_secret,
  };
}
