import {
  createdSince,
  createdUntil,
  deliveryInPath,
  eventFilter,
  pagingParameters,
  statusFilter,
} from "../../api-schemas/api-parameter-schemas.ts";
import {
  ownDeliveriesPage,
  ownResentReply,
  serializeDelivery,
  serializeResentDelivery,
} from "../../api-schemas/delivery-schema.ts";
import { ownEndpointReply, serializeOwnEndpoint } from "../../api-schemas/own-endpoint-schema.ts";
import { addPartnerToJson, schemaWithPartner } from "../../api-schemas/paging-schema.ts";
import { serializeWebhookTest, webhookTest } from "../../api-schemas/partner-schema.ts";
import { DELIVERY_STATUSES, WEBHOOK_EVENTS } from "../../domain/partner.ts";
import { type ResendDeps, resendDelivery } from "../../usecases/deliveries/resend-deliveries.ts";
import { sendTestDelivery, TEST_MESSAGE } from "../../usecases/deliveries/send-test-event.ts";
import {
  acceptedReplies,
  acceptedReply,
  type Operation,
  okReplies,
  okReply,
  partnerOperation,
} from "../http-operation.ts";
import {
  parseChoiceHttpQueryParameter,
  parseInstantHttpQueryParameter,
  parseRowRangeHttpQuery,
} from "../http-query-parameters.ts";

export type DeliveryDeps = Pick<ResendDeps, "changed">;

/** The partner's own view of its webhook deliveries. */
export function deliveryOperations({ changed }: DeliveryDeps): Operation[] {
  return [
    partnerOperation({
      id: "listWebhookDeliveries",
      method: "GET",
      path: "/v1/webhook-deliveries",
      summary: "List your webhook deliveries with every attempt, newest first",
      description:
        "Filters can be combined. At most the newest 100,000 deliveries in the time range are searched: specify `since` and `until` to find older ones. Your operator decides how long deliveries are kept.",
      tag: "Events",
      parameters: [statusFilter, eventFilter, createdSince, createdUntil, ...pagingParameters],
      // Without an ETag: the progress of a delivery does not change the partner's revision.
      replies: okReplies("A page of your deliveries", ownDeliveriesPage),
      async handle({ partner, query, store }) {
        const slice = parseRowRangeHttpQuery(query);
        const filter = {
          partnerId: partner.id,
          status: parseChoiceHttpQueryParameter(query, "status", DELIVERY_STATUSES),
          event: parseChoiceHttpQueryParameter(query, "event", WEBHOOK_EVENTS),
          from: parseInstantHttpQueryParameter(query, "since"),
          to: parseInstantHttpQueryParameter(query, "until"),
        };
        const { deliveryLog } = store.read;
        const total = await deliveryLog.countOfPartner(filter);
        const deliveries = await deliveryLog.pageOfPartner(filter, slice);
        return okReply(ownDeliveriesPage.of(deliveries.map(serializeDelivery), slice, total, partner.name));
      },
    }),
    partnerOperation({
      id: "resendWebhookDelivery",
      method: "POST",
      path: "/v1/webhook-deliveries/{id}/resend",
      summary: "Resend a finished delivery",
      description:
        "Sends the same ID and bytes again, with a new cycle of three attempts. Use it when your endpoint was unavailable or lost a delivery. A delivery that is still in progress is rejected with 409.",
      tag: "Events",
      parameters: [deliveryInPath],
      replies: acceptedReplies("The delivery is queued again", ownResentReply),
      errors: [409],
      body: "optional",
      async handle({ params, partner, store }) {
        const resent = await resendDelivery({ store, actor: partner.id, changed }, params.id!, partner.id);
        return acceptedReply(addPartnerToJson(serializeResentDelivery(resent), partner.name));
      },
    }),
    partnerOperation({
      id: "getWebhookEndpoint",
      method: "GET",
      path: "/v1/webhook-endpoint",
      summary: "Get your webhook endpoint and its health",
      description: "Your operator sets the URL, the events and the secret.",
      tag: "Events",
      parameters: [],
      replies: okReplies("The endpoint", ownEndpointReply),
      async handle({ partner, store }) {
        const endpoint = await store.read.partners.findEndpoint(partner.id);
        return okReply(addPartnerToJson(serializeOwnEndpoint(endpoint), partner.name));
      },
    }),
    partnerOperation({
      id: "testWebhookEndpoint",
      method: "POST",
      path: "/v1/webhook-endpoint/test",
      summary: "Send a test event to your webhook endpoint",
      description:
        "Sends a `webhook.test`, whatever the endpoint is subscribed to. Without an endpoint, 409.",
      tag: "Events",
      parameters: [],
      replies: acceptedReplies("The delivery", schemaWithPartner(webhookTest)),
      errors: [409],
      body: "optional",
      async handle({ partner, requestId, store }) {
        const id = await sendTestDelivery({ store, actor: partner.id, changed }, partner.id, {
          message: TEST_MESSAGE,
          requestedBy: partner.name,
          requestId,
        });
        return acceptedReply(addPartnerToJson(serializeWebhookTest(id, partner.id), partner.name));
      },
    }),
  ];
}
