import { expect, test } from "bun:test";
import { objectSchema, wholeNumberSchema } from "../../src/api-schemas/definition/schema-field-types.ts";
import { StorageError } from "../../src/domain/errors.ts";
import { LateResponse } from "../../src/http/http-errors.ts";
import {
  adminOperation,
  type Operation,
  okReplies,
  okReply,
  type PartnerCall,
  partnerOperation,
} from "../../src/http/http-operation.ts";
import { createAdministrator } from "../../src/usecases/administration/create-or-revoke-administrator.ts";
import { createPartner } from "../../src/usecases/partners/create-partner-and-credentials.ts";
import { usePartnerStore } from "../support/partner-store.ts";
import { pipelineOn } from "../support/pipeline.ts";
import { withoutDeadline } from "../support/request-context.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePartnerStore();
const reply = objectSchema({ properties: wholeNumberSchema("Number of properties", 1) });
const replies = okReplies("The number", reply);

const ERRORS = {
  "storage that fails": new StorageError("the disk is full"),
  "a missed deadline": new LateResponse(55),
};
const NOT_READY = "The response was not ready within 55 s.";
const UNKNOWN =
  "The result is unknown: all or a part of the changes may have been made. Check before you repeat";
const NO_STORAGE = "request refused: no storage";

/** Writes on request, and then fails. */
async function failAfter(changes: boolean, error: Error, { writePortfolio }: PartnerCall): Promise<never> {
  if (changes) await writePortfolio(async () => okReply({ properties: 1 }));
  throw error;
}

// Rule: unknown-outcome
test.each([
  ["storage that fails", "with a change", `Service temporarily unavailable. ${UNKNOWN}`, "30", [NO_STORAGE]],
  [
    "storage that fails",
    "without a change",
    "Service temporarily unavailable. No changes were made.",
    "30",
    [NO_STORAGE],
  ],
  ["a missed deadline", "with a change", `${NOT_READY} ${UNKNOWN}`, "5", ["response late after a change"]],
  ["a missed deadline", "without a change", `${NOT_READY} Retry later.`, "5", []],
] as const)("%s during a partner's call %s", async (what, when, message, retryAfter, logged) => {
  const fixture = await open(NOW);
  const terms = { name: "Acme", dailyBudget: 10, webhookUrl: null };
  const { credentials } = await createPartner(fixture.administration, terms);
  const operation = partnerOperation({
    id: "change",
    method: "POST",
    path: "/change",
    summary: "Change something",
    replies,
    handle: (call: PartnerCall) => failAfter(when === "with a change", ERRORS[what], call),
  });
  const failed = await failureOf(fixture, operation, credentials.apiKey);
  expect(failed.message).toStartWith(message);
  expect(failed).toMatchObject({ retryAfter, logged });
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
  expect((await failureOf(fixture, operation, key)).message).toContain("The result is unknown");
});

async function failureOf(fixture: Awaited<ReturnType<typeof open>>, operation: Operation, key: string) {
  const request = new Request("http://x/change", { method: "POST", headers: { "x-api-key": key } });
  const about = { requestId: "r", address: "::1", now: NOW, monotonicMs: 0, headers: {} };
  const logged: string[] = [];
  const pipeline = pipelineOn(fixture, (_, message) => void logged.push(message));
  const response = await pipeline.run(operation, request, {}, { ...about, ...withoutDeadline() });
  expect(response.status).toBe(503);
  const { error } = await response.json();
  return { message: error as string, retryAfter: response.headers.get("retry-after"), logged };
}
