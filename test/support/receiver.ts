import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { TIMEOUT_MS } from "./eventually.ts";
import { recordOutput } from "./secret-record.ts";

/** One request as it was received. */
export type Received = {
  /** `X-Service-Delivery`, or an empty text. */
  id: string;
  /** `X-Service-Event`, or an empty text. */
  event: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Milliseconds of `performance.now()`. */
  atMs: number;
  /** The number of its connection from 1, which shows which connections were used again. */
  connection: number;
};

/** The behavior of the receiver for a request. */
export type Behavior =
  | {
      status: number;
      headers?: Record<string, string>;
      body?: string | Buffer;
      /** Delays the answer by that long, and until the promise resolves. */
      delayMs?: number;
      until?: Promise<void>;
    }
  /** Never answers. */
  | "hang"
  /** Resets the connection. */
  | "reset"
  /** 200 with a body of 1 GB. */
  | "gigabyte"
  /** 200 with 10 KB that unpack to 10 MB. */
  | "gzip-bomb"
  /** 200 at once, then a byte of the body every 20 ms without end. */
  | "drip"
  /** 200 at once, then the connection is closed within the body. */
  | "truncated";

export type ReceiverOptions = {
  /** Called for every request; 200 when not given. `nth` counts the requests of that delivery from 1. */
  behave?: (delivery: Received, nth: number) => Behavior;
  tls?: { key: string; cert: string };
  /** True for a system that receives its own credentials; to a webhook receiver every credential is a leak. */
  knowsSecrets?: boolean;
};

export type Receiver = {
  url: string;
  port: number;
  received: Received[];
  /** Resolves once the predicate holds; rejects after the deadline with what was received. */
  waitFor(predicate: (received: Received[]) => boolean, deadlineMs?: number): Promise<Received[]>;
  /** Changes the behavior from now on. */
  behave(behavior: ReceiverOptions["behave"]): void;
  /** The number of connections accepted so far. */
  connections(): number;
  /** Closes the open connections without an answer. */
  dropConnections(): void;
  close(): Promise<void>;
};

const OK: Behavior = { status: 200, body: "ok" };

/** Starts a receiver on a free loopback port. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  let behave = options.behave ?? (() => OK);
  const received: Received[] = [];
  const sockets = new Map<Socket, number>();
  let accepted = 0;
  const onReceived = new Set<() => void>();

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = request.headers as Record<string, string>;
    const delivery: Received = {
      id: headers["x-service-delivery"] ?? "",
      event: headers["x-service-event"] ?? "",
      path: request.url ?? "",
      headers,
      body: Buffer.concat(chunks),
      atMs: performance.now(),
      connection: sockets.get(request.socket) ?? 0,
    };
    received.push(delivery);
    if (!options.knowsSecrets)
      recordOutput(`${JSON.stringify(headers)} ${delivery.body.toString("latin1", 0, 100_000)}`);
    for (const notify of onReceived) notify();
    const nth = received.filter(({ id }) => id === delivery.id).length;
    answer(response, behave(delivery, nth));
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch(() => response.destroy());
  };
  const server = options.tls ? createTlsServer(options.tls, onRequest) : createServer(onRequest);
  server.keepAliveTimeout = 60_000;
  server.on(options.tls ? "secureConnection" : "connection", (socket: Socket) => {
    sockets.set(socket, ++accepted);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const dropConnections = () => {
    for (const socket of sockets.keys()) socket.destroy();
  };

  return {
    url: `${options.tls ? "https" : "http"}://127.0.0.1:${port}/hook`,
    port,
    received,
    waitFor: (predicate, deadlineMs = TIMEOUT_MS) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!predicate(received)) return;
          stop();
          resolve(received);
        };
        const stop = () => {
          clearTimeout(timer);
          onReceived.delete(check);
        };
        const timer = setTimeout(() => {
          stop();
          const seen = received.map(({ id, event }) => `${event} ${id}`).join("\n  ");
          reject(new Error(`not received within ${deadlineMs} ms; so far:\n  ${seen}`));
        }, deadlineMs);
        onReceived.add(check);
        check();
      }),
    behave: (next) => {
      behave = next ?? (() => OK);
    },
    connections: () => accepted,
    dropConnections,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        dropConnections();
      }),
  };
}

function answer(response: ServerResponse, behavior: Behavior): void {
  const socket = response.socket!;
  if (typeof behavior === "object") {
    const { status, headers = {}, body = "", delayMs = 0, until } = behavior;
    const reply = () => response.writeHead(status, headers).end(body);
    const soon = () => (delayMs > 0 ? setTimeout(reply, delayMs) : reply());
    if (until) void until.then(soon);
    else soon();
  } else if (behavior === "reset") {
    socket.resetAndDestroy();
  } else if (behavior === "gzip-bomb") {
    const packed = gzipSync(Buffer.alloc(10_000_000));
    response.writeHead(200, { "content-encoding": "gzip", "content-length": packed.length }).end(packed);
  } else if (behavior === "gigabyte") {
    response.writeHead(200, { "content-length": 1_000_000_000 });
    const chunk = Buffer.alloc(1 << 20);
    const pour = () => {
      while (!socket.destroyed && response.write(chunk));
    };
    response.on("drain", pour);
    pour();
  } else if (behavior === "drip") {
    response.writeHead(200, { "content-length": 1_000_000 });
    const drops = setInterval(() => response.write("x"), 20);
    socket.on("close", () => clearInterval(drops));
  } else if (behavior === "truncated") {
    response.writeHead(200, { "content-length": 1_000 });
    response.write("begun", () => socket.destroy());
  }
}

/** Verifies a delivery's signatures, computed with WebCrypto. `next` is null when there is no next secret. */
export async function verifySignatures(
  { headers, body }: Pick<Received, "headers" | "body">,
  secret: string,
  nextSecret?: string,
): Promise<{ service: boolean; webhook: boolean; standard: boolean; next: boolean | null }> {
  const hex = await hmac(new TextEncoder().encode(secret), body, "hex");
  const next = headers["x-service-signature-next"];
  const signed = Buffer.concat([
    Buffer.from(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`),
    body,
  ]);
  const given = (headers["webhook-signature"] ?? "").split(" ");
  const secrets = nextSecret === undefined ? [secret] : [secret, nextSecret];
  const expected = await Promise.all(
    secrets.map(
      async (text) =>
        `v1,${await hmac(Buffer.from(text.replace(/^whsec_/, ""), "base64"), signed, "base64")}`,
    ),
  );
  return {
    service: headers["x-service-signature"] === `sha256=${hex}`,
    webhook: headers["x-webhook-signature"] === hex,
    standard: given.length === expected.length && expected.every((signature, i) => given[i] === signature),
    next:
      next === undefined || nextSecret === undefined
        ? null
        : next === `sha256=${await hmac(new TextEncoder().encode(nextSecret), body, "hex")}`,
  };
}

async function hmac(key: Uint8Array, data: Uint8Array, encoding: "hex" | "base64"): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", new Uint8Array(key), algorithm, false, ["sign"]);
  return Buffer.from(await crypto.subtle.sign("HMAC", imported, new Uint8Array(data))).toString(encoding);
}
