import { assetTable } from "../../web/assets/asset-table.ts";
import { type Operation, publicOperation } from "../operation.ts";
import { pageReply } from "../page-reply.ts";

export type PortfolioAppParts = {
  /** Who may show the page in a frame: Content-Security-Policy sources. */
  frameAncestors: readonly string[];
};

/** The partner's portfolio as an application in the browser, which calls the public API alone. */
export function portfolioAppOperation({ frameAncestors }: PortfolioAppParts): Operation {
  return publicOperation({
    id: "getPortfolioApp",
    method: "GET",
    path: "/embed/app",
    summary: "The partner's portfolio, for people",
    async handle(call) {
      const { fileOf } = await assetTable();
      const { renderAppPage } = await import("../../web/app/app-document.tsx");
      const rendered = renderAppPage({
        style: `../assets/${fileOf("app.css")}`,
        script: `../assets/${fileOf("app.js")}`,
      });
      return pageReply({ frameAncestors, makesPictures: true }, call, rendered);
    },
  });
}
