import {
  embedInPath,
  pagingParameters,
  partnerFilter,
  propertyFilter,
} from "../../api-schemas/api-parameter-schemas.ts";
import { EXAMPLE_IDS } from "../../api-schemas/definition/schema-field-types.ts";
import {
  embedChange,
  embedRequest,
  parseEmbedChangeJson,
  parseNewEmbedJson,
} from "../../api-schemas/embed-request-schema.ts";
import {
  embed,
  embedsPage,
  embedViews,
  newEmbed,
  revokedEmbed,
  serializeEmbed,
  serializeEmbedViews,
  serializeNewEmbed,
} from "../../api-schemas/embed-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { embedNotFoundFailure } from "../../domain/embed.ts";
import { propertyNotFound } from "../../domain/property.ts";
import type { Store } from "../../store/store.ts";
import { createEmbed, revokeEmbed, updateEmbed } from "../../usecases/embeds/create-or-revoke-embed.ts";
import { loadEmbedPreview } from "../../usecases/embeds/load-embed-preview.ts";
import {
  adminOperation,
  createdReplies,
  createdReply,
  type Operation,
  okReplies,
  okReply,
} from "../http-operation.ts";
import { parseRowRangeHttpQuery } from "../http-query-parameters.ts";

export function adminEmbedOperations(): Operation[] {
  return [
    adminOperation({
      id: "listEmbeds",
      method: "GET",
      path: "/admin/embeds",
      summary: "List embeds",
      tag: "Administration",
      parameters: [propertyFilter, partnerFilter, ...pagingParameters],
      replies: okReplies("A page of embeds with their view counts, newest first", embedsPage),
      async handle({ now, query, store }) {
        const slice = parseRowRangeHttpQuery(query);
        const filter = { propertyId: query.get("property_id"), partnerId: query.get("partner_id") };
        const embeds = await store.read.embeds.page(slice, filter);
        const total = await store.read.embeds.count(filter);
        return okReply(
          embedsPage.of(
            embeds.map((one) => serializeEmbed(one, now)),
            slice,
            total,
          ),
        );
      },
    }),
    adminOperation({
      id: "listEmbedViews",
      method: "GET",
      path: "/admin/embeds/{id}/views",
      summary: "List the latest views of an embed",
      tag: "Administration",
      parameters: [embedInPath],
      replies: okReplies("The views, newest first, updated every minute", embedViews),
      async handle({ params, store }) {
        const viewed = await requireEmbed(store, params.id!);
        return okReply(serializeEmbedViews(viewed, await store.read.embeds.recentViews(viewed.id)));
      },
    }),
    adminOperation({
      id: "updateEmbed",
      method: "PUT",
      path: "/admin/embeds/{id}",
      summary: "Change the label, recipient or passcode of an embed",
      description: "Changes the fields that the request has; null clears one.",
      tag: "Administration",
      parameters: [embedInPath],
      request: { type: embedChange.type, example: { recipient: "First National Bank" } },
      replies: okReplies("The embed as it is now", embed),
      errors: [409],
      body: "json",
      async handle({ administration, body, now, params, store }) {
        const changed = await updateEmbed(administration, params.id!, parseEmbedChangeJson(body));
        const property = await store.read.properties.find(changed.partnerId, changed.propertyId);
        // The partner may have been purged meanwhile.
        if (!property) throw embedNotFoundFailure();
        return okReply(serializeEmbed({ ...changed, propertyName: property.name }, now));
      },
    }),
    adminOperation({
      id: "revokeEmbed",
      method: "POST",
      path: "/admin/embeds/{id}/revoke",
      summary: "Revoke an embed",
      tag: "Administration",
      parameters: [embedInPath],
      replies: okReplies("The embed is revoked; also if it was revoked before", revokedEmbed),
      body: "optional",
      async handle({ administration, params, store }) {
        const { id } = await requireEmbed(store, params.id!);
        await revokeEmbed(administration, id);
        return okReply({ embed_id: id, revoked: true });
      },
    }),
  ];
}

/**
 * Creates an embed and returns its token, which no other response contains. Links start with `publicUrl`.
 */
export function createEmbedOperation(knowledge: Knowledge, publicUrl: () => string): Operation {
  return adminOperation({
    id: "createEmbed",
    method: "POST",
    path: "/admin/embeds",
    summary: "Create an embed of a property's report",
    tag: "Administration",
    request: { type: embedRequest.type, example: { property_id: EXAMPLE_IDS.P, expires_days: 90 } },
    replies: createdReplies("The embed, with a token that is shown only once", newEmbed),
    errors: [404],
    body: "json",
    async handle({ administration, body, store }) {
      const input = parseNewEmbedJson(body);
      if ((await store.read.properties.ownerOf(input.propertyId)) === undefined) throw propertyNotFound();
      const { embed: made, token } = await createEmbed(administration, input);
      const preview = await loadEmbedPreview(store.read, knowledge, made);
      const headers = { "cache-control": "no-store" };
      return { ...createdReply(serializeNewEmbed(made, token, publicUrl(), preview)), headers };
    },
  });
}

async function requireEmbed(store: Store, id: string) {
  const found = await store.read.embeds.find(id);
  if (!found) throw embedNotFoundFailure();
  return found;
}
