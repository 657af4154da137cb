import { expect, test } from "bun:test";
import { objectSchema, wholeNumberSchema } from "../../src/api-schemas/definition/schema-field-types.ts";
import { yieldToEventLoop } from "../../src/event-loop/event-loop.ts";
import {
  type AdminCall,
  adminOperation,
  okReplies,
  okReply,
  type PartnerCall,
  partnerOperation,
  readOperationReplies,
} from "../../src/http/http-operation.ts";
import { createAdministrator } from "../../src/usecases/administration/create-or-revoke-administrator.ts";
import { createPartner } from "../../src/usecases/partners/create-partner-and-credentials.ts";
import { purgePartner } from "../../src/usecases/partners/purge-partner.ts";
import { usePartnerStore } from "../support/partner-store.ts";
import { pipelineOn } from "../support/pipeline.ts";
import { withoutDeadline } from "../support/request-context.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePartnerStore();
const reply = objectSchema({ properties: wholeNumberSchema("Number of properties", 1) });

const CONTEXT = { requestId: "r", address: "::1", now: NOW, monotonicMs: 0 };

test.each([
  ["while its partner is deleted", true, 401],
  ["of a partner that remains", false, 500],
])("a call that fails %s", async (_, deletes, status) => {
  const fixture = await open(NOW);
  const { administration } = fixture;
  const { partner, credentials } = await createPartner(administration, {
    name: "Acme",
    dailyBudget: 10,
    webhookUrl: null,
  });
  const operation = partnerOperation({
    id: "countProperties",
    method: "GET",
    path: "/count",
    summary: "Count the properties",
    replies: readOperationReplies("The number", reply),
    async handle({ store }: PartnerCall) {
      if (deletes) {
        const uploads = { remove: async () => {} };
        await purgePartner({ administration, uploads, yieldNow: yieldToEventLoop }, partner, "Acme");
      }
      const id = deletes ? partner.id : "PARTNER_unknown";
      const { properties } = await store.read.totals.ofPartner(id);
      return okReply({ properties });
    },
  });
  const request = new Request("http://x/count", { headers: { "x-api-key": credentials.apiKey } });
  const context = { ...CONTEXT, headers: {}, ...withoutDeadline() };
  const answer = await pipelineOn(fixture).run(operation, request, {}, context);
  expect(answer.status).toBe(status);
  expect(answer.headers.has("www-authenticate")).toBe(status === 401);
});

test.each([
  ["/admin/properties/{id}/count", 404],
  ["/admin/properties/count", 500],
])("an administrator's call of %s that fails for a deleted property is answered %i", async (path, status) => {
  const fixture = await open(NOW);
  const { key } = await createAdministrator(fixture.administration, "ops");
  const operation = adminOperation({
    id: "countComponents",
    method: "GET",
    path,
    summary: "Count the components",
    tag: "Administration",
    replies: okReplies("The number", reply),
    async handle({ store }: AdminCall) {
      const { components } = await store.read.totals.ofProperty("P_deleted");
      return okReply({ properties: components });
    },
  });
  const request = new Request("http://x/count", { headers: { "x-api-key": key } });
  const context = { ...CONTEXT, headers: {}, ...withoutDeadline() };
  const answer = await pipelineOn(fixture).run(operation, request, { id: "P_deleted" }, context);
  expect(answer.status).toBe(status);
});
