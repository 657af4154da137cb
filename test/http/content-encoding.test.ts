import { expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { compressResponseBody, responseEncodingFor } from "../../src/http/content-encoding.ts";
import { httpConstantPageReply } from "../../src/http/http-html-page-reply.ts";

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

test("a page that is the same for all is rendered once, and compressed once for each encoding", async () => {
  let rendered = 0;
  const replyTo = httpConstantPageReply(async () => ({ html: `page ${++rendered}`, styleHash: undefined }));
  const get = (encoding: string) =>
    replyTo({ request: new Request("http://x/", { headers: { "accept-encoding": encoding } }) });
  const [br, gzip] = [await get("br"), await get("gzip")];
  expect(brotliDecompressSync(br.raw as Uint8Array).toString()).toBe("page 1");
  expect(gunzipSync(gzip.raw as Uint8Array).toString()).toBe("page 1");
  expect(await get("br, gzip;q=0.5")).toBe(br);
  expect(await get("gzip")).toBe(gzip);
});
