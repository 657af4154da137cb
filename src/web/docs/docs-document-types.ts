/* The parts of the OpenAPI document that the reference shows. */

type Reference = { $ref: string };

export type DocumentedSchema = {
  $ref?: string;
  type?: string;
  format?: string;
  nullable?: boolean;
  description?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  items?: DocumentedSchema;
  properties?: Record<string, DocumentedSchema>;
  required?: string[];
  allOf?: DocumentedSchema[];
  anyOf?: DocumentedSchema[];
};

type Content = Record<string, { schema: DocumentedSchema; example?: unknown }>;

export type DocumentedParameter = {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: DocumentedSchema;
  example?: unknown;
};

export type Response = { description: string; content?: Content };

export type DocumentedOperation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security?: object[];
  parameters?: (DocumentedParameter | Reference)[];
  requestBody?: { content: Content };
  responses: Record<string, Response | Reference>;
};

type Webhook = { post: { summary: string; requestBody: { content: Content } } };

export type DocsApiDocument = {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, DocumentedSchema> } & Record<string, Record<string, unknown>>;
  "x-webhooks": Record<string, Webhook>;
};

/** Returns the object itself, or the one that it refers to. */
export function resolveDocsReference<T extends object>(document: DocsApiDocument, value: T | Reference): T {
  if (!("$ref" in value) || typeof value.$ref !== "string") return value as T;
  const parts = value.$ref.split("/").slice(1);
  return parts.reduce((at: Record<string, never>, part) => at[part]!, document as never) as T;
}

/** Returns the name of the schema that this one refers to; undefined for one that is spelled out. */
export const docsSchemaNameOf = ({ $ref, allOf }: DocumentedSchema): string | undefined =>
  ($ref ?? (allOf?.length === 1 ? allOf[0]!.$ref : undefined))?.split("/").at(-1);
