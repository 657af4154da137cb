import {
  CLAIM_CHANGES,
  claimChange,
  parseClaimChangeJson,
  parseClaimRequestJson,
  serializeClaimWarnings,
  serializeStoredClaim,
} from "../../api-schemas/claim-schema.ts";
import { apiInputCsvColumns } from "../../api-schemas/definition/api-input-csv-columns.ts";
import type { ChangeOrVoid } from "../../api-schemas/voiding-schema.ts";
import type { ClaimChange } from "../../domain/claim.ts";
import { correctClaim } from "../../usecases/claims/record-claims.ts";
import { type Command, defineCommand, requiredCommandArgument, textOption } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { withCommandData } from "../command-data-access.ts";
import {
  commandRecordText,
  correctionBodyOfCommand,
  correctionOptions,
  correctRecordByCommand,
  requireFoundRecordForCommand,
} from "../correction-command.ts";

const show = defineCommand({
  name: "show",
  summary: "print a claim, also a voided one",
  arguments: { claimId: requiredCommandArgument("the claim's ID") },
  async run(context, { claimId }) {
    const found = await withCommandData(context, ({ store }) => store.read.claims.find(claimId));
    const record = serializeStoredClaim(requireFoundRecordForCommand(found, "Claim", claimId));
    context.print(record, commandRecordText(record, context.tableWidth));
  },
});

const update = defineCommand({
  name: "update",
  summary: "correct fields of a claim",
  description:
    "Scores follow in the same transaction, and the audit log has the fields before and after. Prints the claim with warnings " +
    "about values that contradict each other. The server may be running.",
  arguments: { claimId: requiredCommandArgument("the claim's ID") },
  options: correctionOptions,
  examples: [
    "mainstay claim update CLM_… --set status=closed --set closed_on=2026-03-01 --clear description",
  ],
  async run(context, { claimId }, given) {
    const kinds = Object.entries(apiInputCsvColumns(claimChange)).filter(([name]) =>
      CLAIM_CHANGES.includes(name),
    );
    const body = correctionBodyOfCommand(Object.fromEntries(kinds), given);
    await apply(context, claimId, { change: parseClaimChangeJson(body) }, body);
  },
});

const voiding = defineCommand({
  name: "void",
  summary: "void a claim: it is kept, and no longer counts",
  description:
    "A voided claim cannot be changed or brought back: record it again, its number is free. Voiding it twice changes nothing, " +
    "except that a reason is added to one without.",
  arguments: { claimId: requiredCommandArgument("the claim's ID") },
  options: { reason: textOption("TEXT", "the reason, for the record") },
  examples: ["mainstay claim void CLM_… --reason 'recorded on the wrong building'"],
  async run(context, { claimId }, { reason }) {
    const body = { voided: true, ...(reason && { reason }) };
    await apply(context, claimId, parseClaimRequestJson(body), body);
  },
});

/** Changes a claim as the API does, and prints it with the API's warnings. `given` is the body of the same request. */
async function apply(
  context: CommandContext,
  claimId: string,
  request: ChangeOrVoid<ClaimChange>,
  given: object,
): Promise<void> {
  const record = await withCommandData(context, async ({ store }) => {
    const before = requireFoundRecordForCommand(await store.read.claims.find(claimId), "Claim", claimId);
    const { partnerId, propertyId } = before;
    return await correctRecordByCommand(context, store, partnerId, async (writer) => {
      const changed = await correctClaim(writer, { propertyId, claimId }, request);
      const warnings = serializeClaimWarnings(writer.knowledge, changed, { given, before });
      return { ...serializeStoredClaim(changed), warnings };
    });
  });
  context.print(record, commandRecordText(record, context.tableWidth));
}

export const claimCommands: readonly Command[] = [show, update, voiding];
