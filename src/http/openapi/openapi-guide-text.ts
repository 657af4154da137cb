import guide from "../../../docs/partners.md" with { type: "text" };
import type { OpenApiDocument } from "./openapi-document.ts";

type Schema = {
  $ref?: string;
  allOf?: Schema[];
  type?: string;
  enum?: unknown[];
  description?: string;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
};
type Webhook = {
  post: {
    summary: string;
    requestBody: { content: { "application/json": { schema: Schema; example: unknown } } };
  };
};

/** Returns the partner integration guide, followed by every webhook event of the OpenAPI document. */
export function openApiGuideText(document: OpenApiDocument): string {
  const webhooks = document["x-webhooks"] as Record<string, Webhook>;
  const { schemas } = document.components as { schemas: Record<string, Schema> };
  const resolved = (schema: Schema): Schema => {
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
    return reference === undefined ? schema : (schemas[reference.split("/").at(-1)!] ?? schema);
  };
  const sections = Object.entries(webhooks).map(([event, { post }]) => {
    const { schema, example } = post.requestBody.content["application/json"];
    const data = resolved(resolved(schema).properties!.data!);
    const rows = Object.entries(data.properties ?? {}).map(
      ([name, field]) => `| \`${name}\` | ${typeOf(resolved(field))} | ${cell(field.description ?? "")} |`,
    );
    return [
      `### ${event}`,
      `${post.summary}. Its \`data\`:`,
      ["| Field | Type | Description |", "|---|---|---|", ...rows].join("\n"),
      ["```json", JSON.stringify(example, null, 2), "```"].join("\n"),
    ].join("\n\n");
  });
  return [
    guide,
    "## Webhook events",
    "All events share the same envelope. The fields of `data` depend on the event.",
    ...sections,
  ].join("\n\n");
}

function typeOf({ type, enum: values, anyOf }: Schema): string {
  if (anyOf) return anyOf.map(typeOf).join(", or any ");
  return values ? values.map((value) => `\`${value}\``).join(", ") : (type ?? "object");
}
const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
