import { notFound, OperatorError } from "../../domain/errors.ts";
import type { Partner } from "../../domain/partner.ts";
import type { PurgePlace } from "../../store/queries/purge.ts";
import type { Tx } from "../../store/store.ts";
import type { Uploads } from "../portfolio/photos.ts";
import { setEnabledIn } from "./administer-partner.ts";
import type { Administration } from "./partners.ts";

export type PurgeParts = {
  administration: Administration;
  uploads: Pick<Uploads, "remove">;
  /** Lets others have their turn between two steps. */
  yieldNow: () => Promise<void>;
};

/** Rows that one transaction deletes, about. */
const STEP_ROWS = 400;

/**
 * Deletes a partner with all that it owns, for good; returns how many rows and files. Its credentials end first, so
 * that nothing comes in meanwhile. In short transactions: one that was cut short is simply asked for again, and of two at
 * once each goes on with what the other leaves. The audit keeps that it was done, and what was done to the partner before.
 * @throws OperatorError when `name` is not the partner's, and not_found when it is gone.
 */
export async function purgePartner(
  { administration, uploads, yieldNow }: PurgeParts,
  partner: Partner,
  name: string,
): Promise<{ rows: number; files: number }> {
  const { store, actor, changed } = administration;
  const { id } = partner;
  if (name !== partner.name)
    throw new OperatorError(
      `${id} is ${JSON.stringify(partner.name)}, not ${JSON.stringify(name)}; nothing was deleted`,
      "Give its whole name with --confirm, or look the id up with `mainstay partner list`.",
    );
  const totals = await store.read.totals.ofPartner(id);
  await store.write(
    async (tx) => {
      const present = await tx.partners.find(id);
      if (!present) throw notFound(`Partner not found: ${id}`);
      // Together, so that nobody lets it in again in between.
      if (present.enabled) await setEnabledIn(tx, actor, present, false);
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
          if (purged.isEmpty) {
            // In the same transaction: what came in by a call from before must not be left without its partner.
            await finish(tx, { rows: deleted.rows + rows, files: deleted.files + files.length });
            return { rows, files, place, isEmpty: true };
          }
          await tx.yieldToEventLoop();
        }
        return { rows, files, place, isEmpty: false };
      },
      { priority: "background", partnerId: id },
    );
    // After their records: a crash in between leaves files that the next start removes.
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
