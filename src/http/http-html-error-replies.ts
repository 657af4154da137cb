import { LRUCache } from "lru-cache";
import { browserAssetTable } from "../web/assets/browser-asset-table.ts";
import { escapeHtml } from "../web/charts/chart-svg.ts";
import type { RenderedPage } from "../web/page/page-document.tsx";
import { parseHeaderWeights } from "./accept-header.ts";
import { httpHtmlPageHeaders, type PageSettings } from "./http-html-page-reply.ts";

/** Returns the HTML page that replaces an error response; undefined to keep the response. */
export type HtmlErrorReplies = (request: Request, error: Response) => Promise<Response | undefined>;

/**
 * Replaces JSON errors by HTML pages: all errors of the pages below `/embed/`, and those for an address that nothing is
 * served at if the client prefers HTML, as browsers do. `basePath`: as in `HttpDeps`.
 */
export function httpHtmlErrorReplies(basePath: string, settings: PageSettings): HtmlErrorReplies {
  const bases = [...new Set([basePath, ""])];
  const embedErrorPage = preparedEmbedErrorPages();
  return async (request, error) => {
    if (error.headers.get("content-type") !== "application/json") return undefined;
    const { pathname, search } = new URL(request.url);
    const base = bases.find((base) => pathname.startsWith(`${base}/`)) ?? "";
    if (bases.some((base) => pathname.startsWith(`${base}/embed/`))) {
      const retryUrl = `./${pathname.slice(pathname.lastIndexOf("/") + 1)}${search}`;
      return errorPage(settings, request, error, await embedErrorPage(error, retryUrl));
    }
    if (error.status !== 404 || !prefersHtml(request)) return undefined;
    const { renderDocsNotFoundPage } = await import("../web/docs/docs-not-found-page.tsx");
    return errorPage(
      { frameAncestors: [] },
      request,
      error,
      renderDocsNotFoundPage(base, await errorPageCss()),
    );
  };
}

const errorPageCss = async () => (await browserAssetTable()).textOf("error-page.css");

/** Texts in a prepared page that stand for those of a request. */
const REQUEST_ID = "{request-id}";
const RETRY_URL = "{retry-url}";
const PLACEHOLDER = /(\{request-id\}|\{retry-url\})/;
/** More than the seconds of a rate window for each status. */
const MOST_PREPARED = 200;

/**
 * Returns the function that returns the page of an error below `/embed/`. It is rendered once for each status and time to
 * wait: anyone can cause these errors, and refusing a request must cost little.
 */
function preparedEmbedErrorPages() {
  const prepared = new LRUCache<string, { parts: string[]; page: RenderedPage }>({ max: MOST_PREPARED });
  const prepare = async (status: number, retryAfterS: number | undefined) => {
    const { renderEmbedErrorPage } = await import("../web/embed/embed-pages.tsx");
    const texts = { requestId: REQUEST_ID, retryUrl: RETRY_URL };
    const page = renderEmbedErrorPage({ inlineCss: await errorPageCss(), status, retryAfterS, ...texts });
    return { parts: page.html.split(PLACEHOLDER), page };
  };
  return async ({ status, headers }: Response, retryUrl: string): Promise<RenderedPage> => {
    const retryAfter = headers.get("retry-after") ?? "";
    const key = `${status} ${retryAfter}`;
    const retryAfterS = /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
    const { parts, page } = prepared.get(key) ?? (await prepare(status, retryAfterS));
    prepared.set(key, { parts, page });
    const texts: Record<string, string> = {
      [REQUEST_ID]: headers.get("x-request-id")!,
      [RETRY_URL]: retryUrl,
    };
    const html = parts.map((part) => (texts[part] === undefined ? part : escapeHtml(texts[part]))).join("");
    return { ...page, html };
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
    headers: { ...Object.fromEntries(error.headers), ...httpHtmlPageHeaders(settings, page) },
  });
}
