import type { JsonOf } from "../../api-schemas/definition/api-schema-type.ts";
import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import {
  authMethods,
  health,
  parseTokenRequestJson,
  pongReply,
  serializeAuthMethods,
  serializeHealth,
  serializePong,
  serializeToken,
  serializeTokenError,
  token,
  tokenError,
  tokenRequest,
} from "../../api-schemas/system-schema.ts";
import { Failure } from "../../domain/errors.ts";
import type { ServiceHealth } from "../../monitoring/monitored-service-health.ts";
import { TOKEN_LIFETIME_S, TOKEN_SCOPE } from "../../secrets/bearer-tokens.ts";
import type { Authenticator } from "../authenticator.ts";
import {
  type Call,
  type Operation,
  okReplies,
  okReply,
  partnerOperation,
  publicOperation,
  type Reply,
  readOperationReplies,
} from "../http-operation.ts";
import { parseHttpRequestBodyObject, requestMediaType } from "../request-body.ts";

export type SystemDeps = {
  authenticator: Authenticator;
  checkHealth: () => Promise<ServiceHealth>;
};

/** The size limit of a token request, far below that of other bodies. */
const TOKEN_BODY_BYTES = 8192;

/** Returns the operation of `GET /health`, which needs no credentials. */
export function healthOperation(checkHealth: SystemDeps["checkHealth"]): Operation {
  return publicOperation({
    id: "getHealth",
    method: "GET",
    path: "/health",
    summary: "Check the health of the service",
    description:
      "Returns 200 after writing a test row to the database; 503 if the database is not writable, the latest snapshot is more than 26 hours old, a snapshot is dated in the future, or the server is stopping.",
    tag: "System",
    replies: {
      200: { description: "The service is healthy", type: health },
      503: {
        description: "The service is unhealthy",
        type: health,
        example: {
          status: "degraded",
          version: "0.1.0",
          uptime_s: 100_000,
          checks: { database: "ok", scheduler: "late", outbox: "ok", pages: "ok", clock: "ok" },
          last_snapshot: null,
          last_backup: null,
        },
      },
    },
    async handle() {
      const found = await checkHealth();
      return { status: found.status === "ok" ? 200 : 503, body: serializeHealth(found) };
    },
  });
}

export function systemOperations({ authenticator, checkHealth }: SystemDeps): Operation[] {
  return [
    healthOperation(checkHealth),
    publicOperation({
      id: "listAuthMethods",
      method: "GET",
      path: "/v1/auth/methods",
      summary: "List authentication methods",
      tag: "Authentication",
      replies: okReplies("The authentication methods", authMethods),
      handle: () => okReply(serializeAuthMethods(TOKEN_LIFETIME_S)),
    }),
    publicOperation({
      id: "createToken",
      method: "POST",
      path: "/oauth/token",
      summary: "Create a bearer token from client credentials",
      description:
        "Accepts JSON or a form, with the client credentials in the body or in HTTP Basic, as in OAuth 2.0. Request a new token 5 minutes before the current one expires.",
      tag: "Authentication",
      request: {
        type: tokenRequest.type,
        example: {
          grant_type: "client_credentials",
          client_id: "svc_client_aa9eabe673e3f607cf5e5f74",
          client_secret: "svc_secret_…",
        },
        mediaTypes: ["application/json", "application/x-www-form-urlencoded"],
      },
      replies: {
        ...okReplies("The token", token),
        400: {
          description: "`invalid_request` or `unsupported_grant_type` (RFC 6749)",
          type: tokenError,
          example: {
            error: "unsupported_grant_type",
            error_description: "grant_type must be client_credentials",
            code: "unsupported_grant_type",
            request_id: "tJgQOWERr73VMZbC",
          },
        },
        401: {
          description: "`invalid_client` (RFC 6749)",
          type: tokenError,
          example: {
            error: "invalid_client",
            error_description: "Invalid client_id or client_secret",
            code: "invalid_client",
            request_id: "tJgQOWERr73VMZbC",
          },
        },
      },
      body: "raw",
      handle: (call) => issueToken(call, authenticator),
    }),
    partnerOperation({
      id: "ping",
      method: "GET",
      path: "/v1/ping",
      summary: "Check credentials",
      tag: "Authentication",
      replies: readOperationReplies("The credentials are valid", pongReply),
      handle: ({ now, partner }) => okReply(addPartnerToJson(serializePong(now), partner.name)),
    }),
  ];
}

type TokenAnswer = JsonOf<typeof token | typeof tokenError>;

/** Issues a token as in RFC 6749 §4.4 and §5, with the error codes of that document. */
async function issueToken(call: Call, authenticator: Authenticator): Promise<Reply<TokenAnswer>> {
  const { request, requestId } = call;
  const fields = await tokenFields(call);
  if (!fields)
    return oauthError(requestId, 400, "invalid_request", "The body must be a JSON object or a form");
  const checked = parseTokenRequestJson(fields);
  if (!checked)
    return oauthError(requestId, 400, "invalid_request", "grant_type, client_id, client_secret required");
  const basic = basicCredentials(request.headers.get("authorization"));
  const clientId = basic?.id ?? checked.client_id;
  const clientSecret = basic?.secret ?? checked.client_secret;
  if (checked.grant_type !== "client_credentials")
    return oauthError(requestId, 400, "unsupported_grant_type", "grant_type must be client_credentials");
  if (!clientId || !clientSecret)
    return oauthError(requestId, 400, "invalid_request", "grant_type, client_id, client_secret required");
  const issued = await authenticator.issueToken(clientId, clientSecret);
  if (!issued) return oauthError(requestId, 401, "invalid_client", "Invalid client_id or client_secret");
  return {
    status: 200,
    headers: { "cache-control": "no-store", pragma: "no-cache" },
    body: serializeToken(
      { token: issued.token, lifetimeS: TOKEN_LIFETIME_S, scope: TOKEN_SCOPE },
      issued.partner.name,
    ),
  };
}

async function tokenFields({ readBody, request }: Call): Promise<Record<string, unknown> | undefined> {
  const bytes = await readBody(TOKEN_BODY_BYTES);
  try {
    if (requestMediaType(request) === "application/json")
      return parseHttpRequestBodyObject(bytes, TOKEN_BODY_BYTES);
    const form = new URLSearchParams(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const names = [...form.keys()];
    return new Set(names).size === names.length ? Object.fromEntries(form) : undefined;
  } catch (error) {
    if (error instanceof Failure || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Reads the client's ID and secret from HTTP Basic. Both are form-encoded (RFC 6749 §2.3.1). */
function basicCredentials(header: string | null): { id: string; secret: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(header ?? "")?.[1];
  if (!encoded) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const at = text.indexOf(":");
  if (at < 0) return undefined;
  const decode = (part: string) => new URLSearchParams(`v=${part}`).get("v") ?? "";
  return { id: decode(text.slice(0, at)), secret: decode(text.slice(at + 1)) };
}

function oauthError(
  requestId: string,
  status: 400 | 401,
  error: JsonOf<typeof tokenError>["error"],
  description: string,
): Reply<JsonOf<typeof tokenError>> {
  const headers: Record<string, string> = { "cache-control": "no-store", pragma: "no-cache" };
  if (status === 401) headers["www-authenticate"] = 'Basic realm="mainstay"';
  return { status, headers, body: serializeTokenError(error, description, requestId) };
}
