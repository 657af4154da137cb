import { notFound } from "../../domain/errors.ts";
import { hasSecretRotationEndedRule } from "../../domain/rules/secret-rotation-rule.ts";
import type { Instant } from "../../domain/time.ts";
import { signedWebhookHeaders } from "../../webhooks/webhook-signature-headers.ts";
import type { AdminUseCaseDeps } from "../partners/create-partner-and-credentials.ts";

/** Returns the headers that a delivery would be sent with now, by name. Throws not_found. */
export async function loadSignedDeliveryHeaders(
  { store, encryptor }: AdminUseCaseDeps,
  id: string,
  at: Instant,
): Promise<Record<string, string>> {
  const found = await store.read.deliveryLog.find(id);
  const endpoint = found && (await store.read.partners.findEndpoint(found.delivery.partnerId));
  if (!found || !endpoint) throw notFound("Delivery not found");
  const isOver = hasSecretRotationEndedRule(endpoint, at);
  const secret = await encryptor.decrypt((isOver && endpoint.nextSecret) || endpoint.secret);
  const nextSecret =
    isOver || endpoint.nextSecret === null ? null : await encryptor.decrypt(endpoint.nextSecret);
  const { event, body } = found.delivery;
  return signedWebhookHeaders({ deliveryId: id, event, body: Buffer.from(body), at, secret, nextSecret });
}
