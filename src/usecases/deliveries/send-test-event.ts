import { serializeWebhookTestMessage } from "../../api-schemas/webhook-payload-schema.ts";
import { conflict, notFound } from "../../domain/errors.ts";
import { extendStores } from "../../store/store.ts";
import { AnnouncementOutbox } from "../announcements/announcement-outbox.ts";
import type { AdminUseCaseDeps } from "../partners/create-partner-and-credentials.ts";

export const TEST_MESSAGE = "This is a test of your webhook endpoint.";

/**
 * Sends the partner a `webhook.test`, whatever it is subscribed to; returns the delivery's id. Throws not_found,
 * and conflict if the delivery would have to wait: the partner has no endpoint or is disabled.
 */
export async function sendTestDelivery(
  { store, actor, changed }: Pick<AdminUseCaseDeps, "store" | "actor" | "changed">,
  partnerId: string,
  test: { message: string; requestedBy: string; requestId?: string },
): Promise<string> {
  const id = await store.write(
    async (tx) => {
      const partner = await tx.partners.find(partnerId);
      if (!partner) throw notFound("Partner not found");
      const endpoint = await tx.partners.findEndpoint(partnerId);
      if (!endpoint?.url) throw conflict("The partner has no webhook endpoint");
      if (!partner.enabled) throw conflict("The partner is disabled: its deliveries are on hold");
      const sending = extendStores(tx, { requestId: test.requestId ?? null });
      const message = serializeWebhookTestMessage(test.message, test.requestedBy);
      const id = await new AnnouncementOutbox(sending, partner, await tx.forPartner(partnerId)).addUnfiltered(
        message,
      );
      await tx.partners.raiseRevision(partnerId);
      // A partner's client may test its own endpoint thousands of times: the log of deliveries, which is trimmed, has each.
      if (actor !== partnerId) {
        const entry = { at: tx.now, actor, action: "partner.webhook_test", subject: partnerId } as const;
        await tx.audit.record({ ...entry, detail: { delivery_id: id } });
      }
      return id;
    },
    { partnerId },
  );
  // A paused endpoint is probed at once instead of at its next scheduled time.
  changed(partnerId);
  return id;
}
