import { beforeEach, describe, expect, test } from "bun:test";
import {
  clusterLeaseRepository,
  type LeaseRepository,
  OutdatedServer,
} from "../../src/cluster/cluster-leases-and-servers.ts";
import { MemoryLeaseRepository } from "../support/memory-lease-repository.ts";
import { usePartnerStore } from "../support/partner-store.ts";

type LeaseFixture = {
  book: LeaseRepository;
  /** Lets time pass for whatever the book knows. */
  pass(ms: number): Promise<void>;
  /** A newer version adds a step to the schema, which those of before can live with or are taken out for. */
  upgrade(breaksOlder: boolean): Promise<void>;
};

const openStore = usePartnerStore();

async function inDatabase(): Promise<LeaseFixture> {
  const { store, sql } = await openStore(0);
  return {
    book: clusterLeaseRepository(store),
    // A test cannot set the database's clock, so the times that it is compared with are made older.
    async pass(ms) {
      await sql(`UPDATE leases SET expires_at = expires_at - ${ms} WHERE expires_at > ${ms}`);
      await sql(`UPDATE servers SET seen_at = seen_at - ${ms}`);
    },
    async upgrade(breaksOlder) {
      await sql(
        "INSERT INTO schema_migrations (number, name, sha256, applied_at) VALUES (99, 'less', '', 0)",
      );
      if (breaksOlder) await sql("DELETE FROM servers");
    },
  };
}

async function inMemory(): Promise<LeaseFixture> {
  let now = 1_760_000_000_000;
  const book = new MemoryLeaseRepository(() => now);
  return {
    book,
    async pass(ms) {
      now += ms;
    },
    async upgrade(breaksOlder) {
      book.upgrade({ number: 99, name: "less" }, breaksOlder);
    },
  };
}

const server = (id: string) => ({
  id,
  address: "http://10.0.0.1:8080",
  version: "0.1.0",
  schemaVersion: 98,
  model: "2",
  clockOffMs: 0,
});
const FOR = 15_000;

describe.each([
  ["in the database", inDatabase],
  ["in memory, which other tests take for it", inMemory],
])("the lease repository %s", (_, open) => {
  let { book, pass, upgrade } = {} as LeaseFixture;
  beforeEach(async () => {
    ({ book, pass, upgrade } = await open());
  });

  test("grants a lease to the first server that asks, and to no other until it expires", async () => {
    expect(await book.acquire("a", ["x", "y"], FOR)).toEqual([
      { name: "x", epoch: 1 },
      { name: "y", epoch: 1 },
    ]);
    expect(await book.acquire("b", ["x", "z"], FOR)).toEqual([{ name: "z", epoch: 1 }]);
    await pass(FOR + 1);
    expect(await book.acquire("b", ["x"], FOR)).toEqual([{ name: "x", epoch: 2 }]);
  });

  test("keeps the epoch if the holder acquires the lease again, and increments it after an expiry", async () => {
    await book.acquire("a", ["x"], FOR);
    expect(await book.acquire("a", ["x"], FOR)).toEqual([{ name: "x", epoch: 1 }]);
    await pass(FOR + 1);
    expect(await book.acquire("a", ["x"], FOR)).toEqual([{ name: "x", epoch: 2 }]);
  });

  test("grants a released lease to the next server, with another epoch", async () => {
    await book.acquire("a", ["x"], FOR);
    await book.release("b", ["x"]);
    expect(await book.acquire("b", ["x"], FOR)).toEqual([]);
    await book.release("a", ["x"]);
    expect(await book.acquire("b", ["x"], FOR)).toEqual([{ name: "x", epoch: 2 }]);
    expect(await book.confirm("a", ["x"])).toEqual([]);
    expect(await book.confirm("b", ["x"])).toEqual([{ name: "x", epoch: 2 }]);
  });

  test("renews the leases of a server with its heartbeat, and none that it released", async () => {
    await book.acquire("a", ["x", "y"], FOR);
    await book.release("a", ["y"]);
    await pass(0.75 * FOR);
    expect((await book.heartbeat(server("a"), FOR)).leases).toEqual([{ name: "x", epoch: 1 }]);
    await pass(0.75 * FOR);
    expect(await book.acquire("b", ["x", "y"], FOR)).toEqual([{ name: "y", epoch: 2 }]);
  });

  test("returns an expired lease that no other server acquired with an unchanged epoch", async () => {
    await book.acquire("a", ["x"], FOR);
    await pass(FOR - 1);
    expect((await book.heartbeat(server("a"), FOR)).leases).toEqual([{ name: "x", epoch: 1 }]);
    expect(await book.acquire("b", ["x"], FOR)).toEqual([]);
  });

  test("lists the live servers: those with a recent heartbeat that have not left", async () => {
    await book.heartbeat(server("a"), FOR);
    await book.heartbeat(server("b"), FOR);
    const ids = async (of: string) =>
      (await book.heartbeat(server(of), FOR)).alive.map(({ id }) => id).sort();
    expect(await ids("c")).toEqual(["a", "b", "c"]);
    await book.leave("b");
    expect(await ids("c")).toEqual(["a", "c"]);
    await pass(FOR + 1);
    expect(await ids("c")).toEqual(["c"]);
  });

  test("keeps servers that are compatible with a newer schema, and rejects new servers with an older one", async () => {
    await book.heartbeat(server("a"), FOR);
    await upgrade(false);
    expect((await book.heartbeat(server("a"), FOR)).alive.map(({ id }) => id)).toEqual(["a"]);
    const refused = "has migration 99 (less), this version knows 98";
    for (let times = 0; times < 2; times++)
      await expect(book.heartbeat(server("b"), FOR)).rejects.toThrow(refused);
    const newer = { ...server("c"), schemaVersion: 99 };
    expect((await book.heartbeat(newer, FOR)).alive.map(({ id }) => id).sort()).toEqual(["a", "c"]);
  });

  test("does not readmit servers that were removed for a newer schema", async () => {
    await book.heartbeat(server("a"), FOR);
    await upgrade(true);
    for (let times = 0; times < 2; times++)
      await expect(book.heartbeat(server("a"), FOR)).rejects.toThrow(OutdatedServer);
  });

  test("releases the leases of a server that has left", async () => {
    await book.heartbeat(server("a"), FOR);
    await book.acquire("a", ["x"], FOR);
    await book.leave("a");
    expect(await book.acquire("b", ["x"], FOR)).toEqual([{ name: "x", epoch: 2 }]);
  });

  test("grants a scheduled time of a job once, and none while the job runs", async () => {
    expect(await book.acquireScheduled("a", "job", 100, FOR)).toEqual({ name: "job", epoch: 1 });
    expect(await book.acquireScheduled("b", "job", 200, FOR)).toBeUndefined();
    await book.release("a", ["job"]);
    expect(await book.acquireScheduled("b", "job", 100, FOR)).toBeUndefined();
    expect(await book.acquireScheduled("b", "job", 200, FOR)).toEqual({ name: "job", epoch: 2 });
    await book.release("b", ["job"]);
    expect(await book.acquire("a", ["job"], FOR)).toEqual([{ name: "job", epoch: 3 }]);
    await book.release("a", ["job"]);
    expect(await book.acquireScheduled("a", "job", 200, FOR)).toBeUndefined();
  });

  test("grants a scheduled time although a run is recorded for one that a clock shows no more", async () => {
    const { now } = await book.heartbeat(server("a"), FOR);
    const month = 30 * 86_400_000;
    for (const at of [now + month, now, now + 1000])
      expect(await book.acquireScheduled("a", "job", at, -1), `${at - now}`).toBeDefined();
    expect(await book.acquireScheduled("a", "job", now + 1000, -1)).toBeUndefined();
    expect(await book.acquireScheduled("a", "job", now, -1)).toBeUndefined();
  });

  test("acquires any number of leases at once", async () => {
    const names = Array.from({ length: 1001 }, (_, n) => `deliveries:${n}`);
    expect(await book.acquire("a", names, FOR)).toHaveLength(1001);
    expect(await book.acquire("b", names, FOR)).toEqual([]);
    expect(await book.confirm("a", names)).toHaveLength(1001);
  });
});
