import { notFound } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import { signedHeaders } from "../../webhooks/sign.ts";
import { hasTakenOver } from "../partners/administer-partner.ts";
import type { Administration } from "../partners/partners.ts";

/** Returns the headers that a delivery would be sent with now, by name. Throws not_found. */
export async function deliveryHeaders(
  { store, encryptor }: Administration,
  id: string,
  at: Instant,
): Promise<Record<string, string>> {
  const found = await store.read.deliveryLog.find(id);
  const receiver = found && (await store.read.partners.findReceiver(found.delivery.partnerId));
  if (!found || !receiver) throw notFound("Delivery not found");
  const isOver = hasTakenOver(receiver, at);
  const secret = await encryptor.decrypt((isOver && receiver.nextSecret) || receiver.secret);
  const nextSecret =
    isOver || receiver.nextSecret === null ? null : await encryptor.decrypt(receiver.nextSecret);
  const { event, body } = found.delivery;
  return signedHeaders({ deliveryId: id, event, body: Buffer.from(body), at, secret, nextSecret });
}
