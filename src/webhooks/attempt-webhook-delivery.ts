import type { Instant } from "../domain/time.ts";
import { nextWebhookAttemptAt } from "./webhook-retry-schedule.ts";
import { signedWebhookHeaders } from "./webhook-signature-headers.ts";

export type PendingDelivery = {
  id: string;
  partnerId: string;
  event: string;
  /** The stored text, sent as UTF-8. */
  body: string;
  /** Deliveries of a partner with the same key are sent in creation order, each after the previous one is settled. */
  orderKey: string | null;
  /** The number of attempts made in the current retry cycle. */
  attempts: number;
  /** The ID of the API request that caused the delivery, for the log. */
  requestId: string | null;
};

/** A partner's webhook endpoint. `nextSecret` is null except while the secrets of a rotation overlap. */
export type AttemptEndpoint = { url: string; secret: string; nextSecret: string | null };

export type SendRequest = {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
  /** For the whole exchange: lookup, connection, request, and response with its body. */
  timeoutMs: number;
};

export type SendResult = {
  /** The response has a 2xx status and is complete, or longer than 64 KiB, of which the rest is not read. */
  ok: boolean;
  /** Null if there was no response. */
  statusCode: number | null;
  /** The cause of a failure for the delivery log; null if ok. */
  error: string | null;
  /** The first KiB of the response body as text. */
  responseHead: string;
  durationMs: number;
  /** The numeric address of the endpoint or proxy that was connected to; null if none was. */
  address: string | null;
};

/** One attempt, for the delivery log, with the new state of its delivery. */
export type AttemptResult = {
  deliveryId: string;
  partnerId: string;
  /** 1 to 3 within the cycle. A failed probe does not count: the next attempt has the same number. */
  attempt: number;
  isProbe: boolean;
  startedAt: Instant;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  /** The first KiB of the response body as text. */
  responseHead: string;
  address: string | null;
  outcome: "delivered" | "retry" | "failed";
  /** When the delivery is due again if the outcome is "retry", else null. */
  nextAttemptAt: Instant | null;
  /** The epoch of the lease under which the attempt was made, if several servers send. */
  epoch?: number;
};

type AttemptOptions = {
  send: (request: SendRequest) => Promise<SendResult>;
  clock: () => Instant;
  timeoutMs: number;
  /** The endpoint is paused: after a failure the delivery stays pending, whatever the number of its attempts. */
  isProbe: boolean;
};

/** Signs and sends the delivery once. Returns the attempt with the new state of its delivery. */
export async function attemptWebhookDelivery(
  delivery: PendingDelivery,
  { url, secret, nextSecret }: AttemptEndpoint,
  { send, clock, timeoutMs, isProbe }: AttemptOptions,
): Promise<AttemptResult> {
  const startedAt = clock();
  const body = Buffer.from(delivery.body);
  const headers = signedWebhookHeaders({
    deliveryId: delivery.id,
    event: delivery.event,
    body,
    at: startedAt,
    secret,
    nextSecret,
  });
  const { ok, ...sent } = await send({ url, headers, body, timeoutMs });
  const attempt = delivery.attempts + 1;
  const retryAt = isProbe
    ? startedAt + sent.durationMs
    : nextWebhookAttemptAt(attempt, startedAt, sent.durationMs);
  const outcome = ok ? "delivered" : retryAt === null ? "failed" : "retry";
  return {
    deliveryId: delivery.id,
    partnerId: delivery.partnerId,
    attempt,
    isProbe,
    startedAt,
    ...sent,
    outcome,
    nextAttemptAt: ok ? null : retryAt,
  };
}
