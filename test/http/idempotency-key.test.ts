import { beforeEach, describe, expect, test } from "bun:test";
import type { Reply } from "../../src/http/http-operation.ts";
import { Idempotency, idempotencyKey, type RequestIdentity } from "../../src/http/idempotency-key.ts";
import { REPLIES_KEPT_MS } from "../../src/store/queries/idempotent-replies-queries.ts";
import { type PartnerFixture, usePartnerStore } from "../support/partner-store.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const open = usePartnerStore();
let fixture: PartnerFixture;
let idempotency: Idempotency;
let identity: RequestIdentity;
beforeEach(async () => {
  fixture = await open(NOW);
  idempotency = new Idempotency(fixture.store);
  const partner = (await fixture.store.read.partners.find(fixture.partnerId))!;
  identity = { partner, operation: "POST /v1/properties", key: "k", bodyHash: "h" };
});

const keep = (reply: Reply, of = identity) =>
  fixture.store.write((tx) => idempotency.saveReply(tx, of, reply));
const CREATED: Reply = { status: 201, body: { id: "P_1", name: "é" } };

describe("a stored reply", () => {
  test("is replayed byte for byte", async () => {
    const answered = await keep(CREATED);
    const replayed = await idempotency.replay(identity, NOW);
    expect(replayed).toMatchObject({
      status: 201,
      raw: answered.raw!,
      headers: { "idempotency-replayed": "true" },
    });
    expect(answered.raw).toBe(JSON.stringify(CREATED.body));
  });

  // Rule: key-transaction
  test("is rolled back with its write", async () => {
    const failing = fixture.store.write(async (tx) => {
      await idempotency.saveReply(tx, identity, CREATED);
      throw new Error("disk full");
    });
    await expect(failing).rejects.toThrow("disk full");
    expect(await idempotency.replay(identity, NOW)).toBeUndefined();
  });

  // Rule: key-scope
  test("belongs to one partner, operation and key", async () => {
    await keep(CREATED);
    const others = [
      { ...identity, key: "K" },
      { ...identity, operation: "POST /v1/appliances" },
      { ...identity, partner: { ...identity.partner, id: "PARTNER_2" } },
    ];
    for (const other of others) expect(await idempotency.replay(other, NOW)).toBeUndefined();
  });

  test("causes a conflict for another body", async () => {
    await keep(CREATED);
    await expect(idempotency.replay({ ...identity, bodyHash: "other" }, NOW)).rejects.toMatchObject({
      code: "conflict",
    });
  });

  // Rule: key-kept
  test("expires after 24 hours; then the key can be reused, also with another body", async () => {
    await keep(CREATED);
    expect(await idempotency.replay(identity, NOW + REPLIES_KEPT_MS - 1)).toBeDefined();
    const again = { ...identity, bodyHash: "other" };
    expect(await idempotency.replay(again, NOW + REPLIES_KEPT_MS)).toBeUndefined();
    fixture.time.now += REPLIES_KEPT_MS;
    await keep({ status: 201, body: "new" }, again);
    expect(await idempotency.replay(again, fixture.time.now)).toMatchObject({ raw: '"new"' });
  });

  // Rule: key-kept
  test("is deleted in batches after it expires", async () => {
    for (const key of ["1", "2", "3"]) await keep(CREATED, { ...identity, key });
    const prune = (before: number) => fixture.store.write((tx) => tx.idempotency.prune(before, 2));
    expect(await prune(NOW)).toBe(0);
    expect([await prune(NOW + 1), await prune(NOW + 1), await prune(NOW + 1)]).toEqual([2, 1, 0]);
  });

  // Rule: key-refused
  test("does not exist for a failed request", async () => {
    for (const status of [400, 404, 409, 500]) await keep({ status, body: {} });
    expect(await idempotency.replay(identity, NOW)).toBeUndefined();
  });
});

describe("a request in progress", () => {
  test("blocks another request with its key until it succeeds or fails", async () => {
    let finish = () => {};
    const first = idempotency.run(
      identity,
      () => new Promise((resolve) => (finish = () => resolve(CREATED))),
    );
    const second = idempotency.run(identity, () => CREATED);
    await expect(second).rejects.toMatchObject({ code: "conflict" });
    expect(await idempotency.run({ ...identity, key: "other" }, () => CREATED)).toBe(CREATED);
    finish();
    await first;
    const fails = idempotency.run(identity, () => Promise.reject(new Error("no")));
    await expect(fails).rejects.toThrow("no");
    expect(await idempotency.run(identity, () => CREATED)).toBe(CREATED);
  });
});

describe("an Idempotency-Key", () => {
  const key = (text: string) => idempotencyKey(new Headers({ "idempotency-key": text }));

  // Rule: key-form
  test("has 1 to 255 printable characters", () => {
    for (const text of ["a", "Order 7: second try!", "x".repeat(255)]) expect(key(text)).toBe(text);
    expect(idempotencyKey(new Headers())).toBeUndefined();
  });

  test.each(["", "x".repeat(256), "a\tb", "clé"])("cannot be %p", (text) => {
    expect(() => key(text)).toThrow("must be 1 to 255 printable characters");
  });
});
