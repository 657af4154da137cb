import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Encoding } from "../web/assets/browser-asset-table.ts";
import { parseHeaderWeights } from "./accept-header.ts";

/** In order of preference. */
const SUPPORTED: readonly Encoding[] = ["br", "gzip", "identity"];
/** Pages are compressed for each request: a higher quality would take more time than it saves. */
const BROTLI_QUALITY = 4;

/** Returns the encoding of a response, by Accept-Encoding (RFC 9110 §12.5.3). */
export function responseEncodingFor(acceptEncoding: string | null): Encoding {
  if (acceptEncoding === null) return "identity";
  const weights = parseHeaderWeights(acceptEncoding);
  // RFC 9110 §8.4.1.3: recipients treat x-gzip as gzip.
  const gzip = weights.get("x-gzip");
  if (gzip !== undefined && !weights.has("gzip")) weights.set("gzip", gzip);
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? weights.get("*") ?? (encoding === "identity" ? Number.MIN_VALUE : 0);
  const best = Math.max(...SUPPORTED.map(weightOf));
  // A client that accepts nothing gets the uncompressed response rather than an error.
  return best === 0 ? "identity" : SUPPORTED.find((encoding) => weightOf(encoding) === best)!;
}

/** Returns the headers of a response in an encoding. */
export function encodingHeaders(encoding: Encoding): Record<string, string> {
  return encoding === "identity"
    ? { vary: "accept-encoding" }
    : { vary: "accept-encoding", "content-encoding": encoding };
}

/** Compresses a response. */
export function compressResponseBody(text: string, encoding: Encoding): string | Uint8Array<ArrayBuffer> {
  if (encoding === "identity") return text;
  if (encoding === "gzip") return Uint8Array.from(gzipSync(text, { level: 6 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  return Uint8Array.from(brotliCompressSync(text, { params }));
}
