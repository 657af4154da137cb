import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Encoding } from "../web/assets/asset-table.ts";

/** In the order that we prefer them. */
const OFFERED: readonly Encoding[] = ["br", "gzip", "identity"];
/** Of a page that is made for each request: what a better compression costs is more than it saves. */
const QUICK = 4;

/** The encoding that an answer goes out in, by Accept-Encoding (RFC 9110 §12.5.3). */
export function encodingFor(acceptEncoding: string | null): Encoding {
  if (acceptEncoding === null) return "identity";
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",", 32)) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(name === "x-gzip" ? "gzip" : name, q === undefined ? 1 : Number(q.slice(2)) || 0);
  }
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? weights.get("*") ?? (encoding === "identity" ? Number.MIN_VALUE : 0);
  const best = Math.max(...OFFERED.map(weightOf));
  // Who refuses everything gets the plain bytes rather than an error.
  return best === 0 ? "identity" : OFFERED.find((encoding) => weightOf(encoding) === best)!;
}

/** The headers that say so. */
export function encodingHeaders(encoding: Encoding): Record<string, string> {
  return encoding === "identity"
    ? { vary: "accept-encoding" }
    : { vary: "accept-encoding", "content-encoding": encoding };
}

/** A text that was made for this request, as it goes out. */
export function encoded(text: string, encoding: Encoding): string | Uint8Array<ArrayBuffer> {
  if (encoding === "identity") return text;
  if (encoding === "gzip") return Uint8Array.from(gzipSync(text, { level: 6 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUICK };
  return Uint8Array.from(brotliCompressSync(text, { params }));
}
