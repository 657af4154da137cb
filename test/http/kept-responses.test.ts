import { expect, test } from "bun:test";
import {
  objectSchema,
  textListSchema,
  wholeNumberSchema,
} from "../../src/api-schemas/definition/schema-field-types.ts";
import { okReplies, okReply, partnerOperation, readOperationReplies } from "../../src/http/http-operation.ts";
import { createPartner } from "../../src/usecases/partners/create-partner-and-credentials.ts";
import { createPropertyAndQueueWebhook } from "../../src/usecases/portfolio/create-or-change-property.ts";
import { writePortfolio } from "../../src/usecases/portfolio/portfolio-writer.ts";
import { usePartnerStore } from "../support/partner-store.ts";
import { pipelineOn } from "../support/pipeline.ts";
import { knowledge, PROPERTY } from "../support/portfolio-store.ts";
import { requestContextAt } from "../support/request-context.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePartnerStore();

const visit = () => requestContextAt(NOW);

/** Two partners, and the number of responses computed for one of them. */
async function pipeline() {
  const fixture = await open(NOW);
  const { store, administration, open: openBeside } = fixture;
  const pipeline = pipelineOn(fixture);
  let workedOut = 0;
  const operation = partnerOperation({
    id: "count",
    method: "GET",
    path: "/count",
    summary: "How often",
    cacheable: true,
    replies: okReplies("How often", objectSchema({ workedOut: wholeNumberSchema("How often", 1) })),
    handle: () => okReply({ workedOut: ++workedOut }),
  });
  const partner = async (name: string) => {
    const made = await createPartner(administration, { name, dailyBudget: 1000, webhookUrl: null });
    const request = new Request("http://x/count", { headers: { "x-api-key": made.credentials.apiKey } });
    const get = async () => await (await pipeline.run(operation, request, {}, visit())).json();
    const write = (into = store) =>
      writePortfolio(into.write, knowledge, made.partner, (writer) =>
        createPropertyAndQueueWebhook(writer, PROPERTY, { source: "api" }),
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

test("the ETag of a long response in JSON is not that of the same address in CSV", async () => {
  const fixture = await open(NOW);
  const terms = { name: "Ours", dailyBudget: 10, webhookUrl: null };
  const { apiKey } = (await createPartner(fixture.administration, terms)).credentials;
  const lines = Array<string>(100_000).fill("a line of text");
  const operation = partnerOperation({
    id: "lines",
    method: "GET",
    path: "/lines",
    summary: "Lines",
    replies: readOperationReplies("Lines", objectSchema({ lines: textListSchema("Lines", ["a"]) })),
    handle: () => okReply({ lines }),
  });
  const onFixture = pipelineOn(fixture);
  const get = (headers: Record<string, string>) =>
    onFixture.run(
      operation,
      new Request("http://x/lines", { headers: { "x-api-key": apiKey, ...headers } }),
      {},
      visit(),
    );
  const etag = { "if-none-match": (await get({})).headers.get("etag")! };
  expect((await get(etag)).status).toBe(304);
  expect((await get({ ...etag, accept: "text/csv" })).status).toBe(200);
});
