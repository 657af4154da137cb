import type { RenderedPage } from "../web/document.tsx";
import { encoded, encodingFor, encodingHeaders } from "./encoding.ts";
import type { Call, Reply } from "./operation.ts";

/** What belongs to one reader: told to nobody, and asked for again. */
export const PRIVATE_HEADERS = {
  "cache-control": "private, no-cache",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
};

export type PageSettings = {
  /** Who may show the page in a frame: Content-Security-Policy sources; nobody when empty. */
  frameAncestors: readonly string[];
  /** Whether its scripts make pictures of what they have read. */
  allowsBlobImages?: boolean;
};

/** A page that runs no script but this server's, and asks no other host for anything. */
export function pageReply(
  { frameAncestors, allowsBlobImages: makesPictures = false }: PageSettings,
  { request }: Pick<Call, "request">,
  { html, styleHash }: RenderedPage,
  status = 200,
): Reply<never> {
  const encoding = encodingFor(request.headers.get("accept-encoding"));
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
    status,
    raw: encoded(html, encoding),
    headers: {
      ...PRIVATE_HEADERS,
      ...encodingHeaders(encoding),
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
    },
  };
}
