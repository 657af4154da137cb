import { beforeAll, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type Installation, useMainstay } from "../support/mainstay.ts";

const { serve } = useMainstay();
let server: Installation;
let style: string;
beforeAll(async () => {
  server = await serve();
  const page = await server.anonymous.get("/docs");
  style = /href="(assets\/[^"]+\.css)"/.exec(page.text)![1]!;
});

const fetchAs = (url: string, encoding: string) =>
  fetch(url, { headers: { "accept-encoding": encoding }, decompress: false } as RequestInit);

test("the assets of a page may be cached forever, because their addresses identify their content", async () => {
  const url = `${server.url}/${style}`;
  const plain = await fetchAs(url, "identity");
  expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(plain.headers.get("content-type")).toBe("text/css; charset=utf-8");
  const bytes = new Uint8Array(await plain.arrayBuffer());
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  expect(style).toContain(`-${hash.slice(0, 16)}.css`);
});

test("they are compressed as the browser accepts, also under the base path", async () => {
  const plain = await (await fetchAs(`${server.url}/${style}`, "identity")).bytes();
  for (const base of ["", "/api"]) {
    const brotli = await fetchAs(`${server.url}${base}/${style}`, "gzip, deflate, br");
    expect(brotli.headers.get("content-encoding")).toBe("br");
    expect(brotli.headers.get("vary")).toBe("accept-encoding");
    expect(new Uint8Array(brotliDecompressSync(await brotli.bytes()))).toEqual(plain);
    const gzip = await fetchAs(`${server.url}${base}/${style}`, "gzip");
    expect(gzip.headers.get("content-encoding")).toBe("gzip");
    expect(new Uint8Array(gunzipSync(await gzip.bytes()))).toEqual(plain);
  }
});

test("an address with another content's digest is not found", async () => {
  await server.anonymous.get(`/${style.replace(/-\w{16}\./, "-0000000000000000.")}`, {}, 404);
  await server.anonymous.get("/assets/embed.css", {}, 404);
});

test("the administrators' listener has them too", async () => {
  const answer = await fetchAs(`${server.adminUrl}/${style}`, "br");
  expect(answer.status).toBe(200);
  await answer.bytes();
});
