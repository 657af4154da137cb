import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXECUTABLE } from "./executable.ts";
import { RECORD_FOLDER } from "./secret-record.ts";

/** A schema object of OpenAPI 3.0.3, as far as the document uses it. */
export type Schema = {
  $ref?: string;
  type?: string;
  format?: string;
  nullable?: boolean;
  description?: string;
  example?: unknown;
  enum?: unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
};

type Reference = { $ref: string };

export type DocumentedHeader = { description: string; required?: boolean; schema: Schema };

export type DocumentedResponse = {
  description: string;
  headers?: Record<string, DocumentedHeader | Reference>;
  content?: Record<string, { schema: Schema; example?: unknown }>;
  /** What the caller may ask for instead. */
  "x-also"?: Record<string, { schema: Schema; example?: string }>;
};

export type DocumentedParameter = {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: Schema;
  example?: unknown;
};

export type DocumentedOperation = {
  operationId: string;
  /** Of the family that it belongs to. */
  tags: string[];
  summary: string;
  description: string;
  /** Empty for an operation that asks for no credential. */
  security?: object[];
  parameters?: DocumentedParameter[];
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, DocumentedResponse | Reference>;
};

export type ApiDocument = {
  openapi: string;
  info: { version: string };
  servers: { url: string }[];
  /** The operations of each path below `/v1`, by method. */
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: object };
};

let text: string | undefined;

/** What `mainstay openapi` prints; asked once in a process, and in a run of many where that keeps its record. */
export function apiDocumentText(): string {
  if (text !== undefined) return text;
  const folder = process.env[RECORD_FOLDER];
  const kept = folder && join(folder, "api-document.json");
  text = kept && existsSync(kept) ? readFileSync(kept, "utf8") : printed();
  if (kept && !existsSync(kept)) {
    // It takes its place at once: other files are tested beside.
    writeFileSync(`${kept}.${process.pid}`, text);
    renameSync(`${kept}.${process.pid}`, kept);
  }
  return text;
}

function printed(): string {
  const { success, stdout, stderr } = Bun.spawnSync([EXECUTABLE, "openapi"], {
    env: { PATH: "/usr/bin:/bin" },
  });
  if (!success) throw new Error(`mainstay openapi failed:\n${stderr.toString()}`);
  return stdout.toString();
}

export const readApiDocument = (): ApiDocument => JSON.parse(apiDocumentText());

/** The object itself, or the one that it refers to. */
export function resolve<T extends object>(document: ApiDocument, value: T | Reference): T {
  if (!("$ref" in value) || typeof value.$ref !== "string") return value as T;
  const parts = value.$ref.split("/").slice(1);
  return parts.reduce((at: Record<string, never>, part) => at[part]!, document as never) as T;
}

export type OperationAt = { method: "GET" | "POST" | "PUT"; path: string; operation: DocumentedOperation };

/** Paths of the document that answer without `/v1` too. */
export const AT_ROOT_TOO = [
  ...["/oauth/token", "/health", "/uploads/{filename}", "/onboarding/demo-property"],
  "/.well-known/oauth-authorization-server",
];

/** Every operation with its path from the root of the server. */
export function operationsOf(document: ApiDocument): OperationAt[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase() as OperationAt["method"],
      path: `/v1${path}`,
      operation,
    })),
  );
}
