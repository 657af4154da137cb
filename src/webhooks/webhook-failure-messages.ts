import { AddressRefusedError, ProxyRefusedError } from "./webhook-connections.ts";

/** The phase of an exchange that timed out. */
export type ExchangePhase = "connection" | "response" | "complete response";

export class ExchangeTimeout extends Error {
  override readonly name = "ExchangeTimeout";
  constructor(phase: ExchangePhase, timeoutMs: number) {
    super(`no ${phase} within ${timeoutMs / 1000} s`);
  }
}

type NetworkError = Error & { code?: string; address?: string; port?: number; errors?: NetworkError[] };

const MESSAGES: Record<string, string> = {
  ECONNRESET: "connection closed before the response was complete",
  EPIPE: "connection closed before the response was complete",
  ETIMEDOUT: "connection timed out",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  CERT_HAS_EXPIRED: "certificate expired",
  CERT_NOT_YET_VALID: "certificate not valid yet",
  CERT_REVOKED: "certificate revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "certificate not signed by a trusted authority (self-signed)",
  SELF_SIGNED_CERT_IN_CHAIN: "certificate not signed by a trusted authority",
  UNABLE_TO_GET_ISSUER_CERT: "certificate not signed by a trusted authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "certificate not signed by a trusted authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate not signed by a trusted authority",
  HPE_HEADER_OVERFLOW: "response headers are too long",
};

/** Returns the cause of a failed exchange as one line for the delivery log. */
export function webhookFailureMessage(error: unknown, hostname: string): string {
  if (
    error instanceof ExchangeTimeout ||
    error instanceof AddressRefusedError ||
    error instanceof ProxyRefusedError
  ) {
    return error.message;
  }
  const { code = "", address, port, errors, message } = error as NetworkError;
  // If several addresses failed, the message names the last one.
  if (errors?.length) return webhookFailureMessage(errors.at(-1), hostname);
  const known = MESSAGES[code];
  if (known) return known;
  if (code === "ECONNREFUSED") {
    return address ? `connection refused by ${address}:${port}` : `DNS server refused to look up ${hostname}`;
  }
  if (code === "ENOTFOUND" || code === "ENODATA") return `host not found: ${hostname}`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `certificate is not valid for ${hostname}`;
  if (code.startsWith("HPE_")) return `response is not HTTP (${message.replace(/^Parse Error: /, "")})`;
  if (code.startsWith("ERR_SSL_")) return `TLS error (${code.slice(8).toLowerCase().replaceAll("_", " ")})`;
  return message || code || "unknown error";
}

/** Returns why a response with this status is a failure, or null for a 2xx. */
export function webhookStatusFailureMessage(statusCode: number): string | null {
  if (statusCode >= 200 && statusCode < 300) return null;
  if (statusCode >= 300 && statusCode < 400) return `HTTP ${statusCode} (redirects are not followed)`;
  return `HTTP ${statusCode}`;
}
