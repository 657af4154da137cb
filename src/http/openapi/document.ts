import type { Operation } from "../operation.ts";
import { errorReply } from "../replies/fields.ts";
import { annotate, exampleOf } from "./annotate.ts";
import type { OperationDocs } from "./docs/types.ts";
import { DOCS } from "./docs.ts";
import { PARAMETER_DOCS } from "./field-docs.ts";
import { NAMED_SHAPES } from "./named.ts";
import { type Describable, type Schema, toOpenApi } from "./schema.ts";

export type OpenApiDocument = Record<string, unknown> & { paths: Record<string, Record<string, unknown>> };

const DESCRIPTION = `Predictive maintenance and risk intelligence for multifamily and commercial real estate.

Register properties and appliances, log service events, send sensor events and claims; every component gets a failure
score from 0.00 to 0.99 with a tier and a confidence, worked out daily at 03:00 UTC and whenever its history changes.

Lists take \`limit\` and \`offset\`. Errors are JSON with \`error\`, \`code\` and \`request_id\`. Money is in US
dollars, days are UTC. Clients ignore fields that they do not know: new ones may be added.`;

/** The API as an OpenAPI 3.0.3 document, made from the operations and the shapes that check them. */
export function openApiDocument(operations: readonly Operation[]): OpenApiDocument {
  const names = namedSchemas();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const docs = DOCS[operation.id];
    if (!docs) continue;
    const inV1 = operation.path.startsWith("/v1/");
    const path = inV1 ? operation.path.slice(3) : operation.path;
    paths[path] ??= inV1 ? {} : { servers: [{ url: "/", description: "The root of this server" }] };
    paths[path][operation.method.toLowerCase()] = describe(operation, docs, names);
  }
  const tags = [...new Set(operations.flatMap(({ id }) => DOCS[id]?.tag ?? []))];
  return {
    openapi: "3.0.3",
    info: {
      title: "Mainstay Partner API",
      version: "1.0.0",
      description: DESCRIPTION,
      contact: { name: "The operator of this server" },
      license: { name: "Proprietary", url: "/docs" },
    },
    servers: [{ url: "/v1", description: "This server" }],
    tags: tags.sort().map((name) => ({ name, description: TAGS[name] ?? name })),
    security: [{ apiKey: [] }, { oauth2: [] }],
    paths,
    components: {
      schemas: Object.fromEntries([...names].map(([name, { schema }]) => [name, schema])),
      headers: HEADERS,
      responses: errorResponses(),
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-Api-Key",
          description: "An API key issued by the operator.",
        },
        oauth2: {
          type: "oauth2",
          description: "A bearer token for client credentials, valid for 3600 seconds.",
          flows: {
            clientCredentials: {
              tokenUrl: "/oauth/token",
              scopes: { read: "Read what the partner owns", write: "Register and log" },
            },
          },
        },
      },
    },
  };
}

const TAGS: Record<string, string> = {
  Authentication: "Credentials and tokens.",
  Claims: "Insurance claims and what they do to scores.",
  Components: "Components with their scores, history and trend; alerts.",
  Events: "The polling alternative to webhooks.",
  Figures: "Reports, forecasts, reserves, condition, replacement cost and compliance of a property.",
  Appliances: "Appliances and their photos.",
  Onboarding: "A property to try things out on.",
  Properties: "Properties, their units, and the portfolio.",
  Sensors: "Meter readings and smart events.",
  "Service events": "What was done to appliances.",
  System: "Health and this document.",
};

type Names = ReadonlyMap<string, { key: string; schema: Schema }>;

function namedSchemas(): Names {
  const names = new Map<string, { key: string; schema: Schema }>();
  for (const [name, shape] of Object.entries(NAMED_SHAPES)) {
    const raw = toOpenApi(shape);
    // Smaller shapes come first, so that the larger refer to them.
    names.set(name, { key: JSON.stringify(raw), schema: annotate(withReferences(raw, names), name) });
  }
  return names;
}

/** Replaces what is a named shape by a reference to it. */
function withReferences(schema: Schema, names: Names, isRoot = true): Schema {
  if (!isRoot) {
    const { nullable, ...plain } = schema;
    const key = JSON.stringify(plain);
    for (const [name, named] of names)
      if (named.key === key) {
        const reference = { $ref: `#/components/schemas/${name}` };
        return nullable ? ({ nullable, allOf: [reference] } as Schema) : reference;
      }
  }
  const copy = { ...schema };
  if (copy.items) copy.items = withReferences(copy.items, names, false);
  if (copy.anyOf) copy.anyOf = copy.anyOf.map((branch) => withReferences(branch, names, false));
  if (typeof copy.additionalProperties === "object")
    copy.additionalProperties = withReferences(copy.additionalProperties, names, false);
  if (copy.properties)
    copy.properties = Object.fromEntries(
      Object.entries(copy.properties).map(([name, value]) => [name, withReferences(value, names, false)]),
    );
  return copy;
}

function describe(operation: Operation, docs: OperationDocs, names: Names): Record<string, unknown> {
  const schemaOf = (shape: Describable) => annotate(withReferences(toOpenApi(shape), names, false));
  const content = (mediaType: string, shape: Describable, given?: unknown) => {
    const schema = mediaType === "multipart/form-data" ? asForm(schemaOf(shape)) : schemaOf(shape);
    const example = given ?? exampleOf(schema, (name) => names.get(name)!.schema);
    return { [mediaType]: { schema, ...(example !== undefined && { example }) } };
  };
  const limited = operation.access === "partner";
  const responses: Record<string, unknown> = {};
  for (const [status, reply] of Object.entries(docs.replies))
    responses[status] = {
      description: reply.description,
      headers: {
        "X-Request-Id": { $ref: "#/components/headers/RequestId" },
        ...(limited && RATE_LIMIT_HEADERS),
        ...reply.headers,
      },
      ...(reply.shape && {
        content: content(reply.mediaType ?? "application/json", reply.shape, reply.example),
      }),
      ...(!reply.shape && reply.mediaType && { content: { [reply.mediaType]: { schema: BINARY } } }),
    };
  for (const status of errorStatuses(operation, docs))
    responses[status] ??= { $ref: `#/components/responses/Error${status}` };
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: docs.description ?? `${operation.summary}.`,
    tags: [docs.tag],
    ...(operation.access === "public" && { security: [] }),
    ...parameters(operation, docs),
    ...(docs.request && {
      requestBody: {
        required: true,
        content: Object.assign(
          {},
          ...(docs.requestMediaTypes ?? ["application/json"]).map((mediaType) =>
            content(mediaType, docs.request!, docs.example),
          ),
        ),
      },
    }),
    responses,
  };
}

/** In a form, `file` holds bytes rather than text. */
function asForm({ properties = {}, ...schema }: Schema): Schema {
  return { ...schema, properties: { ...properties, file: { ...properties.file, format: "binary" } } };
}

const BINARY = { type: "string", format: "binary" };

function parameters(operation: Operation, docs: OperationDocs) {
  const list: unknown[] = [];
  for (const [, name] of operation.path.matchAll(/\{(\w+)\}/g)) {
    const [description, example] = PARAMETER_DOCS[name!]!;
    list.push({
      name,
      in: "path",
      required: true,
      description,
      schema: { type: "string" },
      example: docs.pathExample ?? example,
    });
  }
  for (const name of operation.query ?? []) {
    const [description, example] = PARAMETER_DOCS[name]!;
    list.push({
      name,
      in: "query",
      required: name === "since",
      description,
      schema: querySchema(name),
      example,
    });
  }
  if (operation.access === "partner" && operation.method === "GET" && docs.replies[304])
    list.push({
      name: "If-None-Match",
      in: "header",
      required: false,
      description: "The ETag of an answer that the caller holds; when it still stands, the answer is 304",
      schema: { type: "string" },
    });
  if (operation.access === "partner" && operation.idempotent)
    list.push({
      name: "Idempotency-Key",
      in: "header",
      required: false,
      description:
        "1 to 255 printable characters of the caller's choice. The same key with the same body is answered again as the first time, for 24 hours.",
      schema: { type: "string", minLength: 1, maxLength: 255 },
    });
  return list.length > 0 ? { parameters: list } : {};
}

function querySchema(name: string): Schema & { default?: unknown } {
  if (name === "tier") return { type: "string", enum: ["CRITICAL", "WARNING", "GOOD"] };
  if (name === "limit") return { type: "integer", minimum: 1, default: 50 };
  if (name === "offset") return { type: "integer", minimum: 0, default: 0 };
  return { type: "string" };
}

/** The statuses of failure that an operation can answer with. */
function errorStatuses(operation: Operation, docs: OperationDocs): string[] {
  const statuses = new Set(docs.errors ?? []);
  if (operation.access === "partner") statuses.add(401).add(429);
  else statuses.add(429);
  if (operation.body) for (const status of [400, 413]) statuses.add(status);
  if (operation.body === "json") statuses.add(415);
  if (operation.query && operation.query.length > 0) statuses.add(400);
  if (operation.access === "partner" && operation.idempotent) statuses.add(409);
  if (operation.path.includes("{")) statuses.add(404);
  statuses.add(500).add(503);
  return [...statuses].sort().map(String);
}

const ERRORS: Record<number, string> = {
  400: "Missing or invalid parameters or body",
  401: "Missing or invalid credentials, or an expired token",
  404: "It does not exist, or belongs to another partner",
  409: "It conflicts with what exists",
  413: "The body is too large",
  415: "The body is of another type than is taken, or compressed",
  429: "The daily budget or a rate limit is used up",
  500: "Internal error",
  503: "The service cannot store anything just now, such as on a full disk. Nothing was changed: send it again",
};

function errorResponses(): Record<string, unknown> {
  const schema = { $ref: "#/components/schemas/Error" };
  const told = ["400", "404", "409", "413", "415", "429", "503"];
  return Object.fromEntries(
    Object.entries(ERRORS).map(([status, description]) => [
      `Error${status}`,
      {
        description,
        headers: {
          "X-Request-Id": { $ref: "#/components/headers/RequestId" },
          // To a caller who was told by a credential; the document has no way to say so.
          ...(told.includes(status) && RATE_LIMIT_HEADERS),
          ...(["429", "503"].includes(status) && {
            "Retry-After": { $ref: "#/components/headers/RetryAfter" },
          }),
          ...(status === "401" && { "WWW-Authenticate": { $ref: "#/components/headers/Challenge" } }),
        },
        content: {
          "application/json": { schema, example: exampleOf(annotate(toOpenApi(errorReply)), () => ({})) },
        },
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
    description: "The request's id: the caller's, or ours",
    required: true,
    schema: { type: "string" },
  },
  RateLimit: { description: "The daily budget in calls", schema: { type: "integer" } },
  RateLimitRemaining: { description: "Calls left of the day", schema: { type: "integer" } },
  RateLimitReset: {
    description: "The next midnight in UTC",
    schema: { type: "string", format: "date-time" },
  },
  RetryAfter: {
    description: "Seconds until a call is admitted again",
    required: true,
    schema: { type: "integer" },
  },
  Challenge: { description: "The ways to authenticate", required: true, schema: { type: "string" } },
  ETag: {
    description: "Names this answer; send it in If-None-Match",
    required: true,
    schema: { type: "string" },
  },
};
