import receiverPy from "../../../docs/examples/receiver.py" with { type: "text" };
// @ts-expect-error taken as text, where TypeScript sees the module
import receiverTs from "../../../docs/examples/receiver.ts" with { type: "text" };
import verifyWebhook from "../../../docs/examples/verify-webhook.sh" with { type: "text" };
import walkEvents from "../../../docs/examples/walk-events.sh" with { type: "text" };
import webhooksPy from "../../../docs/examples/webhooks.py" with { type: "text" };
// @ts-expect-error taken as text, where TypeScript sees the module
import webhooksTs from "../../../docs/examples/webhooks.ts" with { type: "text" };
import { notFound } from "../../domain/errors.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { type AssetTable, assetTable } from "../../web/assets/asset-table.ts";
import type { Rendered } from "../../web/embed/document.tsx";
import { renderGuide } from "../../web/guide/guide.tsx";
import { apiDocument } from "../../wire/system.ts";
import { guideText, type Webhook } from "../guide.ts";
import { type OpenApiDocument, openApiDocument } from "../openapi/document.ts";
import { type Operation, publicOperation, type Reply } from "../operation.ts";
import { pageReply } from "../page-reply.ts";

/** Nothing but this server is asked for anything, and the page runs no script but its own two. */
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

/** What the reference's own program leaves out: every webhook event, with what is sent. */
function webhooksSection(document: OpenApiDocument): string {
  const webhooks = document["x-webhooks"] as Record<string, Webhook>;
  const events = Object.entries(webhooks).map(([event, { post }]) => {
    const { example } = post.requestBody.content["application/json"];
    const body = Bun.escapeHTML(JSON.stringify(example, null, 2));
    return `<details id="webhook-${event}"><summary><code>${event}</code> ${Bun.escapeHTML(post.summary)}</summary><pre>${body}</pre></details>`;
  });
  return `<section class="swagger-ui"><div class="wrapper" id="webhooks">
<h2>Webhooks</h2>
<p>What receivers are sent. <a href="docs/guide#webhook-events">The guide</a> says what each field is and how a signature
is verified, with programs; this document has the schemas under <code>x-webhooks</code>.</p>
${events.join("\n")}
</div></section>`;
}

/** The programs that the guide speaks of, by their names. */
const EXAMPLES: Readonly<Record<string, string>> = {
  "webhooks.ts": webhooksTs as string,
  "webhooks.py": webhooksPy,
  "receiver.ts": receiverTs as string,
  "receiver.py": receiverPy,
  "walk-events.sh": walkEvents,
  "verify-webhook.sh": verifyWebhook,
};
const isExample = (target: string) => EXAMPLES[target.replace(/^examples\//, "")] !== undefined;

/** The document of the operations, as text: the same bytes wherever it is asked for. */
export const documentText = (knowledge: Knowledge, operations: readonly Operation[]) =>
  `${JSON.stringify(openApiDocument(knowledge, operations), null, 2)}\n`;

/** The API document and the page that shows it. `operations` are all that the document describes. */
export function documentOperations(
  knowledge: Knowledge,
  operations: () => readonly Operation[],
): Operation[] {
  let text: string | undefined;
  let reference: string | undefined;
  let guide: Rendered | undefined;
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
      summary: "The API reference for reading",
      async handle() {
        reference ??= page(await assetTable(), openApiDocument(knowledge, operations()));
        return file(reference, "text/html; charset=utf-8", { "content-security-policy": POLICY });
      },
    }),
    publicOperation({
      id: "getGuide",
      method: "GET",
      path: "/docs/guide",
      summary: "The guide for partners' engineers",
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
      summary: "A program of the guide",
      handle({ params }) {
        const text = EXAMPLES[params.name!];
        if (text === undefined) throw notFound("There is no such example");
        return file(text, "text/plain; charset=utf-8");
      },
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
