import { notFound } from "../../domain/errors.ts";
import { DELIVERY_STATUSES, WEBHOOK_EVENTS } from "../../domain/partner.ts";
import { readFailedWindow } from "../../shapes/administration.ts";
import {
  bulkResendRecord,
  deliveryRecord,
  fullDeliveryRecord,
  resentRecord,
} from "../../shapes/administration-records.ts";
import { countFailed, resendDelivery, resendFailed } from "../../usecases/resend-deliveries.ts";
import { accepted, adminOperation, type Operation, ok } from "../operation.ts";
import { paging, parseChoice, parseSince, parseSlice } from "../query.ts";

export function adminDeliveryOperations(): Operation[] {
  return [
    adminOperation({
      id: "listWebhookDeliveries",
      method: "GET",
      path: "/admin/webhook-deliveries",
      summary: "The delivery log with every attempt, the newest first",
      query: ["partner_id", "status", "event", "since", "limit", "offset"],
      async handle({ query, store }) {
        const slice = parseSlice(query);
        const filter = {
          partnerId: query.get("partner_id"),
          status: parseChoice(query, "status", DELIVERY_STATUSES),
          event: parseChoice(query, "event", WEBHOOK_EVENTS),
          since: parseSince(query),
        };
        const total = await store.read.deliveryLog.count(filter);
        const deliveries = await store.read.deliveryLog.page(filter, slice);
        return ok({ deliveries: deliveries.map(deliveryRecord), ...paging(slice, total) });
      },
    }),
    adminOperation({
      id: "getWebhookDelivery",
      method: "GET",
      path: "/admin/webhook-deliveries/{id}",
      summary: "A delivery with every attempt and what it sends",
      async handle({ params, store }) {
        const found = await store.read.deliveryLog.find(params.id!);
        if (!found) throw notFound("Delivery not found");
        return ok(fullDeliveryRecord(found));
      },
    }),
    adminOperation({
      id: "resendWebhookDelivery",
      method: "POST",
      path: "/admin/webhook-deliveries/{id}/resend",
      summary: "Send a finished delivery again: the same id and bytes, a new cycle of three attempts",
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
      body: "json",
      async handle({ administration, body }) {
        const { window, dryRun } = readFailedWindow(body);
        const matched = await countFailed(administration, window);
        if (dryRun) return ok({ ...bulkResendRecord(window, { matched, resent: 0 }), dry_run: true });
        const resent = await resendFailed(administration, window);
        return accepted({ ...bulkResendRecord(window, { matched, resent }), dry_run: false });
      },
    }),
  ];
}
