import {
  month,
  pagingParameters,
  partnerInPath,
  searchPartners,
} from "../../api-schemas/api-parameter-schemas.ts";
import {
  credentials,
  fullPartner,
  newApiKeyReply,
  newClientSecretReply,
  newWebhookSecretReply,
  partnersPage,
  serializeCredentials,
  serializeFullPartner,
  serializeNewApiKey,
  serializeNewClientSecret,
  serializeNewWebhookSecret,
  serializePartner,
  serializePartnerUsage,
  serializeWebhookTest,
  usage,
  usagePage,
  webhookTest,
} from "../../api-schemas/partner-schema.ts";
import {
  newPartner,
  parseNewPartnerJson,
  parsePartnerSettingsJson,
  parseSecretOverlapJson,
  partnerSettings,
  rotation,
  webhookTestRequest,
} from "../../api-schemas/partner-settings-schema.ts";
import { notFound } from "../../domain/errors.ts";
import type { Partner, PartnerUsage } from "../../domain/partner.ts";
import { calendarMonthFromText, dayOf, type Instant } from "../../domain/time.ts";
import type { RevisedPartner } from "../../store/queries/partners-queries.ts";
import type { Store } from "../../store/store.ts";
import { sendTestDelivery, TEST_MESSAGE } from "../../usecases/deliveries/send-test-event.ts";
import {
  changePartner,
  enableOrDisablePartner,
  revokePartnerTokens,
  rotateWebhookSecret,
} from "../../usecases/partners/administer-partner.ts";
import {
  type AdminUseCaseDeps,
  createPartner,
  rotateApiKey,
  rotateClientSecret,
} from "../../usecases/partners/create-partner-and-credentials.ts";
import { loadPartnerOverview } from "../../usecases/partners/load-partner-overview.ts";
import { loadPartnerUsage } from "../../usecases/partners/load-partner-usage.ts";
import {
  acceptedReplies,
  acceptedReply,
  adminOperation,
  createdReplies,
  type Operation,
  okReplies,
  okReply,
  type Reply,
} from "../http-operation.ts";
import {
  type HttpQuery,
  invalidHttpParameterFailure,
  parseRowRangeHttpQuery,
} from "../http-query-parameters.ts";

export function adminPartnerOperations(): Operation[] {
  /** Returns an operation that changes a partner without a request body, and responds with the partner. */
  const partnerAction = (
    action: string,
    id: string,
    summary: string,
    run: (administration: AdminUseCaseDeps, partnerId: string) => Promise<void>,
  ) =>
    adminOperation({
      id,
      method: "POST",
      path: `/admin/partners/{id}/${action}`,
      summary,
      tag: "Administration",
      parameters: [partnerInPath],
      replies: okReplies("The partner", fullPartner),
      body: "optional",
      async handle({ administration, params, store }) {
        const { id } = await requirePartnerInPath(store, params.id!);
        await run(administration, id);
        return okReply(await overviewOf(store, id));
      },
    });

  return [
    adminOperation({
      id: "listPartners",
      method: "GET",
      path: "/admin/partners",
      summary: "List partners",
      tag: "Administration",
      parameters: [searchPartners, ...pagingParameters],
      replies: okReplies("A page of partners", partnersPage),
      async handle({ query, store }) {
        const slice = parseRowRangeHttpQuery(query);
        const partners = searchByNameOrId(await store.read.partners.list(), query.get("search"));
        const endpoints = new Map(
          (await store.read.partners.listEndpoints()).map((endpoint) => [endpoint.partnerId, endpoint]),
        );
        const page = partners.slice(slice.offset, slice.offset + slice.limit);
        const records = page.map((partner) => serializePartner(partner, endpoints.get(partner.id)));
        return okReply(partnersPage.of(records, slice, partners.length));
      },
    }),
    adminOperation({
      id: "listUsage",
      method: "GET",
      path: "/admin/usage",
      summary: "List every partner's usage in a month",
      tag: "Administration",
      parameters: [month, ...pagingParameters],
      replies: okReplies("A page of partners", usagePage),
      async handle({ now, query, store }) {
        const asked = parseMonthOrCurrent(query, now);
        const slice = parseRowRangeHttpQuery(query);
        const partners = await store.read.partners.list();
        const used: PartnerUsage[] = [];
        for (const { id } of partners.slice(slice.offset, slice.offset + slice.limit))
          used.push(await loadPartnerUsage(store, id, asked));
        return okReply(usagePage.of(used.map(serializePartnerUsage), slice, partners.length));
      },
    }),
    adminOperation({
      id: "getPartner",
      method: "GET",
      path: "/admin/partners/{id}",
      summary: "Get a partner",
      tag: "Administration",
      parameters: [partnerInPath],
      replies: okReplies("The partner", fullPartner),
      async handle({ params, store }) {
        return okReply(await overviewOf(store, params.id!));
      },
    }),
    adminOperation({
      id: "updatePartner",
      method: "PUT",
      path: "/admin/partners/{id}",
      summary: "Update a partner",
      tag: "Administration",
      parameters: [partnerInPath],
      request: { type: partnerSettings.type, example: { daily_budget: 5000 } },
      replies: okReplies("The partner as it is now", fullPartner),
      body: "json",
      async handle({ administration, body, params, store }) {
        const { id } = await requirePartnerInPath(store, params.id!);
        await changePartner(administration, id, parsePartnerSettingsJson(body));
        return okReply(await overviewOf(store, id));
      },
    }),
    partnerAction("enable", "enablePartner", "Enable a partner", (to, id) =>
      enableOrDisablePartner(to, id, true),
    ),
    partnerAction("disable", "disablePartner", "Disable a partner", (to, id) =>
      enableOrDisablePartner(to, id, false),
    ),
    partnerAction("revoke-tokens", "revokeTokens", "Revoke a partner's bearer tokens", revokePartnerTokens),
    adminOperation({
      id: "testWebhook",
      method: "POST",
      path: "/admin/partners/{id}/webhook-test",
      summary: "Send a test event",
      tag: "Administration",
      parameters: [partnerInPath],
      request: { type: webhookTestRequest.type, example: { message: "Test message" } },
      replies: acceptedReplies("The delivery", webhookTest),
      errors: [409],
      body: "optional",
      async handle({ administration, administrator, body, params, requestId }) {
        const { message = TEST_MESSAGE } = webhookTestRequest.parse(body);
        const id = await sendTestDelivery(administration, params.id!, {
          message: message.trim(),
          requestedBy: administrator.name,
          requestId,
        });
        return acceptedReply(serializeWebhookTest(id, params.id!));
      },
    }),
    adminOperation({
      id: "getPartnerUsage",
      method: "GET",
      path: "/admin/partners/{id}/usage",
      summary: "Get a partner's usage in a month",
      tag: "Administration",
      parameters: [partnerInPath, month],
      replies: okReplies("The month", usage),
      async handle({ now, params, query, store }) {
        return okReply(
          serializePartnerUsage(await loadPartnerUsage(store, params.id!, parseMonthOrCurrent(query, now))),
        );
      },
    }),
  ];
}

/**
 * The operations that return a credential, which no other response contains. `defaultDailyLimit` is the daily call limit
 * of a partner that is created without one.
 */
export function credentialOperations(defaultDailyLimit: number): Operation[] {
  const shownOnce = <Body>(record: Body): Reply<Body> => ({
    ...okReply(record),
    headers: { "cache-control": "no-store" },
  });
  const create = adminOperation({
    id: "createPartner",
    method: "POST",
    path: "/admin/partners",
    summary: "Create a partner",
    tag: "Administration",
    request: { type: newPartner.type, example: { name: "Acme Insurance", daily_budget: 5000 } },
    replies: createdReplies("The partner's credentials, which are shown only once", credentials),
    body: "json",
    async handle({ administration, body }) {
      const created = await createPartner(administration, parseNewPartnerJson(body, defaultDailyLimit));
      return { ...shownOnce(serializeCredentials(created.partner, created.credentials)), status: 201 };
    },
  });
  const apiKey = adminOperation({
    id: "rotateApiKey",
    method: "POST",
    path: "/admin/partners/{id}/rotate-key",
    summary: "Rotate a partner's API key",
    tag: "Administration",
    parameters: [partnerInPath],
    replies: okReplies(
      "The new key, shown only once; the previous key stops working immediately",
      newApiKeyReply,
    ),
    body: "optional",
    async handle({ administration, params, store }) {
      const { id } = await requirePartnerInPath(store, params.id!);
      return shownOnce(serializeNewApiKey(id, await rotateApiKey(administration, id)));
    },
  });
  const clientSecret = adminOperation({
    id: "rotateClientSecret",
    method: "POST",
    path: "/admin/partners/{id}/rotate-secret",
    summary: "Rotate a partner's client secret",
    tag: "Administration",
    parameters: [partnerInPath],
    replies: okReplies(
      "The new secret, shown only once; the previous secret stops working immediately",
      newClientSecretReply,
    ),
    body: "optional",
    async handle({ administration, params, store }) {
      const { id } = await requirePartnerInPath(store, params.id!);
      return shownOnce(serializeNewClientSecret(id, await rotateClientSecret(administration, id)));
    },
  });
  const webhookSecret = adminOperation({
    id: "rotateWebhookSecret",
    method: "POST",
    path: "/admin/partners/{id}/rotate-webhook-secret",
    summary: "Rotate a partner's webhook secret",
    tag: "Administration",
    parameters: [partnerInPath],
    request: { type: rotation.type, example: { overlap_hours: 24 } },
    replies: okReplies(
      "The new secret, shown only once; the previous secret also signs for `overlap_hours`",
      newWebhookSecretReply,
    ),
    body: "optional",
    async handle({ administration, body, params, store }) {
      const overlapMs = parseSecretOverlapJson(body);
      const { id } = await requirePartnerInPath(store, params.id!);
      const rotated = await rotateWebhookSecret(administration, id, overlapMs);
      return shownOnce(serializeNewWebhookSecret(id, rotated));
    },
  });
  return [create, apiKey, clientSecret, webhookSecret];
}

function parseMonthOrCurrent(query: HttpQuery, now: Instant): string {
  const asked = calendarMonthFromText(query.get("month") ?? dayOf(now).slice(0, 7));
  if (!asked) throw invalidHttpParameterFailure("month", "must be a month, such as 2026-01");
  return asked;
}

function searchByNameOrId(partners: readonly Partner[], search = ""): readonly Partner[] {
  const normalized = search.trim().toLowerCase();
  if (normalized === "") return partners;
  return partners.filter(
    ({ id, name }) => name.toLowerCase().includes(normalized) || id.toLowerCase() === normalized,
  );
}

/** Returns a partner; throws not_found for an unknown one. */
export async function requirePartnerInPath(store: Store, id: string): Promise<RevisedPartner> {
  const partner = await store.read.partners.find(id);
  if (!partner) throw notFound("Partner not found");
  return partner;
}

async function overviewOf(store: Store, id: string) {
  return serializeFullPartner(await loadPartnerOverview(store, await requirePartnerInPath(store, id)));
}
