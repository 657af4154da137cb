import {
  createdSince,
  createdUntil,
  deliveryInPath,
  eventFilter,
  pagingParameters,
  partnerFilter,
  statusFilter,
} from "../../api-schemas/api-parameter-schemas.ts";
import {
  bulkResendReply,
  deliveriesPage,
  deliverySignature,
  failureGroupsReply,
  fullDelivery,
  resent,
  serializeBulkResend,
  serializeDeliverySignature,
  serializeDeliveryWithPartner,
  serializeFailureGroups,
  serializeFullDelivery,
  serializeResentDelivery,
} from "../../api-schemas/delivery-schema.ts";
import {
  failedWindow,
  parseFailedDeliveryWindowJson,
} from "../../api-schemas/failed-delivery-window-schema.ts";
import { notFound } from "../../domain/errors.ts";
import { DELIVERY_STATUSES, WEBHOOK_EVENTS } from "../../domain/partner.ts";
import { loadDeliveryFailureGroups } from "../../usecases/deliveries/load-delivery-failure-groups.ts";
import { loadPartnerNamesOfDeliveries } from "../../usecases/deliveries/load-delivery-partner-names.ts";
import { loadSignedDeliveryHeaders } from "../../usecases/deliveries/load-signed-delivery-headers.ts";
import {
  loadFailedDeliveryCount,
  resendDelivery,
  resendFailedDeliveries,
} from "../../usecases/deliveries/resend-deliveries.ts";
import {
  acceptedReplies,
  acceptedReply,
  adminOperation,
  type Operation,
  okReplies,
  okReply,
} from "../http-operation.ts";
import {
  parseChoiceHttpQueryParameter,
  parseInstantHttpQueryParameter,
  parseRowRangeHttpQuery,
  parseSinceHttpQuery,
} from "../http-query-parameters.ts";

export function adminDeliveryOperations(): Operation[] {
  return [
    adminOperation({
      id: "listWebhookDeliveries",
      method: "GET",
      path: "/admin/webhook-deliveries",
      summary: "List webhook deliveries",
      tag: "Administration",
      parameters: [partnerFilter, statusFilter, eventFilter, createdSince, createdUntil, ...pagingParameters],
      replies: okReplies("A page of deliveries with their attempts, newest first", deliveriesPage),
      async handle({ query, store }) {
        const slice = parseRowRangeHttpQuery(query);
        const filter = {
          partnerId: query.get("partner_id"),
          status: parseChoiceHttpQueryParameter(query, "status", DELIVERY_STATUSES),
          event: parseChoiceHttpQueryParameter(query, "event", WEBHOOK_EVENTS),
          since: parseSinceHttpQuery(query),
          until: parseInstantHttpQueryParameter(query, "until"),
        };
        const total = await store.read.deliveryLog.count(filter);
        const deliveries = await store.read.deliveryLog.page(filter, slice);
        const names = await loadPartnerNamesOfDeliveries(store, deliveries);
        const records = deliveries.map((logged) =>
          serializeDeliveryWithPartner(logged, names.get(logged.delivery.partnerId)!),
        );
        return okReply(deliveriesPage.of(records, slice, total));
      },
    }),
    adminOperation({
      id: "listWebhookFailures",
      method: "GET",
      path: "/admin/webhook-failures",
      summary: "List failed webhook deliveries by endpoint and error",
      tag: "Administration",
      parameters: [partnerFilter, createdSince, createdUntil],
      replies: okReplies("The groups, largest first", failureGroupsReply),
      async handle({ query, store, yieldNow }) {
        const period = {
          from: parseSinceHttpQuery(query) ?? 0,
          to: parseInstantHttpQueryParameter(query, "until") ?? Number.MAX_SAFE_INTEGER,
        };
        const groups = await loadDeliveryFailureGroups(store.read, period, query.get("partner_id"), yieldNow);
        return okReply(serializeFailureGroups(groups));
      },
    }),
    adminOperation({
      id: "getWebhookDelivery",
      method: "GET",
      path: "/admin/webhook-deliveries/{id}",
      summary: "Get a webhook delivery",
      tag: "Administration",
      parameters: [deliveryInPath],
      replies: okReplies("The delivery with its attempts and payload", fullDelivery),
      async handle({ params, store }) {
        const found = await store.read.deliveryLog.find(params.id!);
        if (!found) throw notFound("Delivery not found");
        return okReply(serializeFullDelivery(found));
      },
    }),
    adminOperation({
      id: "getWebhookDeliverySignature",
      method: "GET",
      path: "/admin/webhook-deliveries/{id}/signature",
      summary: "Get the signature headers of a delivery",
      tag: "Administration",
      parameters: [deliveryInPath],
      replies: okReplies("The headers for an attempt sent now", deliverySignature),
      async handle({ administration, now, params }) {
        const headers = await loadSignedDeliveryHeaders(administration, params.id!, now);
        return okReply(serializeDeliverySignature(params.id!, now, headers));
      },
    }),
    adminOperation({
      id: "resendWebhookDelivery",
      method: "POST",
      path: "/admin/webhook-deliveries/{id}/resend",
      summary: "Resend a finished delivery",
      tag: "Administration",
      parameters: [deliveryInPath],
      replies: acceptedReplies(
        "The delivery is queued with the same ID and payload, for a new cycle of three attempts",
        resent,
      ),
      errors: [409],
      body: "optional",
      async handle({ administration, params }) {
        return acceptedReply(serializeResentDelivery(await resendDelivery(administration, params.id!)));
      },
    }),
    adminOperation({
      id: "resendFailedWebhookDeliveries",
      method: "POST",
      path: "/admin/webhook-deliveries/resend",
      summary: "Resend a partner's failed deliveries from a time window, or those with one error",
      tag: "Administration",
      request: {
        type: failedWindow.type,
        example: {
          partner_id: "PARTNER_01m7xtb1x0e2mav3k9q8w7r6t5",
          from: "2026-11-20T00:00:00Z",
          to: "2026-11-21T00:00:00Z",
        },
      },
      replies: {
        ...okReplies("The count, for a dry run", bulkResendReply),
        ...acceptedReplies("The deliveries are queued", bulkResendReply),
      },
      body: "json",
      async handle({ administration, body }) {
        const { window, dryRun } = parseFailedDeliveryWindowJson(body);
        const matched = await loadFailedDeliveryCount(administration, window);
        if (dryRun) return okReply({ ...serializeBulkResend(window, { matched, resent: 0 }), dry_run: true });
        const sent = await resendFailedDeliveries(administration, window);
        return acceptedReply({ ...serializeBulkResend(window, { matched, resent: sent }), dry_run: false });
      },
    }),
  ];
}
