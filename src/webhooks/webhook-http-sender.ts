import type { SendRequest, SendResult } from "./attempt-webhook-delivery.ts";
import { type NetworkSettings, openWebhookConnections } from "./webhook-connections.ts";
import { exchangeWebhookHttp } from "./webhook-http-exchange.ts";

export type HttpSender = {
  /** Sends one POST request. Never rejects; resolves within `timeoutMs`. */
  send(request: SendRequest): Promise<SendResult>;
  /** Closes idle connections. */
  close(): void;
};

/** Creates a sender with its own connection pool. It does not follow redirects or decompress responses. */
export function createWebhookHttpSender(settings: NetworkSettings): HttpSender {
  const { pooled, single, close } = openWebhookConnections(settings);
  return {
    async send(request) {
      const startedMs = performance.now();
      const elapsed = () => performance.now() - startedMs;
      let exchanged = await exchangeWebhookHttp(request, request.timeoutMs, settings, pooled);
      if (exchanged.isStale) {
        exchanged = await exchangeWebhookHttp(request, request.timeoutMs - elapsed(), settings, single);
      }
      const { isStale: _, ...result } = exchanged;
      return { ...result, ok: result.error === null, durationMs: Math.round(elapsed()) };
    },
    close,
  };
}
