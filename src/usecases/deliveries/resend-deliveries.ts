import type { FailedDeliveryWindow } from "../../domain/delivery.ts";
import { conflict, notFound } from "../../domain/errors.ts";
import { isoTextOfInstant } from "../../domain/time.ts";
import type { Tx } from "../../store/store.ts";
import { reportUnfinishedStoreTransactions } from "../../store/unfinished-store-transactions.ts";
import type { AdminUseCaseDeps } from "../partners/create-partner-and-credentials.ts";

type Resent = { id: string; partnerId: string; attempts: number };

const PER_TRANSACTION = 500;

/** The administration, as far as resending needs it. */
export type ResendDeps = Pick<AdminUseCaseDeps, "store" | "actor" | "changed">;

/**
 * Sends a finished delivery again with the same id and body, in a new cycle of three attempts. Throws not_found
 * (also for a delivery of another partner than `ofPartner`, if given), and conflict while it is pending or if its
 * partner has no endpoint.
 */
export async function resendDelivery(deps: ResendDeps, id: string, ofPartner?: string): Promise<Resent> {
  const { store, actor, changed } = deps;
  const partnerId = (await store.read.deliveryLog.find(id))?.delivery.partnerId;
  if (partnerId === undefined || (ofPartner ?? partnerId) !== partnerId) throw notFound("Delivery not found");
  const resent = await store.write(
    async (tx) => {
      // Read under the lock on the partner's rows: of two concurrent calls the second finds the delivery pending.
      const delivery = (await tx.deliveryLog.find(id))?.delivery;
      if (!delivery) throw notFound("Delivery not found");
      if (delivery.status === "pending") throw conflict("Delivery is still in progress");
      await requireEndpoint(tx, partnerId);
      // In a cluster another server may have pruned it meanwhile.
      if (!(await tx.deliveryLog.resend(id, tx.now))) throw notFound("Delivery not found");
      await tx.partners.raiseRevision(partnerId);
      const detail = { partner_id: partnerId, status: delivery.status };
      await tx.audit.record({ at: tx.now, actor, action: "delivery.resend", subject: id, detail });
      return { id, partnerId, attempts: delivery.attempts };
    },
    { partnerId },
  );
  changed(partnerId);
  return resent;
}

/** Returns the number of deliveries that `resendFailedDeliveries` would send. */
export async function loadFailedDeliveryCount(
  { store }: AdminUseCaseDeps,
  window: FailedDeliveryWindow,
): Promise<number> {
  if (!(await store.read.partners.find(window.partnerId))) throw notFound("Partner not found");
  return await store.read.deliveryLog.countFailed(window);
}

/**
 * Resends a partner's failed deliveries of a period, oldest first; returns their number. Works in batches: after an
 * interruption, repeating the call sends the rest.
 */
export async function resendFailedDeliveries(
  administration: AdminUseCaseDeps,
  window: FailedDeliveryWindow,
): Promise<number> {
  const { store, actor } = administration;
  const { partnerId, from, to, error } = window;
  const matched = await loadFailedDeliveryCount(administration, window);
  await store.write(
    async (tx) => {
      await requireEndpoint(tx, partnerId);
      // As for a second request, which finds all of them pending.
      if (matched === 0) return;
      const range = { from: isoTextOfInstant(from), to: isoTextOfInstant(to) };
      const detail = { ...range, ...(error !== undefined && { error }), matched };
      await tx.audit.record({
        at: tx.now,
        actor,
        action: "delivery.resend_failed",
        subject: partnerId,
        detail,
      });
    },
    { partnerId },
  );
  if (matched === 0) return 0;
  return await reportUnfinishedStoreTransactions(store, () => resendAll(administration, window));
}

async function resendAll(
  { store, changed }: AdminUseCaseDeps,
  window: FailedDeliveryWindow,
): Promise<number> {
  const { partnerId } = window;
  let resent = 0;
  // Continues after the last id, since a delivery that fails again meanwhile would be found again.
  for (let afterId = ""; ; ) {
    const ids = await store.write(
      async (tx) => {
        await tx.partners.raiseRevision(partnerId);
        return await tx.deliveryLog.resendFailed(window, afterId, PER_TRANSACTION, tx.now);
      },
      { partnerId },
    );
    resent += ids.length;
    changed(partnerId);
    if (ids.length < PER_TRANSACTION) return resent;
    afterId = ids.at(-1)!;
  }
}

async function requireEndpoint(tx: Tx, partnerId: string): Promise<void> {
  const endpoint = await tx.partners.findEndpoint(partnerId);
  if (!endpoint?.url) throw conflict("The partner has no webhook endpoint");
}
