import {
  serializeWebhookEvent,
  serializeWebhookTestMessage,
} from "../../api-schemas/webhook-payload-schema.ts";
import { deliveryIdAt } from "../../domain/ids/record-ids.ts";
import type { Partner } from "../../domain/partner.ts";
import type { Instant } from "../../domain/time.ts";
import { newWebhookSecret } from "../../secrets/credentials.ts";
import type { SendResult } from "../../webhooks/attempt-webhook-delivery.ts";
import type { HttpSender } from "../../webhooks/webhook-http-sender.ts";
import { signedWebhookHeaders } from "../../webhooks/webhook-signature-headers.ts";
import type { AdminUseCaseDeps } from "../partners/create-partner-and-credentials.ts";

/**
 * `accepts`: the endpoint accepted a wrong signature, so it does not verify. `verifies`: it answered 401 or 403.
 * `unclear`: it refused with another status, not necessarily for the signature. `unreachable`: no response.
 */
type Verdict = "accepts" | "verifies" | "unclear" | "unreachable";

export type SignatureCheck = { partner: Partner; url: string; verdict: Verdict } & Pick<
  SendResult,
  "statusCode" | "error" | "durationMs"
>;

type ProbeDeps = {
  administration: AdminUseCaseDeps;
  send: HttpSender["send"];
  clock: () => Instant;
  timeoutMs: number;
};

const MESSAGE =
  "This delivery is deliberately signed with a wrong secret: an endpoint that verifies signatures answers 401.";
const AT_ONCE = 8;

/** Sends a delivery with wrong signatures to each partner's endpoint. Partners without one are left out. */
export async function probePartnerSignatureVerification(
  deps: ProbeDeps,
  partners: readonly Partner[],
): Promise<SignatureCheck[]> {
  const probed: SignatureCheck[] = [];
  for (let i = 0; i < partners.length; i += AT_ONCE) {
    const group = partners.slice(i, i + AT_ONCE).map((partner) => probe(deps, partner));
    for (const result of await Promise.all(group)) if (result) probed.push(result);
  }
  return probed;
}

async function probe(deps: ProbeDeps, partner: Partner): Promise<SignatureCheck | undefined> {
  const { administration, send, clock, timeoutMs } = deps;
  const { store, random, actor } = administration;
  const url = (await store.read.partners.findEndpoint(partner.id))?.url;
  if (!url) return undefined;
  const at = clock();
  const message = serializeWebhookTestMessage(MESSAGE, "signature probe");
  const body = Buffer.from(serializeWebhookEvent(message, partner, at));
  const deliveryId = deliveryIdAt(at, new DataView(random(new Uint8Array(4)).buffer).getUint32(0));
  // A random secret: every signature has the right form and is wrong.
  const secret = newWebhookSecret(random);
  const headers = signedWebhookHeaders({
    deliveryId,
    event: message.event,
    body,
    at,
    secret,
    nextSecret: null,
  });
  const { statusCode, error, durationMs } = await send({ url, headers, body, timeoutMs });
  const verdict = verdictOf(statusCode);
  await store.write(
    (tx) =>
      tx.audit.record({
        at: tx.now,
        actor,
        action: "partner.probe_webhook",
        subject: partner.id,
        detail: { verdict, status_code: statusCode },
      }),
    { partnerId: partner.id },
  );
  return { partner, url, verdict, statusCode, error, durationMs };
}

function verdictOf(statusCode: number | null): Verdict {
  if (statusCode === null) return "unreachable";
  if (statusCode >= 200 && statusCode < 300) return "accepts";
  return statusCode === 401 || statusCode === 403 ? "verifies" : "unclear";
}
