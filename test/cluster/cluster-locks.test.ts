import { expect, test } from "bun:test";
import {
  acquireClusterLock,
  clusterLockHolder,
  clusterPartnerLockName,
  type HeldLock,
  withClusterLock,
} from "../../src/cluster/cluster-locks.ts";
import { withLockId } from "../support/lock-database.ts";
import { usePartnerStore } from "../support/partner-store.ts";

const open = usePartnerStore();
const NAME = clusterPartnerLockName("P");
const SINCE = ", since 2026-03-10T12:00:00.000Z";

/** The stores of two processes on one database. */
async function twoProcesses() {
  const fixture = await open(Date.parse("2026-03-10T12:00:00Z"));
  return { one: fixture.store, other: await fixture.open() };
}
const heldBy = (lock: HeldLock | { heldBy: string }) => ("heldBy" in lock ? lock.heldBy : undefined);

test("one of several processes acquires a lock, and the others get its owner", async () => {
  const { one, other } = await twoProcesses();
  const locks = await Promise.all([
    acquireClusterLock(one, NAME, "first"),
    acquireClusterLock(other, NAME, "second"),
  ]);
  const [loser, winner] = heldBy(locks[0]!) === undefined ? [1, 0] : [0, 1];
  const owner = ["first", "second"][winner]!;
  expect(heldBy(locks[loser]!)).toBe(owner + SINCE);
  expect(heldBy(locks[winner]!)).toBeUndefined();
  expect(await clusterLockHolder(other, NAME)).toBe(owner + SINCE);
  await (locks[winner] as HeldLock).release();
  expect(await clusterLockHolder(other, NAME)).toBeUndefined();
  const next = await acquireClusterLock(other, NAME, "next");
  expect(heldBy(next)).toBeUndefined();
  await (next as HeldLock).release();
});

test("work under a lock excludes others, and releases the lock also if it fails", async () => {
  const { one, other } = await twoProcesses();
  const lock = (owner: string) => ({ name: NAME, owner, activity: "it is announced" });
  const failed = withClusterLock(one, lock("one"), async () => {
    const refused = withClusterLock(other, lock("other"), async () => "done");
    await expect(refused).rejects.toThrow(`it is announced already, by one${SINCE}`);
    throw new Error("interrupted");
  });
  await expect(failed).rejects.toThrow("interrupted");
  expect(await withClusterLock(other, lock("other"), async () => "done")).toBe("done");
});

test("a step of a process that has lost its lock is rejected", async () => {
  const { one, other } = await twoProcesses();
  const lock = (await acquireClusterLock(withLockId(one, "LOCK_0"), NAME, "suspended process")) as HeldLock;
  await one.write((tx) => lock.confirm(tx));
  // The state after the process was suspended for longer than a lock lasts.
  await other.write(async (tx) => {
    await tx.locks.release(NAME, "LOCK_0");
    const next = { name: NAME, id: "LOCK_1", owner: "next process", acquiredAt: tx.now };
    await tx.locks.acquire(next, 60_000);
  });
  const step = one.write((tx) => lock.confirm(tx));
  await expect(step).rejects.toThrow("another process may be doing the same");
  await lock.release();
  expect(await clusterLockHolder(other, NAME)).toBe(`next process${SINCE}`);
});

test("the holder is reported while it is inside a transaction that confirms the lock", async () => {
  const { one, other } = await twoProcesses();
  const lock = (await acquireClusterLock(one, NAME, "slow process")) as HeldLock;
  const refused = await one.write(async (tx) => {
    await lock.confirm(tx);
    return await acquireClusterLock(other, NAME, "impatient process");
  });
  expect(heldBy(refused)).toBe(`slow process${SINCE}`);
  await lock.release();
});
