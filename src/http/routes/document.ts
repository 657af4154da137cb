import readEvents from "../../../docs/examples/read-events.sh" with { type: "text" };
import receiverPy from "../../../docs/examples/receiver.py" with { type: "text" };
// @ts-expect-error imported as text, which TypeScript takes for a module
import receiverTs from "../../../docs/examples/receiver.ts" with { type: "text" };
import verifyWebhook from "../../../docs/examples/verify-webhook.sh" with { type: "text" };

import webhooksPy from "../../../docs/examples/webhooks.py" with { type: "text" };
// @ts-expect-error imported as text, which TypeScript takes for a module
import webhooksTs from "../../../docs/examples/webhooks.ts" with { type: "text" };
import { notFound } from "../../domain/errors.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { type AssetTable, assetTable } from "../../web/assets/asset-table.ts";
import type { RenderedPage } from "../../web/document.tsx";
import { renderGuide } from "../../web/guide/guide.tsx";
import { apiDocument } from "../../wire/system.ts";
import { guideText, type Webhook } from "../guide.ts";
import { type OpenApiDocument, openApiDocument } from "../openapi/document.ts";
import { type Operation, publicOperation, type Reply } from "../operation.ts";
import { pageReply } from "../page-reply.ts";

/** Allows requests to this server alone, and no script other than the page's own two. */
const POLICY =
  "default-src 'none'; connect-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const page = ({ fileOf }: AssetTable, document: OpenApiDocument) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mainstay Partner API</title>
<link rel="stylesheet" href="assets/${fileOf("swagger-ui.css")}">
</head>
<body>
<div id="reference"></div>
${webhooksSection(document)}
<script src="assets/${fileOf("swagger-ui.js")}"></script>
<script src="assets/${fileOf("reference.js")}"></script>
</body>
</html>
`;

/** Lists every webhook event with its payload, which Swagger UI leaves out. */
function webhooksSection(document: OpenApiDocument): string {
  const webhooks = document["x-webhooks"] as Record<string, Webhook>;
  const events = Object.entries(webhooks).map(([event, { post }]) => {
    const { example } = post.requestBody.content["application/json"];
    const body = Bun.escapeHTML(JSON.stringify(example, null, 2));
    return `<details id="webhook-${event}"><summary><code>${event}</code> ${Bun.escapeHTML(post.summary)}</summary><pre>${body}</pre></details>`;
  });
  return `<section class="swagger-ui"><div class="wrapper" id="webhooks">
<h2>Webhooks</h2>
<p>Webhook payloads. See <a href="docs/guide#webhook-events">the guide</a> for field definitions and signature
verification examples. The schemas are under <code>x-webhooks</code> in this document.</p>
${events.join("\n")}
</div></section>`;
}

/** The example programs of the guide, by name. */
const EXAMPLES: ReadonlyMap<string, string> = new Map([
  ["webhooks.ts", webhooksTs as string],
  ["webhooks.py", webhooksPy],
  ["receiver.ts", receiverTs as string],
  ["receiver.py", receiverPy],
  ["read-events.sh", readEvents],
  ["verify-webhook.sh", verifyWebhook],
]);
const isExample = (target: string) => EXAMPLES.has(target.replace(/^examples\//, ""));

/** The OpenAPI document as text: the same bytes on every server and in every command. */
export const documentText = (knowledge: Knowledge, operations: readonly Operation[]) =>
  `${JSON.stringify(openApiDocument(knowledge, operations), null, 2)}\n`;

/** The OpenAPI document and the pages that show it. `operations` is called once all operations are known. */
export function documentOperations(
  knowledge: Knowledge,
  operations: () => readonly Operation[],
): Operation[] {
  let text: string | undefined;
  let reference: string | undefined;
  let guide: RenderedPage | undefined;
  return [
    publicOperation({
      id: "getOpenApi",
      method: "GET",
      path: "/v1/openapi.json",
      summary: "Get this document",
      tag: "System",
      replies: {
        200: {
          description: "This document",
          type: apiDocument,
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
            "x-webhooks": {},
          },
        },
      },
      handle() {
        text ??= documentText(knowledge, operations());
        return file(text, "application/json");
      },
    }),
    publicOperation({
      id: "getDocsPage",
      method: "GET",
      path: "/docs",
      summary: "The API reference",
      async handle() {
        reference ??= page(await assetTable(), openApiDocument(knowledge, operations()));
        return file(reference, "text/html; charset=utf-8", { "content-security-policy": POLICY });
      },
    }),
    publicOperation({
      id: "getGuide",
      method: "GET",
      path: "/docs/guide",
      summary: "The partner integration guide",
      async handle(call) {
        guide ??= renderGuide(
          guideText(openApiDocument(knowledge, operations())),
          `../assets/${(await assetTable()).fileOf("guide.css")}`,
          (target) => (/^(#|https?:)/.test(target) || isExample(target) ? target : undefined),
        );
        return pageReply({ frameAncestors: [] }, call, guide);
      },
    }),
    publicOperation({
      id: "getExample",
      method: "GET",
      path: "/docs/examples/{name}",
      summary: "An example program of the guide",
      handle({ params }) {
        const text = EXAMPLES.get(params.name!);
        if (text === undefined) throw notFound("Example not found");
        return file(text, "text/plain; charset=utf-8");
      },
    }),
    publicOperation({
      id: "getRoot",
      method: "GET",
      path: "/",
      summary: "Redirects to the API reference",
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
