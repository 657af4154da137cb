import { notFound, OperatorError } from "../../domain/errors.ts";
import type { Partner } from "../../domain/partner.ts";
import type { PurgePlace } from "../../store/queries/purge-partner-rows-queries.ts";
import type { Tx } from "../../store/store.ts";
import type { PhotoFiles } from "../photos/record-appliance-photos.ts";
import { setPartnerEnabledInTransaction } from "./administer-partner.ts";
import type { AdminUseCaseDeps } from "./create-partner-and-credentials.ts";

type PurgeDeps = {
  administration: AdminUseCaseDeps;
  uploads: Pick<PhotoFiles, "remove">;
  /** Yields to other writes and requests between two steps. */
  yieldNow: () => Promise<void>;
};

/** The approximate number of rows deleted by one transaction. */
const STEP_ROWS = 400;

/**
 * Deletes a partner with everything that it owns, permanently; returns the numbers of rows and files. Its
 * credentials are revoked first, so that nothing is added meanwhile. Works in short transactions: an interrupted
 * purge is completed by calling it again, and of two concurrent purges each deletes what the other has left. The
 * audit log keeps the purge and the earlier operations on the partner.
 * @throws OperatorError if `name` is not the partner's, and not_found if it no longer exists.
 */
export async function purgePartner(
  { administration, uploads, yieldNow }: PurgeDeps,
  partner: Partner,
  name: string,
): Promise<{ rows: number; files: number }> {
  const { store, actor, changed } = administration;
  const { id } = partner;
  if (name !== partner.name)
    throw new OperatorError(
      `${id} is ${JSON.stringify(partner.name)}, not ${JSON.stringify(name)}; nothing was deleted`,
      "Specify its full name with --confirm, or find the ID with `mainstay partner list`.",
    );
  const totals = await store.read.totals.ofPartner(id);
  await store.write(
    async (tx) => {
      const present = await tx.partners.find(id);
      if (!present) throw notFound(`Partner not found: ${id}`);
      // One transaction, so that the partner cannot be enabled in between.
      if (present.enabled) await setPartnerEnabledInTransaction(tx, actor, present, false);
      await tx.partners.revokeCredentials(id, "api_key", tx.now);
      await tx.partners.revokeCredentials(id, "client_secret", tx.now);
      await tx.partners.raiseRevision(id);
      const { properties, appliances, components } = totals;
      const detail = { name, properties, appliances, components };
      await tx.audit.record({ at: tx.now, actor, action: "partner.purge", subject: id, detail });
    },
    { partnerId: id },
  );
  changed(id);
  // The file keeps rows that were changed, deleted or pruned before.
  await store.overwriteFreeSpace?.(yieldNow);
  const deleted = { rows: 0, files: 0 };
  const finish = async (tx: Tx, detail: typeof deleted) => {
    if (!(await tx.partners.find(id))) return; // Another has ended it.
    await tx.purge.finish(id);
    await tx.audit.record({ at: tx.now, actor, action: "partner.purged", subject: id, detail });
  };
  let reached: PurgePlace | undefined;
  for (let isEmpty = false; !isEmpty; ) {
    const step = await store.write(
      async (tx) => {
        const files: string[] = [];
        let rows = 0;
        let place = reached;
        while (rows < STEP_ROWS) {
          const purged = await tx.purge.step(id, place);
          rows += purged.rows;
          place = purged.place;
          files.push(...purged.files);
          if (purged.fileBytes > 0) await tx.totals.addToPartner(id, { photoBytes: -purged.fileBytes });
          if (purged.isEmpty) {
            // Deleted in the same transaction: rows that a call which began earlier has added.
            await finish(tx, { rows: deleted.rows + rows, files: deleted.files + files.length });
            return { rows, files, place, isEmpty: true };
          }
          await tx.yieldToEventLoop();
        }
        return { rows, files, place, isEmpty: false };
      },
      { priority: "background", partnerId: id },
    );
    // After their records: a crash in between leaves files that the sweep of uploads removes.
    for (const file of step.files) await uploads.remove(file);
    deleted.rows += step.rows;
    deleted.files += step.files.length;
    reached = step.place;
    isEmpty = step.isEmpty;
    await yieldNow();
  }
  changed(id);
  return deleted;
}
