import type { Instant } from "../domain/time.ts";
import { nextAttemptAt } from "./retry-schedule.ts";
import { signedHeaders } from "./sign.ts";

/** A pending delivery. `body` is the stored text, sent as UTF-8; `attempts` counts those used up in this cycle. */
export type PendingDelivery = {
  id: string;
  partnerId: string;
  event: string;
  body: string;
  /** Deliveries of one partner with the same key go out in creation order, each after the one before is settled. */
  orderKey: string | null;
  attempts: number;
  /** Of the partner's call that it goes back to, for the log; null when none. */
  requestId: string | null;
};

/** A partner's receiver; `nextSecret` while a rotation overlaps, else null. */
export type Endpoint = { url: string; secret: string; nextSecret: string | null };

/** What an attempt asks of the network. */
export type SendRequest = {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
  /** For the whole exchange: lookup, connection, headers and body of the answer. */
  timeoutMs: number;
};

/** What came of it. */
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

/** One attempt, for the delivery log, and what becomes of its delivery. */
export type AttemptResult = {
  deliveryId: string;
  partnerId: string;
  /** 1 to 3 within the cycle. A failed probe uses none up: the next attempt has the same number. */
  attempt: number;
  isProbe: boolean;
  startedAt: Instant;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  /** The answer's first KiB as text. */
  responseHead: string;
  address: string | null;
  outcome: "delivered" | "retry" | "failed";
  /** When the delivery is due again, for "retry"; else null. */
  nextAttemptAt: Instant | null;
  /** Of the lane that it was made in, where several servers send. */
  epoch?: number;
};

export type AttemptOptions = {
  send: (request: SendRequest) => Promise<SendResult>;
  clock: () => Instant;
  timeoutMs: number;
  /** The receiver is paused: a failure leaves the delivery pending, however many attempts it has had. */
  isProbe: boolean;
};

/** Signs the delivery for this moment, sends it once, and says what becomes of it. */
export async function attemptDelivery(
  job: PendingDelivery,
  { url, secret, nextSecret }: Endpoint,
  { send, clock, timeoutMs, isProbe }: AttemptOptions,
): Promise<AttemptResult> {
  const startedAt = clock();
  const body = Buffer.from(job.body);
  const headers = signedHeaders({
    deliveryId: job.id,
    event: job.event,
    body,
    at: startedAt,
    secret,
    nextSecret,
  });
  const { ok, ...sent } = await send({ url, headers, body, timeoutMs });
  const attempt = job.attempts + 1;
  const retryAt = isProbe ? startedAt + sent.durationMs : nextAttemptAt(attempt, startedAt, sent.durationMs);
  const outcome = ok ? "delivered" : retryAt === null ? "failed" : "retry";
  return {
    deliveryId: job.id,
    partnerId: job.partnerId,
    attempt,
    isProbe,
    startedAt,
    ...sent,
    outcome,
    nextAttemptAt: ok ? null : retryAt,
  };
}
