import { assetTable } from "../web/assets/asset-table.ts";
import type { RenderedPage } from "../web/page/page-document.tsx";
import { parseHeaderWeights } from "./accept-header.ts";
import { type PageSettings, pageReplyHeaders } from "./page-reply.ts";

/** Returns the HTML page that replaces an error response; undefined to keep the response. */
export type HtmlErrorReplies = (request: Request, error: Response) => Promise<Response | undefined>;

/**
 * Replaces JSON errors by HTML pages: all errors of the pages below `/embed/`, and those for an address that nothing is
 * served at if the client prefers HTML, as browsers do. `basePath`: as in `HttpDeps`.
 */
export function htmlErrorReplies(basePath: string, settings: PageSettings): HtmlErrorReplies {
  const bases = [...new Set([basePath, ""])];
  return async (request, error) => {
    if (error.headers.get("content-type") !== "application/json") return undefined;
    const { pathname, search } = new URL(request.url);
    const base = bases.find((base) => pathname.startsWith(`${base}/`)) ?? "";
    const inlineCss = async () => (await assetTable()).textOf("error-page.css");
    if (bases.some((base) => pathname.startsWith(`${base}/embed/`))) {
      const { renderEmbedErrorPage } = await import("../web/embed/embed-pages.tsx");
      const retryAfter = Number(error.headers.get("retry-after") ?? Number.NaN);
      const rendered = renderEmbedErrorPage({
        inlineCss: await inlineCss(),
        status: error.status,
        requestId: error.headers.get("x-request-id")!,
        retryUrl: `./${pathname.slice(pathname.lastIndexOf("/") + 1)}${search}`,
        retryAfterS: Number.isFinite(retryAfter) ? retryAfter : undefined,
      });
      return errorPage(settings, request, error, rendered);
    }
    if (error.status !== 404 || !prefersHtml(request)) return undefined;
    const { renderDocsNotFoundPage } = await import("../web/docs/not-found-page.tsx");
    return errorPage({ frameAncestors: [] }, request, error, renderDocsNotFoundPage(base, await inlineCss()));
  };
}

/** Returns whether the client asks for HTML rather than JSON. One that accepts anything gets JSON. */
function prefersHtml({ method, headers }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const weights = parseHeaderWeights(headers.get("accept") ?? "");
  return (weights.get("text/html") ?? 0) > (weights.get("application/json") ?? 0);
}

/** Returns the page uncompressed: anyone can cause errors, and compressing a page takes longer than refusing a request. */
function errorPage(settings: PageSettings, request: Request, error: Response, page: RenderedPage): Response {
  return new Response(request.method === "HEAD" ? null : page.html, {
    status: error.status,
    headers: { ...Object.fromEntries(error.headers), ...pageReplyHeaders(settings, page) },
  });
}
