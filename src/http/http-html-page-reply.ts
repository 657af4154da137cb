import type { Encoding } from "../web/assets/browser-asset-table.ts";
import type { RenderedPage } from "../web/page/page-document.tsx";
import { compressResponseBody, encodingHeaders, responseEncodingFor } from "./content-encoding.ts";
import type { Call, Reply } from "./http-operation.ts";

/** The headers of a response for a single user, which must not be stored by others or indexed. */
export const PRIVATE_HEADERS = {
  "cache-control": "private, no-cache",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
};

export type PageSettings = {
  /** The sites that may show the page in a frame, as Content-Security-Policy sources. Empty for none. */
  frameAncestors: readonly string[];
  /** True if scripts of the page show images that they have loaded. */
  allowsBlobImages?: boolean;
};

/** Returns a page that can only load scripts, styles and data from this server. */
export function httpHtmlPageReply(
  settings: PageSettings,
  { request }: Pick<Call, "request">,
  page: RenderedPage,
  status = 200,
): Reply<never> {
  const encoding = responseEncodingFor(request.headers.get("accept-encoding"));
  return {
    status,
    raw: compressResponseBody(page.html, encoding),
    headers: { ...httpHtmlPageHeaders(settings, page), ...encodingHeaders(encoding) },
  };
}

/**
 * Returns a function that returns a page that is the same for all. It is rendered with the first request and compressed once
 * for each encoding: anyone can request it, and compressing the API reference takes 5 ms.
 */
export function httpConstantPageReply(render: () => Promise<RenderedPage>) {
  let page: RenderedPage | undefined;
  const replies = new Map<Encoding, Reply<never>>();
  return async (call: Pick<Call, "request">): Promise<Reply<never>> => {
    page ??= await render();
    const encoding = responseEncodingFor(call.request.headers.get("accept-encoding"));
    const reply = replies.get(encoding) ?? httpHtmlPageReply({ frameAncestors: [] }, call, page);
    replies.set(encoding, reply);
    return reply;
  };
}

/** Returns the headers of a page as `httpHtmlPageReply` sends it, apart from those of its compression. */
export function httpHtmlPageHeaders(
  { frameAncestors, allowsBlobImages: makesPictures = false }: PageSettings,
  { styleHash }: RenderedPage,
): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src 'self'${styleHash === undefined ? "" : ` '${styleHash}'`}`,
    "script-src 'self'",
    "connect-src 'self'",
    `img-src 'self' data:${makesPictures ? " blob:" : ""}`,
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.join(" ") || "'none'"}`,
  ];
  return {
    ...PRIVATE_HEADERS,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
  };
}
