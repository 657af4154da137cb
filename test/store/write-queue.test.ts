import { Database } from "bun:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, readdirSync, readlinkSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { StorageError } from "../../src/domain/errors.ts";
import { openSqliteStore, type SqliteStoreOptions } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store, Tx } from "../../src/store/store.ts";

const folder = mkdtempSync(join(tmpdir(), "mainstay-queue-"));
const opened: Store[] = [];
let file: string;
let files = 0;
beforeEach(() => {
  file = join(folder, `${++files}.db`);
});
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  rmSync(folder, { recursive: true });
});

function open(options: Partial<SqliteStoreOptions> = {}): Store {
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  const store = openSqliteStore(file, { clock: Date.now, random, ...options });
  opened.push(store);
  return store;
}
const DAY = "2026-01-01";
/** Adds to the count in the row of a name. */
const add = (store: Store, name: string, calls = 1) => store.write((tx) => tx.budgets.add(name, DAY, calls));
const addPartner = (store: Store) =>
  store.write((tx) =>
    tx.partners.insert({
      id: "PARTNER_1",
      name: "Acme",
      enabled: true,
      dailyBudget: 10,
      credentialGeneration: 1,
      createdAt: tx.now,
    }),
  );
const countOf = (store: Store, name: string) => store.read.budgets.taken(name, DAY);

describe("a write", () => {
  test("is visible to readers once it is acknowledged, and not before", async () => {
    const store = open();
    const write = store.write(async (tx) => {
      await tx.budgets.add("a", DAY, 1);
      expect(await countOf(store, "a"), "while it is written").toBe(0);
      expect(await tx.budgets.taken("a", DAY), "by itself").toBe(1);
    });
    await write;
    expect(await countOf(store, "a")).toBe(1);
  });

  test.if(process.platform === "linux")(
    "that changes many pages keeps them in a file beside the database",
    async () => {
      const store = open();
      const names = Array.from({ length: 3_000 }, (_, nth) => `partner ${nth}`);
      const addAll = async (tx: Tx) => {
        for (const name of names) await tx.budgets.add(name, DAY, 1);
      };
      await store.write(addAll);
      // In memory, a statement would take longer the more pages its transaction has changed.
      const temporaryFiles = () =>
        readdirSync("/proc/self/fd").filter((fd) => {
          try {
            const name = readlinkSync(`/proc/self/fd/${fd}`);
            return name.startsWith(folder) && name.endsWith(" (deleted)");
          } catch {
            return false;
          }
        });
      const addAllAndLook = async (tx: Tx) => {
        await addAll(tx);
        return temporaryFiles();
      };
      expect(await store.write(addAllAndLook), "a single write keeps none").toEqual([]);
      const [, during] = await Promise.all([add(store, "first"), store.write(addAllAndLook)]);
      expect(during).toHaveLength(1);
    },
  );

  test("that is long lets reads and timers run between its steps, and is seen by none of them", async () => {
    let now = 0;
    const store = open({ monotonicMs: () => now });
    const seen: number[] = [];
    const step = async (tx: Tx, durationMs: number) => {
      setImmediate(async () => seen.push(await countOf(store, "a")));
      now += durationMs;
      await tx.yieldToEventLoop();
    };
    await store.write(async (tx) => {
      await tx.budgets.add("a", DAY, 1);
      await step(tx, 50);
      await step(tx, 50);
      expect(seen).toEqual([0, 0]);
      await step(tx, 1);
      expect(seen, "a short step is not interrupted").toHaveLength(2);
    });
    expect(await countOf(store, "a")).toBe(1);
  });

  test("that throws rejects with its error and leaves nothing, with any other writes in its group", async () => {
    const store = open();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 150, size: "max" }),
        async (fates) => {
          const run = ++runs;
          const names = fates.map((_, at) => `${run}-${at}`);
          const outcomes = await Promise.allSettled(
            fates.map((fails, at) =>
              store.write(async (tx) => {
                await tx.budgets.add(names[at]!, DAY, 1);
                if (fails) throw new Error(names[at]);
                return at;
              }),
            ),
          );
          for (const [at, outcome] of outcomes.entries()) {
            if (outcome.status === "fulfilled") expect([outcome.value, fates[at]]).toEqual([at, false]);
            else expect([outcome.reason.message, fates[at]]).toEqual([names[at]!, true]);
            expect(await countOf(store, names[at]!)).toBe(fates[at] ? 0 : 1);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test("shares a commit with up to 63 other waiting writes, and all are acknowledged after it", async () => {
    const store = open();
    const groups: number[] = [];
    store.onGroup((jobs) => groups.push(jobs));
    await Promise.all(Array.from({ length: 150 }, () => add(store, "a")));
    expect(groups).toEqual([64, 64, 22]);
  });

  test("runs after earlier writes, also across groups", async () => {
    const store = open({ groupSize: 5 });
    const seen: number[] = [];
    await Promise.all(
      Array.from({ length: 23 }, (_, nth) =>
        store.write(async (tx) => {
          seen.push(await tx.budgets.taken("a", DAY));
          await tx.budgets.add("a", DAY, nth % 2);
        }),
      ),
    );
    expect(seen).toEqual(Array.from({ length: 23 }, (_, nth) => Math.floor(nth / 2)));
  });

  test("gets strictly increasing times, across groups, restarts and a clock that is set back", async () => {
    let now = 1_000_000;
    const instants: number[] = [];
    const take = (store: Store) =>
      Promise.all(
        [1, 2, 3].map(() =>
          store.write(async (tx) => {
            const rows = await tx.forPartner("PARTNER_1");
            instants.push(rows.nextInstant(), rows.nextInstant());
          }),
        ),
      );
    const store = open({ clock: () => now });
    await addPartner(store);
    await take(store);
    now -= 500_000;
    await take(open({ clock: () => now }));
    now += 900_000;
    await take(open({ clock: () => now }));
    expect(instants).toEqual([...new Set(instants)].sort((a, b) => a - b));
    expect(instants.at(-6)).toBe(now);
  });

  test("in the background and other writes never block each other forever", async () => {
    const store = open({ groupSize: 4 });
    const order: string[] = [];
    const log = (name: string, priority: "request" | "background") =>
      store.write(async () => void order.push(name), { durability: "process", priority });
    await Promise.all([
      ...["b1", "b2", "b3"].map((name) => log(name, "background")),
      ...["r1", "r2", "r3", "r4", "r5", "r6"].map((name) => log(name, "request")),
    ]);
    expect(order).toEqual(["r1", "r2", "r3", "r4", "b1", "r5", "r6", "b2", "b3"]);
  });
});

describe("another process's write", () => {
  test("is waited for without blocking the event loop", async () => {
    const sleeps: number[] = [];
    const store = open({
      sleep: async (ms) => {
        sleeps.push(ms);
        if (sleeps.length === 20) other.run("COMMIT");
      },
    });
    const other = new Database(file);
    other.run("BEGIN IMMEDIATE");
    await add(store, "a");
    expect(sleeps.length).toBe(20);
    expect(Math.max(...sleeps)).toBeLessThan(50);
    expect(await countOf(store, "a")).toBe(1);
    other.close();
  });

  test("that does not end in time makes the storage unavailable, and the next write is tried again", async () => {
    let now = 0;
    const store = open({
      monotonicMs: () => now,
      busyTimeoutMs: 1000,
      sleep: async (ms) => {
        now += ms;
      },
    });
    const other = new Database(file);
    other.run("BEGIN IMMEDIATE");
    const refused = await add(store, "a").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StorageError);
    expect((refused as StorageError).message).toBe(
      `another process has locked ${file} for longer than a write waits; nothing was changed`,
    );
    other.run("ROLLBACK");
    await add(store, "a");
    expect(await countOf(store, "a")).toBe(1);
    other.close();
  });

  test("changes the data version, and the store's own write does not", async () => {
    const store = open();
    await add(store, "a");
    const before = store.dataVersion();
    await add(store, "a");
    expect(store.dataVersion()).toBe(before);
    const other = open();
    await add(other, "a");
    expect(store.dataVersion()).not.toBe(before);
  });

  test("never undoes or loses counts of two processes", async () => {
    const [one, two] = [open(), open()];
    await Promise.all(Array.from({ length: 100 }, (_, nth) => add(nth % 2 === 0 ? one : two, "a")));
    expect(await countOf(one, "a")).toBe(100);
  });
});

describe("a database file that is open", () => {
  test.each(["", "-wal", "-shm"])(
    "%s that was moved or replaced rejects writes until it is back",
    async (suffix) => {
      const store = open();
      await add(store, "a");
      const [name, away] = [`${file}${suffix}`, `${file}.away`];
      const refused = async () => {
        const error = await add(store, "a").catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(StorageError);
        expect((error as StorageError).message).toStartWith(`${name} was deleted, moved or replaced`);
      };
      renameSync(name, away);
      await refused();
      copyFileSync(away, name);
      await refused();
      renameSync(away, name);
      await add(store, "a");
      expect(await countOf(store, "a")).toBe(2);
    },
  );
});

describe("closing", () => {
  test("finishes accepted writes and rejects new ones", async () => {
    const store = open();
    opened.splice(opened.indexOf(store), 1);
    const taken = Promise.all(Array.from({ length: 200 }, () => add(store, "a")));
    const closed = store.close();
    await expect(add(store, "a")).rejects.toThrow("the store is closed");
    await Promise.all([taken, closed]);
    const again = open();
    expect(await countOf(again, "a")).toBe(200);
  });
});
