import { describe, expect, test } from "bun:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Document, Spectral } from "@stoplight/spectral-core";
import { Json as JsonParser } from "@stoplight/spectral-parsers";
import { oas } from "@stoplight/spectral-rulesets";
import { partnerApiOperations } from "../../src/http/routes/partner-api-routes.ts";
import { embeddedKnowledge } from "../../src/knowledge/embedded-knowledge.ts";
import {
  apiDocumentText,
  operationsOf,
  readApiDocument,
  resolve,
  type Schema,
} from "../support/api-document.ts";
import { placesOf } from "../support/bad-values.ts";
import { JSON_BODIES } from "../support/json-bodies.ts";
import { SCHEMA_FORMATS, SCHEMA_KEYWORDS } from "../support/schema-faults.ts";

const document = readApiDocument();
const operations = operationsOf(document);

/** The severity of hints and below. */
const SPECTRAL_INFO = 2;

describe("the API document", () => {
  // Rule: openapi-document, document-paths
  test("is OpenAPI 3.0.3, version 1.0.0, of a server at the relative path /v1", () => {
    expect(document).toMatchObject({
      openapi: "3.0.3",
      info: { version: "1.0.0" },
      servers: [{ url: "/v1" }],
      components: {
        securitySchemes: { apiKey: { type: "apiKey", name: "X-Api-Key" }, oauth2: { type: "oauth2" } },
      },
    });
  });

  test("has no finding above info by Spectral's rules for OpenAPI", async () => {
    const spectral = new Spectral();
    // Redocly checks the examples in a sixth of the processor time.
    const rules = { "oas3-valid-media-example": "off", "oas3-valid-schema-example": "off" };
    spectral.setRuleset({ extends: [[oas, "recommended"]], rules } as Parameters<
      typeof spectral.setRuleset
    >[0]);
    const findings = await spectral.run(new Document(apiDocumentText(), JsonParser, "openapi.json"));
    const serious = findings.filter(({ severity }) => severity < SPECTRAL_INFO);
    expect(serious.map(({ code, message, path }) => `${code} ${message} at ${path.join(".")}`)).toEqual([]);
  });

  test("has no finding by Redocly's recommended rules, and valid examples", async () => {
    const rules = {
      "no-invalid-media-type-examples": "error",
      "no-invalid-parameter-examples": "error",
      "no-invalid-schema-examples": "error",
    } as const;
    const config = await createConfig({ extends: ["recommended"], rules });
    const findings = await lintFromString({ source: apiDocumentText(), absoluteRef: "openapi.json", config });
    const reported = findings.map(
      ({ ruleId, message, location }) => `${ruleId} ${message} at ${location[0]?.pointer}`,
    );
    expect(reported).toEqual([]);
  });

  test("has unique operation IDs", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids).toEqual([...new Set(ids)]);
  });

  test("describes every parameter and every field of every body", () => {
    const silent = [
      ...Object.entries(document.components.schemas).flatMap(([name, schema]) => undescribed(schema, name)),
      ...operations.flatMap(({ operation }) => [
        ...(operation.parameters ?? []).filter((it) => !it.description).map(({ name }) => name),
        ...undescribedOf(operation.requestBody?.content, operation.operationId),
        ...Object.entries(operation.responses).flatMap(([status, response]) =>
          "content" in response ? undescribedOf(response.content, `${operation.operationId}.${status}`) : [],
        ),
      ]),
    ];
    expect(silent).toEqual([]);
  });

  test("has only keywords and formats by which responses are compared with it", () => {
    const unknown = new Set<string>();
    const look = (schema: Schema): void => {
      for (const keyword of Object.keys(schema)) if (!SCHEMA_KEYWORDS.includes(keyword)) unknown.add(keyword);
      if (schema.format && !SCHEMA_FORMATS.includes(schema.format)) unknown.add(schema.format);
      const { items, properties = {}, additionalProperties: others, anyOf = [], allOf = [] } = schema;
      const below = [...Object.values(properties), ...anyOf, ...allOf];
      for (const one of [...below, items, others]) if (typeof one === "object") look(one);
    };
    Object.values(document.components.schemas).forEach(look);
    for (const { operation } of operations)
      for (const response of Object.values(operation.responses))
        for (const { schema } of Object.values(resolve(document, response).content ?? {})) look(schema);
    expect([...unknown]).toEqual([]);
  });

  test("limits the length of every text in requests", () => {
    const endless = JSON_BODIES.flatMap(({ path, schema }) =>
      placesOf(document, schema)
        .filter((place) => place.schema.type === "string" && !place.schema.enum && !place.schema.pattern)
        .filter((place) => place.schema.maxLength === undefined)
        .map((place) => `${path}: ${place.path.join(".")}`),
    );
    expect(endless).toEqual([]);
    const { name, notes, city } = document.components.schemas.NewProperty!.properties!;
    expect([name!.minLength, name!.maxLength, notes!.maxLength]).toEqual([1, 500, 10_000]);
    expect([city!.minLength, city!.maxLength]).toEqual([undefined, 500]);
  });

  // Rule: errors-documented
  test("lists the error responses of each operation", () => {
    for (const { path, operation } of operations) {
      const statuses = Object.keys(operation.responses);
      expect(statuses, operation.operationId).toContain("500");
      if (operation.security?.length !== 0)
        expect(statuses, operation.operationId).toEqual(expect.arrayContaining(["401", "429"]));
      if (path.includes("{")) expect(statuses, operation.operationId).toContain("404");
      if (operation.requestBody) expect(statuses, operation.operationId).toContain("400");
    }
  });
});

// Rule: all-operations-documented, document-paths
test("exactly the operations for partners are documented", () => {
  const unused = undefined as never;
  const served = partnerApiOperations({
    knowledge: embeddedKnowledge(),
    address: { publicUrl: "", basePath: "", isSecure: false },
    bulkItems: 0,
    photoBytes: 0,
    photoBytesPerPartner: 0,
    basePath: "",
    authenticator: unused,
    checkHealth: unused,
    eventStream: unused,
    losses: unused,
    uploads: unused,
    random: unused,
    changed: unused,
  });
  // Pages, which API clients do not call.
  const pages = ["getDocsPage", "getGuide", "getExample", "getAsset", "getRoot"];
  const ids = served.map(({ id }) => id).filter((id) => !pages.includes(id));
  expect(operations.map(({ operation }) => operation.operationId).sort()).toEqual(ids.sort());
});

type Content = Record<string, { schema: Schema }>;

function undescribedOf(content: Content | undefined, where: string): string[] {
  return Object.values(content ?? {}).flatMap(({ schema }) => undescribed(schema, where));
}

/** Returns the fields of a schema, at any depth, without a description. */
function undescribed(schema: Schema, where: string): string[] {
  const inside = [schema.items, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].filter(
    (it) => it !== undefined,
  );
  return [
    ...inside.flatMap((part) => undescribed(part, where)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
      ...(property.description ? [] : [`${where}.${name}`]),
      ...undescribed(property, `${where}.${name}`),
    ]),
  ];
}

const CODES: Record<string, string[]> = {
  400: ["invalid_request"],
  401: ["unauthorized"],
  404: ["not_found"],
  409: ["conflict"],
  413: ["payload_too_large"],
  415: ["unsupported_media_type"],
  429: ["rate_limited", "budget_exhausted"],
  500: ["internal"],
  503: ["unavailable", "unavailable"],
};

// Rule: error-examples
test.each(Object.entries(CODES))(
  "the examples of a %s have the codes of that status and different messages",
  (status, codes) => {
    const { responses, schemas } = document.components as unknown as {
      responses: Record<string, { content: Record<string, ErrorContent> }>;
      schemas: Record<string, Schema>;
    };
    const { example, examples } = responses[`Error${status}`]!.content["application/json"]!;
    const bodies = example ? [example] : Object.values(examples!).map(({ value }) => value);
    expect(bodies.map(({ code }) => code)).toEqual(codes);
    for (const { error } of bodies) expect(error).toMatch(/^[A-Za-z].+/);
    expect(new Set(bodies.map(({ error }) => error)).size).toBe(codes.length);
    expect(schemas.Error!.properties!.code!.enum).toEqual(expect.arrayContaining(codes));
  },
);
type ErrorBody = { error: string; code: string };
type ErrorContent = { example?: ErrorBody; examples?: Record<string, { value: ErrorBody }> };

// Rule: named-schemas
test("every object schema has a name", () => {
  const unnamed = (schema: Schema, where: string): string[] => [
    ...(schema.properties ? [where] : []),
    ...[schema.items, schema.additionalProperties, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap(
      (part) => (typeof part === "object" ? unnamed(part as Schema, where) : []),
    ),
  ];
  const bodies = operations.flatMap(({ operation: { operationId, requestBody, responses } }) =>
    [requestBody, ...Object.values(responses)].flatMap((one) =>
      Object.values((one as { content?: Content } | undefined)?.content ?? {}).flatMap(({ schema }) =>
        unnamed(schema, operationId),
      ),
    ),
  );
  const fields = Object.entries(document.components.schemas).flatMap(([name, { properties, ...own }]) => [
    ...unnamed(own as Schema, name),
    ...Object.entries(properties ?? {}).flatMap(([field, schema]) => unnamed(schema, `${name}.${field}`)),
  ]);
  expect([...bodies, ...fields]).toEqual([]);
});

// Rule: webhook-document
test("each webhook event has a schema, a valid example, and the verification steps", () => {
  const webhooks = (document as unknown as { "x-webhooks": Record<string, { post: WebhookPost }> })[
    "x-webhooks"
  ];
  expect(Object.keys(webhooks).sort()).toEqual([
    ...["appliance.created", "component.critical", "component.recovered", "component.warning"],
    ...["property.created", "sensor.received", "sensor.smart", "sensor.smart.processed"],
    ...["service_event.created", "webhook.test"],
  ]);
  for (const [event, { post }] of Object.entries(webhooks)) {
    const { schema, example } = post.requestBody.content["application/json"]!;
    const body = resolve<Schema>(document, schema as Schema);
    expect(example).toMatchObject({ event, version: "v1", partner_id: expect.stringMatching(/^PARTNER_/) });
    expect(Object.keys(example as object).sort()).toEqual([...body.required!].sort());
    const data = resolve<Schema>(document, body.properties!.data!.allOf![0]!);
    expect(Object.keys((example as { data: object }).data).sort()).toEqual([...data.required!].sort());
    expect(post.description).toContain("HMAC-SHA256");
    expect(post.parameters.map(({ name }) => name)).toContain("X-Service-Signature");
  }
});
type WebhookPost = {
  description: string;
  parameters: { name: string }[];
  requestBody: { content: Record<string, { schema: Schema; example?: unknown }> };
};
