import { type } from "arktype";
import { Failure } from "../../domain/errors.ts";
import { toIso } from "../../domain/time.ts";
import { TOKEN_LIFETIME_S, TOKEN_SCOPE } from "../../secrets/tokens.ts";
import type { Health } from "../../usecases/check-health.ts";
import type { Authenticator } from "../auth.ts";
import { mediaType, parseJsonObject, readBytes } from "../body.ts";
import { type Operation, ok, partnerOperation, publicOperation, type Reply } from "../operation.ts";

export type SystemParts = {
  authenticator: Authenticator;
  checkHealth: () => Promise<Health>;
};

const METHODS = {
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
      description: `A bearer token for the client id and secret issued by the operator, valid for ${TOKEN_LIFETIME_S} seconds.`,
    },
  ],
  docs: "/docs",
};

const tokenRequest = type({
  grant_type: "string",
  "client_id?": "string <= 200",
  "client_secret?": "string <= 200",
});
/** The form of RFC 6749: small, whatever is sent. */
const TOKEN_BODY_BYTES = 8192;

export function healthOperation(checkHealth: SystemParts["checkHealth"]): Operation {
  return publicOperation({
    id: "getHealth",
    method: "GET",
    path: "/health",
    summary: "Whether the service can do its work, proven by a write",
    async handle() {
      const health = await checkHealth();
      return { status: health.status === "ok" ? 200 : 503, body: health };
    },
  });
}

export function systemOperations({ authenticator, checkHealth }: SystemParts): Operation[] {
  return [
    healthOperation(checkHealth),
    publicOperation({
      id: "listAuthMethods",
      method: "GET",
      path: "/v1/auth/methods",
      summary: "The ways to authenticate",
      handle: () => ok(METHODS),
    }),
    publicOperation({
      id: "createToken",
      method: "POST",
      path: "/oauth/token",
      summary: "A bearer token for client credentials",
      body: "raw",
      handle: ({ request }) => issueToken(request, authenticator),
    }),
    partnerOperation({
      id: "ping",
      method: "GET",
      path: "/v1/ping",
      summary: "Whether the credentials are good",
      handle: ({ now, partner }) => ok({ ok: true, timestamp: toIso(now), partner: partner.name }),
    }),
  ];
}

/** RFC 6749 §4.4 and §5: JSON or a form, credentials in the body or in HTTP Basic, errors by that document's codes. */
async function issueToken(request: Request, authenticator: Authenticator): Promise<Reply> {
  const fields = await tokenFields(request);
  if (!fields) return oauthError(400, "invalid_request", "The body is neither a JSON object nor a form");
  const checked = tokenRequest(fields);
  if (checked instanceof type.errors)
    return oauthError(400, "invalid_request", "grant_type, client_id, client_secret required");
  const basic = basicCredentials(request.headers.get("authorization"));
  const clientId = basic?.id ?? checked.client_id;
  const clientSecret = basic?.secret ?? checked.client_secret;
  if (checked.grant_type !== "client_credentials")
    return oauthError(400, "unsupported_grant_type", "grant_type must be client_credentials");
  if (!clientId || !clientSecret)
    return oauthError(400, "invalid_request", "grant_type, client_id, client_secret required");
  const issued = await authenticator.issueToken(clientId, clientSecret);
  if (!issued) return oauthError(401, "invalid_client", "Invalid client_id or client_secret");
  return {
    status: 200,
    headers: { "cache-control": "no-store", pragma: "no-cache" },
    body: {
      access_token: issued.token,
      token_type: "Bearer",
      expires_in: TOKEN_LIFETIME_S,
      scope: TOKEN_SCOPE,
      partner: issued.partner.name,
    },
  };
}

async function tokenFields(request: Request): Promise<Record<string, unknown> | undefined> {
  const bytes = await readBytes(request, TOKEN_BODY_BYTES);
  try {
    if (mediaType(request) === "application/json") return parseJsonObject(bytes);
    const form = new URLSearchParams(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const names = [...form.keys()];
    return new Set(names).size === names.length ? Object.fromEntries(form) : undefined;
  } catch (error) {
    if (error instanceof Failure || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Id and secret of HTTP Basic, form-encoded first as RFC 6749 §2.3.1 has it. */
function basicCredentials(header: string | null): { id: string; secret: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(header ?? "")?.[1];
  if (!encoded) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const at = text.indexOf(":");
  if (at < 0) return undefined;
  const decode = (part: string) => new URLSearchParams(`v=${part}`).get("v") ?? "";
  return { id: decode(text.slice(0, at)), secret: decode(text.slice(at + 1)) };
}

function oauthError(status: 400 | 401, error: string, description: string): Reply {
  const headers: Record<string, string> = { "cache-control": "no-store", pragma: "no-cache" };
  if (status === 401) headers["www-authenticate"] = 'Basic realm="mainstay"';
  return { status, headers, body: { error, error_description: description } };
}
