/** The result of a load. Latencies in milliseconds. */
export type Load = {
  requests: number;
  perSecond: number;
  p50: number;
  p99: number;
  max: number;
  failures: number;
};

export type LoadOptions = {
  url: string;
  clients: number;
  durationMs: number;
  /** The next request of a client: method, path, headers and body. */
  next: (
    client: number,
    n: number,
  ) => { method: string; path: string; headers?: Record<string, string>; body?: string };
};

/**
 * Keeps `clients` connections busy for a while, each with one request at a time. Written on sockets, since an HTTP
 * client of the same language costs more than the server that it measures.
 */
export async function load({ url, clients, durationMs, next }: LoadOptions): Promise<Load> {
  const { hostname, port } = new URL(url);
  const latencies: number[] = [];
  let failures = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  const run = (client: number) =>
    new Promise<void>((resolve, reject) => {
      let n = 0;
      let sentAt = 0;
      let pending = "";
      const send = (socket: { write(text: string): number; end(): void }) => {
        if (performance.now() >= endsAt) return socket.end();
        const { method, path, headers = {}, body = "" } = next(client, n++);
        let head = `${method} ${path} HTTP/1.1\r\nhost: ${hostname}\r\n`;
        for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
        if (body !== "")
          head += `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
        sentAt = performance.now();
        socket.write(`${head}\r\n${body}`);
      };
      void Bun.connect({
        hostname,
        port: Number(port),
        socket: {
          open: (socket) => send(socket),
          data(socket, bytes) {
            pending += bytes.toString("latin1");
            const end = pending.indexOf("\r\n\r\n");
            if (end < 0) return;
            const length = /content-length: (\d+)/i.exec(pending.slice(0, end))?.[1] ?? "0";
            if (pending.length < end + 4 + Number(length)) return;
            latencies.push(performance.now() - sentAt);
            if (pending[9] !== "2" && pending[9] !== "3") failures++;
            pending = "";
            send(socket);
          },
          close: () => resolve(),
          error: (_, error) => reject(error),
        },
      }).catch(reject);
    });
  await Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
  const seconds = (performance.now() - startedAt) / 1000;
  const sorted = latencies.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    requests: sorted.length,
    perSecond: sorted.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    max: sorted.at(-1) ?? 0,
    failures,
  };
}

export const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
