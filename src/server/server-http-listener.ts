import { OperatorError } from "../domain/errors.ts";
import type { Fetch } from "../http/http-server.ts";
import type { HoldOpen } from "../http/response-deadline.ts";
import type { TlsIdentity } from "../tls/pem-files.ts";
import { TlsTerminator } from "../tls/tls-terminator.ts";

type ListenOptions = {
  hostname: string;
  port: number;
  idleTimeoutS: number;
  fetch: Fetch;
  /** Called with an error of `fetch`, which is not expected to reject. */
  onFault: (error: Error) => void;
  /** Enables HTTPS. */
  tls?: TlsIdentity | undefined;
};

export type Listener = {
  url: string;
  /** Uses another certificate for new connections. Has no effect without TLS. */
  renewTls(identity: TlsIdentity): void;
  /** Refuses new connections; requests in progress are completed. */
  pause(): void;
  /** Accepts connections again, at the same address. Rejects if the address is in use by now. */
  resume(): Promise<void>;
  /** Refuses new connections. Resolves when the requests in progress are completed, or after `graceMs`. */
  stop(graceMs: number): Promise<void>;
};

/** Disables the runtime's limit, whose error response has no body. Every route has its own limit. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;
const FLUSH_TIMEOUT_MS = 1_000;
/** The runtime looks every 4 seconds for idle connections. With less, it also closes those on which a response is sent. */
const MIN_IDLE_TIMEOUT_S = 5;

/** Listens on an address. Rejects with an OperatorError if the address is in use or unavailable. */
export async function openServerHttpListener(options: ListenOptions): Promise<Listener> {
  const { hostname, port } = options;
  try {
    return options.tls ? await listenTls(options, options.tls) : listenPlain(options);
  } catch (error) {
    throw listenError(error, `${hostname}:${port}`);
  }
}

function listenPlain({ hostname, port, idleTimeoutS, fetch, onFault }: ListenOptions): Listener {
  const serveAt = (port: number) =>
    serve({ hostname, port, idleTimeoutS, onFault }, (request, socket, holdOpen) =>
      fetch(request, socket?.address ?? "unknown", holdOpen),
    );
  let server = serveAt(port);
  const openPort = server.port!;
  /** Paused servers with requests in progress. */
  const closing = new Set<typeof server>();
  return {
    url: `http://${inUrl(hostname)}:${openPort}`,
    renewTls() {},
    pause() {
      const paused = server;
      closing.add(paused);
      void paused.stop(false).then(() => closing.delete(paused));
    },
    async resume() {
      server = serveAt(openPort);
    },
    async stop(graceMs) {
      await Promise.all([...closing, server].map((server) => stop(server, graceMs)));
    },
  };
}

async function listenTls(options: ListenOptions, identity: TlsIdentity): Promise<Listener> {
  const { hostname, port, idleTimeoutS, fetch, onFault } = options;
  const inner = { hostname: "127.0.0.1", port: 0, idleTimeoutS, onFault };
  const server = serve(inner, (request, socket, holdOpen) => {
    const address = socket ? front.clientOf(socket.port) : undefined;
    // A local program tries to bypass TLS.
    if (address === undefined) return new Response(null, { status: 421, headers: { connection: "close" } });
    return fetch(request, address, holdOpen);
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
    async resume() {
      await front.listen(hostname, openPort);
    },
    async stop(graceMs) {
      front.close();
      await stop(server, graceMs);
      await front.end(FLUSH_TIMEOUT_MS);
    },
  };
}

type Handler = (
  request: Request,
  socket: Bun.SocketAddress | null,
  holdOpen: HoldOpen,
) => Promise<Response> | Response;

function serve(
  {
    hostname,
    port,
    idleTimeoutS,
    onFault,
  }: Pick<ListenOptions, "hostname" | "port" | "idleTimeoutS" | "onFault">,
  handle: Handler,
): Bun.Server<undefined> {
  const idleTimeout = Math.max(idleTimeoutS, MIN_IDLE_TIMEOUT_S);
  return Bun.serve({
    hostname,
    port,
    idleTimeout,
    maxRequestBodySize: MAX_BODY_BYTES,
    development: false,
    // By default, a second server could silently share the port.
    reusePort: false,
    fetch: (request, server) =>
      handle(withHost(request), server.requestIP(request), () => {
        server.timeout(request, 0);
        return () => server.timeout(request, idleTimeout);
      }),
    // By default, the runtime prints the error and its stack beside the log.
    error(error) {
      onFault(error);
      return new Response(null, { status: 500 });
    },
  });
}

/**
 * Adds a host to the URL of a request whose URL the runtime sets to the path alone: one of HTTP/1.0 without a host, as
 * health checks send it, or one with an invalid host.
 */
const withHost = (request: Request): Request =>
  request.url.startsWith("/") ? new Request(`http://localhost${request.url}`, request) : request;

async function stop(server: Bun.Server<undefined>, graceMs: number): Promise<void> {
  await Promise.race([server.stop(false), Bun.sleep(graceMs)]);
  // Does not resolve while a handler hangs.
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
