import { expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { compressResponseBody, responseEncodingFor } from "../../src/http/content-encoding.ts";

test.each([
  [null, "identity"],
  ["", "identity"],
  ["gzip, deflate, br, zstd", "br"],
  ["GZIP", "gzip"],
  ["x-gzip", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["br;q=0.2, gzip;q=0.8", "gzip"],
  ["*", "br"],
  ["identity, *;q=0", "identity"],
  ["*;q=0", "identity"],
  ["deflate", "identity"],
  ["br;q=none", "identity"],
])("Accept-Encoding %p selects %p", (header, encoding) => {
  expect(responseEncodingFor(header)).toBe(encoding as never);
});

test("any Accept-Encoding gets an encoding, from which the text can be decoded", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: "grapheme" }), (header, text) => {
      const encoding = responseEncodingFor(header);
      const bytes = Buffer.from(compressResponseBody(text, encoding));
      const back =
        encoding === "br" ? brotliDecompressSync(bytes) : encoding === "gzip" ? gunzipSync(bytes) : bytes;
      expect(back.toString()).toBe(Buffer.from(text).toString());
    }),
  );
});
