import { assetTable } from "../web/assets/asset-table.ts";
import { type PageSettings, pageReply } from "./page-reply.ts";

/** Returns the HTML page that replaces an error response; undefined to keep the response. */
export type HtmlErrorPages = (request: Request, error: Response) => Promise<Response | undefined>;

/** Replaces JSON errors of the pages below `/embed/` by HTML pages. `basePath`: as in `HttpDeps`. */
export function htmlErrorPages(basePath: string, settings: PageSettings): HtmlErrorPages {
  const prefixes = [...new Set(["", basePath])].map((base) => `${base}/embed/`);
  return async (request, error) => {
    const { pathname, search } = new URL(request.url);
    const isPage = error.headers.get("content-type") !== "application/json";
    if (isPage || !prefixes.some((prefix) => pathname.startsWith(prefix))) return undefined;
    const { renderErrorPage } = await import("../web/embed/pages.tsx");
    const retryAfter = Number(error.headers.get("retry-after") ?? Number.NaN);
    const rendered = renderErrorPage({
      inlineCss: (await assetTable()).textOf("error-page.css"),
      status: error.status,
      requestId: error.headers.get("x-request-id")!,
      retryUrl: `./${pathname.slice(pathname.lastIndexOf("/") + 1)}${search}`,
      retryAfterS: Number.isFinite(retryAfter) ? retryAfter : undefined,
    });
    const { raw, headers } = pageReply(settings, { request }, rendered);
    const errorHeaders = Object.fromEntries(error.headers);
    return new Response(request.method === "HEAD" ? null : raw!, {
      status: error.status,
      headers: { ...errorHeaders, ...headers },
    });
  };
}
