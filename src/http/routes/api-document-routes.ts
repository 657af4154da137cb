import readEvents from "../../../docs/examples/read-events.sh" with { type: "text" };
import receiverPy from "../../../docs/examples/receiver.py" with { type: "text" };
// @ts-expect-error imported as text, which TypeScript takes for a module
import receiverTs from "../../../docs/examples/receiver.ts" with { type: "text" };
import verifyWebhook from "../../../docs/examples/verify-webhook.sh" with { type: "text" };

import webhooksPy from "../../../docs/examples/webhooks.py" with { type: "text" };
// @ts-expect-error imported as text, which TypeScript takes for a module
import webhooksTs from "../../../docs/examples/webhooks.ts" with { type: "text" };
import { apiDocument } from "../../api-schemas/system-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { notFound } from "../../domain/errors.ts";
import { browserAssetTable } from "../../web/assets/browser-asset-table.ts";
import type { DocsApiDocument } from "../../web/docs/docs-document-types.ts";
import { renderDocsGuide } from "../../web/docs/docs-guide.tsx";
import type { DocsFiles } from "../../web/docs/docs-page.tsx";
import { renderDocsReference } from "../../web/docs/docs-reference.tsx";
import { httpConstantPageReply } from "../http-html-page-reply.ts";
import { type Operation, publicOperation, type Reply } from "../http-operation.ts";
import { openApiDocument } from "../openapi/openapi-document.ts";
import { openApiGuideText } from "../openapi/openapi-guide-text.ts";

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
export const apiDocumentText = (knowledge: Knowledge, operations: readonly Operation[]) =>
  `${JSON.stringify(openApiDocument(knowledge, operations), null, 2)}\n`;

/** The OpenAPI document and the pages that show it. `operations` is called once all operations are known. */
export function apiDocumentOperations(
  knowledge: Knowledge,
  operations: () => readonly Operation[],
): Operation[] {
  let text: string | undefined;
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
        text ??= apiDocumentText(knowledge, operations());
        return file(text, "application/json");
      },
    }),
    publicOperation({
      id: "getDocsPage",
      method: "GET",
      path: "/docs",
      summary: "The API reference",
      handle: httpConstantPageReply(async () =>
        renderDocsReference(
          openApiDocument(knowledge, operations()) as unknown as DocsApiDocument,
          await docsFiles("assets/"),
        ),
      ),
    }),
    publicOperation({
      id: "getGuide",
      method: "GET",
      path: "/docs/guide",
      summary: "The partner integration guide",
      handle: httpConstantPageReply(async () =>
        renderDocsGuide(
          openApiGuideText(openApiDocument(knowledge, operations())),
          await docsFiles("../assets/"),
          (target) => (/^(#|https?:)/.test(target) || isExample(target) ? target : undefined),
        ),
      ),
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

/** Returns the addresses of the files of the documentation, below a folder. */
async function docsFiles(folder: string): Promise<DocsFiles> {
  const { fileOf } = await browserAssetTable();
  return { style: `${folder}${fileOf("docs.css")}`, script: `${folder}${fileOf("docs.js")}` };
}

function file(text: string, mediaType: string): Reply<never> {
  return {
    raw: text,
    headers: {
      "content-type": mediaType,
      "cache-control": "public, max-age=3600",
      "x-content-type-options": "nosniff",
    },
  };
}
