import { browserAssetTable } from "../../web/assets/browser-asset-table.ts";
import { httpHtmlPageReply } from "../http-html-page-reply.ts";
import { type Operation, publicOperation } from "../http-operation.ts";

type PortfolioAppDeps = {
  /** The sites that may show the page in a frame, as Content-Security-Policy sources. */
  frameAncestors: readonly string[];
};

/** The portfolio app, which runs in the browser and uses only the public API. */
export function portfolioAppOperation({ frameAncestors }: PortfolioAppDeps): Operation {
  return publicOperation({
    id: "getPortfolioApp",
    method: "GET",
    path: "/embed/app",
    summary: "The portfolio app",
    async handle(call) {
      const { fileOf } = await browserAssetTable();
      const { renderAppPage } = await import("../../web/app/app-document.tsx");
      const rendered = renderAppPage({
        style: `../assets/${fileOf("app.css")}`,
        script: `../assets/${fileOf("app.js")}`,
        workbookReader: `../assets/${fileOf("workbook-worker.js")}`,
      });
      return httpHtmlPageReply({ frameAncestors, allowsBlobImages: true }, call, rendered);
    },
  });
}
