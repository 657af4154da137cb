import { AddressRefusedError, ProxyRefusedError } from "./connections.ts";

/** What the time for an exchange can run out in. */
export type ExchangePhase = "connecting" | "for an answer" | "for the rest of the answer";

/** The time for the whole exchange ran out. */
export class ExchangeTimeout extends Error {
  override readonly name = "TimeRanOut";
  constructor(waiting: ExchangePhase, timeoutMs: number) {
    const missing = {
      connecting: "no connection",
      "for an answer": "no answer",
      "for the rest of the answer": "no whole answer",
    }[waiting];
    super(`${missing} within ${timeoutMs / 1000} s`);
  }
}

type NetworkError = Error & { code?: string; address?: string; port?: number; errors?: NetworkError[] };

const MESSAGES: Record<string, string> = {
  ECONNRESET: "the connection was closed before a whole answer came",
  EPIPE: "the connection was closed before a whole answer came",
  ETIMEDOUT: "the connection timed out",
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
  HPE_HEADER_OVERFLOW: "the answer's headers are too long",
};

/** An error of a connection as one line for the delivery log. */
export function failureMessage(error: unknown, hostname: string): string {
  if (
    error instanceof ExchangeTimeout ||
    error instanceof AddressRefusedError ||
    error instanceof ProxyRefusedError
  ) {
    return error.message;
  }
  const { code = "", address, port, errors, message } = error as NetworkError;
  // Several addresses were tried; the last one's failure stands for all, as its address is named.
  if (errors?.length) return failureMessage(errors.at(-1), hostname);
  const known = MESSAGES[code];
  if (known) return known;
  if (code === "ECONNREFUSED") {
    return address
      ? `connection refused by ${address}:${port}`
      : `the name server refused to look up ${hostname}`;
  }
  if (code === "ENOTFOUND" || code === "ENODATA") return `host ${hostname} not found`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `certificate is not for ${hostname}`;
  if (code.startsWith("HPE_")) return `the answer is not HTTP (${message.replace(/^Parse Error: /, "")})`;
  if (code.startsWith("ERR_SSL_")) return `TLS failed (${code.slice(8).toLowerCase().replaceAll("_", " ")})`;
  return message || code || "unknown error";
}

/** Why an answer with this status is a failure, or null for a 2xx. */
export function statusMessage(statusCode: number): string | null {
  if (statusCode >= 200 && statusCode < 300) return null;
  if (statusCode >= 300 && statusCode < 400)
    return `redirected with ${statusCode}, redirects are not followed`;
  return `answered ${statusCode}`;
}
