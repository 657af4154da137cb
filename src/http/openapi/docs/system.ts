import { type } from "arktype";
import { day, instant, text, whole } from "../../replies/fields.ts";
import { type OperationDocs, read } from "./types.ts";

const health = type({
  status: type.enumerated("ok", "degraded"),
  version: text,
  uptime_s: whole,
  checks: {
    database: type.enumerated("ok", "failed"),
    scheduler: type.enumerated("ok", "late", "off"),
    outbox: type.enumerated("ok", "stopped"),
  },
  last_snapshot: type({ date: day, finished_at: instant }).or("null"),
  last_backup: type({
    at: instant,
    ok: "boolean",
    drill_ok: "boolean | null",
    bytes: "number.integer | null",
    duration_ms: "number.integer",
  }).or("null"),
});

const tokenError = type({ error: text, error_description: text });

export const systemDocs: Record<string, OperationDocs> = {
  getHealth: {
    tag: "System",
    description:
      "Answers 200 after a real write of a probe row; 503 when the database cannot be written or a snapshot is more than 26 hours late.",
    replies: {
      200: { description: "The service does its work", shape: health },
      503: {
        description: "The service cannot do its work",
        shape: health,
        example: {
          status: "degraded",
          version: "0.1.0",
          uptime_s: 100000,
          checks: { database: "ok", scheduler: "late", outbox: "ok" },
          last_snapshot: null,
          last_backup: null,
        },
      },
    },
  },
  listAuthMethods: {
    tag: "Authentication",
    replies: {
      200: {
        description: "The ways to authenticate",
        shape: type({
          methods: type({
            type: text,
            description: text,
            "header?": text,
            "grant?": text,
            "token_endpoint?": text,
          }).array(),
          docs: text,
        }),
      },
    },
  },
  createToken: {
    tag: "Authentication",
    description:
      "Takes JSON or a form, and the client's credentials in the body or in HTTP Basic, as OAuth 2.0 clients send them. Renew a token when less than 5 minutes remain.",
    request: type({
      grant_type: type.enumerated("client_credentials"),
      client_id: text,
      client_secret: text,
    }),
    requestMediaTypes: ["application/json", "application/x-www-form-urlencoded"],
    example: {
      grant_type: "client_credentials",
      client_id: "svc_client_aa9eabe673e3f607cf5e5f74",
      client_secret: "svc_secret_…",
    },
    replies: {
      200: {
        description: "A token",
        shape: type({
          access_token: text,
          token_type: type.enumerated("Bearer"),
          expires_in: whole,
          scope: text,
          partner: text,
        }),
      },
      400: {
        description: "invalid_request or unsupported_grant_type, as RFC 6749 has them",
        shape: tokenError,
        example: {
          error: "unsupported_grant_type",
          error_description: "grant_type must be client_credentials",
        },
      },
      401: {
        description: "invalid_client, as RFC 6749 has it",
        shape: tokenError,
        example: { error: "invalid_client", error_description: "Invalid client_id or client_secret" },
      },
    },
  },
  ping: {
    tag: "Authentication",
    replies: read("The credentials are good", type({ ok: "true", timestamp: instant, partner: text })),
  },
  getOpenApi: {
    tag: "System",
    replies: {
      200: {
        description: "This document",
        shape: type({
          openapi: text,
          info: type({ title: text, version: text, description: text, contact: "object", license: "object" }),
          servers: type({ url: text, description: text }).array(),
          tags: type({ name: text, description: text }).array(),
          security: type({ "[string]": text.array() }).array(),
          paths: "object",
          components: "object",
        }),
        example: {
          openapi: "3.0.3",
          info: {
            title: "Mainstay Partner API",
            version: "1.0.0",
            description: "",
            contact: {},
            license: {},
          },
          servers: [{ url: "/v1", description: "This server" }],
          tags: [],
          security: [{ apiKey: [] }, { oauth2: [] }],
          paths: {},
          components: {},
        },
      },
    },
  },
};
