import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { signedWebhookHeaders } from "../../src/webhooks/webhook-signature-headers.ts";
import { verifySignatures } from "../support/receiver.ts";

const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => `whsec_${bytes.toBase64()}`);
const bodies = fc.uint8Array({ maxLength: 2_000 });
const example = {
  deliveryId: "WH_1760000000000_abcde",
  event: "component.critical",
  body: Buffer.from('{"event":"component.critical"}'),
  at: 1_760_000_000_999,
  secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
  nextSecret: null,
};

describe("signedHeaders", () => {
  // Rule: delivery-form
  test("contains the delivery, the event and the second of the attempt", () => {
    expect(signedWebhookHeaders(example)).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Service-Webhook/1.0",
      "x-service-delivery": "WH_1760000000000_abcde",
      "x-service-event": "component.critical",
      "webhook-id": "WH_1760000000000_abcde",
      "webhook-timestamp": "1760000000",
    });
    expect(signedWebhookHeaders(example)).not.toHaveProperty("x-service-signature-next");
  });

  // Rule: signatures, standard-webhooks
  test("produces the signatures of openssl", () => {
    expect(signedWebhookHeaders(example)).toMatchObject({
      "x-service-signature": "sha256=d94a5d8062b8fc9139d36de546c94aa05e05ac926dd3e54cd59a99d9e8430d9e",
      "x-webhook-signature": "d94a5d8062b8fc9139d36de546c94aa05e05ac926dd3e54cd59a99d9e8430d9e",
      "webhook-signature": "v1,use3HTdMTEZr2j4VLKpSfc5b2hzLV4yXphKir0NT7nA=",
    });
  });

  // Rule: standard-webhooks
  test("produces signatures that an independent implementation accepts", async () => {
    await fc.assert(
      fc.asyncProperty(bodies, secrets, fc.integer({ min: 0, max: 4e12 }), async (body, secret, at) => {
        const headers = signedWebhookHeaders({ ...example, body, secret, at });
        const verified = await verifySignatures({ headers, body: Buffer.from(body) }, secret);
        expect(verified).toEqual({ service: true, webhook: true, standard: true, next: null });
      }),
    );
  });

  test("uses both secrets during a rotation, and the current one in the two old headers", async () => {
    await fc.assert(
      fc.asyncProperty(bodies, secrets, secrets, async (body, secret, nextSecret) => {
        const headers = signedWebhookHeaders({ ...example, body, secret, nextSecret });
        const verified = await verifySignatures({ headers, body: Buffer.from(body) }, secret, nextSecret);
        expect(verified).toEqual({ service: true, webhook: true, standard: true, next: true });
      }),
    );
  });

  test("produces another signature for one changed byte", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), secrets, async (body, secret) => {
        const headers = signedWebhookHeaders({ ...example, body, secret });
        const changed = Buffer.from(body);
        changed[changed.length - 1]! ^= 1;
        const verified = await verifySignatures({ headers, body: changed }, secret);
        expect(verified).toEqual({ service: false, webhook: false, standard: false, next: null });
      }),
    );
  });

  test.each(["", "whsec_", "whsec_c2hvcnQ=", Buffer.alloc(32).toString("base64")])(
    "rejects the secret %p without showing it",
    (secret) => {
      expect(() => signedWebhookHeaders({ ...example, secret })).toThrow(
        "the webhook secret is not whsec_ and the base64 of 32 bytes",
      );
    },
  );
});
