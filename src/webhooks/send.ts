import { type NetworkSettings, openConnections } from "./connections.ts";
import { exchange } from "./exchange.ts";

export type SendRequest = {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
  /** For the whole exchange: lookup, connection, headers and body of the answer. */
  timeoutMs: number;
};

/** How one attempt went. */
export type SendResult = {
  /** A 2xx whose answer came in whole, or longer than anyone needs to read (64 KiB). */
  ok: boolean;
  /** Null when no answer began. */
  statusCode: number | null;
  /** Why it is a failure, in words for the delivery log; null when ok. */
  error: string | null;
  /** The answer's first KiB as text. */
  responseHead: string;
  durationMs: number;
  /** The numeric address that was connected to, the receiver's or the proxy's; null when none was. */
  address: string | null;
};

export type Sender = {
  /** Makes one attempt by POST. Never rejects; settles within the time given. */
  send(request: SendRequest): Promise<SendResult>;
  /** Closes the connections that were kept for later. */
  close(): void;
};

/** A sender with its own pool of connections. Redirects are not followed and answers are not decompressed. */
export function createSender(settings: NetworkSettings): Sender {
  const { pooled, single, close } = openConnections(settings);
  return {
    async send(request) {
      const startedMs = performance.now();
      const elapsed = () => performance.now() - startedMs;
      let exchanged = await exchange(request, request.timeoutMs, settings, pooled);
      if (exchanged.isStale) {
        exchanged = await exchange(request, request.timeoutMs - elapsed(), settings, single);
      }
      const { isStale: _, ...result } = exchanged;
      return { ...result, ok: result.error === null, durationMs: Math.round(elapsed()) };
    },
    close,
  };
}
