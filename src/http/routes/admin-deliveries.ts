import type { LoggedDelivery } from "../../domain/delivery.ts";
import { notFound } from "../../domain/errors.ts";
import { DELIVERY_STATUSES, WEBHOOK_EVENTS } from "../../domain/partner.ts";
import type { Store } from "../../store/store.ts";
import { deliveryHeaders } from "../../usecases/deliveries/delivery-signatures.ts";
import { countFailed, resendDelivery, resendFailed } from "../../usecases/deliveries/resend-deliveries.ts";
import {
  bulkResendRecord,
  bulkResendReply,
  deliveriesPage,
  deliveryOfAnyRecord,
  deliverySignature,
  deliverySignatureRecord,
  fullDelivery,
  fullDeliveryRecord,
  resent,
  resentRecord,
} from "../../wire/delivery.ts";
import { failedWindow, readFailedWindow } from "../../wire/failed-window.ts";
import {
  createdSince,
  createdUntil,
  deliveryInPath,
  ofEvent,
  ofPartner,
  ofStatus,
  slicing,
} from "../../wire/parameters.ts";
import { accepted, accepts, adminOperation, answers, type Operation, ok } from "../operation.ts";
import { parseChoice, parseInstantOf, parseSince, parseSlice } from "../query.ts";

export function adminDeliveryOperations(): Operation[] {
  return [
    adminOperation({
      id: "listWebhookDeliveries",
      method: "GET",
      path: "/admin/webhook-deliveries",
      summary: "The delivery log with every attempt, the newest first",
      tag: "Administration",
      parameters: [ofPartner, ofStatus, ofEvent, createdSince, createdUntil, ...slicing],
      replies: answers("A page of the log", deliveriesPage),
      async handle({ query, store }) {
        const slice = parseSlice(query);
        const filter = {
          partnerId: query.get("partner_id"),
          status: parseChoice(query, "status", DELIVERY_STATUSES),
          event: parseChoice(query, "event", WEBHOOK_EVENTS),
          since: parseSince(query),
          until: parseInstantOf(query, "until"),
        };
        const total = await store.read.deliveryLog.count(filter);
        const deliveries = await store.read.deliveryLog.page(filter, slice);
        const names = await namesOf(store, deliveries);
        const records = deliveries.map((one) => deliveryOfAnyRecord(one, names.get(one.delivery.partnerId)!));
        return ok(deliveriesPage.of(records, slice, total));
      },
    }),
    adminOperation({
      id: "getWebhookDelivery",
      method: "GET",
      path: "/admin/webhook-deliveries/{id}",
      summary: "A delivery with every attempt and what it sends",
      tag: "Administration",
      parameters: [deliveryInPath],
      replies: answers("The delivery", fullDelivery),
      async handle({ params, store }) {
        const found = await store.read.deliveryLog.find(params.id!);
        if (!found) throw notFound("Delivery not found");
        return ok(fullDeliveryRecord(found));
      },
    }),
    adminOperation({
      id: "getWebhookDeliverySignature",
      method: "GET",
      path: "/admin/webhook-deliveries/{id}/signature",
      summary: "The headers that a delivery would be sent with now, its signatures among them",
      tag: "Administration",
      parameters: [deliveryInPath],
      replies: answers("The headers", deliverySignature),
      async handle({ administration, now, params }) {
        const headers = await deliveryHeaders(administration, params.id!, now);
        return ok(deliverySignatureRecord(params.id!, now, headers));
      },
    }),
    adminOperation({
      id: "resendWebhookDelivery",
      method: "POST",
      path: "/admin/webhook-deliveries/{id}/resend",
      summary: "Send a finished delivery again: the same id and bytes, a new cycle of three attempts",
      tag: "Administration",
      parameters: [deliveryInPath],
      replies: accepts("It is tried again", resent),
      errors: [409],
      body: "optional",
      async handle({ administration, params }) {
        return accepted(resentRecord(await resendDelivery(administration, params.id!)));
      },
    }),
    adminOperation({
      id: "resendFailedWebhookDeliveries",
      method: "POST",
      path: "/admin/webhook-deliveries/resend",
      summary: "Send a partner's failed deliveries of a window of time again; a dry run counts them",
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
        ...answers("How many there are", bulkResendReply),
        ...accepts("They are tried again", bulkResendReply),
      },
      body: "json",
      async handle({ administration, body }) {
        const { window, dryRun } = readFailedWindow(body);
        const matched = await countFailed(administration, window);
        if (dryRun) return ok({ ...bulkResendRecord(window, { matched, resent: 0 }), dry_run: true });
        const sent = await resendFailed(administration, window);
        return accepted({ ...bulkResendRecord(window, { matched, resent: sent }), dry_run: false });
      },
    }),
  ];
}

async function namesOf({ read }: Store, deliveries: readonly LoggedDelivery[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const id of new Set(deliveries.map(({ delivery }) => delivery.partnerId)))
    names.set(id, (await read.partners.find(id))?.name ?? id);
  return names;
}
