import { serializeAnnouncedState, serializePurgedPartner } from "../../api-schemas/partner-schema.ts";
import {
  clusterLockHeldError,
  clusterLockHolder,
  clusterPartnerLockName,
  withClusterLock,
} from "../../cluster/cluster-locks.ts";
import { OperatorError } from "../../domain/errors.ts";
import { IMPERSONATION_TOKEN_VARIABLE } from "../../secrets/impersonation-token.ts";
import { createStoreWriteThrottle } from "../../store/store-write-throttle.ts";
import { requirePartner } from "../../usecases/partners/create-partner-and-credentials.ts";
import { purgePartner } from "../../usecases/partners/purge-partner.ts";
import {
  type Command,
  defineCommand,
  requiredCommandArgument,
  switchOption,
  textOption,
} from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { commandActorOnMachine, withCommandAdministration } from "../command-data-access.ts";

const lockOn = (context: CommandContext, partnerId: string) => ({
  name: clusterPartnerLockName(partnerId),
  owner: commandActorOnMachine(context),
  activity: `another operation on ${partnerId} is in progress`,
});

export const announceCommand: Command = defineCommand({
  name: "announce",
  summary: "queue alerts for all current CRITICAL and WARNING components of a partner",
  description:
    "For a webhook endpoint that was configured after the tier changes. Each delivery is a component.critical or " +
    "component.warning event. Running it twice sends duplicates. The running server sends the deliveries.",
  arguments: { partnerId: requiredCommandArgument("the partner's ID") },
  options: { dryRun: switchOption("only count the deliveries") },
  examples: ["mainstay partner announce PARTNER_… --dry-run"],
  async run(context, { partnerId }, { dryRun }) {
    const { embeddedKnowledge } = await import("../../knowledge/embedded-knowledge.ts");
    const { announceCurrentTiers } = await import("../../usecases/announcements/announce-current-tiers.ts");
    const state = await withCommandAdministration(context, async (administration) => {
      const { store } = administration;
      const deps = {
        administration,
        knowledge: embeddedKnowledge(context.config.costs),
        yieldNow: context.betweenSteps(createStoreWriteThrottle(store, context.now)),
      };
      const partner = await requirePartner(store, partnerId);
      if (dryRun) return await announceCurrentTiers(deps, partner, true);
      return await withClusterLock(store, lockOn(context, partnerId), (lock) =>
        announceCurrentTiers({ ...deps, lock }, partner, false),
      );
    });
    context.print(
      serializeAnnouncedState(partnerId, state, dryRun),
      `${state.critical} critical and ${state.warning} warning components: ${state.queued} deliveries ${dryRun ? "would be queued" : "queued"}.`,
    );
  },
});

export const purgeCommand: Command = defineCommand({
  name: "purge",
  summary: "permanently delete a partner and all its data",
  description:
    "Revokes its credentials immediately, then deletes its records and photos in short steps. The server may be " +
    "running. If interrupted, run it again to resume. Existing backups still contain the partner.",
  arguments: { partnerId: requiredCommandArgument("the partner's ID") },
  options: { confirm: textOption("TEXT", "the partner's full name; required to delete anything") },
  examples: ['mainstay partner purge PARTNER_… --confirm "Acme Insurance"'],
  async run(context, { partnerId }, { confirm }) {
    const { composePhotoStorage } = await import("../../server/composition/compose-photo-storage.ts");
    const deleted = await withCommandAdministration(
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
        const uploads = composePhotoStorage(store, context.config.storage.dataDir);
        const deps = { administration, uploads, yieldNow: createStoreWriteThrottle(store, context.now) };
        // Concurrent purges resume each other's work, so a killed command does not block the next one. The command that
        // a server starts runs under the server's lock.
        const isServers = context.env[IMPERSONATION_TOKEN_VARIABLE] !== undefined;
        const heldBy = isServers
          ? undefined
          : await clusterLockHolder(store, clusterPartnerLockName(partnerId));
        if (heldBy !== undefined) throw clusterLockHeldError(lockOn(context, partnerId).activity, heldBy);
        return await purgePartner(deps, partner, confirm);
      },
      { purging: true },
    );
    context.print(
      serializePurgedPartner(partnerId, deleted),
      `Deleted ${partnerId} and all its data: ${deleted.rows} rows, ${deleted.files} photos. ` +
        "Existing backups still contain it.",
    );
  },
});
