import { describe, expect, test } from "bun:test";
import { MS_PER_DAY } from "../../../src/domain/time.ts";
import { loadDeliveryFailureGroups } from "../../../src/usecases/deliveries/load-delivery-failure-groups.ts";
import { pruneDeliveries } from "../../../src/usecases/deliveries/prune-deliveries.ts";
import {
  loadFailedDeliveryCount,
  resendDelivery,
  resendFailedDeliveries,
} from "../../../src/usecases/deliveries/resend-deliveries.ts";
import { type PartnerFixture, usePartnerStore } from "../../support/partner-store.ts";

const partnerStore = usePartnerStore();
const NOON = Date.parse("2026-06-01T12:00:00Z");

/** Creates deliveries that are settled at the store's present time, each with one attempt. */
async function settle(
  { store, partnerId }: PartnerFixture,
  status: "delivered" | "failed" | "pending",
  count = 1,
): Promise<string[]> {
  return await store.write(async (tx) => {
    const ids: string[] = [];
    const rows = await tx.forPartner(partnerId);
    for (let i = 0; i < count; i++) {
      const id = rows.newDeliveryId();
      const delivery = { id, partnerId, event: "property.created", orderKey: null, body: `{"n":${i}}` };
      await tx.deliveries.insert({ ...delivery, requestId: null, createdAt: tx.now });
      await tx.deliveries.recordAttempt({
        deliveryId: id,
        startedAt: tx.now,
        durationMs: 5,
        address: null,
        responseHead: "",
        statusCode: 500,
        error: "HTTP 500",
        status,
        cycleAttempts: 3,
        nextAttemptAt: null,
      });
      ids.push(id);
    }
    return ids;
  });
}

const idsIn = async ({ store }: PartnerFixture) =>
  (await store.read.deliveryLog.page({}, { limit: 5000, offset: 0 }))
    .map(({ delivery }) => delivery.id)
    .sort();

describe("resending", () => {
  // Rule: resend
  test("starts a new cycle with the same body, and keeps the attempts made", async () => {
    const fixture = await partnerStore(NOON);
    const { store, administration, partnerId } = fixture;
    const [id] = await settle(fixture, "failed");
    fixture.time.now += 1000;
    expect(await resendDelivery(administration, id!)).toEqual({ id: id!, partnerId, attempts: 1 });
    const found = await store.read.deliveryLog.find(id!);
    expect(found).toMatchObject({
      delivery: {
        status: "pending",
        attempts: 1,
        cycleAttempts: 0,
        nextAttemptAt: NOON + 1000,
        finishedAt: null,
      },
      attempts: [{ attempt: 1, error: "HTTP 500" }],
    });
    expect(found!.delivery.body).toBe('{"n":0}');
    expect(fixture.changed).toContain(partnerId);
    await expect(resendDelivery(administration, id!)).rejects.toMatchObject({ code: "conflict" });
    await expect(resendDelivery(administration, "WH_1_aaaaa")).rejects.toMatchObject({ code: "not_found" });
  });

  // Rule: resend-refused
  test("succeeds for one of two concurrent requests; the other learns that the delivery is pending", async () => {
    const fixture = await partnerStore(NOON);
    const other = { ...fixture.administration, store: await fixture.open() };
    for (const id of await settle(fixture, "failed", 5)) {
      const asked = [resendDelivery(fixture.administration, id), resendDelivery(other, id)];
      const refused = (await Promise.allSettled(asked)).filter(({ status }) => status === "rejected");
      expect(refused).toMatchObject([{ reason: { code: "conflict" } }]);
    }
  });

  test("of a time window includes any number of failed deliveries created in it, with one audit entry", async () => {
    const fixture = await partnerStore(NOON);
    const { store, administration, partnerId } = fixture;
    const before = await settle(fixture, "failed");
    fixture.time.now = NOON + 60_000;
    const within = await settle(fixture, "failed", 1_201);
    await settle(fixture, "delivered", 3);
    fixture.time.now = NOON + 120_000;
    const after = await settle(fixture, "failed");
    const window = { partnerId, from: NOON + 60_000, to: NOON + 120_000 };
    expect(await loadFailedDeliveryCount(administration, window)).toBe(1_201);
    expect(await resendFailedDeliveries(administration, window)).toBe(1_201);
    const pending = await store.read.deliveryLog.page({ status: "pending" }, { limit: 5000, offset: 0 });
    expect(pending.map(({ delivery }) => delivery.id).sort()).toEqual(within.sort());
    expect(await store.read.deliveryLog.count({ status: "delivered" })).toBe(3);
    for (const id of [...before, ...after])
      expect((await store.read.deliveryLog.find(id))!.delivery.status).toBe("failed");
    const audit = await store.read.audit.page({ limit: 10, offset: 0 }, { subject: partnerId });
    expect(audit.map(({ action }) => action)).toEqual(["delivery.resend_failed", "partner.create"]);
    expect(audit[0]!.detail).toMatchObject({ matched: 1_201 });
    expect(await resendFailedDeliveries(administration, window)).toBe(0);
  });

  test("for a partner without a webhook endpoint is refused and changes nothing", async () => {
    const fixture = await partnerStore(NOON, null);
    const [id] = await settle(fixture, "failed");
    const window = { partnerId: fixture.partnerId, from: 0, to: NOON * 2 };
    await expect(resendDelivery(fixture.administration, id!)).rejects.toMatchObject({ code: "conflict" });
    await expect(resendFailedDeliveries(fixture.administration, window)).rejects.toMatchObject({
      code: "conflict",
    });
    expect((await fixture.store.read.deliveryLog.find(id!))!.delivery.status).toBe("failed");
    expect(await fixture.store.read.audit.count({ subject: fixture.partnerId })).toBe(1);
  });
});

describe("pruning", () => {
  test("keeps delivered ones for the configured days, failed ones twice as long, and pending ones without limit", async () => {
    const fixture = await partnerStore(NOON);
    const [, failed, pending] = [
      await settle(fixture, "delivered"),
      await settle(fixture, "failed"),
      await settle(fixture, "pending"),
    ];
    const prune = () =>
      pruneDeliveries({ store: fixture.store, clock: fixture.clock, yieldNow: () => Promise.resolve() }, 10);
    fixture.time.now = NOON + 10 * MS_PER_DAY;
    expect(await prune()).toBe(0);
    // Its attempt took 5 ms, and the retention counts from the end of that.
    fixture.time.now += 5;
    expect(await prune()).toBe(0);
    fixture.time.now += 1;
    expect(await prune()).toBe(1);
    expect(await idsIn(fixture)).toEqual([...failed!, ...pending!].sort());
    fixture.time.now = NOON + 20 * MS_PER_DAY + 10;
    expect(await prune()).toBe(1);
    fixture.time.now = NOON + 5_000 * MS_PER_DAY;
    expect(await prune()).toBe(0);
    expect(await idsIn(fixture)).toEqual(pending!);
  });

  test("counts a delivery's age from the time at which it was last settled", async () => {
    const fixture = await partnerStore(NOON);
    const [id] = await settle(fixture, "failed");
    await resendDelivery(fixture.administration, id!);
    fixture.time.now = NOON + 500 * MS_PER_DAY;
    const parts = { store: fixture.store, clock: fixture.clock, yieldNow: () => Promise.resolve() };
    expect(await pruneDeliveries(parts, 10)).toBe(0);
  });

  test("works in batches, yields between them, and stops when aborted", async () => {
    const fixture = await partnerStore(NOON);
    await settle(fixture, "delivered", 1_000);
    fixture.time.now = NOON + 11 * MS_PER_DAY;
    const abort = new AbortController();
    const left: number[] = [];
    const yieldNow = async () => {
      left.push(await fixture.store.read.deliveryLog.count({}));
      if (left.length === 2) abort.abort();
    };
    const parts = { store: fixture.store, clock: fixture.clock, yieldNow, signal: abort.signal };
    expect(await pruneDeliveries(parts, 10)).toBe(400);
    expect(left).toEqual([800, 600]);
  });
});

test("failures of all partners are found without a read for each partner that has none", async () => {
  const fixture = await partnerStore(NOON);
  const { store, partnerId } = fixture;
  await settle(fixture, "failed", 2);
  const looked: string[] = [];
  const deliveryLog = {
    ...store.read.deliveryLog,
    nextError: async (id: string, after?: string) => {
      looked.push(id);
      return await store.read.deliveryLog.nextError(id, after);
    },
  };
  const partners = {
    ...store.read.partners,
    list: async () => {
      const [own] = await store.read.partners.list();
      return [{ ...own!, id: "PARTNER_0" }, own!, { ...own!, id: "PARTNER_z" }];
    },
  };
  const groupsOf = (id?: string) =>
    loadDeliveryFailureGroups({ deliveryLog, partners }, { from: 0, to: NOON * 2 }, id, async () => {});
  expect(await groupsOf()).toMatchObject([{ partnerId, error: "HTTP 500", count: 2 }]);
  expect(new Set(looked)).toEqual(new Set([partnerId]));
  expect(await groupsOf(partnerId)).toHaveLength(1);
  expect(await groupsOf("PARTNER_z")).toEqual([]);
  expect(await groupsOf("PARTNER_x")).toEqual([]);
});
