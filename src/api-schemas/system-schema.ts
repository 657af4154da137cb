import { type Instant, isoText } from "../domain/time.ts";
import type { ServiceHealth } from "../monitoring/monitored-service-health.ts";
import { body, documentedAs, type InputOf, optional, required } from "./definition/input-schema.ts";
import { defineConstraint, loadValidators } from "./definition/schema-field-constraint.ts";
import {
  alwaysTrue,
  anyObject,
  day,
  enumOf,
  flag,
  instant,
  integer,
  list,
  mapOf,
  object,
  record,
  text,
  textList,
  whole,
} from "./definition/schema-field-types.ts";
import { forPartner, partnerName } from "./paging-schema.ts";

export const health = object({
  status: enumOf<ServiceHealth["status"]>(
    ["ok", "degraded", "draining"],
    "Overall status of the service; `draining` while the server stops",
  ),
  version: text("Version of the server", "0.1.0"),
  uptime_s: whole("Seconds since the start", 86_400),
  checks: object({
    database: enumOf<ServiceHealth["checks"]["database"]>(
      ["ok", "failed"],
      "Whether the database is writable",
    ),
    scheduler: enumOf<ServiceHealth["checks"]["scheduler"]>(
      ["ok", "late", "off"],
      "Whether the daily snapshots are on schedule",
    ),
    outbox: enumOf<ServiceHealth["checks"]["outbox"]>(["ok", "stopped"], "Whether webhooks are sent"),
    pages: enumOf<ServiceHealth["checks"]["pages"]>(
      ["ok", "checking", "damaged", "unknown"],
      "Result of the database integrity check, which runs after the start and once a week",
    ),
    clock: enumOf<ServiceHealth["checks"]["clock"]>(
      ["ok", "off"],
      "Whether the clocks of the server and its database agree to within a minute, and the newest record is not dated more than an hour ahead. If the clocks disagree, no snapshots are taken",
    ),
  }).describedAs("Results of the checks"),
  last_snapshot: object({
    date: day("Date of the snapshot in UTC"),
    finished_at: instant("When the snapshot finished"),
  })
    .describedAs("The latest daily snapshot")
    .orNull(),
  last_backup: object({
    at: instant("When the backup started"),
    ok: flag("Whether the backup was created"),
    drill_ok: flag("Result of the automatic restore test; null if it did not run").orNull(),
    bytes: integer("Size of the file in bytes; null if there is none", 183_760_449).orNull(),
    duration_ms: integer("Duration in milliseconds", 9400),
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
      finished_at: isoText(lastSnapshot.finishedAt),
    },
    last_backup: lastBackup && {
      at: isoText(lastBackup.at),
      ok: lastBackup.ok,
      drill_ok: lastBackup.drillOk,
      bytes: lastBackup.bytes,
      duration_ms: lastBackup.durationMs,
    },
  }),
);

const method = {
  type: text("Type of credential", "api_key"),
  description: text("Description of the method", "An API key issued by your operator"),
};

export const authMethods = object({
  methods: list(
    "The authentication methods",
    object({
      ...method,
      header: text("The header that carries the credential", "X-Api-Key").orAbsent(),
      grant: text("OAuth 2.0 grant", "client_credentials").orAbsent(),
      token_endpoint: text("The token endpoint", "/oauth/token").orAbsent(),
    }),
  ),
  docs: text("The documentation", "/docs"),
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
export const tokenRequest = body({
  grant_type: documentedAs(
    required(
      defineConstraint((type) => type("string")),
      "Must be client_credentials",
      "client_credentials",
    ),
    {
      type: "string",
      enum: ["client_credentials"],
    },
  ),
  client_id: documentedAs(
    optional(
      defineConstraint((type) => type("string <= 200")),
      "Client ID issued by your operator",
      "svc_client_aa9eabe673e3f607cf5e5f74",
    ),
    "required",
  ),
  client_secret: documentedAs(
    optional(
      defineConstraint((type) => type("string <= 200")),
      "Client secret issued by your operator",
      "svc_secret_…",
    ),
    "required",
  ),
});

/** Reads a token request; returns undefined if a field is missing or has another type. */
export function parseTokenRequestJson(given: unknown): InputOf<typeof tokenRequest.fields> | undefined {
  const result = tokenRequest.validator(given);
  return result instanceof loadValidators().type.errors
    ? undefined
    : (result as InputOf<typeof tokenRequest.fields>);
}

export const token = object({
  access_token: text("Bearer token, prefix svct_", "svct_eyJhbGciOiJIUzI1NiJ9.e30.c2ln"),
  token_type: enumOf(["Bearer"], "Always Bearer"),
  expires_in: whole("Lifetime of the token in seconds", 3600),
  scope: text("Permissions of the token", "read write"),
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
export const tokenError = record("TokenError", {
  error: enumOf(TOKEN_FAILURES, "Error code of RFC 6749", "unsupported_grant_type"),
  error_description: text("Error message", "grant_type must be client_credentials"),
});

export const serializeTokenError = tokenError.serializer(
  (error: (typeof TOKEN_FAILURES)[number], description: string) => ({
    error,
    error_description: description,
  }),
);

const pong = object({ ok: alwaysTrue("Always true"), timestamp: instant("Current time of the server") });
export const serializePong = pong.serializer((now: Instant) => ({ ok: true, timestamp: isoText(now) }));
export const pongReply = forPartner(pong);

/** The top level of the OpenAPI document. */
export const apiDocument = object({
  openapi: text("Version of the OpenAPI specification", "3.0.3"),
  info: object({
    title: text("Title of the API", "Mainstay Partner API"),
    version: text("Version of the API", "1.0.0"),
    description: text("Description of the API", ""),
    contact: anyObject("Contact"),
    license: anyObject("License"),
  }).describedAs("Title, version and description"),
  servers: list(
    "Base URLs of the paths",
    object({ url: text("Base URL", "/v1"), description: text("Description of the server", "This server") }),
  ),
  tags: list(
    "The groups of operations",
    object({
      name: text("Name of the group", "Claims"),
      description: text("Description of the group", "Insurance claims"),
    }),
  ),
  security: list(
    "The authentication methods; any one of them is sufficient",
    mapOf("Required scopes by method", textList("Scopes")),
  ),
  paths: anyObject("The operations by path"),
  components: anyObject("The components that the operations refer to"),
  "x-webhooks": anyObject("Webhook payloads by event, in the format of OpenAPI 3.1"),
});

/** The authorization server metadata (RFC 8414, section 2). */
export const oauthMetadata = record("AuthorizationServerMetadata", {
  issuer: text("Issuer of the tokens, which matches the requested URL", "https://mainstay.example.com"),
  token_endpoint: text("URL of the token endpoint", "https://mainstay.example.com/api/oauth/token"),
  token_endpoint_auth_methods_supported: textList("Supported client authentication methods", [
    "client_secret_basic",
    "client_secret_post",
  ]),
  grant_types_supported: textList("Supported grant types", ["client_credentials"]),
  response_types_supported: textList("Always empty: there is no authorization endpoint"),
  scopes_supported: textList("Supported scopes", ["read", "write"]),
  service_documentation: text("URL of the documentation", "https://mainstay.example.com/api/docs"),
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
