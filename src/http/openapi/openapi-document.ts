import type { SchemaType } from "../../api-schemas/definition/api-schema-type.ts";
import { failure } from "../../api-schemas/error-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { type DocumentedReply, httpOperationPath, type Operation } from "../http-operation.ts";
import { OpenApiSchemaRegistry, openApiExampleOf, openApiSchemaOf } from "./http-openapi-schema-registry.ts";
import { openApiErrorExamples } from "./openapi-error-examples.ts";
import { TAGS } from "./openapi-tags.ts";
import { openApiWebhooks } from "./openapi-webhooks.ts";

export type OpenApiDocument = Record<string, unknown> & { paths: Record<string, Record<string, unknown>> };

const DESCRIPTION = `Predictive maintenance and risk intelligence for multifamily and commercial real estate.

Create properties and appliances, and send service events, sensor events and claims. Every component gets a failure
score from 0.00 to 0.99 with a tier and a confidence, updated daily at 03:00 UTC and whenever its history changes. Scores
are estimates: they set priorities and are no guarantee. \`assumptions\` beside the figures say what they rest on.

Lists are paged with \`limit\` and \`offset\`. Errors are JSON with \`error\`, \`code\` and \`request_id\`. Amounts are in
US dollars unless the operator has chosen another currency, dates in UTC. Clients must ignore unknown fields. New fields may be added at any time.`;

/** Builds the OpenAPI 3.0.3 document from the operations and the named sets of the knowledge base. */
export function openApiDocument(
  { claimTypes, smartEvents }: Pick<Knowledge, "claimTypes" | "smartEvents">,
  operations: readonly Operation[],
): OpenApiDocument {
  const names = new OpenApiSchemaRegistry({
    ClaimType: [...claimTypes.keys()],
    SmartEventType: [...smartEvents.keys()],
  });
  const documented = operations.filter(({ tag }) => tag !== undefined);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of documented) {
    const path = httpOperationPath(operation);
    paths[path] ??= {};
    paths[path][operation.method.toLowerCase()] = operationObject(operation, names);
  }
  const responses = errorResponses(names);
  const webhooks = openApiWebhooks(names);
  const tags = [...new Set(documented.map(({ tag }) => tag!))];
  return {
    openapi: "3.0.3",
    info: {
      title: "Mainstay Partner API",
      version: "1.0.0",
      description: DESCRIPTION,
      contact: { name: "Your operator" },
      license: { name: "Proprietary", url: "/docs" },
    },
    servers: [{ url: "/v1", description: "This server" }],
    tags: tags.sort().map((name) => ({ name, description: TAGS[name] })),
    security: [{ apiKey: [] }, { oauth2: [] }],
    paths,
    "x-webhooks": webhooks,
    components: {
      schemas: Object.fromEntries([...names].sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: HEADERS,
      responses,
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-Api-Key",
          description: "An API key issued by the operator.",
        },
        oauth2: {
          type: "oauth2",
          description: "A bearer token obtained with client credentials, valid for 1 hour.",
          flows: {
            clientCredentials: {
              tokenUrl: "/oauth/token",
              scopes: { read: "Read your data", write: "Create and update your data" },
            },
          },
        },
      },
    },
  };
}

function operationObject(operation: Operation, names: OpenApiSchemaRegistry): Record<string, unknown> {
  const { id, access, summary, description, tag, request, replies = {} } = operation;
  const responses: Record<string, unknown> = {};
  for (const [status, reply] of Object.entries(replies))
    responses[status] = response(reply, access === "partner", names, `${capitalize(id)}Reply`);
  for (const status of errorStatuses(operation))
    responses[status] ??= { $ref: `#/components/responses/Error${status}` };
  return {
    operationId: id,
    summary,
    description: description ?? `${summary}.`,
    tags: [tag],
    ...(access === "public" && { security: [] }),
    ...parameters(operation),
    ...(request && {
      requestBody: {
        required: true,
        content: Object.assign(
          {},
          ...(request.mediaTypes ?? [JSON_TYPE]).map((type) =>
            content(type, request.type, request.example, names, `${capitalize(id)}Request`),
          ),
        ),
      },
    }),
    responses,
  };
}

const JSON_TYPE = "application/json";

const capitalize = (name: string) => name[0]!.toUpperCase() + name.slice(1);

/** `fallbackName` names the schema of a type without a name. */
function content(
  mediaType: string,
  type: SchemaType<unknown>,
  givenExample: unknown,
  schemas: OpenApiSchemaRegistry,
  fallbackName: string,
) {
  const schema = openApiSchemaOf(type, schemas, fallbackName);
  const example = givenExample ?? openApiExampleOf(type);
  return { [mediaType]: { schema, ...(example !== undefined && { example }) } };
}

function response(
  reply: DocumentedReply<unknown>,
  isLimited: boolean,
  schemas: OpenApiSchemaRegistry,
  fallbackName: string,
) {
  const { description, type, mediaType, alternativeType, alternativeExample, example, headers } = reply;
  const alternative = {
    schema: { type: "string" },
    ...(alternativeExample && { example: alternativeExample }),
  };
  return {
    description,
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...(isLimited && RATE_LIMIT_HEADERS),
      ...headers,
    },
    ...(type && { content: content(mediaType ?? JSON_TYPE, type, example, schemas, fallbackName) }),
    // As a second media type it would turn every generated client's result into a union of text and record.
    ...(alternativeType && {
      "x-also": Object.fromEntries([alternativeType].flat().map((type) => [type, alternative])),
    }),
    ...(!type && mediaType && { content: { [mediaType]: { schema: BINARY } } }),
  };
}

const BINARY = { type: "string", format: "binary" };

function parameters(operation: Operation) {
  const list: unknown[] = (operation.parameters ?? []).map((parameter) => ({
    name: parameter.name,
    in: parameter.in,
    required: parameter.required,
    description: parameter.description,
    schema: parameter.schema,
    example: parameter.example,
  }));
  if (operation.access === "partner" && operation.replies?.[304])
    list.push({
      name: "If-None-Match",
      in: "header",
      required: false,
      description: "The ETag of a cached response. If it is still current, the response is 304",
      schema: { type: "string" },
    });
  if (operation.access === "partner" && operation.idempotent)
    list.push({
      name: "Idempotency-Key",
      in: "header",
      required: false,
      description:
        "1 to 255 printable characters of your choice. For 24 hours, repeating the key with the same body returns the first response again.",
      schema: { type: "string", minLength: 1, maxLength: 255 },
    });
  return list.length > 0 ? { parameters: list } : {};
}

/** Returns the error statuses that an operation can answer with. */
function errorStatuses(operation: Operation): string[] {
  const statuses = new Set(operation.errors ?? []);
  if (operation.access === "partner") statuses.add(401).add(429);
  else statuses.add(429);
  if (operation.body) for (const status of [400, 413]) statuses.add(status);
  if (operation.body === "json") statuses.add(415);
  if (operation.query.length > 0 || operation.unknownParameters === "rejected") statuses.add(400);
  if (operation.access === "partner" && operation.idempotent) statuses.add(409);
  if (operation.path.includes("{")) statuses.add(404);
  statuses.add(500).add(503);
  return [...statuses].sort().map(String);
}

const ERROR_DESCRIPTIONS: Record<number, string> = {
  400: "Missing or invalid parameters or body",
  401: "Missing or invalid credentials, or expired token",
  404: "Not found, or owned by another partner",
  409: "Conflict with existing data",
  413: "Request body too large, more records than the rows of a table may make, scores of more components than a request may update, or, for a photo, no space left for the partner's photos",
  415: "Unsupported content type or encoding",
  429: "Daily call limit or rate limit exceeded",
  500: "Internal error",
  503: "Service temporarily unavailable, for example because of a full disk, the response was not ready in time, or too many of your large responses have not been read. No changes were made, unless the message says that they may have been. Retry later",
};

function errorResponses(names: OpenApiSchemaRegistry): Record<string, unknown> {
  const schema = openApiSchemaOf(failure, names, "Error");
  const isAuthenticated = (status: string) => status !== "401" && status !== "500";
  return Object.fromEntries(
    Object.entries(ERROR_DESCRIPTIONS).map(([status, description]) => [
      `Error${status}`,
      {
        description,
        headers: {
          "X-Request-Id": { $ref: "#/components/headers/RequestId" },
          // Only in responses to authenticated callers, which OpenAPI cannot express.
          ...(isAuthenticated(status) && RATE_LIMIT_HEADERS),
          ...(["429", "503"].includes(status) && {
            "Retry-After": { $ref: "#/components/headers/RetryAfter" },
          }),
          ...(status === "401" && { "WWW-Authenticate": { $ref: "#/components/headers/Challenge" } }),
        },
        content: { [JSON_TYPE]: { schema, ...openApiErrorExamples(Number(status)) } },
      },
    ]),
  );
}

const RATE_LIMIT_HEADERS = {
  "X-RateLimit-Limit": { $ref: "#/components/headers/RateLimit" },
  "X-RateLimit-Remaining": { $ref: "#/components/headers/RateLimitRemaining" },
  "X-RateLimit-Reset": { $ref: "#/components/headers/RateLimitReset" },
};

const HEADERS = {
  RequestId: {
    description: "The request ID: the value sent by the caller, or a generated one",
    required: true,
    schema: { type: "string" },
  },
  RateLimit: { description: "Daily call limit", schema: { type: "integer" } },
  RateLimitRemaining: { description: "Calls remaining today", schema: { type: "integer" } },
  RateLimitReset: {
    description: "When the daily limit resets: the next midnight UTC",
    schema: { type: "string", format: "date-time" },
  },
  RetryAfter: {
    description: "Seconds to wait before the next call",
    required: true,
    schema: { type: "integer" },
  },
  Challenge: {
    description: "The supported authentication schemes",
    required: true,
    schema: { type: "string" },
  },
  TotalCount: {
    description: "With CSV: number of matching records on all pages",
    schema: { type: "integer" },
  },
  NextPage: {
    description: 'With CSV: link to the next page, as `<?…>; rel="next"`; absent on the last page',
    schema: { type: "string" },
  },
  ETag: {
    description: "The version of this response; send it in If-None-Match",
    required: true,
    schema: { type: "string" },
  },
};
