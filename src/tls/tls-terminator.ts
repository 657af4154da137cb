import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import tls from "node:tls";
import type { TlsIdentity } from "./pem-files.ts";

const LOOPBACK = "127.0.0.1";
const HANDSHAKE_MS = 10_000;

/**
 * Terminates TLS in front of a plain HTTP server on the loopback interface. The runtime's HTTP server cannot replace its
 * certificate without a restart, which resets open connections. Here, new handshakes use the new certificate and open
 * connections continue.
 */
export class TlsTerminator {
  readonly #server: tls.Server;
  readonly #clients = new Set<Socket>();
  /** The clients' addresses, by the local port of the forwarding connection. */
  readonly #addresses = new Map<number, string>();

  constructor(
    identity: TlsIdentity,
    private readonly innerPort: number,
  ) {
    const { cert, key } = identity;
    this.#server = tls.createServer(
      { cert, key, ALPNProtocols: ["http/1.1"], handshakeTimeout: HANDSHAKE_MS, noDelay: true },
      (client) => this.#forward(client),
    );
    // Failed handshakes are not logged: scanners and plain HTTP would fill the log.
    this.#server.on("tlsClientError", (_error, socket) => socket.destroy());
    // Without a listener, an error while no address is waited for would end the process.
    this.#server.on("error", () => {});
  }

  /** Resolves with the port. Rejects with the operating system's error. */
  async listen(host: string, port: number): Promise<number> {
    // Leaves no listener behind: the port is closed and opened again each time that file descriptors run out.
    const listening = once(this.#server, "listening");
    this.#server.listen(port, host);
    await listening;
    return (this.#server.address() as AddressInfo).port;
  }

  /** Returns the client of a connection to the inner server; undefined for a connection from elsewhere. */
  clientOf(innerPort: number): string | undefined {
    return this.#addresses.get(innerPort);
  }

  /** Uses another certificate for new handshakes. */
  renew({ cert, key }: TlsIdentity): void {
    this.#server.setSecureContext({ cert, key });
  }

  /** Refuses new connections. */
  close(): void {
    this.#server.close();
  }

  /** Resolves when all clients have received their data, or after `withinMs`. */
  async end(withinMs: number): Promise<void> {
    const ended = [...this.#clients].map((client) => new Promise((resolve) => client.once("close", resolve)));
    await Promise.race([Promise.all(ended), Bun.sleep(withinMs)]);
    for (const client of this.#clients) client.destroy();
  }

  #forward(client: tls.TLSSocket): void {
    const address = client.remoteAddress ?? "unknown";
    const inner = connect({ host: LOOPBACK, port: this.innerPort, noDelay: true });
    this.#clients.add(client);
    let port: number | undefined;
    inner.once("connect", () => {
      port = inner.localPort!;
      this.#addresses.set(port, address);
      client.pipe(inner);
      inner.pipe(client);
    });
    inner.on("error", () => client.destroy());
    client.on("error", () => inner.destroy());
    client.once("close", () => {
      this.#clients.delete(client);
      inner.destroy();
    });
    inner.once("close", () => {
      if (port !== undefined) this.#addresses.delete(port);
      client.destroySoon();
    });
  }
}
