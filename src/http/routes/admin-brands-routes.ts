import { partnerInPath } from "../../api-schemas/api-parameter-schemas.ts";
import {
  brand,
  brandRequest,
  parseBrandChangeJson,
  serializeBrand,
} from "../../api-schemas/partner-brand-schema.ts";
import { changeEmbedBrand, loadEmbedBrand } from "../../usecases/embeds/change-embed-brand.ts";
import { adminOperation, type Operation, okReplies, okReply } from "../http-operation.ts";
import { requirePartnerInPath } from "./admin-partners-routes.ts";

/** Returns the operations on how partners' embeds look. */
export function adminBrandOperations(): Operation[] {
  return [
    adminOperation({
      id: "getPartnerBrand",
      method: "GET",
      path: "/admin/partners/{id}/brand",
      summary: "Get the name, colors and logo of a partner's embeds",
      tag: "Administration",
      parameters: [partnerInPath],
      replies: okReplies("The brand", brand),
      async handle({ params, store }) {
        const { id } = await requirePartnerInPath(store, params.id!);
        return okReply(serializeBrand(id, await loadEmbedBrand(store.read, id)));
      },
    }),
    adminOperation({
      id: "updatePartnerBrand",
      method: "PUT",
      path: "/admin/partners/{id}/brand",
      summary: "Change the name, colors and logo of a partner's embeds",
      description: "Fields that the body omits stay as they are; null removes one.",
      tag: "Administration",
      parameters: [partnerInPath],
      request: {
        type: brandRequest.type,
        example: { display_name: "First National Bank", color: "#1a5f5a" },
      },
      replies: okReplies("The brand as it is now", brand),
      body: "json",
      async handle({ administration, body, params, store }) {
        const { id } = await requirePartnerInPath(store, params.id!);
        return okReply(
          serializeBrand(id, await changeEmbedBrand(administration, id, parseBrandChangeJson(body))),
        );
      },
    }),
  ];
}
