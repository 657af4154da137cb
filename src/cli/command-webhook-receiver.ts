import { createHmac, timingSafeEqual } from "node:crypto";

/** A received delivery. `data` is empty if the body is not a webhook envelope. */
export type ReceivedDelivery = { event: string; data: Readonly<Record<string, unknown>>; verified: boolean };

type LocalReceiver = { url: string; stop(): Promise<void> };

/**
 * Starts a webhook endpoint on a free loopback port. It is written from the specification alone, as a partner would
 * write it, and shares no code with the signer. It responds with 401 to a wrong signature.
 */
export function startCommandWebhookReceiver(
  secret: () => string,
  onDelivery: (delivery: ReceivedDelivery) => void,
): LocalReceiver {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    async fetch(request) {
      const body = new Uint8Array(await request.arrayBuffer());
      const verified = isSigned(body, request.headers.get("x-service-signature") ?? "", secret());
      onDelivery({
        event: request.headers.get("x-service-event") ?? "",
        data: dataOf(body),
        verified,
      });
      return new Response(null, { status: verified ? 204 : 401 });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/webhooks`, stop: () => server.stop(true) };
}

function isSigned(body: Uint8Array, signature: string, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function dataOf(body: Uint8Array): ReceivedDelivery["data"] {
  try {
    return JSON.parse(new TextDecoder().decode(body)).data ?? {};
  } catch {
    return {};
  }
}
