import { afterAll, beforeAll, expect, test } from "bun:test";
import type pg from "pg";
import { StorageError } from "../../../src/domain/errors.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { eventually } from "../../support/eventually.ts";
import { connectTo, usePostgres, withDefaultTimeout } from "../../support/postgres.ts";

const { newInstallation } = usePostgres();
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
/** More partners than writers, so that some share one. */
const PARTNERS = Array.from({ length: 12 }, (_, nth) => `PARTNER_${nth}`);
const [HELD] = PARTNERS as [string];
let url: string;
let store: Store;
let other: pg.Client;
beforeAll(async () => {
  // Uses the timeout of a server.
  url = withDefaultTimeout(await newInstallation());
  store = await openPostgresStore(url, { clock: Date.now, random });
  other = await connectTo(url);
  for (const id of PARTNERS)
    await store.write((tx) =>
      tx.partners.insert({
        id,
        name: "Acme",
        enabled: true,
        dailyBudget: 1,
        credentialGeneration: 1,
        createdAt: tx.now,
      }),
    );
});
afterAll(async () => {
  await other.end();
  await store.close();
});

const propertiesOf = async (id: string) => (await store.read.totals.ofPartner(id)).properties;
/** A write of the partner's rows. Unless it declares the partner, it locks the rows only in the middle. */
const add = (id: string, says = true) =>
  store.write(
    async (tx) => {
      await tx.forPartner(id);
      await tx.totals.addToPartner(id, { properties: 1 });
    },
    says ? { partnerId: id } : {},
  );
/** Locks a partner's row in another transaction meanwhile. */
async function whileLocked<T>(id: string, run: () => Promise<T>): Promise<T> {
  await other.query("BEGIN");
  await other.query("SELECT 1 FROM partner_totals WHERE partner_id = $1 FOR UPDATE", [id]);
  try {
    return await run();
  } finally {
    await other.query("ROLLBACK");
  }
}

test.each([
  ["has declared", true],
  ["locks later", false],
])(
  "a write that %s a row is rejected without effect if an idle transaction has locked the row",
  async (_, says) => {
    const before = await propertiesOf(HELD);
    await whileLocked(HELD, async () => {
      await expect(add(HELD, says)).rejects.toBeInstanceOf(StorageError);
    });
    expect(await propertiesOf(HELD)).toBe(before);
    await add(HELD, says);
    expect(await propertiesOf(HELD)).toBe(before + 1);
  },
);

test("the health check's write does not wait for the clock, which a beginning snapshot locks", async () => {
  await other.query("BEGIN");
  await other.query("SELECT 1 FROM clock FOR UPDATE");
  try {
    await store.write((tx) => tx.clock.probe(tx.now));
  } finally {
    await other.query("ROLLBACK");
  }
});

test.each([
  ["declare the row", true],
  ["do not", false],
])("writes of other partners succeed meanwhile, for those that %s", async (_, says) => {
  const before = await Promise.all(PARTNERS.map(propertiesOf));
  const outcomes = await whileLocked(HELD, () =>
    Promise.allSettled([...PARTNERS, ...PARTNERS, ...PARTNERS].map((id) => add(id, says))),
  );
  expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual(
    [...PARTNERS, ...PARTNERS, ...PARTNERS].map((id) => id !== HELD),
  );
  expect(await Promise.all(PARTNERS.map(propertiesOf))).toEqual(
    before.map((count, nth) => (nth === 0 ? count : count + 3)),
  );
});

test("a write that waits for a locked row succeeds once it is unlocked", async () => {
  const before = await propertiesOf(HELD);
  let made: Promise<void> | undefined;
  await whileLocked(HELD, async () => {
    made = add(HELD);
    // Longer than the lock timeout of a request.
    await untilWaitingFor(500);
  });
  await made;
  expect(await propertiesOf(HELD)).toBe(before + 1);
});

test("a write waits longer than that for a transaction that makes progress", async () => {
  const before = await propertiesOf(HELD);
  let outcome = await addDuringProgress();
  // On a machine that pauses this process, the transaction makes none meanwhile.
  while (outcome.wasPaused && outcome.status === "rejected") outcome = await addDuringProgress();
  expect(outcome.status).toBe("fulfilled");
  expect(await propertiesOf(HELD)).toBe(before + 1);
});

/** Writes while another transaction holds the row for three seconds, with a statement every 50 ms. */
async function addDuringProgress(): Promise<{ status: "fulfilled" | "rejected"; wasPaused: boolean }> {
  const STALLED_MS = 900;
  let wasPaused = false;
  const [made] = await whileLocked(HELD, async () => {
    const made = Promise.allSettled([add(HELD)]);
    const beganAt = performance.now();
    for (let latest = beganAt; latest < beganAt + 3_000; ) {
      await other.query("SELECT 1");
      await Bun.sleep(50);
      wasPaused ||= performance.now() - latest > STALLED_MS;
      latest = performance.now();
    }
    return { made };
  }).then(({ made }) => made);
  return { status: made.status, wasPaused };
}

/**
 * Resolves once a session has waited that long for a lock. The transaction with the lock asks, so that it is never idle
 * for as long as a write waits at least, however slow the machine.
 */
async function untilWaitingFor(ms: number): Promise<void> {
  await eventually(async () => {
    // The activity is read once in a transaction, and kept.
    await other.query("SELECT pg_stat_clear_snapshot()");
    const { rows } = await other.query(
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() " +
        "AND clock_timestamp() - state_change > $1::int * interval '1 ms'",
      [ms],
    );
    expect(rows).not.toEqual([]);
  });
}

test("rows that servers share are locked in one order, so that no two servers deadlock", async () => {
  const names = Array.from({ length: 30 }, (_, nth) => `address ${String(nth).padStart(2, "0")}`);
  const taken: string[] = [];
  const take = (name: string) =>
    store.write(
      async (tx) => {
        taken.push(name);
        await tx.rateWindows.lock(name);
      },
      { sharedRow: name },
    );
  await Promise.all(names.toReversed().map(take));
  // The name in each row is the transaction that wrote it.
  const { rows } = await other.query<{ names: string[] }>(
    "SELECT array_agg(caller) AS names FROM rate_windows GROUP BY xmin::text",
  );
  const groups = rows.map((row) => taken.filter((name) => row.names.includes(name)));
  expect(groups.some((group) => group.length > 1)).toBe(true);
  expect(groups).toEqual(groups.map((group) => group.toSorted()));
});

test("a call during the removal of its caller's row is counted", async () => {
  const slots = "SELECT slots FROM rate_windows WHERE caller = 'again'";
  await store.write((tx) => tx.rateWindows.lock("again"));
  await other.query("BEGIN");
  await other.query("UPDATE rate_windows SET slots = '[[[9,9,1]],[]]' WHERE caller = 'again'");
  const forgotten = store.write((tx) => tx.rateWindows.prune("", ([known]) => known.length === 0, 100), {
    priority: "background",
  });
  await eventually(async () => {
    const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted";
    expect((await other.query(waiting)).rows).not.toEqual([]);
  });
  await other.query("COMMIT");
  await forgotten;
  expect((await other.query(slots)).rows).toEqual([{ slots: "[[[9,9,1]],[]]" }]);
});
