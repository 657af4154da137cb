import { describe, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectSecurely } from "node:tls";
import { makeCertificate } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { PROPERTY } from "../support/portfolio.ts";

const { folder, serve } = useMainstay();
const BODY = JSON.stringify(PROPERTY);

describe.each(["http", "https"] as const)("SIGTERM, over %s,", (scheme) => {
  // Rule: sigterm
  test("finishes requests in progress, refuses new ones, and exits 0 without data loss", async () => {
    const server = await serveBy(scheme, { shutdown_grace_s: 20 });
    const partner = await server.createPartner();
    const request = await begin(server, partner.api_key);
    const stopped = server.stop();
    await eventually(() => expect(connects(server)).resolves.toBe(false));
    request.write(BODY.slice(10));
    expect(await request.answer()).toContain("201 Created");
    expect(await stopped).toBe(0);
    expect(walBytes(server)).toBe(0);
  });

  test("does not wait for idle connections", async () => {
    const server = await serveBy(scheme, { shutdown_grace_s: 600 });
    const idle = await open(server);
    idle.socket.write("GET /health HTTP/1.1\r\nHost: a\r\n\r\n");
    await eventually(() => expect(idle.received()).toContain('"status"'));
    expect(await server.stop()).toBe(0);
  });

  // Rule: sigterm
  test("waits at most the grace period for an endless request", async () => {
    const server = await serveBy(scheme, { shutdown_grace_s: 1 });
    await begin(server, (await server.createPartner()).api_key);
    const startedMs = performance.now();
    expect(await server.stop()).toBe(0);
    expect(performance.now() - startedMs).toBeGreaterThan(900);
  });

  test("a second time interrupts the shutdown", async () => {
    const server = await serveBy(scheme, { shutdown_grace_s: 600 });
    await begin(server, (await server.createPartner()).api_key);
    const stopped = server.stop().catch((error: Error) => error.message);
    await eventually(() => expect(server.log.at(-1)?.msg).toBe("stopping"));
    process.kill(server.pid, "SIGTERM");
    expect(await stopped).toContain("exited with 1");
    expect(server.log.at(-1)).toMatchObject({
      level: "warn",
      msg: "shutdown interrupted",
      signal: "SIGTERM",
    });
  });
});

// Rule: sigterm
test("a stop returns the reserved calls of a partner's daily limit", async () => {
  const server = await serve();
  const partner = await server.createPartner("Acme", "--daily-budget", "100");
  const remaining = async () =>
    (await server.as(partner).get("/v1/ping")).headers.get("x-ratelimit-remaining");
  expect(await remaining()).toBe("99");
  await server.stop();
  await server.start();
  expect(await remaining()).toBe("98");
});

async function serveBy(scheme: "http" | "https", settings: Record<string, number>): Promise<Installation> {
  if (scheme === "http") return await serve({ server: settings });
  const { cert, key } = await makeCertificate(folder(), "server");
  return await serve({ server: { ...settings, tls_cert: cert, tls_key: key } });
}

async function open(
  server: Installation,
): Promise<{ socket: Socket; received: () => string; ended: Promise<void> }> {
  const { protocol, hostname, port } = new URL(server.url);
  let received = "";
  const to = { host: hostname, port: Number(port) };
  const isPlain = protocol === "http:";
  const socket: Socket = isPlain ? connect(to) : connectSecurely({ ...to, rejectUnauthorized: false });
  socket.on("data", (chunk) => {
    received += chunk;
  });
  const ended = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once(isPlain ? "connect" : "secureConnect", () => resolve());
  });
  socket.on("error", () => {});
  return { socket, received: () => received, ended };
}

/** Sends a request without the end of its body, and waits until the server has received it. */
async function begin(server: Installation, apiKey: string) {
  const { socket, received, ended } = await open(server);
  socket.write(
    `POST /v1/properties HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${apiKey}\r\nContent-Type: application/json\r\n` +
      `Expect: 100-continue\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY.slice(0, 10)}`,
  );
  await eventually(() => expect(received()).toContain("100 Continue"));
  return {
    write: (text: string) => socket.write(text),
    answer: async () => {
      await ended;
      return received();
    },
  };
}

async function connects(server: Installation): Promise<boolean> {
  try {
    const { socket } = await open(server);
    socket.destroy();
    return true;
  } catch {
    return false;
  }
}

/** Returns the number of WAL pages that are not checkpointed. */
function walBytes(server: Installation): number {
  const file = join(server.dataDir, "mainstay.db-wal");
  return existsSync(file) ? statSync(file).size : 0;
}
