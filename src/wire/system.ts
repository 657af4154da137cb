import type { Health } from "../domain/health.ts";
import { type Instant, toIso } from "../domain/time.ts";
import { type } from "../shapes.ts";
import { forPartner, partnerName } from "./paging.ts";
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
} from "./schema/fields.ts";
import { body, documentedAs, type InputOf, optional, required } from "./schema/input.ts";

export const health = object({
  status: enumOf<Health["status"]>(["ok", "degraded"], "Whether the service can do its work"),
  version: text("Version of the server", "0.1.0"),
  uptime_s: whole("Seconds since the start", 86_400),
  checks: object({
    database: enumOf<Health["checks"]["database"]>(["ok", "failed"], "Whether a row could be written"),
    scheduler: enumOf<Health["checks"]["scheduler"]>(
      ["ok", "late", "off"],
      "Whether snapshots are taken when they are due",
    ),
    outbox: enumOf<Health["checks"]["outbox"]>(["ok", "stopped"], "Whether webhooks are sent"),
    pages: enumOf<Health["checks"]["pages"]>(
      ["ok", "checking", "damaged", "unknown"],
      "Whether the database's pages are whole, as the server looks through them after its start and once a week",
    ),
    clock: enumOf<Health["checks"]["clock"]>(
      ["ok", "off"],
      "Whether the server's clock agrees with its database's, to a minute; one that is off takes no snapshots",
    ),
  }).describedAs("The parts that were checked"),
  last_snapshot: object({
    date: day("Day of the snapshot, in UTC"),
    finished_at: instant("When it finished"),
  })
    .describedAs("The latest daily snapshot")
    .orNull(),
  last_backup: object({
    at: instant("When it began"),
    ok: flag("Whether it was made"),
    drill_ok: flag("Whether it could be restored; null when it was not tried").orNull(),
    bytes: integer("Size of the file in bytes; null when there is none", 183_760_449).orNull(),
    duration_ms: integer("How long it took, in milliseconds", 9400),
  })
    .describedAs("The latest scheduled backup and its restore drill")
    .orNull(),
});

export const healthView = health.serializer(({ lastSnapshot, lastBackup, ...health }: Health) => ({
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
    finished_at: toIso(lastSnapshot.finishedAt),
  },
  last_backup: lastBackup && {
    at: toIso(lastBackup.at),
    ok: lastBackup.ok,
    drill_ok: lastBackup.drillOk,
    bytes: lastBackup.bytes,
    duration_ms: lastBackup.durationMs,
  },
}));

const method = {
  type: text("Kind of credential", "api_key"),
  description: text("What it is, in words", "An API key issued by the operator"),
};

export const authMethods = object({
  methods: list(
    "The ways to authenticate",
    object({
      ...method,
      header: text("The header that carries the credential", "X-Api-Key").orAbsent(),
      grant: text("OAuth 2.0 grant", "client_credentials").orAbsent(),
      token_endpoint: text("Where tokens are given out", "/oauth/token").orAbsent(),
    }),
  ),
  docs: text("Where the documentation is", "/docs"),
});

/** `tokenLifetimeS`: seconds for which a bearer token is valid. */
export const authMethodsView = authMethods.serializer((tokenLifetimeS: number) => ({
  methods: [
    {
      type: "api_key",
      header: "X-Api-Key",
      description: "An API key issued by the operator. It does not expire; rotation ends it at once.",
    },
    {
      type: "oauth2",
      grant: "client_credentials",
      token_endpoint: "/oauth/token",
      description: `A bearer token for the client id and secret issued by the operator, valid for ${tokenLifetimeS} seconds.`,
    },
  ],
  docs: "/docs",
}));

/** RFC 6749 §4.4.2. Client id and secret may come in HTTP Basic instead, and a missing one has a code of its own. */
export const tokenRequest = body({
  grant_type: documentedAs(required(type("string"), "Must be client_credentials", "client_credentials"), {
    ...{ type: "string", enum: ["client_credentials"] },
  }),
  client_id: documentedAs(
    optional(
      type("string <= 200"),
      "Client id issued by the operator",
      "svc_client_aa9eabe673e3f607cf5e5f74",
    ),
    "required",
  ),
  client_secret: documentedAs(
    optional(type("string <= 200"), "Client secret issued by the operator", "svc_secret_…"),
    "required",
  ),
});

/** Undefined for what lacks a field or holds one of another type. */
export function readTokenRequest(given: unknown): InputOf<typeof tokenRequest.fields> | undefined {
  const read = tokenRequest.validator(given);
  return read instanceof type.errors ? undefined : (read as InputOf<typeof tokenRequest.fields>);
}

export const token = object({
  access_token: text("Bearer token, prefix svct_", "svct_eyJhbGciOiJIUzI1NiJ9.e30.c2ln"),
  token_type: enumOf(["Bearer"], "Always Bearer"),
  expires_in: whole("Lifetime of the token in seconds", 3600),
  scope: text("What the token allows", "read write"),
  partner: partnerName,
});

type Issued = { token: string; lifetimeS: number; scope: string };
export const tokenView = token.serializer(({ token, lifetimeS, scope }: Issued, partner: string) => ({
  access_token: token,
  token_type: "Bearer",
  expires_in: lifetimeS,
  scope,
  partner,
}));

/** RFC 6749 §5.2. */
const TOKEN_FAILURES = ["invalid_request", "unsupported_grant_type", "invalid_client"] as const;
export const tokenError = record("TokenError", {
  error: enumOf(TOKEN_FAILURES, "RFC 6749's code of the failure", "unsupported_grant_type"),
  error_description: text("What was wrong, in words", "grant_type must be client_credentials"),
});

export const tokenErrorView = tokenError.serializer(
  (error: (typeof TOKEN_FAILURES)[number], description: string) => ({
    error,
    error_description: description,
  }),
);

const pong = object({ ok: alwaysTrue("Always true"), timestamp: instant("The server's time") });
export const pongView = pong.serializer((now: Instant) => ({ ok: true, timestamp: toIso(now) }));
export const pongReply = forPartner(pong);

/** The API document, as far as it describes itself. */
export const apiDocument = object({
  openapi: text("Version of the OpenAPI specification", "3.0.3"),
  info: object({
    title: text("What the document is of", "Mainstay Partner API"),
    version: text("Version of the API", "1.0.0"),
    description: text("What the API is for", ""),
    contact: anyObject("Whom to ask"),
    license: anyObject("The terms of use"),
  }).describedAs("Title, version and description"),
  servers: list(
    "Where the paths begin",
    object({ url: text("The beginning", "/v1"), description: text("Which server it is", "This server") }),
  ),
  tags: list(
    "The families of operations",
    object({
      name: text("The family's name", "Claims"),
      description: text("What it holds", "Insurance claims"),
    }),
  ),
  security: list(
    "The ways to authenticate, of which any one will do",
    mapOf("What each needs", textList("Scopes")),
  ),
  paths: anyObject("The operations by path"),
  components: anyObject("What the operations refer to"),
  "x-webhooks": anyObject("What receivers are sent, by event, in the form that OpenAPI 3.1 has for it"),
});

/** RFC 8414, section 2. */
export const oauthMetadata = record("AuthorizationServerMetadata", {
  issuer: text("Who gives out the tokens: what the client asked at", "https://mainstay.example.com"),
  token_endpoint: text("Where tokens are given out", "https://mainstay.example.com/api/oauth/token"),
  token_endpoint_auth_methods_supported: textList("How a client may send its credentials", [
    "client_secret_basic",
    "client_secret_post",
  ]),
  grant_types_supported: textList("How a token is asked for", ["client_credentials"]),
  response_types_supported: textList("None: there is no authorization endpoint"),
  scopes_supported: textList("What a token may be for", ["read", "write"]),
  service_documentation: text("Where people read how", "https://mainstay.example.com/api/docs"),
});

/** `root` is what addresses of the service begin with. */
export const oauthMetadataView = oauthMetadata.serializer((issuer: string, root: string, scope: string) => ({
  issuer,
  token_endpoint: `${root}/oauth/token`,
  token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
  grant_types_supported: ["client_credentials"],
  response_types_supported: [],
  scopes_supported: scope.split(" "),
  service_documentation: `${root}/docs`,
}));
