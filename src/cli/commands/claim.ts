import { changeClaim } from "../../usecases/claims/claims.ts";
import { claimChange, readClaimChange, storedClaimView } from "../../wire/claim.ts";
import { columnsOf } from "../../wire/schema/input-columns.ts";
import { type Command, command, required } from "../command.ts";
import { correct, correctionBody, correctionOptions, recordText, requireFound } from "../corrections.ts";
import { withData } from "../data.ts";

const show = command({
  name: "show",
  summary: "print a claim",
  arguments: { claimId: required("the claim's ID") },
  async run(context, { claimId }) {
    const found = await withData(context, ({ store }) => store.read.claims.find(claimId));
    const record = storedClaimView(requireFound(found, "Claim", claimId));
    context.print(record, recordText(record));
  },
});

const update = command({
  name: "update",
  summary: "correct fields of a claim",
  description:
    "Scores follow in the same transaction, and the audit log has the fields before and after. The server may be running.",
  arguments: { claimId: required("the claim's ID") },
  options: correctionOptions,
  examples: [
    "mainstay claim update CLM_… --set status=closed --set closed_on=2026-03-01 --clear description",
  ],
  async run(context, { claimId }, given) {
    const change = readClaimChange(correctionBody(columnsOf(claimChange), given));
    const changed = await withData(context, async ({ store }) => {
      const { partnerId, propertyId } = requireFound(await store.read.claims.find(claimId), "Claim", claimId);
      return await correct(context, store, partnerId, (writer) =>
        changeClaim(writer, { propertyId, claimId }, change),
      );
    });
    const record = storedClaimView(changed);
    context.print(record, recordText(record));
  },
});

export const claimCommands: readonly Command[] = [show, update];
