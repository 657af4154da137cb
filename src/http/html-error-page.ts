import { assetTable } from "../web/assets/asset-table.ts";
import { type PageSettings, pageReply } from "./page-reply.ts";

/** What is given, in its place, for a refusal; undefined where that stands as it is. */
export type HtmlErrorPages = (request: Request, refusal: Response) => Promise<Response | undefined>;

/**
 * Makes of the refusals of pages, which are asked for by people, pages that say what to do. `basePath` as in HttpParts;
 * pages are what stands below `/embed/`.
 */
export function htmlErrorPages(basePath: string, settings: PageSettings): HtmlErrorPages {
  const below = [...new Set(["", basePath])].map((base) => `${base}/embed/`);
  return async (request, refusal) => {
    const { pathname, search } = new URL(request.url);
    const isMade = refusal.headers.get("content-type") !== "application/json";
    if (isMade || !below.some((path) => pathname.startsWith(path))) return undefined;
    const { renderErrorPage: renderRefusal } = await import("../web/embed/pages.tsx");
    const retryAfter = Number(refusal.headers.get("retry-after") ?? Number.NaN);
    const rendered = renderRefusal({
      rules: (await assetTable()).textOf("refusal.css"),
      status: refusal.status,
      requestId: refusal.headers.get("x-request-id")!,
      again: `./${pathname.slice(pathname.lastIndexOf("/") + 1)}${search}`,
      retryAfterS: Number.isFinite(retryAfter) ? retryAfter : undefined,
    });
    const { raw, headers } = pageReply(settings, { request }, rendered);
    const kept = Object.fromEntries(refusal.headers);
    return new Response(request.method === "HEAD" ? null : raw!, {
      status: refusal.status,
      headers: { ...kept, ...headers },
    });
  };
}
