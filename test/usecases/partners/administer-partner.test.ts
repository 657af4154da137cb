import { describe, expect, test } from "bun:test";
import { systemTimers } from "../../../src/event-loop/event-loop.ts";
import { composeDeliveryRepository } from "../../../src/server/composition/compose-delivery-repository.ts";
import { composeWebhookCommitWatch } from "../../../src/server/composition/compose-webhook-delivery.ts";
import { sendTestDelivery } from "../../../src/usecases/deliveries/send-test-event.ts";
import {
  changePartner,
  enableOrDisablePartner,
  finishPartnerSecretRotations,
  rotateWebhookSecret,
} from "../../../src/usecases/partners/administer-partner.ts";
import type { SendResult } from "../../../src/webhooks/attempt-webhook-delivery.ts";
import { createWebhookDispatcher } from "../../../src/webhooks/webhook-dispatcher.ts";
import { DISPATCHER_DEFAULTS } from "../../../src/webhooks/webhook-dispatcher-deps.ts";
import { eventually } from "../../support/eventually.ts";
import { type PartnerFixture, usePartnerStore } from "../../support/partner-store.ts";

const partnerStore = usePartnerStore();
const NOON = Date.parse("2026-06-01T12:00:00Z");
const HOUR = 3_600_000;

const endpointOf = ({ store, encryptor, clock, partnerId }: PartnerFixture) =>
  composeDeliveryRepository(store, encryptor, clock).endpoint(partnerId);

describe("a rotation of the webhook secret", () => {
  test("keeps the previous secret until the overlap ends, whatever the clock does afterward", async () => {
    const fixture = await partnerStore(NOON);
    const { secret } = await rotateWebhookSecret(fixture.administration, fixture.partnerId, HOUR);
    const during = { secret: fixture.webhookSecret, nextSecret: secret };
    expect(await endpointOf(fixture)).toMatchObject(during);
    fixture.time.now = NOON + HOUR - 1;
    expect(await finishPartnerSecretRotations(fixture.store)).toEqual([]);
    expect(await endpointOf(fixture)).toMatchObject(during);
    fixture.time.now = NOON + HOUR;
    const after = { secret, nextSecret: null };
    expect(await endpointOf(fixture)).toMatchObject(after);
    expect(await finishPartnerSecretRotations(fixture.store)).toEqual([fixture.partnerId]);
    fixture.time.now = NOON;
    expect(await endpointOf(fixture)).toMatchObject(after);
  });

  test("that follows another discards the pending secret, and keeps the active one", async () => {
    const fixture = await partnerStore(NOON);
    const { administration, partnerId, webhookSecret } = fixture;
    const first = await rotateWebhookSecret(administration, partnerId, HOUR);
    const second = await rotateWebhookSecret(administration, partnerId, HOUR);
    expect(await endpointOf(fixture)).toMatchObject({ secret: webhookSecret, nextSecret: second.secret });
    fixture.time.now += HOUR;
    const third = await rotateWebhookSecret(administration, partnerId, HOUR);
    expect(await endpointOf(fixture)).toMatchObject({ secret: second.secret, nextSecret: third.secret });
    const fourth = await rotateWebhookSecret(administration, partnerId, 0);
    expect(await endpointOf(fixture)).toMatchObject({ secret: fourth.secret, nextSecret: null });
    expect(first.secret).not.toBe(second.secret);
  });
});

describe("disabling a partner", () => {
  test("is written once, revokes its tokens, and leaves it without an endpoint until it is enabled", async () => {
    const fixture = await partnerStore(NOON);
    const { administration, partnerId, store } = fixture;
    await enableOrDisablePartner(administration, partnerId, false);
    await enableOrDisablePartner(administration, partnerId, false);
    expect(await store.read.partners.find(partnerId)).toMatchObject({
      enabled: false,
      credentialGeneration: 2,
    });
    expect(await endpointOf(fixture)).toBeNull();
    await enableOrDisablePartner(administration, partnerId, true);
    expect(await store.read.partners.find(partnerId)).toMatchObject({
      enabled: true,
      credentialGeneration: 2,
    });
    expect(await endpointOf(fixture)).not.toBeNull();
    const actions = await store.read.audit.page({ limit: 10, offset: 0 }, { subject: partnerId });
    expect(actions.map(({ action }) => action)).toEqual([
      "partner.enable",
      "partner.disable",
      "partner.create",
    ]);
  });
});

test("a paused endpoint is shown, and retried as soon as another process changes its URL", async () => {
  const fixture = await partnerStore(NOON);
  const { administration, store, encryptor, clock, partnerId } = fixture;
  const log: string[] = [];
  const note = (_fields: object, message: string) => void log.push(message);
  const sent: string[] = [];
  const send = async ({ url }: { url: string }): Promise<SendResult> => {
    sent.push(url);
    const ok = url === "http://new.test/";
    const error = ok ? null : "HTTP 500";
    return { ok, statusCode: ok ? 200 : 500, error, responseHead: "", durationMs: 1, address: null };
  };
  const dispatcher = createWebhookDispatcher(
    {
      ...composeDeliveryRepository(store, encryptor, clock),
      send,
      timers: systemTimers,
      clock,
      log: { info: note, warn: note, error: note },
    },
    { ...DISPATCHER_DEFAULTS, pauseLimits: { failures: 2, failingMs: 0 }, probeIntervalMs: HOUR },
  );
  const endWatch = await composeWebhookCommitWatch(store, dispatcher, { error: note } as never);
  try {
    for (let i = 0; i < 3; i++)
      await sendTestDelivery(administration, partnerId, { message: "Hello", requestedBy: "test" });
    dispatcher.start();
    await eventually(async () => {
      expect(await store.read.partners.findEndpoint(partnerId)).toMatchObject({
        pausedAt: expect.any(Number),
        lastError: "HTTP 500",
      });
    });
    expect(log).toContain("webhook endpoint paused until a probe succeeds");
    const beside = { ...administration, store: await fixture.open() };
    await changePartner(beside, partnerId, { webhookUrl: "http://new.test/" });
    await eventually(async () => {
      // Each is due again by then, also one that was about to be sent when the receiver was paused.
      fixture.time.now += 60_000;
      expect(await store.read.deliveryLog.count({ partnerId, status: "delivered" })).toBe(3);
    });
    expect(await store.read.partners.findEndpoint(partnerId)).toMatchObject({ pausedAt: null, failures: 0 });
    expect(sent.filter((url) => url === "http://new.test/")).toHaveLength(3);
  } finally {
    endWatch();
    await dispatcher.stop(1000);
  }
});
