import { afterAll, beforeAll, expect, test } from "bun:test";
import type pg from "pg";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { REPLIES_KEPT_MS } from "../../../src/store/queries/idempotent-replies-queries.ts";
import type { Store, Tx } from "../../../src/store/store.ts";
import { resendDelivery } from "../../../src/usecases/deliveries/resend-deliveries.ts";
import { eventually } from "../../support/eventually.ts";
import { connectTo, usePostgres } from "../../support/postgres.ts";

/*
 * Rows that are chosen by one statement, and changed by another server before they are deleted.
 */

const NOW = 1_700_000_000_000;
const PARTNER = "PARTNER_0";
const { newInstallation } = usePostgres();
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
let store: Store;
let other: pg.Client;
beforeAll(async () => {
  const url = await newInstallation();
  store = await openPostgresStore(url, { clock: () => NOW, random });
  other = await connectTo(url);
  await store.write(async (tx) => {
    await tx.partners.insert({
      id: PARTNER,
      name: "Acme",
      enabled: true,
      dailyBudget: 1,
      credentialGeneration: 1,
      createdAt: NOW,
    });
    await tx.partners.insertEndpoint({ partnerId: PARTNER, url: "http://a.test", secret: "s", events: null });
  });
});
afterAll(async () => {
  await other.end();
  await store.close();
});

const inBackground = <T>(run: (tx: Tx) => Promise<T>) => store.write(run, { priority: "background" });
const isWaitedFor = async () => (await other.query("SELECT 1 FROM pg_locks WHERE NOT granted")).rowCount! > 0;
/** Runs `work` after another server's statements, and commits those once the work waits for them or is done. */
async function beside<T>(statements: readonly string[], work: () => Promise<T>): Promise<T> {
  await other.query("BEGIN");
  for (const statement of statements) await other.query(statement);
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  working.catch(() => {});
  await eventually(async () => expect(isDone || (await isWaitedFor())).toBe(true));
  await other.query("COMMIT");
  return await working;
}

test("a reply that replaces an expired one meanwhile is not pruned", async () => {
  const reply = { operation: "POST /properties", key: "again", requestHash: "h", statusCode: 201 };
  const createdAt = NOW - REPLIES_KEPT_MS - 1;
  await store.write((tx) => tx.idempotency.save({ partnerId: PARTNER, ...reply, body: "old", createdAt }));
  await beside([`UPDATE idempotency_keys SET body = 'new', created_at = ${NOW}`], () =>
    inBackground((tx) => tx.idempotency.prune(NOW - REPLIES_KEPT_MS, 10)),
  );
  const kept = await store.read.idempotency.find(PARTNER, reply.operation, reply.key);
  expect(kept?.body).toBe("new");
});

let made = 0;
/** A delivery that has failed long ago, with an attempt. */
async function failedDelivery(): Promise<string> {
  const id = `WH_1600000000000_${String(made++).padStart(5, "0")}`;
  await store.write(async (tx) => {
    const delivery = { id, partnerId: PARTNER, event: "webhook.test", orderKey: null, requestId: null };
    await tx.deliveries.insert({ ...delivery, body: "{}", createdAt: NOW - 1000 });
    await tx.deliveries.recordAttempt({
      deliveryId: id,
      startedAt: NOW - 1000,
      durationMs: 5,
      address: null,
      responseHead: "",
      statusCode: 500,
      error: "HTTP 500",
      status: "failed",
      cycleAttempts: 3,
      nextAttemptAt: null,
    });
  });
  return id;
}
const RESENT = `UPDATE webhook_deliveries SET status = 'pending', finished_at = NULL, next_attempt_at = ${NOW}`;

test("a failed delivery that is sent again meanwhile is not pruned, and its attempts are kept", async () => {
  const [id, alone] = [await failedDelivery(), await failedDelivery()];
  const pruned = await beside([`${RESENT} WHERE id = '${id}'`], () =>
    inBackground((tx) => tx.deliveryLog.prune("failed", NOW, 10)),
  );
  expect(pruned).toBe(1);
  expect(await store.read.deliveryLog.find(alone)).toBeUndefined();
  expect(await store.read.deliveryLog.find(id)).toMatchObject({
    delivery: { status: "pending" },
    attempts: [{ attempt: 1 }],
  });
});

test("a delivery that is pruned meanwhile is not reported as sent again", async () => {
  const id = await failedDelivery();
  const administration = { store, actor: "cli:test", changed: () => {} };
  const deleted = [
    `DELETE FROM webhook_attempts WHERE delivery_id = '${id}'`,
    `DELETE FROM webhook_deliveries WHERE id = '${id}'`,
  ];
  const resent = beside(deleted, () => resendDelivery(administration, id));
  await expect(resent).rejects.toMatchObject({ code: "not_found" });
});
