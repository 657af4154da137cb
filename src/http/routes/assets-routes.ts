import { notFound } from "../../domain/errors.ts";
import { browserAssetTable } from "../../web/assets/browser-asset-table.ts";
import { encodingHeaders, responseEncodingFor } from "../content-encoding.ts";
import { type Operation, publicOperation } from "../http-operation.ts";

/** Serves style sheets and scripts of the pages. Their URLs contain a hash of the content, so they are cached forever. */
export function assetOperation(): Operation {
  return publicOperation({
    id: "getAsset",
    method: "GET",
    path: "/assets/{file}",
    summary: "A style sheet or script of the pages",
    async handle({ params, request }) {
      const asset = (await browserAssetTable()).find(params.file!);
      if (!asset) throw notFound("Asset not found");
      const encoding = responseEncodingFor(request.headers.get("accept-encoding"));
      return {
        raw: asset.bytes(encoding),
        headers: {
          "content-type": asset.mediaType,
          "cache-control": "public, max-age=31536000, immutable",
          "x-content-type-options": "nosniff",
          ...encodingHeaders(encoding),
        },
      };
    },
  });
}
