import { type AssetTable, assetTable } from "../../web/assets/asset-table.ts";
import { apiDocument } from "../../wire/system.ts";
import { openApiDocument } from "../openapi/document.ts";
import { type Operation, publicOperation, type Reply } from "../operation.ts";

/** Nothing but this server is asked for anything, and the page runs no script but its own two. */
const POLICY =
  "default-src 'none'; connect-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const page = ({ fileOf }: AssetTable) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mainstay Partner API</title>
<link rel="stylesheet" href="assets/${fileOf("swagger-ui.css")}">
</head>
<body>
<div id="reference"></div>
<script src="assets/${fileOf("swagger-ui.js")}"></script>
<script src="assets/${fileOf("reference.js")}"></script>
</body>
</html>
`;

/** The document of the operations, as text: the same bytes wherever it is asked for. */
export const documentText = (operations: readonly Operation[]) =>
  `${JSON.stringify(openApiDocument(operations), null, 2)}\n`;

/** The API document and the page that shows it. `operations` are all that the document describes. */
export function documentOperations(operations: () => readonly Operation[]): Operation[] {
  let text: string | undefined;
  return [
    publicOperation({
      id: "getOpenApi",
      method: "GET",
      path: "/v1/openapi.json",
      summary: "This document",
      tag: "System",
      replies: {
        200: {
          words: "This document",
          form: apiDocument,
          example: {
            openapi: "3.0.3",
            info: {
              title: "Mainstay Partner API",
              version: "1.0.0",
              description: "",
              contact: {},
              license: {},
            },
            servers: [{ url: "/v1", description: "This server" }],
            tags: [],
            security: [{ apiKey: [] }, { oauth2: [] }],
            paths: {},
            components: {},
          },
        },
      },
      handle() {
        text ??= documentText(operations());
        return file(text, "application/json");
      },
    }),
    publicOperation({
      id: "getDocsPage",
      method: "GET",
      path: "/docs",
      summary: "The API reference for reading",
      handle: async () =>
        file(page(await assetTable()), "text/html; charset=utf-8", { "content-security-policy": POLICY }),
    }),
    publicOperation({
      id: "getRoot",
      method: "GET",
      path: "/",
      summary: "The way to the API reference",
      handle: () => ({ status: 302, raw: null, headers: { location: "docs" } }),
    }),
  ];
}

function file(text: string, mediaType: string, headers: Record<string, string> = {}): Reply<never> {
  return {
    raw: text,
    headers: {
      "content-type": mediaType,
      "cache-control": "public, max-age=3600",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  };
}
