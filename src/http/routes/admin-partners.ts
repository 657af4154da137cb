import { notFound } from "../../domain/errors.ts";
import type { Partner } from "../../domain/partner.ts";
import { dayOf, parseMonth, toIso } from "../../domain/time.ts";
import { readOverlap, readPartnerSettings, webhookTestShape } from "../../shapes/administration.ts";
import { fullPartnerRecord, partnerRecord, usageRecord } from "../../shapes/administration-records.ts";
import { check } from "../../shapes/check.ts";
import type { Store } from "../../store/store.ts";
import {
  changePartner,
  revokeTokens,
  rotateWebhookSecret,
  setEnabled,
} from "../../usecases/administer-partner.ts";
import { partnerUsage } from "../../usecases/partner-usage.ts";
import { type Administration, rotateClientSecret } from "../../usecases/partners.ts";
import { sendTestEvent, TEST_MESSAGE } from "../../usecases/send-test-event.ts";
import { accepted, adminOperation, type Operation, ok } from "../operation.ts";
import { paging, parseSlice, refused } from "../query.ts";

export function adminPartnerOperations(): Operation[] {
  /** A change without a body of its own, answered with the partner as it is then. */
  const partnerAction = (
    action: string,
    id: string,
    summary: string,
    run: (administration: Administration, partnerId: string) => Promise<void>,
  ) =>
    adminOperation({
      id,
      method: "POST",
      path: `/admin/partners/{id}/${action}`,
      summary,
      body: "optional",
      async handle({ administration, params, store }) {
        const { id } = await getPartner(store, params.id!);
        await run(administration, id);
        return ok(await fullPartnerRecord(store, await getPartner(store, id)));
      },
    });

  return [
    adminOperation({
      id: "listPartners",
      method: "GET",
      path: "/admin/partners",
      summary: "The partners, each with its receiver's state",
      query: ["limit", "offset"],
      async handle({ query, store }) {
        const slice = parseSlice(query);
        const partners = await store.read.partners.list();
        const receivers = new Map(
          (await store.read.partners.listReceivers()).map((receiver) => [receiver.partnerId, receiver]),
        );
        const page = partners.slice(slice.offset, slice.offset + slice.limit);
        return ok({
          partners: page.map((partner) => partnerRecord(partner, receivers.get(partner.id))),
          ...paging(slice, partners.length),
        });
      },
    }),
    adminOperation({
      id: "getPartner",
      method: "GET",
      path: "/admin/partners/{id}",
      summary: "A partner, its portfolio's size and its receiver",
      async handle({ params, store }) {
        return ok(await fullPartnerRecord(store, await getPartner(store, params.id!)));
      },
    }),
    adminOperation({
      id: "updatePartner",
      method: "PUT",
      path: "/admin/partners/{id}",
      summary: "Change a partner's budget or receiver; what is left out stays",
      body: "json",
      async handle({ administration, body, params, store }) {
        const { id } = await getPartner(store, params.id!);
        await changePartner(administration, id, readPartnerSettings(body));
        return ok(await fullPartnerRecord(store, await getPartner(store, id)));
      },
    }),
    partnerAction("enable", "enablePartner", "Accept the partner's credentials again", (to, id) =>
      setEnabled(to, id, true),
    ),
    partnerAction(
      "disable",
      "disablePartner",
      "Refuse the partner's credentials and let its deliveries wait",
      (to, id) => setEnabled(to, id, false),
    ),
    partnerAction("revoke-tokens", "revokeTokens", "End the partner's bearer tokens at once", revokeTokens),
    adminOperation({
      id: "testWebhook",
      method: "POST",
      path: "/admin/partners/{id}/webhook-test",
      summary: "Send the partner's receiver a webhook.test",
      body: "optional",
      async handle({ administration, administrator, body, params, requestId }) {
        const { message = TEST_MESSAGE } = check(webhookTestShape, body);
        const id = await sendTestEvent(administration, params.id!, {
          message: message.trim(),
          requestedBy: administrator.name,
          requestId,
        });
        return accepted({
          id,
          delivery_id: id,
          event: "webhook.test",
          status: "pending",
          partner_id: params.id,
        });
      },
    }),
    adminOperation({
      id: "getPartnerUsage",
      method: "GET",
      path: "/admin/partners/{id}/usage",
      summary: "A month's calls by day, and the billable units",
      query: ["month"],
      async handle({ now, params, query, store }) {
        const month = parseMonth(query.get("month") ?? dayOf(now).slice(0, 7));
        if (!month) throw refused("month", "must be a month, such as 2026-01");
        return ok(usageRecord(await partnerUsage(store, params.id!, month)));
      },
    }),
  ];
}

/** The changes that answer with a credential, shown this once. */
export function credentialOperations(): Operation[] {
  const shownOnce = (record: object) => ({ ...ok(record), headers: { "cache-control": "no-store" } });
  const clientSecret = adminOperation({
    id: "rotateClientSecret",
    method: "POST",
    path: "/admin/partners/{id}/rotate-secret",
    summary: "A new client secret for the same client id, shown this once; the one before ends at once",
    body: "optional",
    async handle({ administration, params, store }) {
      const { id } = await getPartner(store, params.id!);
      const { clientId, clientSecret } = await rotateClientSecret(administration, id);
      return shownOnce({ partner_id: id, client_id: clientId, client_secret: clientSecret });
    },
  });
  const webhookSecret = adminOperation({
    id: "rotateWebhookSecret",
    method: "POST",
    path: "/admin/partners/{id}/rotate-webhook-secret",
    summary: "A new webhook secret, shown this once; with overlap_hours the one before signs for so long",
    body: "optional",
    async handle({ administration, body, params, store }) {
      const overlapMs = readOverlap(body);
      const { id } = await getPartner(store, params.id!);
      const { secret, takesEffectAt } = await rotateWebhookSecret(administration, id, overlapMs);
      return shownOnce({ partner_id: id, webhook_secret: secret, takes_effect_at: toIso(takesEffectAt) });
    },
  });
  return [clientSecret, webhookSecret];
}

async function getPartner(store: Store, id: string): Promise<Partner> {
  const partner = await store.read.partners.find(id);
  if (!partner) throw notFound("Partner not found");
  return partner;
}
