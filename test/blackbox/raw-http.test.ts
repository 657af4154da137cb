import { beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { eventually, TIMEOUT_MS } from "../support/eventually.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { PROPERTY } from "../support/portfolio.ts";

const { serve } = useMainstay();
let server: Installation;
let partner: Partner;
beforeAll(async () => {
  server = await serve();
  partner = await server.createPartner();
});

type Answers = { heads: string[]; text: string; isClosed: boolean };

/** Sends the bytes on one connection and reads `count` responses, or until the connection is closed. */
async function exchange(bytes: string, count: number): Promise<Answers> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let text = "";
  const headsOf = () => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status!);
  const isClosed = await new Promise<boolean>((resolve, reject) => {
    socket.on("data", (chunk) => {
      text += chunk;
      // A response is complete when its body is, which ends with a brace.
      if (headsOf().length >= count && text.trimEnd().endsWith("}")) resolve(false);
    });
    socket.on("close", () => resolve(true));
    socket.on("error", () => resolve(true));
    socket.setTimeout(TIMEOUT_MS, () => reject(new Error(`neither an answer nor an end: ${text}`)));
    socket.write(bytes);
  });
  socket.destroy();
  return { heads: headsOf(), text, isClosed };
}

const request = (line: string, headers: string[], body = "") =>
  `${[`${line} HTTP/1.1`, "Host: x", ...headers].join("\r\n")}\r\n\r\n${body}`;
const key = () => `X-Api-Key: ${partner.api_key}`;
const get = () => request("GET /v1/ping", [key()]);
const post = (path: string, body: string, headers = [key()]) =>
  request(
    `POST ${path}`,
    [...headers, "Content-Type: application/json", `Content-Length: ${body.length}`],
    body,
  );
const chunked = (body: string) =>
  request(
    "POST /v1/properties",
    [key(), "Content-Type: application/json", "Transfer-Encoding: chunked"],
    `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  );

describe("pipelined requests", () => {
  // Rule: pipelining
  test.each([
    ["a write", () => post("/v1/properties", JSON.stringify(PROPERTY))],
    ["a write in chunks", () => chunked(JSON.stringify(PROPERTY))],
    ["a write without a key", () => post("/v1/properties", JSON.stringify(PROPERTY), [])],
    ["a write to no address", () => post("/v1/nothing", JSON.stringify(PROPERTY))],
    ["a body that is too large", () => post("/v1/properties", `{"x":"${"a".repeat(5_300_000)}"}`)],
    ["a read", get],
  ])("after %s get their responses in order, or a closed connection", async (_, first) => {
    const { heads, isClosed } = await exchange(first() + get(), 2);
    // The second response only comes after the first, so a client cannot confuse them.
    if (isClosed) expect(heads.length).toBeLessThanOrEqual(1);
    else expect(heads).toEqual([expect.any(String), "200"]);
  });

  test("a lost write can be repeated safely with its Idempotency-Key", async () => {
    const body = JSON.stringify({ ...PROPERTY, partner_property_id: "ONCE" });
    const once = [key(), "Idempotency-Key: pipelined-once"];
    await exchange(post("/v1/properties", body, once) + get(), 2);
    // The first request may still be in progress, which is a 409.
    await eventually(async () => {
      expect((await exchange(post("/v1/properties", body, once), 1)).heads).toEqual(["201"]);
    });
    const { total } = (await server.as(partner).get("/v1/properties", { partner_property_id: "ONCE" })).body;
    expect(total).toBeGreaterThan(0);
    expect((await exchange(post("/v1/properties", body), 1)).heads).toEqual(["409"]);
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
      const { heads, text } = await exchange(head, 1);
      expect({ length, heads }).toEqual({ length, heads: ["413"] });
      expect(text).toContain('"code":"payload_too_large"');
    }
  });

  test.each([
    ["no HTTP", "400", "HELLO\r\n\r\n"],
    ["no host", "400", "GET /v1/ping HTTP/1.1\r\n\r\n"],
    ["a length that is no number", "400", request("POST /v1/properties", ["Content-Length: abc"])],
    ["headers of 30 kB", "431", request("GET /v1/ping", [`X-Long: ${"a".repeat(30_000)}`])],
    [
      "300 headers",
      "431",
      request(
        "GET /v1/ping",
        Array.from({ length: 300 }, (_, i) => `X-${i}: a`),
      ),
    ],
    ["another version", "505", "GET /v1/ping HTTP/3.0\r\nHost: x\r\n\r\n"],
  ])("for %s are the runtime's, without a body, and close the connection", async (_, status, bytes) => {
    const { heads, text, isClosed } = await exchange(bytes, 2);
    expect({ heads, isClosed }).toEqual({ heads: [status], isClosed: true });
    expect(text).toContain("Connection: close\r\n\r\n");
  });
});

// Proxies may send such requests as health checks.
describe("HTTP/1.0 requests without a Host", () => {
  const ask = (path: string, headers: string[] = []) =>
    exchange(`${[`GET ${path} HTTP/1.0`, ...headers].join("\r\n")}\r\n\r\n`, 1);

  test.each(["/health", "/v1/ping", "/v1/properties?limit=1", "/.well-known/oauth-authorization-server"])(
    "%s is handled",
    async (path) => {
      expect((await ask(path, [key()])).heads).toEqual(["200"]);
    },
  );

  test("a list as CSV is handled", async () => {
    const { heads, text } = await ask("/v1/components?limit=1", [key(), "Accept: text/csv"]);
    expect(heads).toEqual(["200"]);
    expect(text).toMatch(/content-type: text\/csv/i);
  });

  test.each([
    ["/nothing", "404"],
    ["/v1/properties", "401"],
    ["/embed/property/none", "404"],
  ])("%s is rejected like any other request", async (path, status) => {
    const { heads, text } = await ask(path);
    expect(heads).toEqual([status]);
    expect(text).not.toContain("Something went wrong");
  });
});
