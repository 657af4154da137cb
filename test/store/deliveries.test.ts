import { beforeEach, describe, expect, test } from "bun:test";
import { type PartnerWorld, usePartnerStore } from "../support/partner-store.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const HORIZON = NOW + 30_000;
const open = usePartnerStore();
let world: PartnerWorld;
beforeEach(async () => {
  world = await open(NOW);
});

const due = async (now = NOW, excluding: string[] = []) => {
  const found = await world.store.read.deliveries.due(
    world.partnerId,
    now,
    now + 30_000,
    50,
    new Set(excluding),
  );
  return found.map(({ id }) => id);
};
/** A delivery of that component, made now. */
const add = (orderKey: string | null = null) =>
  world.store.write(async (tx) => {
    const id = tx.newDeliveryId();
    const { partnerId } = world;
    await tx.deliveries.insert({
      id,
      partnerId,
      event: "component.critical",
      orderKey,
      requestId: null,
      body: "{}",
      createdAt: NOW,
    });
    return id;
  });
const attempt = (
  deliveryId: string,
  status: "pending" | "delivered" | "failed",
  nextAttemptAt: number | null,
) =>
  world.store.write((tx) =>
    tx.deliveries.recordAttempt({
      ...{ deliveryId, status, nextAttemptAt, startedAt: NOW, durationMs: 7, cycleAttempts: 1 },
      ...{ statusCode: 500, error: "no", address: null, responseHead: "" },
    }),
  );

describe("what is to be sent", () => {
  test("comes in the order of its creation, and names its partner", async () => {
    const ids = [await add(), await add(), await add()];
    expect(await due()).toEqual(ids);
    expect(await due(NOW, [ids[0]!])).toEqual(ids.slice(1));
    expect(await world.store.read.deliveries.duePartners(NOW, HORIZON)).toEqual([world.partnerId]);
  });

  test("is what is planned for now, and no longer what is done", async () => {
    const [retried, delivered, failed] = [await add(), await add(), await add()];
    await attempt(retried, "pending", NOW + 5000);
    await attempt(delivered, "delivered", null);
    await attempt(failed, "failed", null);
    expect(await due()).toEqual([]);
    expect(await world.store.read.deliveries.duePartners(NOW, HORIZON)).toEqual([]);
    expect(await due(NOW + 5000)).toEqual([retried]);
  });

  test("waits behind an older one of its component that waits itself", async () => {
    const [first, second, other] = [await add("C_1"), await add("C_1"), await add("C_2")];
    await attempt(first, "pending", NOW + 5000);
    expect(await due()).toEqual([other]);
    expect(await due(NOW + 5000)).toEqual([first, second, other]);
    await attempt(first, "failed", null);
    expect(await due()).toEqual([second, other]);
  });

  test("is also what seems planned beyond any plan, since the clock must have been set back", async () => {
    const id = await add();
    await attempt(id, "pending", NOW + 3_600_000);
    expect(await due()).toEqual([id]);
  });
});

describe("the next attempt", () => {
  test("is the earliest that is planned, of whichever partner", async () => {
    const [one, two, now] = [await add(), await add(), await add()];
    await attempt(one, "pending", NOW + 5000);
    await attempt(two, "pending", NOW + 4000);
    expect(await due()).toEqual([now]);
    expect(await world.store.read.deliveries.nextDueAt(NOW)).toBe(NOW + 4000);
    expect(await world.store.read.deliveries.nextDueAt(NOW + 4000)).toBe(NOW + 5000);
  });

  test("is none when nothing waits", async () => {
    await add();
    expect(await world.store.read.deliveries.nextDueAt(NOW)).toBeNull();
  });
});
