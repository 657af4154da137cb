import { afterEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { parseIpNetwork } from "../../src/ip-networks/ip-network.ts";
import type { AddressPolicy } from "../../src/webhooks/webhook-address-policy.ts";
import type { NetworkSettings } from "../../src/webhooks/webhook-connections.ts";
import { createWebhookHttpSender, type HttpSender } from "../../src/webhooks/webhook-http-sender.ts";
import { TIMEOUT_MS } from "../support/eventually.ts";
import { withLongerTimeouts } from "../support/longer-timeouts.ts";
import { type Behavior, type Receiver, startReceiver } from "../support/receiver.ts";

const permissive: AddressPolicy = { allow: [], deny: [] };

const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), "utf8");
const authority = fixture("authority.crt");
const goodTls = { key: fixture("receiver.key"), cert: fixture("receiver.crt") };
const expiredTls = { key: fixture("receiver.key"), cert: fixture("expired.crt") };

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

/** Resolves `.test` names to this machine, and no other name. */
const resolve = async (name: string) => {
  if (name.endsWith(".test")) return ["127.0.0.1"];
  throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
};

function sender(settings: Partial<NetworkSettings> = {}): HttpSender {
  const made = createWebhookHttpSender({
    policy: () => permissive,
    resolve,
    extraAuthorities: null,
    proxy: null,
    ...settings,
  });
  opened.push(made);
  return made;
}

async function receiver(options: Parameters<typeof startReceiver>[0] = {}): Promise<Receiver> {
  const started = await startReceiver(options);
  opened.push(started);
  return started;
}

/** Starts a TCP server that passes the data of each connection, with its number, to the callback. */
async function tcpServer(onData: (socket: Socket, nth: number) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    let nth = 0;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", () => onData(socket, ++nth));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  opened.push({
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const post = (url: string, timeoutMs = TIMEOUT_MS) => ({
  url,
  headers: { "content-type": "application/json", "x-service-delivery": "WH_1_aaaaa" },
  body: Buffer.from('{"event":"webhook.test"}'),
  timeoutMs,
});

describe("an attempt", () => {
  test("posts the body and headers, and succeeds with a 2xx", async () => {
    const { url, received } = await receiver({ behave: () => ({ status: 202, body: "thanks" }) });
    const result = await sender().send(post(`${url}?a=1`));
    expect(result).toEqual({
      ok: true,
      statusCode: 202,
      error: null,
      responseHead: "thanks",
      durationMs: result.durationMs,
      address: "127.0.0.1",
    });
    expect(received[0]!.body.toString()).toBe('{"event":"webhook.test"}');
    expect(received[0]!.path).toBe("/hook?a=1");
    expect(received[0]!.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": "24",
      "accept-encoding": "identity",
      host: new URL(url).host,
    });
  });

  test("reuses the connection", async () => {
    const target = await receiver();
    const { send } = sender();
    for (let i = 0; i < 5; i++) expect((await send(post(target.url))).ok).toBe(true);
    expect(target.connections()).toBe(1);
  });

  test("succeeds with a 204 that has a body, which is invalid HTTP", async () => {
    const url = await tcpServer((socket) => socket.write("HTTP/1.1 204 OK\r\ncontent-length: 2\r\n\r\nok"));
    const { send } = sender();
    for (let i = 0; i < 3; i++)
      expect(await send(post(url))).toMatchObject({ ok: true, statusCode: 204, error: null });
  });

  // Rule: delivery-failures
  test.each<[string, { ok: boolean; error: string | null }]>([
    ["200 OK", { ok: true, error: null }],
    ["500 Closed", { ok: false, error: "HTTP 500" }],
  ])("has the result of a %s whose body is longer than its length says", async (status, result) => {
    // The length of such endpoints is that in characters.
    const text = "✓ ok";
    const url = await tcpServer((socket) =>
      socket.write(`HTTP/1.1 ${status}\r\ncontent-length: ${text.length}\r\n\r\n${text}`),
    );
    const { send } = sender();
    for (let i = 0; i < 3; i++)
      expect(await send(post(url))).toMatchObject({ ...result, responseHead: "✓ " });
  });

  // Rule: delivery-failures
  test.each([400, 404, 429, 500, 503])("fails with a %d", async (status) => {
    const { url } = await receiver({ behave: () => ({ status, body: "no" }) });
    expect(await sender().send(post(url))).toMatchObject({
      ok: false,
      statusCode: status,
      error: `HTTP ${status}`,
      responseHead: "no",
    });
  });

  // Rule: delivery-failures
  test.each([301, 302, 303, 307, 308])("does not follow a redirect with %d", async (status) => {
    const elsewhere = await receiver();
    const { url } = await receiver({ behave: () => ({ status, headers: { location: elsewhere.url } }) });
    expect(await sender().send(post(url))).toMatchObject({
      ok: false,
      statusCode: status,
      error: `HTTP ${status} (redirects are not followed)`,
    });
    expect(elsewhere.received).toHaveLength(0);
  });

  // Rule: delivery-failures
  test("times out if the endpoint never responds", async () => {
    const { url } = await receiver({ behave: () => "hang" });
    const { result, timeoutMs } = await withLongerTimeouts(
      200,
      (timeoutMs) => sender().send(post(url, timeoutMs)),
      ({ address }) => address !== null,
    );
    expect(result).toMatchObject({
      ok: false,
      statusCode: null,
      error: `no response within ${timeoutMs / 1000} s`,
      address: "127.0.0.1",
    });
    expect(result.durationMs).toBeGreaterThanOrEqual(timeoutMs - 10);
  });

  test("times out if the endpoint sends its response too slowly, even with status 200", async () => {
    const { url } = await receiver({ behave: () => "drip" });
    const { result, timeoutMs } = await withLongerTimeouts(
      300,
      (timeoutMs) => sender().send(post(url, timeoutMs)),
      ({ responseHead }) => responseHead !== "",
    );
    expect(result).toMatchObject({
      ok: false,
      statusCode: 200,
      error: `no complete response within ${timeoutMs / 1000} s`,
    });
    expect(result.responseHead).toStartWith("x");
    expect(result.durationMs).toBeGreaterThanOrEqual(timeoutMs - 10);
  });

  test("times out if the DNS lookup hangs", async () => {
    const { send } = sender({ resolve: () => new Promise(() => {}) });
    expect(await send(post("http://dead-name-server.test/", 100))).toMatchObject({
      ok: false,
      error: "no connection within 0.1 s",
      address: null,
    });
  });

  test.each(["reset", "truncated"] as Behavior[])("fails if the connection is %s", async (how) => {
    const { url } = await receiver({ behave: () => how });
    expect(await sender().send(post(url))).toMatchObject({
      ok: false,
      error: "connection closed before the response was complete",
    });
  });

  test("names the address that refused the connection", async () => {
    const target = await startReceiver();
    await target.close();
    expect(await sender().send(post(target.url))).toMatchObject({
      ok: false,
      error: `connection refused by 127.0.0.1:${target.port}`,
      address: "127.0.0.1",
    });
  });

  test("reads 64 KiB of a gigabyte, uses its status, and closes the connection", async () => {
    const target = await receiver({ behave: () => "gigabyte" });
    const before = process.memoryUsage.rss();
    const result = await sender().send(post(target.url));
    expect(result).toMatchObject({ ok: true, statusCode: 200, error: null });
    expect(result.responseHead).toHaveLength(1024);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64e6);
  });

  test("does not decompress a response", async () => {
    const { url } = await receiver({ behave: () => "gzip-bomb" });
    const result = await sender().send(post(url));
    expect(result).toMatchObject({ ok: true, statusCode: 200 });
    expect(result.responseHead).toStartWith("\u001f\ufffd\b");
    expect(result.responseHead).not.toContain("\0");
  });

  test.each([
    ["SSH-2.0-OpenSSH_9.6\r\n", /^response is not HTTP/],
    ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", /^response is not HTTP/],
    [`HTTP/1.1 200 OK\r\nX: ${"a".repeat(200_000)}\r\n\r\n`, /^response headers are too long$/],
    ["HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", /^HTTP 101$/],
  ])("fails with the invalid response %#", async (answer, words) => {
    const url = await tcpServer((socket) => socket.write(answer));
    const result = await sender().send(post(url, 2_000));
    expect(result.ok).toBe(false);
    expect(result.error).toMatch(words);
  });

  const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  test.each([
    ["interim answers", "", "HTTP/1.1 100 Continue\r\n\r\n", false],
    ["early hints", "", `HTTP/1.1 103 Early Hints\r\nLink: ${"a".repeat(900)}\r\n\r\n`, false],
    ["a chunk's extensions", `${chunked}1`, `;${"a".repeat(900)}`, null],
    ["trailers", `${chunked}0\r\n`, `X: ${"a".repeat(900)}\r\n`, null],
    ["chunks of a byte", chunked, "1\r\na\r\n", true],
  ])("reads at most 64 KiB of a response with endless %s", async (_, begin, unit, ok) => {
    const block = unit.repeat(Math.ceil(16_384 / unit.length));
    let sent = 0;
    const closed = Promise.withResolvers<void>();
    const url = await tcpServer((socket, nth) => {
      if (nth > 1) return;
      const go = () => {
        do sent += block.length;
        while (!socket.destroyed && socket.write(block));
      };
      socket.on("drain", go).on("close", () => closed.resolve());
      socket.write(begin);
      go();
    });
    const result = await sender().send(post(url));
    await closed.promise;
    if (ok !== null) expect(result.ok).toBe(ok);
    if (ok === false) expect(result.error).toBe("response headers exceed 64 KiB");
    // The buffers of the sockets take more.
    expect(sent).toBeLessThan(32 * 1_048_576);
  });

  test.each(["not a url", "ftp://receiver.test/", "file:///etc/passwd", ""])(
    "fails with the URL %p",
    async (url) => {
      expect(await sender().send(post(url))).toMatchObject({
        ok: false,
        statusCode: null,
        error: "the webhook URL is not an http:// or https:// URL",
      });
    },
  );
});

describe("a pooled connection that the endpoint has closed", () => {
  test("is replaced: the attempt is repeated on a new connection", async () => {
    let requests = 0;
    const url = await tcpServer((socket, nth) => {
      requests++;
      if (nth === 1) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      else socket.destroy();
    });
    const { send } = sender();
    expect((await send(post(url))).ok).toBe(true);
    expect((await send(post(url))).ok).toBe(true);
    expect(requests).toBe(3);
  });

  test("is a failure if the response had started", async () => {
    let requests = 0;
    const url = await tcpServer((socket, nth) => {
      requests++;
      if (nth === 1) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      else socket.end("HTTP/1.1 20");
    });
    const { send } = sender();
    await send(post(url));
    expect((await send(post(url))).ok).toBe(false);
    expect(requests).toBe(2);
  });

  test("is replaced only once", async () => {
    const url = await tcpServer((socket, nth) => {
      if (nth === 1 && !isDown) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      else socket.destroy();
    });
    let isDown = false;
    const { send } = sender();
    await send(post(url));
    isDown = true;
    expect((await send(post(url))).error).toBe("connection closed before the response was complete");
  });
});

describe("the address", () => {
  const deny = (text: string) => () => ({ allow: [], deny: [parseIpNetwork(text)] });

  test.each([
    ["http://169.254.169.254/latest/meta-data", "169.254.169.254 is a cloud metadata address"],
    ["http://[fe80::1]/", "fe80::1 is a link-local address"],
    ["http://[::ffff:169.254.169.254]/", "is a cloud metadata address"],
    ["http://0/", "0.0.0.0 is an unspecified address"],
    ["http://2852039166/", "169.254.169.254 is a cloud metadata address"],
  ])("in %s is refused before connecting", async (url, words) => {
    const result = await sender().send(post(url, 1_000));
    expect(result).toMatchObject({ ok: false, statusCode: null, address: null });
    expect(result.error).toContain(words);
  });

  test.each(["169.254.169.254", "::ffff:a9fe:a9fe", "64:ff9b::a9fe:a9fe", "0.0.0.0"])(
    "%s is refused if a name resolves to it",
    async (address) => {
      const result = await sender({ resolve: async () => [address] }).send(
        post("http://innocent.test/", 1_000),
      );
      expect(result.error).toContain(`${address} is `);
      expect(result.error).toContain("always refused");
    },
  );

  test("of a name is resolved once, and a refused one among several is skipped", async () => {
    const { port } = await receiver();
    let lookups = 0;
    const { send } = sender({
      resolve: async () => {
        lookups++;
        return lookups === 1 ? ["169.254.169.254", "127.0.0.1"] : ["169.254.169.254"];
      },
    });
    expect(await send(post(`http://rebinding.test:${port}/`))).toMatchObject({
      ok: true,
      address: "127.0.0.1",
    });
    expect(lookups).toBe(1);
  });

  test("of a name is one of its first 16, so that a long DNS answer costs no more", async () => {
    const { port } = await receiver();
    const last = (before: number) => async () => [...Array(before).fill("169.254.1.1"), "127.0.0.1"];
    const results = [15, 16].map((before) =>
      sender({ resolve: last(before) }).send(post(`http://a.test:${port}/hook`)),
    );
    expect((await Promise.all(results)).map(({ ok }) => ok)).toEqual([true, false]);
  });

  test("is checked against the lists", async () => {
    const { url, port, received } = await receiver();
    expect((await sender({ policy: deny("127.0.0.0/8") }).send(post(url))).error).toBe(
      "127.0.0.1 is in the denied network 127.0.0.0/8",
    );
    expect(
      (await sender({ policy: deny("127.0.0.0/8") }).send(post(`http://name.test:${port}/`))).error,
    ).toContain("denied network");
    const allow = () => ({ allow: [parseIpNetwork("10.0.0.0/8")], deny: [] });
    expect((await sender({ policy: allow }).send(post(url))).error).toBe(
      "127.0.0.1 is not in an allowed network",
    );
    expect(received).toHaveLength(0);
  });

  test("of an open connection is checked against the current lists", async () => {
    const { port, received } = await receiver();
    let policy = permissive;
    const { send } = sender({ policy: () => policy });
    expect((await send(post(`http://name.test:${port}/`))).ok).toBe(true);
    policy = deny("127.0.0.0/8")();
    expect((await send(post(`http://name.test:${port}/`))).error).toContain("denied network");
    expect(received).toHaveLength(1);
  });

  test("of an unknown name is reported as missing", async () => {
    expect((await sender().send(post("http://nowhere.example/"))).error).toBe(
      "host not found: nowhere.example",
    );
  });
});

describe("TLS", () => {
  const secure = (port: number, name = "receiver.test") => `https://${name}:${port}/hook`;

  test("trusts the additional authority, and keeps the connection", async () => {
    const target = await receiver({ tls: goodTls });
    const { send } = sender({ extraAuthorities: authority });
    expect(await send(post(secure(target.port)))).toMatchObject({ ok: true, address: "127.0.0.1" });
    expect(await send(post(secure(target.port)))).toMatchObject({ ok: true });
    expect(await send(post(target.url))).toMatchObject({ ok: true });
    expect(target.connections()).toBe(2);
    expect(target.received[0]!.headers.host).toBe(`receiver.test:${target.port}`);
  });

  test.each([
    [
      "an unknown authority",
      goodTls,
      null,
      "receiver.test",
      /^certificate not signed by a trusted authority$/,
    ],
    ["an expired certificate", expiredTls, authority, "receiver.test", /^certificate expired$/],
    ["another name", goodTls, authority, "other.test", /^certificate is not valid for other.test$/],
  ])("refuses %s", async (_what, tls, extraAuthorities, name, words) => {
    const target = await receiver({ tls });
    const result = await sender({ extraAuthorities }).send(post(secure(target.port, name)));
    expect(result).toMatchObject({ ok: false, statusCode: null });
    expect(result.error).toMatch(words);
    expect(target.received).toHaveLength(0);
  });

  test("reports an endpoint without TLS", async () => {
    const { port } = await receiver();
    expect((await sender().send(post(secure(port)))).error).toBe("TLS error (wrong version number)");
  });

  test("fails without TLS if the endpoint requires it", async () => {
    const { port } = await receiver({ tls: goodTls });
    expect((await sender().send(post(`http://127.0.0.1:${port}/`))).ok).toBe(false);
  });
});

describe("a proxy", () => {
  type Seen = { line: string; headers: IncomingHttpHeaders };

  /** Starts a proxy that forwards everything to ports of this machine. */
  async function proxy(refuseWith?: number): Promise<{ url: URL; seen: Seen[] }> {
    const seen: Seen[] = [];
    const server = createServer((request, response) => {
      seen.push({ line: `${request.method} ${request.url}`, headers: request.headers });
      request.resume();
      response.end("from the proxy");
    });
    server.on("connect", (request, socket) => {
      seen.push({ line: `CONNECT ${request.url}`, headers: request.headers });
      if (refuseWith) return socket.end(`HTTP/1.1 ${refuseWith} No\r\n\r\n`);
      const upstream = connect(Number(request.url!.split(":").at(-1)), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [upstream, socket]) end.on("error", () => end.destroy());
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    opened.push({
      close() {
        server.close();
        server.closeAllConnections();
      },
    });
    return { url: new URL(`http://user:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}`), seen };
  }
  const credentials = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;

  test("receives HTTP requests with the whole URL and its own credentials", async () => {
    const { url, seen } = await proxy();
    const result = await sender({ proxy: url }).send(post("http://inside.example:8080/hook?a=1"));
    expect(result).toMatchObject({ ok: true, responseHead: "from the proxy", address: "127.0.0.1" });
    expect(seen[0]).toMatchObject({
      line: "POST http://inside.example:8080/hook?a=1",
      headers: { host: "inside.example:8080", "proxy-authorization": credentials },
    });
  });

  test("tunnels HTTPS, keeps the tunnel, and the endpoint is verified", async () => {
    const { url, seen } = await proxy();
    const { port, received } = await receiver({ tls: goodTls });
    const { send } = sender({ proxy: url, extraAuthorities: authority });
    expect(await send(post(`https://receiver.test:${port}/hook`))).toMatchObject({ ok: true });
    expect(await send(post(`https://receiver.test:${port}/hook`))).toMatchObject({ ok: true });
    expect(seen.map(({ line }) => line)).toEqual([`CONNECT receiver.test:${port}`]);
    expect(seen[0]!.headers["proxy-authorization"]).toBe(credentials);
    expect(received[0]!.headers).not.toHaveProperty("proxy-authorization");
    expect((await send(post(`https://other.test:${port}/hook`))).error).toBe(
      "certificate is not valid for other.test",
    );
  });

  test("that refuses the tunnel is named in the error", async () => {
    const { url } = await proxy(407);
    expect((await sender({ proxy: url }).send(post("https://receiver.test/hook"))).error).toBe(
      "proxy responded with HTTP 407 to CONNECT receiver.test:443",
    );
  });

  test("does not receive requests for refused addresses", async () => {
    const { url, seen } = await proxy();
    const allow = () => ({ allow: [parseIpNetwork("10.0.0.0/8")], deny: [] });
    const refused = [
      await sender({ proxy: url }).send(post("http://169.254.169.254/")),
      await sender({ proxy: url, resolve: async () => ["fe80::1"] }).send(post("https://a.test/")),
      await sender({ proxy: url, policy: allow }).send(post("http://only-the-proxy-knows.example/")),
    ];
    expect(refused.map(({ ok }) => ok)).toEqual([false, false, false]);
    expect(refused[2]!.error).toContain("so webhooks.allow_networks cannot be applied");
    expect(seen).toHaveLength(0);
  });

  test("of another protocol is rejected at the start", () => {
    expect(() => sender({ proxy: new URL("socks5://127.0.0.1:1080") })).toThrow(
      "webhooks.proxy does not support socks5:",
    );
  });

  test("is not taken from the environment", async () => {
    const { url, seen } = await proxy();
    const target = await receiver();
    const secureTarget = await receiver({ tls: goodTls });
    const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    const script = `
      import { createWebhookHttpSender } from "${import.meta.dir}/../../src/webhooks/webhook-http-sender.ts";
      const sender = createWebhookHttpSender({
        policy: () => ({ allow: [], deny: [] }),
        resolve: async () => [],
        extraAuthorities: process.env.AUTHORITY,
        proxy: null,
      });
      const send = (url) => sender.send({ url, headers: {}, body: Buffer.from("{}"), timeoutMs: ${TIMEOUT_MS} });
      console.log(JSON.stringify(await Promise.all(process.env.SEND_TO.split(" ").map(send))));
      process.exit();`;
    const child = Bun.spawn([process.execPath, "-e", script], {
      env: {
        ...process.env,
        ...Object.fromEntries(names.map((name) => [name, url.href])),
        NODE_USE_ENV_PROXY: "1",
        NO_PROXY: "",
        SEND_TO: `${target.url} ${secureTarget.url}`,
        AUTHORITY: authority,
      },
      stdout: "pipe",
    });
    const results = await new Response(child.stdout).json();
    expect(results).toMatchObject([
      { ok: true, responseHead: "ok" },
      { ok: true, responseHead: "ok" },
    ]);
    expect(seen).toHaveLength(0);
  });
});
