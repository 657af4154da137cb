import { beforeAll, describe, expect, test } from "bun:test";
import { type Administrator, createAdministrator } from "../support/administrator.ts";
import { eventually } from "../support/eventually.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { PROPERTY } from "../support/portfolio.ts";
import { type Exchange, exchange as exchangeAt, rawRequest as request } from "../support/raw-http.ts";

const { serve } = useMainstay();
let server: Installation;
let partner: Partner;
let admin: Administrator;
beforeAll(async () => {
  server = await serve();
  partner = await server.createPartner();
  admin = await createAdministrator(server);
});

const exchange = (bytes: string | readonly string[], count: number) => exchangeAt(server.url, bytes, count);
const statusesOf = ({ responses }: Exchange) => responses.map(({ status }) => status);

const key = () => `X-Api-Key: ${partner.api_key}`;
const JSON_TYPE = "Content-Type: application/json";
const get = () => request("GET /v1/ping", [key()]);
const post = (path: string, body: string, headers = [key()]) =>
  request(`POST ${path}`, [...headers, JSON_TYPE, `Content-Length: ${body.length}`], body);
const chunks = (body: string, trailer = "") =>
  `${body.length.toString(16)}\r\n${body}\r\n0\r\n${trailer}\r\n`;
const chunked = (path: string, body: string, headers = [key()], trailer = "") =>
  request(`POST ${path}`, [...headers, JSON_TYPE, "Transfer-Encoding: chunked"], chunks(body, trailer));

async function countOf(path: "/v1/properties" | "/admin/partners"): Promise<number> {
  const { client } = path === "/v1/properties" ? { client: server.as(partner) } : admin;
  return (await client.get(path)).body.total;
}

describe("pipelined requests", () => {
  // Rule: pipelining
  test.each([
    ["a write", () => post("/v1/properties", JSON.stringify(PROPERTY))],
    ["a write in chunks", () => chunked("/v1/properties", JSON.stringify(PROPERTY))],
    ["a write without a key", () => post("/v1/properties", JSON.stringify(PROPERTY), [])],
    ["a write to no address", () => post("/v1/nothing", JSON.stringify(PROPERTY))],
    ["a body that is too large", () => post("/v1/properties", `{"x":"${"a".repeat(5_300_000)}"}`)],
    ["a read", get],
  ])("after %s get their responses in order, or a closed connection", async (_, first) => {
    const both = await exchange(first() + get(), 2);
    // The second response only comes after the first, so a client cannot confuse them.
    if (both.isClosed) expect(both.responses.length).toBeLessThanOrEqual(1);
    else expect(statusesOf(both)).toEqual([expect.any(Number), 200]);
  });

  test("a lost write can be repeated safely with its Idempotency-Key", async () => {
    for (const [name, next] of Object.entries({ "Before a request": get(), "Before a line end": "\r\n" })) {
      const once = [key(), `Idempotency-Key: ${crypto.randomUUID()}`];
      const write = post("/v1/properties", JSON.stringify({ ...PROPERTY, name }), once);
      // The second part arrives at any time of the first one's processing, and after it.
      for (let i = 0; i < 10; i++) await exchange([write, next], 2);
      // The first request may still be in progress, which is a 409.
      await eventually(async () => expect(statusesOf(await exchange(write, 1))).toEqual([201]));
      const { properties } = (await server.as(partner).get("/v1/properties", { limit: "200" })).body;
      expect(properties.filter((property: { name: string }) => property.name === name)).toHaveLength(1);
    }
  });
});

describe("bytes behind a write, in its segment", () => {
  const LISTENERS = {
    "/v1/properties": { url: () => server.url, key, body: () => JSON.stringify(PROPERTY) },
    "/admin/partners": {
      url: () => server.adminUrl,
      key: () => `X-Api-Key: ${admin.key}`,
      body: () => JSON.stringify({ name: crypto.randomUUID() }),
    },
  };

  // Rule: pipelining
  test.each([
    ["another request", get, undefined],
    ["a line end", () => "\r\n", 400],
    ["no HTTP", () => "\0\x16\x03", 400],
    ["a request with two lengths", () => request("GET /", ["Content-Length: 1", "Content-Length: 2"]), 400],
  ])("such as %s, prevent it", async (_, next, status) => {
    for (const path of ["/v1/properties", "/admin/partners"] as const) {
      const { url, key, body } = LISTENERS[path];
      const before = await countOf(path);
      for (const write of [post, chunked]) {
        const id = crypto.randomUUID();
        const bytes = write(path, body(), [key(), `X-Request-Id: ${id}`]) + next();
        const { responses, isClosed } = await exchangeAt(url(), bytes, 2);
        expect({ isClosed, responses }).toMatchObject({
          isClosed: true,
          responses: status === undefined ? [] : [{ status, body: "" }],
        });
        await server.logged((line) => line.request_id === id && line.status === 499);
      }
      expect(await countOf(path)).toBe(before);
    }
  });

  // Rule: pipelining
  test("prevent a change without a body", async () => {
    const path = `/admin/partners/${partner.partner_id}/disable`;
    const id = crypto.randomUUID();
    const change = request(`POST ${path}`, [`X-Api-Key: ${admin.key}`, `X-Request-Id: ${id}`]);
    expect(await exchangeAt(server.adminUrl, change + get(), 2)).toEqual({ responses: [], isClosed: true });
    await server.logged((line) => line.request_id === id && line.status === 499);
    expect((await server.as(partner).get("/v1/ping")).status).toBe(200);
  });

  // Rule: pipelining
  test("such as trailers, prevent it", async () => {
    const before = await countOf("/v1/properties");
    const bytes = chunked("/v1/properties", JSON.stringify(PROPERTY), [key()], "X-Checksum: 1\r\n");
    expect(await exchange(bytes, 1)).toMatchObject({ responses: [{ status: 400, body: "" }] });
    expect(await countOf("/v1/properties")).toBe(before);
  });
});

describe("a request whose length is ambiguous", () => {
  const body = JSON.stringify(PROPERTY);
  const size = body.length;
  /** A request that a proxy with another reading of the length would take for a part of the body. */
  const hidden = () => post("/v1/properties", body);
  const asChunks = () => chunks(body) + hidden();

  // Rule: ambiguous-length
  test.each<[string, string[], () => string]>([
    ["two lengths", [`Content-Length: ${size}`, `Content-Length: ${size + 10}`], () => body + hidden()],
    ["a list of lengths", [`Content-Length: ${size}, ${size}`], () => body + hidden()],
    ["a signed length", [`Content-Length: +${size}`], () => body + hidden()],
    ["a negative length", ["Content-Length: -1"], () => body + hidden()],
    ["a hexadecimal length", [`Content-Length: 0x${size.toString(16)}`], () => body + hidden()],
    ["an empty length", ["Content-Length:"], () => body + hidden()],
    ["a length above 64 bits", [`Content-Length: ${2n ** 64n + BigInt(size)}`], () => body + hidden()],
    ["a space before the colon", [`Content-Length : ${size}`], () => body + hidden()],
    ["a length and chunks", [`Content-Length: ${size}`, "Transfer-Encoding: chunked"], asChunks],
    ["chunks and a length", ["Transfer-Encoding: chunked", `Content-Length: ${size}`], asChunks],
    ["chunks that are not last", ["Transfer-Encoding: chunked, identity"], asChunks],
    ["chunks twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], asChunks],
    ["chunks and identity", ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], asChunks],
    ["compressed chunks", ["Transfer-Encoding: gzip, chunked"], asChunks],
    [
      "an unknown encoding",
      ["Transfer-Encoding: xchunked", `Content-Length: ${size}`],
      () => body + hidden(),
    ],
    ["chunks behind a control character", ["Transfer-Encoding: \x0bchunked"], asChunks],
    ["chunks with a space before the colon", ["Transfer-Encoding : chunked"], asChunks],
    ["a folded line", ["X-Note: a\r\n Transfer-Encoding: chunked", `Content-Length: ${size}`], asChunks],
    ["a bare carriage return", [`X-Note: a\rContent-Length: ${size}`], () => body + hidden()],
    ["chunks of HTTP/1.0", ["HTTP/1.0", "Transfer-Encoding: chunked"], asChunks],
    ["a size that is no number", ["Transfer-Encoding: chunked"], () => `zz\r\n${body}\r\n0\r\n\r\n`],
    ["a negative size", ["Transfer-Encoding: chunked"], () => `-1\r\n${body}\r\n0\r\n\r\n`],
    ["a size of 0x…", ["Transfer-Encoding: chunked"], () => `0x${asChunks()}`],
    ["a size above 64 bits", ["Transfer-Encoding: chunked"], () => `fffffffffffffffff${asChunks()}`],
    ["a size that is too small", ["Transfer-Encoding: chunked"], () => `1\r\n${body}\r\n0\r\n\r\n`],
    [
      "a size that is too large",
      ["Transfer-Encoding: chunked"],
      () => `ff\r\n${body}\r\n0\r\n\r\n${hidden()}`,
    ],
    ["line feeds alone", ["Transfer-Encoding: chunked"], () => asChunks().replaceAll("\r\n", "\n")],
    [
      "an extension with a line feed",
      ["Transfer-Encoding: chunked"],
      () => asChunks().replace("\r\n", ";a\nb\r\n"),
    ],
  ])("as by %s is rejected without a body, and closes the connection", async (_, headers, content) => {
    const before = await countOf("/v1/properties");
    const [version, rest] = headers[0]!.startsWith("HTTP/")
      ? [headers[0]!, headers.slice(1)]
      : ["HTTP/1.1", headers];
    const bytes = request("POST /v1/properties", [key(), JSON_TYPE, ...rest], content()).replace(
      "HTTP/1.1",
      version,
    );
    const { responses, isClosed } = await exchange(bytes, 2);
    expect({ isClosed, responses }).toMatchObject({ isClosed: true, responses: [{ status: 400, body: "" }] });
    expect(await countOf("/v1/properties")).toBe(before);
  });
});

// A body that arrives after the response to its head must not be taken for requests.
describe("a body that hides a request", () => {
  // Rule: ambiguous-length
  test.each<[string, number, (size: number) => string]>([
    [
      "of a request to no address",
      404,
      (size) => request("POST /v1/none", [key(), `Content-Length: ${size}`]),
    ],
    [
      "of a request without a key",
      401,
      (size) => request("POST /v1/properties", [`Content-Length: ${size}`]),
    ],
    ["of another type", 415, (size) => request("POST /v1/properties", [key(), `Content-Length: ${size}`])],
    ["of a read", 200, (size) => request("GET /v1/ping", [key(), `Content-Length: ${size}`])],
    ["in chunks", 404, () => request("POST /v1/none", [key(), "Transfer-Encoding: chunked"])],
  ])("%s is dropped, and the next request gets its own response", async (kind, status, head) => {
    const before = await countOf("/v1/properties");
    const hidden = post("/v1/properties", JSON.stringify(PROPERTY));
    const body = kind === "in chunks" ? chunks(hidden) : hidden;
    const { responses, isClosed } = await exchangeAt(server.url, [head(body.length), body + get()], 2, {
      awaitsResponses: true,
    });
    expect({ responses, isClosed }).toMatchObject({
      responses: [{ status }, { status: 200 }],
      isClosed: false,
    });
    expect(JSON.parse(responses[1]!.body)).toMatchObject({ ok: true, partner: "Acme" });
    expect(await countOf("/v1/properties")).toBe(before);
  });
});

describe("errors before routing", () => {
  // Rule: parser-errors
  test("for a body of any declared length have the common JSON body", async () => {
    for (const length of ["6000000", "200000000", "999999999999"]) {
      const head = request("POST /v1/properties", [
        key(),
        "Content-Type: application/json",
        `Content-Length: ${length}`,
      ]);
      const { responses } = await exchange(head, 1);
      expect({ length, responses }).toMatchObject({ length, responses: [{ status: 413 }] });
      expect(responses[0]!.body).toContain('"code":"payload_too_large"');
    }
  });

  test.each([
    ["no HTTP", 400, "HELLO\r\n\r\n"],
    ["no host", 400, "GET /v1/ping HTTP/1.1\r\n\r\n"],
    ["a length that is no number", 400, request("POST /v1/properties", ["Content-Length: abc"])],
    ["headers of 30 kB", 431, request("GET /v1/ping", [`X-Long: ${"a".repeat(30_000)}`])],
    [
      "300 headers",
      431,
      request(
        "GET /v1/ping",
        Array.from({ length: 300 }, (_, i) => `X-${i}: a`),
      ),
    ],
    ["another version", 505, "GET /v1/ping HTTP/3.0\r\nHost: x\r\n\r\n"],
  ])("for %s are the runtime's, without a body, and close the connection", async (_, status, bytes) => {
    const { responses, isClosed } = await exchange(bytes, 2);
    expect({ responses, isClosed }).toMatchObject({ responses: [{ status, body: "" }], isClosed: true });
    expect(responses[0]!.head).toEndWith("Connection: close");
  });
});

// Proxies may send such requests as health checks.
describe("HTTP/1.0 requests without a Host", () => {
  const ask = async (path: string, headers: string[] = []) => {
    const { responses } = await exchange(`${[`GET ${path} HTTP/1.0`, ...headers].join("\r\n")}\r\n\r\n`, 1);
    return responses[0]!;
  };

  test.each(["/health", "/v1/ping", "/v1/properties?limit=1", "/.well-known/oauth-authorization-server"])(
    "%s is handled",
    async (path) => {
      expect((await ask(path, [key()])).status).toBe(200);
    },
  );

  test("a list as CSV is handled", async () => {
    const { status, head } = await ask("/v1/components?limit=1", [key(), "Accept: text/csv"]);
    expect(status).toBe(200);
    expect(head).toMatch(/content-type: text\/csv/i);
  });

  test.each([
    ["/nothing", 404],
    ["/v1/properties", 401],
    ["/embed/property/none", 404],
  ])("%s is rejected like any other request", async (path, status) => {
    const refused = await ask(path);
    expect(refused.status).toBe(status);
    expect(refused.body).not.toContain("Something went wrong");
  });
});
