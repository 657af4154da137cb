import { TOKEN_SCOPE } from "../../secrets/tokens.ts";
import { oauthMetadata, oauthMetadataView } from "../../wire/system.ts";
import { answers, type Call, type Operation, publicOperation, type Reply } from "../operation.ts";

/** What is known of the addresses that the service is reached at. */
export type ServerAddress = {
  /** What links to the service begin with, without a slash at the end; "" where the operator names none. */
  publicUrl: string;
  basePath: string;
  /** Whether it ends TLS itself. */
  isSecure: boolean;
};

const WELL_KNOWN = "/.well-known/oauth-authorization-server";

/**
 * Where a client of OAuth finds the token endpoint. The issuer is what the client put the address together from, which
 * it compares (RFC 8414, section 3.3): the host alone, or with the path that comes before or after the well-known part.
 */
export function metadataOperations(address: ServerAddress): Operation[] {
  const path =
    address.publicUrl === "" ? address.basePath : new URL(address.publicUrl).pathname.replace(/\/$/, "");

  const tell = ({ request }: Call): Reply<ReturnType<typeof oauthMetadataView>> => {
    const asked = new URL(request.url);
    const origin =
      address.publicUrl === ""
        ? `${address.isSecure ? "https" : "http"}://${asked.host}`
        : new URL(address.publicUrl).origin;
    const isAtHost = asked.pathname === WELL_KNOWN || asked.pathname === `/v1${WELL_KNOWN}`;
    return {
      status: 200,
      body: oauthMetadataView(isAtHost ? origin : origin + path, origin + path, TOKEN_SCOPE),
      headers: { "cache-control": "no-store" },
    };
  };

  const metadata = {
    method: "GET",
    summary: "Where tokens are given out, as RFC 8414 has it",
    description:
      "The issuer is the address that was asked at: the host, or with its path where that stands before or after the well-known part. Behind a proxy the operator names the address in `server.public_url`.",
    replies: answers("The token endpoint and what it takes", oauthMetadata),
    handle: tell,
  } as const;
  return [
    publicOperation({
      ...metadata,
      id: "getAuthorizationServerMetadata",
      path: WELL_KNOWN,
      tag: "Authentication",
    }),
    // Where a client looks that knows the issuer with its path.
    ...(path === ""
      ? []
      : [publicOperation({ ...metadata, id: "getMetadataOfPath", path: WELL_KNOWN + path })]),
  ];
}
