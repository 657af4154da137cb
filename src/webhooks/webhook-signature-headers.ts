import { createHmac } from "node:crypto";
import type { Instant } from "../domain/time.ts";

type SignedAttempt = {
  deliveryId: string;
  event: string;
  /** The stored bytes, which are the same for every attempt. */
  body: Uint8Array;
  /** When the attempt starts. */
  at: Instant;
  /** `whsec_` and the base64 of 32 bytes. */
  secret: string;
  /** The secret that becomes active when the overlap of a rotation ends; null without a rotation. */
  nextSecret: string | null;
};

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/**
 * Returns the headers of a delivery, in lower case, with every signature. The two `x-` signatures cover the body and use
 * the UTF-8 bytes of the whole secret text as the key. `webhook-signature` (Standard Webhooks) covers `id.seconds.body`
 * and uses the decoded 32 bytes, with one signature for each valid secret. Throws if a secret is malformed.
 */
export function signedWebhookHeaders(delivery: SignedAttempt): Record<string, string> {
  const { deliveryId, event, body, secret, nextSecret } = delivery;
  const seconds = Math.floor(delivery.at / 1000);
  const standard = (key: Buffer) =>
    `v1,${createHmac("sha256", key).update(`${deliveryId}.${seconds}.`).update(body).digest("base64")}`;
  const hex = bodyDigest(secret, body);
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "user-agent": "Service-Webhook/1.0",
    "x-service-delivery": deliveryId,
    "x-service-event": event,
    "x-service-signature": `sha256=${hex}`,
    "x-webhook-signature": hex,
    "webhook-id": deliveryId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": standard(secretBytes(secret)),
  };
  if (nextSecret !== null) {
    headers["x-service-signature-next"] = `sha256=${bodyDigest(nextSecret, body)}`;
    headers["webhook-signature"] += ` ${standard(secretBytes(nextSecret))}`;
  }
  return headers;
}

function bodyDigest(secret: string, body: Uint8Array): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

function secretBytes(secret: string): Buffer {
  const bytes = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  if (!secret.startsWith(SECRET_PREFIX) || bytes.length !== SECRET_BYTES) {
    throw new Error("the webhook secret is not whsec_ and the base64 of 32 bytes");
  }
  return bytes;
}
