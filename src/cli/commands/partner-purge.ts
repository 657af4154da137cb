import { OperatorError } from "../../domain/errors.ts";
import { ACTING_PASS } from "../../secrets/acting-pass.ts";
import { courteousPause } from "../../usecases/courtesy.ts";
import { requirePartner } from "../../usecases/partners.ts";
import { purgePartner } from "../../usecases/purge-partner.ts";
import { inTurn, othersTurn, partnerTurn, whoHas } from "../../usecases/turns.ts";
import { announcedStateRecord, purgedRecord } from "../../wire/partner.ts";
import { type Command, command, flag, required, text } from "../command.ts";
import type { Context } from "../context.ts";
import { whoRuns, withAdministration } from "../data.ts";

const turnAt = (context: Context, partnerId: string) => ({
  ...{ name: partnerTurn(partnerId), by: whoRuns(context) },
  what: `something is being done to ${partnerId}`,
});

export const announceCommand: Command = command({
  name: "announce",
  summary: "queue the present state, every CRITICAL and WARNING, to a partner's receiver",
  description:
    "For a receiver that was set after the components had crossed. Each delivery is a component.critical or " +
    "component.warning; asked twice, it tells twice. The running server delivers them.",
  arguments: { partnerId: required("the partner's id") },
  options: { dryRun: flag("only count them") },
  examples: ["mainstay partner announce PARTNER_… --dry-run"],
  async run(context, { partnerId }, { dryRun }) {
    const { loadKnowledge } = await import("../../knowledge/load.ts");
    const { announceState } = await import("../../usecases/announce-state.ts");
    const state = await withAdministration(context, async (administration) => {
      const { store } = administration;
      const parts = { administration, knowledge: loadKnowledge(), pause: courteousPause(store, context.now) };
      const partner = await requirePartner(store, partnerId);
      if (dryRun) return await announceState(parts, partner, true);
      return await inTurn(store, turnAt(context, partnerId), (turn) =>
        announceState({ ...parts, turn }, partner, false),
      );
    });
    context.print(
      announcedStateRecord(partnerId, state, dryRun),
      `${state.critical} critical and ${state.warning} warning: ${state.queued} deliveries ${dryRun ? "would be" : "are"} queued.`,
    );
  },
});

export const purgeCommand: Command = command({
  name: "purge",
  summary: "delete a partner and all that it owns, for good",
  description:
    "Its credentials end at once; then its records and photos are deleted in short steps, while the server may run. " +
    "Interrupted, it is asked for again and goes on. Backups that were taken before still hold it.",
  arguments: { partnerId: required("the partner's id") },
  options: { confirm: text("TEXT", "the partner's whole name; without it nothing is deleted") },
  examples: ['mainstay partner purge PARTNER_… --confirm "Acme Insurance"'],
  async run(context, { partnerId }, { confirm }) {
    const { uploadsOf } = await import("../../app/uploads.ts");
    const deleted = await withAdministration(
      context,
      async (administration) => {
        const { store } = administration;
        const partner = await requirePartner(store, partnerId);
        if (confirm === undefined) {
          const { properties, components } = await store.read.totals.ofPartner(partnerId);
          throw new OperatorError(
            `${partnerId} is ${partner.name}, with ${properties} properties and ${components} components; nothing was deleted`,
            `Export it first: mainstay export --partner ${partnerId} --output FILE\n` +
              `Then: mainstay partner purge ${partnerId} --confirm ${JSON.stringify(partner.name)}`,
          );
        }
        const uploads = uploadsOf(store, context.config.storage.dataDir);
        const parts = { administration, uploads, pause: courteousPause(store, context.now) };
        // Of two commands each goes on with what the other leaves, so that one that was killed keeps nobody from it. A
        // server has the turn of the one that it starts.
        const isServers = context.env[ACTING_PASS] !== undefined;
        const heldBy = isServers ? undefined : await whoHas(store, partnerTurn(partnerId));
        if (heldBy !== undefined) throw othersTurn(turnAt(context, partnerId).what, heldBy);
        return await purgePartner(parts, partner, confirm);
      },
      { purging: true },
    );
    context.print(
      purgedRecord(partnerId, deleted),
      `${partnerId} and all that it owned are deleted: ${deleted.rows} rows, ${deleted.files} photos. ` +
        "Backups taken before still hold it.",
    );
  },
});
