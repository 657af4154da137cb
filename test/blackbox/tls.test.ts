import { beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import https from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { type CertificateFiles, FIXTURE_TLS, makeCertificate } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";

const { folder, install, serve } = useMainstay();
let first: CertificateFiles;
let second: CertificateFiles;
let foreign: CertificateFiles;
beforeAll(async () => {
  const at = folder();
  [first, second, foreign] = await Promise.all([
    makeCertificate(at, "first"),
    makeCertificate(at, "second"),
    makeCertificate(at, "foreign"),
  ]);
});

describe("with a certificate", () => {
  // Rule: tls
  test("HTTPS is served, and the client's address is known behind it", async () => {
    const { server } = await serveSecurely(first, { limits: { per_ip_per_minute: 2 } });
    expect(server.url).toStartWith("https://127.0.0.1:");
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await ask(server, first, { path: "/unknown" }));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 429]);
    const health = await ask(server, first);
    expect(health).toMatchObject({ certificate: "first", body: { status: "ok" } });
    expect(await server.stop()).toBe(0);
  });

  // Rule: out-of-descriptors
  test("out of file descriptors it rejects new connections, and serves again once some are free", async () => {
    const { server } = await serveSecurely(first);
    const limit = readdirSync(`/proc/${server.pid}/fd`).length + 48;
    const set = Bun.spawnSync(["prlimit", `--pid=${server.pid}`, `--nofile=${limit}:${limit}`]);
    expect(set.exitCode).toBe(0);
    const { hostname, port } = new URL(server.url);
    const open = () => connect(Number(port), hostname).on("error", () => {});
    const sockets = Array.from({ length: 100 }, open);
    // A job of the schedule may need a descriptor meanwhile.
    server.expectFault(/EMFILE.*job failed/);
    await server.logged(({ msg }) => msg === "out of file descriptors: refusing new connections");
    const refused = await new Promise<NodeJS.ErrnoException>((resolve) => open().once("error", resolve));
    expect(refused.code).toBe("ECONNREFUSED");
    for (const socket of sockets) socket.destroy();
    await server.logged(({ msg }) => msg === "file descriptors are available again: accepting connections");
    expect(await ask(server, first)).toMatchObject({ status: 200, certificate: "first" });
  });

  test("administrators elsewhere are served with it", async () => {
    const { server } = await serveSecurely(first, { admin: { listen: "0.0.0.0:0" } });
    expect(server.adminUrl).toStartWith("https://");
  });

  describe("on a server shared by the tests", () => {
    let server: Installation;
    beforeAll(async () => {
      ({ server } = await serveSecurely(first));
    });

    test("administrators on this machine are served without TLS", async () => {
      expect(server.adminUrl).toStartWith("http://127.0.0.1:");
    });

    test("plain HTTP gets no response, and the next client is served", async () => {
      expect(await requestWithoutTls(server)).not.toContain("HTTP/1.1 200");
      expect((await ask(server, first)).status).toBe(200);
    });

    test("a body of megabytes arrives complete, and so does its response", async () => {
      const partner = await server.createPartner();
      const notes = "n".repeat(9_000);
      const event = { appliance_id: "A_1", event_type: "Repair", date: "2020-01-01", notes };
      const { status, body } = await ask(server, first, {
        method: "POST",
        path: "/v1/service-events/bulk",
        headers: { "x-api-key": partner.api_key, "content-type": "application/json" },
        body: JSON.stringify({ events: Array(300).fill(event) }),
      });
      expect(status).toBe(201);
      expect(body.errors).toBe(300);
    });
  });
});

describe("on SIGHUP", () => {
  // Rule: tls-renewal
  test("a renewed certificate is shown without dropping a request", async () => {
    const { server, files } = await serveSecurely(first);
    const trusted = [readFileSync(first.cert), readFileSync(second.cert)];
    const load = startLoad(server, trusted);
    for (const next of [second, first, second]) {
      const before = load.answered();
      await eventually(() => expect(load.answered()).toBeGreaterThan(before + 100));
      replaceFiles(next, files);
      const name = next === first ? "first" : "second";
      const renewals = () => server.log.filter(({ msg }) => msg === "certificate renewed").length;
      const known = renewals();
      process.kill(server.pid, "SIGHUP");
      await eventually(() => expect(renewals()).toBe(known + 1));
      await eventually(async () => expect((await ask(server, next)).certificate).toBe(name));
    }
    const { failures, certificates } = await load.stop();
    expect(failures).toEqual([]);
    expect([...certificates].sort()).toEqual(["first", "second"]);
  });

  test("a certificate that cannot be used is logged, and the old one stays", async () => {
    const { server, files } = await serveSecurely(first);
    server.expectFault(/certificate not reloaded/);
    copyFileSync(foreign.cert, files.cert);
    process.kill(server.pid, "SIGHUP");
    const fault = await server.logged(({ msg }) => msg.startsWith("certificate not reloaded"));
    expect(fault.reason).toContain(files.key);
    expect(await ask(server, first)).toMatchObject({ status: 200, certificate: "first" });
  });

  test("a server without TLS keeps running", async () => {
    const server = await serve();
    process.kill(server.pid, "SIGHUP");
    await eventually(() => expect(server.log.map(({ msg }) => msg).join()).toContain("not set"));
    await server.anonymous.get("/health");
    expect(await server.stop()).toBe(0);
  });
});

describe("the start", () => {
  const junk = () => {
    const file = join(folder(), "junk.pem");
    writeFileSync(file, "no PEM");
    return file;
  };
  test.each([
    [
      "a certificate that is missing",
      () => ({ cert: "/nowhere/a.crt", key: first.key }),
      /tls_cert: file not found: \/nowhere\/a\.crt/,
    ],
    [
      "a key that is missing",
      () => ({ cert: first.cert, key: "/nowhere/a.key" }),
      /tls_key: file not found: \/nowhere\/a\.key/,
    ],
    [
      "a certificate that is no PEM",
      () => ({ cert: junk(), key: first.key }),
      /tls_cert: .*junk\.pem does not contain a PEM certificate/,
    ],
    [
      "a key that is no PEM",
      () => ({ cert: first.cert, key: junk() }),
      /tls_key: .*junk\.pem does not contain an unencrypted PEM private key/,
    ],
    [
      "the two in each other's place",
      () => ({ cert: first.key, key: first.cert }),
      /tls_cert: .*first\.key does not contain a PEM certificate/,
    ],
    [
      "a key of another certificate",
      () => ({ cert: first.cert, key: second.key }),
      /second\.key does not belong to the certificate in .*first\.crt/,
    ],
  ])("refuses %s", async (_what, files, expected) => {
    const { cert, key } = files();
    const installation = install({ server: { tls_cert: cert, tls_key: key } });
    const { code, stderr } = await installation.run("serve", "--port", "0");
    expect(stderr).toMatch(expected);
    expect(code).toBe(1);
  });

  test("continues with a certificate that has expired, and warns", async () => {
    const { server } = await serveSecurely({ cert: FIXTURE_TLS.expired, key: FIXTURE_TLS.key });
    const line = await server.logged(({ msg }) => msg.includes("expired"));
    expect(line.level).toBe("warn");
    expect(line.days_left).toBeLessThan(0);
  });
});

/** A server whose certificate files are copies of those given, to be overwritten. */
async function serveSecurely(given: CertificateFiles, settings: Parameters<typeof serve>[0] = {}) {
  const at = folder();
  const files = { cert: join(at, "tls.crt"), key: join(at, "tls.key") };
  replaceFiles(given, files);
  const server = await serve({ ...settings, server: { tls_cert: files.cert, tls_key: files.key } });
  return { server, files };
}

function replaceFiles(from: CertificateFiles, to: CertificateFiles): void {
  copyFileSync(from.cert, to.cert);
  copyFileSync(from.key, to.key);
}

type Asked = { method?: string; path?: string; headers?: Record<string, string>; body?: string };
type Answer = { status: number; certificate: string; body: ReturnType<typeof JSON.parse> };

function ask(server: Installation, { cert }: CertificateFiles, asked: Asked = {}): Promise<Answer> {
  return exchange(server, new https.Agent({ ca: readFileSync(cert), keepAlive: false }), asked);
}

function exchange(
  server: Installation,
  agent: https.Agent,
  { method = "GET", path = "/health", headers = {}, body }: Asked = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = https.request(`${server.url}${path}`, { agent, method, headers }, async (response) => {
      const certificate = (response.socket as TLSSocket).getPeerCertificate().subject.CN;
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) chunks.push(chunk as Buffer);
        resolve({
          status: response.statusCode!,
          certificate: String(certificate),
          body: JSON.parse(Buffer.concat(chunks).toString()),
        });
      } catch (error) {
        reject(error);
      }
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** Asks without a break: over connections that are kept, and over a new one for each request. */
function startLoad(server: Installation, ca: Buffer[]) {
  let answered = 0;
  let isOver = false;
  const failures: string[] = [];
  const certificates = new Set<string>();
  const worker = async (keepAlive: boolean) => {
    const agent = new https.Agent({ ca, keepAlive, maxSockets: 1 });
    while (!isOver) {
      try {
        const { status, certificate } = await exchange(server, agent, { path: "/v1/auth/methods" });
        if (status !== 200) failures.push(`answered ${status}`);
        certificates.add(certificate);
      } catch (error) {
        failures.push(String(error));
      }
      answered++;
    }
    agent.destroy();
  };
  const workers = [true, false, true, false, true, false].map(worker);
  return {
    answered: () => answered,
    async stop() {
      isOver = true;
      await Promise.all(workers);
      return { failures, certificates };
    },
  };
}

/**
 * Returns everything that the server sends in response to an HTTP request without TLS, until the connection ends.
 */
function requestWithoutTls(server: Installation): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write("GET /health HTTP/1.1\r\nHost: a\r\n\r\n"),
    );
    let response = "";
    socket.on("data", (chunk) => (response += chunk));
    socket.on("error", () => {});
    socket.on("close", () => resolve(response));
  });
}
