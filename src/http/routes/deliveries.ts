import { DELIVERY_STATUSES, WEBHOOK_EVENTS } from "../../domain/partner.ts";
import { type Resender, resendDelivery } from "../../usecases/resend-deliveries.ts";
import { deliveryRecord, ownDeliveriesPage, ownResentReply, resentRecord } from "../../wire/delivery.ts";
import { withPartner } from "../../wire/paging.ts";
import { deliveryInPath, madeSince, madeUntil, ofEvent, ofStatus, slicing } from "../../wire/parameters.ts";
import { accepted, accepts, answers, type Operation, ok, partnerOperation } from "../operation.ts";
import { parseChoice, parseInstantOf, parseSlice } from "../query.ts";

export type DeliveryParts = Pick<Resender, "changed">;

/** What was sent to a partner's receiver, for the partner itself. */
export function deliveryOperations({ changed }: DeliveryParts): Operation[] {
  return [
    partnerOperation({
      id: "listWebhookDeliveries",
      method: "GET",
      path: "/v1/webhook-deliveries",
      summary: "Your webhook deliveries with every attempt, the newest first",
      description:
        "The filters may be combined. At most the newest 100,000 deliveries within the time are looked through: name `since` and `until` to see older ones. The operator decides how long they are kept.",
      tag: "Events",
      parameters: [ofStatus, ofEvent, madeSince, madeUntil, ...slicing],
      // Without a tag: what becomes of a delivery moves no revision.
      replies: answers("A page of your deliveries", ownDeliveriesPage),
      async handle({ partner, query, store }) {
        const slice = parseSlice(query);
        const filter = {
          partnerId: partner.id,
          status: parseChoice(query, "status", DELIVERY_STATUSES),
          event: parseChoice(query, "event", WEBHOOK_EVENTS),
          from: parseInstantOf(query, "since"),
          to: parseInstantOf(query, "until"),
        };
        const { deliveryLog } = store.read;
        const total = await deliveryLog.countOfPartner(filter);
        const deliveries = await deliveryLog.pageOfPartner(filter, slice);
        return ok(ownDeliveriesPage.of(deliveries.map(deliveryRecord), slice, total, partner.name));
      },
    }),
    partnerOperation({
      id: "resendWebhookDelivery",
      method: "POST",
      path: "/v1/webhook-deliveries/{id}/resend",
      summary: "Have a finished delivery sent again: the same id and bytes, a new cycle of three attempts",
      description:
        "For when your receiver was away, or lost what it took. A delivery that is still being tried is a 409.",
      tag: "Events",
      parameters: [deliveryInPath],
      replies: accepts("It is tried again", ownResentReply),
      errors: [409],
      body: "optional",
      async handle({ params, partner, store }) {
        const resent = await resendDelivery({ store, actor: partner.id, changed }, params.id!, partner.id);
        return accepted(withPartner(resentRecord(resent), partner.name));
      },
    }),
  ];
}
