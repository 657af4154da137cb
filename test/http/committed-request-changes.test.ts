import { expect, test } from "bun:test";
import { object, whole } from "../../src/api-schemas/definition/schema-field-types.ts";
import { Failure, StorageError } from "../../src/domain/errors.ts";
import {
  adminOperation,
  type Operation,
  ok,
  okReplies,
  type PartnerCall,
  partnerOperation,
} from "../../src/http/http-operation.ts";
import { createAdministrator } from "../../src/usecases/administration/administrators.ts";
import { createPartner } from "../../src/usecases/partners/partners.ts";
import { usePartnerStore } from "../support/partner-store.ts";
import { pipelineOn } from "../support/pipeline.ts";
import { withoutDeadline } from "../support/request-context.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePartnerStore();
const reply = object({ properties: whole("Number of properties", 1) });
const replies = okReplies("The number", reply);

const FULL = new StorageError("the disk is full");
const LATE = new Failure("unavailable", "The response was not ready within 55 s. Retry later.");

/** Writes on request, and then fails. */
async function failAfter(changes: boolean, error: Error, { writePortfolio }: PartnerCall): Promise<never> {
  if (changes) await writePortfolio(async () => ok({ properties: 1 }));
  throw error;
}

// Rule: unknown-outcome
test.each([
  [
    "storage that fails",
    "with a change",
    true,
    FULL,
    "The result is unknown: the changes may have been made.",
  ],
  ["storage that fails", "without a change", false, FULL, "No changes were made."],
  [
    "a missed deadline",
    "with a change",
    true,
    LATE,
    "The result is unknown: the changes may have been made.",
  ],
  ["a missed deadline", "without a change", false, LATE, LATE.message],
])("%s during a partner's call %s", async (_, __, changes, error, message) => {
  const fixture = await open(NOW);
  const terms = { name: "Acme", dailyBudget: 10, webhookUrl: null };
  const { credentials } = await createPartner(fixture.administration, terms);
  const operation = partnerOperation({
    id: "change",
    method: "POST",
    path: "/change",
    summary: "Change something",
    replies,
    handle: (call: PartnerCall) => failAfter(changes, error, call),
  });
  expect(await messageOf(fixture, operation, credentials.apiKey)).toContain(message);
});

// Rule: unknown-outcome
test("storage that fails after an administrator's change", async () => {
  const fixture = await open(NOW);
  const { key } = await createAdministrator(fixture.administration, "ops");
  const operation = adminOperation({
    id: "change",
    method: "POST",
    path: "/admin/change",
    summary: "Change something",
    tag: "Administration",
    replies,
    async handle({ administration }) {
      await createAdministrator(administration, "more");
      throw new StorageError("the disk is full");
    },
  });
  expect(await messageOf(fixture, operation, key)).toContain("The result is unknown");
});

async function messageOf(
  fixture: Awaited<ReturnType<typeof open>>,
  operation: Operation,
  key: string,
): Promise<string> {
  const request = new Request("http://x/change", { method: "POST", headers: { "x-api-key": key } });
  const about = { requestId: "r", address: "::1", now: NOW, monotonicMs: 0, headers: {} };
  const response = await pipelineOn(fixture).run(operation, request, {}, { ...about, ...withoutDeadline() });
  expect(response.status).toBe(503);
  return (await response.json()).error;
}
