import { oauthMetadata, serializeOauthMetadata } from "../../api-schemas/system-schema.ts";
import { TOKEN_SCOPE } from "../../secrets/bearer-tokens.ts";
import { type Call, type Operation, okReplies, publicOperation, type Reply } from "../http-operation.ts";

/** The URLs at which clients reach the service. */
export type ServerAddress = {
  /** The base URL of links to the service, without a trailing slash; "" if the operator has not set one. */
  publicUrl: string;
  basePath: string;
  /** True if the server itself terminates TLS. */
  isSecure: boolean;
};

const WELL_KNOWN = "/.well-known/oauth-authorization-server";

/**
 * Lets OAuth clients discover the token endpoint. The issuer is the one from which the client built the metadata URL,
 * since clients compare the two (RFC 8414, section 3.3): the host alone, or the host with its path, which may precede or
 * follow the well-known part.
 */
export function oauthMetadataOperations(address: ServerAddress): Operation[] {
  const path =
    address.publicUrl === "" ? address.basePath : new URL(address.publicUrl).pathname.replace(/\/$/, "");

  const answer = ({ request }: Call): Reply<ReturnType<typeof serializeOauthMetadata>> => {
    const asked = new URL(request.url);
    const origin =
      address.publicUrl === ""
        ? `${address.isSecure ? "https" : "http"}://${asked.host}`
        : new URL(address.publicUrl).origin;
    const isAtHost = asked.pathname === WELL_KNOWN || asked.pathname === `/v1${WELL_KNOWN}`;
    return {
      status: 200,
      body: serializeOauthMetadata(isAtHost ? origin : origin + path, origin + path, TOKEN_SCOPE),
      headers: { "cache-control": "no-store" },
    };
  };

  const metadata = {
    method: "GET",
    summary: "Get the OAuth authorization server metadata (RFC 8414)",
    description:
      "The issuer matches the requested URL: the host alone, or the host with its path if the path precedes or follows the well-known part. Behind a proxy, the operator sets the public URL in `server.public_url`.",
    replies: okReplies("The token endpoint and its options", oauthMetadata),
    handle: answer,
  } as const;
  return [
    publicOperation({
      ...metadata,
      id: "getAuthorizationServerMetadata",
      path: WELL_KNOWN,
      tag: "Authentication",
    }),
    // Clients that know the issuer with its path look here.
    ...(path === ""
      ? []
      : [publicOperation({ ...metadata, id: "getMetadataOfPath", path: WELL_KNOWN + path })]),
  ];
}
