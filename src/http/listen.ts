import { OperatorError } from "../domain/errors.ts";
import type { TlsIdentity } from "../tls/pem-files.ts";
import type { Fetch } from "./server.ts";
import { TlsTerminator } from "./tls-terminator.ts";

export type ListenOptions = {
  hostname: string;
  port: number;
  idleTimeoutS: number;
  fetch: Fetch;
  /** Serves HTTPS when given. */
  tls?: TlsIdentity | undefined;
};

export type Listener = {
  url: string;
  /** Shows another certificate from the next handshake on; nobody is disconnected. Nothing without TLS. */
  renewTls(identity: TlsIdentity): void;
  /** Takes no new connections for a while: a client is told so at once, what is under way is answered. */
  pause(): void;
  /** Takes connections again, at the same address; throws when it is taken meanwhile. */
  resume(): void;
  /** Refuses new connections and resolves when the requests under way are answered, or after the grace. */
  stop(graceMs: number): Promise<void>;
};

/** No limit of the runtime's, whose refusal has no body: every route refuses what is too large before it reads it. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;
const FLUSH_TIMEOUT_MS = 1_000;

/** Listens on an address. Rejects with an OperatorError when it is taken or not ours to take. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { hostname, port } = options;
  try {
    return options.tls ? await listenTls(options, options.tls) : listenPlain(options);
  } catch (error) {
    throw listenError(error, `${hostname}:${port}`);
  }
}

function listenPlain({ hostname, port, idleTimeoutS, fetch }: ListenOptions): Listener {
  const serveAt = (port: number) =>
    serve({ hostname, port, idleTimeoutS }, (request, socket) =>
      fetch(request, socket?.address ?? "unknown"),
    );
  let server = serveAt(port);
  const openPort = server.port!;
  /** Those that were closed answer what they have taken. */
  const closed = new Set<typeof server>();
  return {
    url: `http://${inUrl(hostname)}:${openPort}`,
    renewTls() {},
    pause() {
      const closing = server;
      closed.add(closing);
      void closing.stop(false).then(() => closed.delete(closing));
    },
    resume() {
      server = serveAt(openPort);
    },
    async stop(graceMs) {
      await Promise.all([...closed, server].map((one) => stop(one, graceMs)));
    },
  };
}

async function listenTls(options: ListenOptions, identity: TlsIdentity): Promise<Listener> {
  const { hostname, port, idleTimeoutS, fetch } = options;
  const server = serve({ hostname: "127.0.0.1", port: 0, idleTimeoutS }, (request, socket) => {
    const address = socket ? front.clientOf(socket.port) : undefined;
    // Another program of this machine, that would go round TLS.
    if (address === undefined) return new Response(null, { status: 421, headers: { connection: "close" } });
    return fetch(request, address);
  });
  const front = new TlsTerminator(identity, server.port!);
  let openPort: number;
  try {
    openPort = await front.listen(hostname, port);
  } catch (error) {
    void server.stop(true);
    throw error;
  }
  return {
    url: `https://${inUrl(hostname)}:${openPort}`,
    renewTls: (renewed) => front.renew(renewed),
    pause: () => front.close(),
    // A port that is taken meanwhile shows itself as an error of the next look, not here.
    resume: () => void front.listen(hostname, openPort).catch(() => {}),
    async stop(graceMs) {
      front.close();
      await stop(server, graceMs);
      await front.end(FLUSH_TIMEOUT_MS);
    },
  };
}

type Handler = (request: Request, socket: Bun.SocketAddress | null) => Promise<Response> | Response;

function serve(
  address: { hostname: string; port: number; idleTimeoutS: number },
  handle: Handler,
): Bun.Server<undefined> {
  return Bun.serve({
    hostname: address.hostname,
    port: address.port,
    idleTimeout: address.idleTimeoutS,
    maxRequestBodySize: MAX_BODY_BYTES,
    development: false,
    // The runtime's default in production: a second server would take part of the requests without a word.
    reusePort: false,
    fetch: (request, server) => handle(withHost(request), server.requestIP(request)),
  });
}

/** HTTP/1.0 knows requests without a Host, as health checks send them: the runtime gives those a path for their URL. */
const withHost = (request: Request): Request =>
  request.url.startsWith("/") ? new Request(`http://localhost${request.url}`, request) : request;

async function stop(server: Bun.Server<undefined>, graceMs: number): Promise<void> {
  await Promise.race([server.stop(false), Bun.sleep(graceMs)]);
  // Not awaited for long: it does not resolve while a handler hangs.
  await Promise.race([server.stop(true), Bun.sleep(100)]);
}

function inUrl(hostname: string): string {
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}

function listenError(error: unknown, address: string): OperatorError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return new OperatorError(
      `the address ${address} is in use by another program`,
      "Stop that program, or choose another port with --port, server.port or admin.listen (0 takes a free one).",
    );
  return new OperatorError(
    `the address ${address} cannot be listened on (${code ?? String(error)})`,
    "Check server.host and admin.listen: the address must be one of this machine's, and ports below 1024 need a privilege.",
  );
}
