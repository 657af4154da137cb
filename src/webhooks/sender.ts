import type { SendRequest, SendResult } from "./attempt.ts";
import { type NetworkSettings, openConnections } from "./connections.ts";
import { exchange } from "./exchange.ts";

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
