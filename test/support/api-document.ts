import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ENVIRONMENT, EXECUTABLE } from "./executable.ts";
import { RECORD_FOLDER } from "./secret-record.ts";

/** The part of OpenAPI 3.0.3's schema object that the document uses. */
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
  /** The alternatives that the caller may ask for. */
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
  /** The tag of its family. */
  tags: string[];
  summary: string;
  description: string;
  /** Empty for an operation without a credential. */
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

/** Returns the output of `mainstay openapi`, which runs once in a process, or once in a run of many files. */
export function apiDocumentText(): string {
  if (text !== undefined) return text;
  const folder = process.env[RECORD_FOLDER];
  const kept = folder && join(folder, "api-document.json");
  text = kept && existsSync(kept) ? readFileSync(kept, "utf8") : printed();
  if (kept && !existsSync(kept)) {
    // Renamed at once: other test files run beside this one.
    writeFileSync(`${kept}.${process.pid}`, text);
    renameSync(`${kept}.${process.pid}`, kept);
  }
  return text;
}

function printed(): string {
  const { success, stdout, stderr } = Bun.spawnSync([EXECUTABLE, "openapi"], {
    env: ENVIRONMENT,
  });
  if (!success) throw new Error(`mainstay openapi failed:\n${stderr.toString()}`);
  return stdout.toString();
}

export const readApiDocument = (): ApiDocument => JSON.parse(apiDocumentText());

/** Returns the object itself, or the one that it refers to. */
export function resolve<T extends object>(document: ApiDocument, value: T | Reference): T {
  if (!("$ref" in value) || typeof value.$ref !== "string") return value as T;
  const parts = value.$ref.split("/").slice(1);
  return parts.reduce((at: Record<string, never>, part) => at[part]!, document as never) as T;
}

export type OperationAt = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  operation: DocumentedOperation;
};

/** Paths of the document that are also served without `/v1`. */
export const AT_ROOT_TOO = [
  ...["/oauth/token", "/health", "/uploads/{filename}", "/onboarding/demo-property"],
  "/.well-known/oauth-authorization-server",
];

/** Returns every operation with its path from the root of the server. */
export function operationsOf(document: ApiDocument): OperationAt[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase() as OperationAt["method"],
      path: `/v1${path}`,
      operation,
    })),
  );
}

/** Returns the query string of the parameters that an operation requires, with their examples. */
export const requiredQuery = ({ parameters = [] }: DocumentedOperation) =>
  new URLSearchParams(
    parameters
      .filter((parameter) => parameter.in === "query" && parameter.required)
      .map(({ name, example }) => [name, String(example)]),
  ).toString();
