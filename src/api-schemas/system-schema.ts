import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import type { ServiceHealth } from "../monitoring/monitored-service-health.ts";
import {
  defineSchemaConstraint,
  requireApiSchemaValidators,
} from "./definition/api-schema-field-constraint.ts";
import {
  bodySchema,
  documentedSchema,
  type InputOf,
  optionalSchema,
  requiredSchema,
} from "./definition/input-schema.ts";
import {
  alwaysTrueSchema,
  anyObjectSchema,
  daySchema,
  enumSchema,
  flagSchema,
  instantSchema,
  integerSchema,
  listSchema,
  mapSchema,
  objectSchema,
  recordSchema,
  textListSchema,
  textSchema,
  wholeNumberSchema,
} from "./definition/schema-field-types.ts";
import { failure } from "./error-schema.ts";
import { partnerName, schemaWithPartner } from "./paging-schema.ts";

export const health = objectSchema({
  status: enumSchema<ServiceHealth["status"]>(
    ["ok", "degraded", "draining"],
    "Overall status of the service; `draining` while the server stops",
  ),
  version: textSchema("Version of the server", "0.1.0"),
  uptime_s: wholeNumberSchema("Seconds since the start", 86_400),
  checks: objectSchema({
    database: enumSchema<ServiceHealth["checks"]["database"]>(
      ["ok", "full", "failed"],
      "Whether the database is writable; `full` if writes are rejected because its disk is full",
    ),
    scheduler: enumSchema<ServiceHealth["checks"]["scheduler"]>(
      ["ok", "late", "off"],
      "Whether the daily snapshots are on schedule",
    ),
    outbox: enumSchema<ServiceHealth["checks"]["outbox"]>(["ok", "stopped"], "Whether webhooks are sent"),
    pages: enumSchema<ServiceHealth["checks"]["pages"]>(
      ["ok", "checking", "damaged", "unknown"],
      "Result of the database integrity check, which runs after the start and once a week",
    ),
    clock: enumSchema<ServiceHealth["checks"]["clock"]>(
      ["ok", "off"],
      "Whether the clocks of the server and its database agree to within a minute, and the newest record is not dated more than an hour ahead. If the clocks disagree, no snapshots are taken",
    ),
  }).describedAs("Results of the checks"),
  last_snapshot: objectSchema({
    date: daySchema("Date of the snapshot in UTC"),
    finished_at: instantSchema("When the snapshot finished"),
  })
    .describedAs("The latest daily snapshot")
    .orNull(),
  last_backup: objectSchema({
    at: instantSchema("When the backup started"),
    ok: flagSchema("Whether the backup was created"),
    drill_ok: flagSchema("Result of the automatic restore test; null if it did not run").orNull(),
    bytes: integerSchema("Size of the file in bytes; null if there is none", 183_760_449).orNull(),
    duration_ms: integerSchema("Duration in milliseconds", 9400),
  })
    .describedAs("The latest scheduled backup and its restore test")
    .orNull(),
});

export const serializeHealth = health.serializer(
  ({ lastSnapshot, lastBackup, ...health }: ServiceHealth) => ({
    status: health.status,
    version: health.version,
    uptime_s: Math.floor(health.uptimeMs / 1000),
    checks: {
      database: health.checks.database,
      scheduler: health.checks.scheduler,
      outbox: health.checks.outbox,
      pages: health.checks.pages,
      clock: health.checks.clock,
    },
    last_snapshot: lastSnapshot && {
      date: lastSnapshot.date,
      finished_at: isoTextOfInstant(lastSnapshot.finishedAt),
    },
    last_backup: lastBackup && {
      at: isoTextOfInstant(lastBackup.at),
      ok: lastBackup.ok,
      drill_ok: lastBackup.drillOk,
      bytes: lastBackup.bytes,
      duration_ms: lastBackup.durationMs,
    },
  }),
);

const method = {
  type: textSchema("Type of credential", "api_key"),
  description: textSchema("Description of the method", "An API key issued by your operator"),
};

export const authMethods = objectSchema({
  methods: listSchema(
    "The authentication methods",
    objectSchema({
      ...method,
      header: textSchema("The header that carries the credential", "X-Api-Key").orAbsent(),
      grant: textSchema("OAuth 2.0 grant", "client_credentials").orAbsent(),
      token_endpoint: textSchema("The token endpoint", "/oauth/token").orAbsent(),
    }),
  ),
  docs: textSchema("The documentation", "/docs"),
});

/** `tokenLifetimeS`: seconds for which a bearer token is valid. */
export const serializeAuthMethods = authMethods.serializer((tokenLifetimeS: number) => ({
  methods: [
    {
      type: "api_key",
      header: "X-Api-Key",
      description: "An API key issued by your operator. It does not expire; rotation revokes it immediately.",
    },
    {
      type: "oauth2",
      grant: "client_credentials",
      token_endpoint: "/oauth/token",
      description: `A bearer token for the client ID and secret issued by your operator, valid for ${tokenLifetimeS} seconds.`,
    },
  ],
  docs: "/docs",
}));

/** A token request (RFC 6749 §4.4.2). The client's ID and secret are optional here, since HTTP Basic may carry them. */
export const tokenRequest = bodySchema({
  grant_type: documentedSchema(
    requiredSchema(
      defineSchemaConstraint((type) => type("string")),
      "Must be client_credentials",
      "client_credentials",
    ),
    {
      type: "string",
      enum: ["client_credentials"],
    },
  ),
  client_id: documentedSchema(
    optionalSchema(
      defineSchemaConstraint((type) => type("string <= 200")),
      "Client ID issued by your operator",
      "svc_client_aa9eabe673e3f607cf5e5f74",
    ),
    "required",
  ),
  client_secret: documentedSchema(
    optionalSchema(
      defineSchemaConstraint((type) => type("string <= 200")),
      "Client secret issued by your operator",
      "svc_secret_…",
    ),
    "required",
  ),
});

/** Reads a token request; returns undefined if a field is missing or has another type. */
export function parseTokenRequestJson(given: unknown): InputOf<typeof tokenRequest.fields> | undefined {
  const result = tokenRequest.validator(given);
  return result instanceof requireApiSchemaValidators().type.errors
    ? undefined
    : (result as InputOf<typeof tokenRequest.fields>);
}

export const token = objectSchema({
  access_token: textSchema("Bearer token, prefix svct_", "svct_eyJhbGciOiJIUzI1NiJ9.e30.c2ln"),
  token_type: enumSchema(["Bearer"], "Always Bearer"),
  expires_in: wholeNumberSchema("Lifetime of the token in seconds", 3600),
  scope: textSchema("Permissions of the token", "read write"),
  partner: partnerName,
});

type Issued = { token: string; lifetimeS: number; scope: string };
export const serializeToken = token.serializer(({ token, lifetimeS, scope }: Issued, partner: string) => ({
  access_token: token,
  token_type: "Bearer",
  expires_in: lifetimeS,
  scope,
  partner,
}));

/** RFC 6749 §5.2. */
const TOKEN_FAILURES = ["invalid_request", "unsupported_grant_type", "invalid_client"] as const;
export const tokenError = recordSchema("TokenError", {
  error: enumSchema(TOKEN_FAILURES, "Error code of RFC 6749", "unsupported_grant_type"),
  error_description: textSchema("Error message", "grant_type must be client_credentials"),
  code: enumSchema(TOKEN_FAILURES, "The same code, as in other errors", "unsupported_grant_type"),
  request_id: failure.fields.request_id,
});

export const serializeTokenError = tokenError.serializer(
  (error: (typeof TOKEN_FAILURES)[number], description: string, requestId: string) => ({
    error,
    error_description: description,
    code: error,
    request_id: requestId,
  }),
);

const pong = objectSchema({
  ok: alwaysTrueSchema("Always true"),
  timestamp: instantSchema("Current time of the server"),
});
export const serializePong = pong.serializer((now: Instant) => ({
  ok: true,
  timestamp: isoTextOfInstant(now),
}));
export const pongReply = schemaWithPartner(pong);

/** The top level of the OpenAPI document. */
export const apiDocument = objectSchema({
  openapi: textSchema("Version of the OpenAPI specification", "3.0.3"),
  info: objectSchema({
    title: textSchema("Title of the API", "Mainstay Partner API"),
    version: textSchema("Version of the API", "1.0.0"),
    description: textSchema("Description of the API", ""),
    contact: anyObjectSchema("Contact"),
    license: anyObjectSchema("License"),
  }).describedAs("Title, version and description"),
  servers: listSchema(
    "Base URLs of the paths",
    objectSchema({
      url: textSchema("Base URL", "/v1"),
      description: textSchema("Description of the server", "This server"),
    }),
  ),
  tags: listSchema(
    "The groups of operations",
    objectSchema({
      name: textSchema("Name of the group", "Claims"),
      description: textSchema("Description of the group", "Insurance claims"),
    }),
  ),
  security: listSchema(
    "The authentication methods; any one of them is sufficient",
    mapSchema("Required scopes by method", textListSchema("Scopes")),
  ),
  paths: anyObjectSchema("The operations by path"),
  components: anyObjectSchema("The components that the operations refer to"),
  "x-webhooks": anyObjectSchema("Webhook payloads by event, in the format of OpenAPI 3.1"),
});

/** The authorization server metadata (RFC 8414, section 2). */
export const oauthMetadata = recordSchema("AuthorizationServerMetadata", {
  issuer: textSchema("Issuer of the tokens, which matches the requested URL", "https://mainstay.example.com"),
  token_endpoint: textSchema("URL of the token endpoint", "https://mainstay.example.com/api/oauth/token"),
  token_endpoint_auth_methods_supported: textListSchema("Supported client authentication methods", [
    "client_secret_basic",
    "client_secret_post",
  ]),
  grant_types_supported: textListSchema("Supported grant types", ["client_credentials"]),
  response_types_supported: textListSchema("Always empty: there is no authorization endpoint"),
  scopes_supported: textListSchema("Supported scopes", ["read", "write"]),
  service_documentation: textSchema("URL of the documentation", "https://mainstay.example.com/api/docs"),
});

/** `root`: the base URL of the service. */
export const serializeOauthMetadata = oauthMetadata.serializer(
  (issuer: string, root: string, scope: string) => ({
    issuer,
    token_endpoint: `${root}/oauth/token`,
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    grant_types_supported: ["client_credentials"],
    response_types_supported: [],
    scopes_supported: scope.split(" "),
    service_documentation: `${root}/docs`,
  }),
);
