import { beforeAll, describe, expect, test } from "bun:test";
import type { Store } from "../../../src/store/store.ts";
import { type Called, type Database, type MakeDatabase, watched } from "./test-store.ts";

const FOR = 60_000;
const SERVER = { address: "http://10.0.0.1", version: "1", schemaVersion: 1, model: "2", clockOffMs: -7 };

/**
 * Tests the guarantees that every store gives for the servers that share it, and for the leases that one of them
 * holds at a time.
 */
export function leases(make: MakeDatabase, called: Called): void {
  let database: Database;
  let store: Store;
  beforeAll(async () => {
    database = await make();
    store = watched(await database.open(), called);
  });
  const read = () => store.read.servers;
  const namesOf = (held: readonly { name: string }[]) => held.map(({ name }) => name).sort();
  const acquire = (holder: string, names: readonly string[], forMs = FOR) =>
    store.write((tx) => tx.servers.acquire(holder, names, forMs));

  describe("locks", () => {
    const lock = (id: string) => ({ name: "import:P", id, owner: `owner of ${id}`, acquiredAt: 7 });
    const take = (id: string, forMs = FOR) => store.write((tx) => tx.locks.acquire(lock(id), forMs));
    const renew = (id: string) => store.write((tx) => tx.locks.renew(id, FOR));
    const release = (id: string) => store.write((tx) => tx.locks.release("import:P", id));
    const holder = () => store.read.locks.holder("import:P");

    test("have one holder until they are released", async () => {
      expect(await holder()).toBeUndefined();
      const servers = await Promise.all([1, 2, 3].map(() => database.open()));
      const acquired = await Promise.all(
        servers.map((server, nth) => server.write((tx) => tx.locks.acquire(lock(`L${nth}`), FOR))),
      );
      expect(acquired.filter(Boolean)).toHaveLength(1);
      const id = `L${acquired.indexOf(true)}`;
      expect(await holder()).toEqual({ owner: `owner of ${id}`, acquiredAt: 7 });
      expect(await release("another")).toBe(false);
      expect(await renew("another")).toBe(false);
      expect(await renew(id)).toBe(true);
      expect(await take(id), "no second acquisition under one id").toBe(false);
      expect(await release(id)).toBe(true);
      expect(await release(id)).toBe(false);
      expect(await holder()).toBeUndefined();
    });

    test("expire, are renewed unless another owner has acquired them, and are pruned after a day", async () => {
      expect(await take("A", -1)).toBe(true);
      expect(await holder()).toBeUndefined();
      expect(await renew("A")).toBe(true);
      expect(await holder()).toMatchObject({ owner: "owner of A" });
      expect(await release("A")).toBe(true);
      expect(await take("B", -86_400_001)).toBe(true);
      expect(await take("C", -86_400_001)).toBe(true);
      expect(await renew("B")).toBe(false);
      await store.write((tx) => tx.locks.prune());
      expect(await renew("C")).toBe(false);
    });
  });

  describe("leases", () => {
    test("are held by one server at a time under concurrent requests, and change holders with an epoch", async () => {
      const servers = await Promise.all([1, 2, 3].map(() => database.open()));
      const names = Array.from({ length: 250 }, (_, nth) => `name ${nth}`);
      const taken = await Promise.all(
        servers.map((server, nth) =>
          server.write((tx) =>
            tx.servers.acquire(`server ${nth}`, nth === 1 ? names.toReversed() : names, FOR),
          ),
        ),
      );
      expect(namesOf(taken.flat())).toEqual([...names].sort());
      expect(new Set(taken.flat().map(({ epoch }) => epoch))).toEqual(new Set([1]));
      const [first] = taken.find((held) => held.length > 0)!;
      const holder = `server ${taken.findIndex((held) => held.length > 0)}`;
      expect(await acquire("late", [first!.name])).toEqual([]);
      expect(await acquire(holder, [first!.name]), "its own").toEqual([first!]);
      await store.write((tx) => tx.servers.release(holder, [first!.name]));
      expect(await acquire("late", [first!.name])).toEqual([{ name: first!.name, epoch: 2 }]);
      expect(await store.write((tx) => tx.servers.confirm(holder, [first!.name]))).toEqual([]);
      expect(await store.write((tx) => tx.servers.confirm("late", [first!.name, "none"]))).toEqual([
        { name: first!.name, epoch: 2 },
      ]);
    });

    test("without a duration are free for any server, and are renewed by their holder", async () => {
      expect(await acquire("a", ["x"], -1)).toEqual([{ name: "x", epoch: 1 }]);
      expect(await store.write((tx) => tx.servers.renew("a", FOR))).toEqual([{ name: "x", epoch: 1 }]);
      expect(await acquire("b", ["x"])).toEqual([]);
      expect(await store.write((tx) => tx.servers.renew("b", FOR))).toEqual([]);
    });

    test("of a dead server are free after the database's clock was set back", async () => {
      const MONTH = 30 * 86_400_000;
      expect(await acquire("a", ["ahead"], MONTH)).toEqual([{ name: "ahead", epoch: 1 }]);
      expect(await acquire("b", ["ahead"])).toEqual([{ name: "ahead", epoch: 2 }]);
      expect(await acquire("a", ["ahead"])).toEqual([]);
      await store.write((tx) => tx.servers.release("b", ["ahead"]));
      const lock = { name: "import:ahead", owner: "cli", acquiredAt: 7 };
      const take = (id: string, forMs: number) =>
        store.write((tx) => tx.locks.acquire({ ...lock, id }, forMs));
      expect(await take("AHEAD", MONTH)).toBe(true);
      expect(await store.read.locks.holder(lock.name)).toBeUndefined();
      expect(await take("NOW", FOR)).toBe(true);
      expect(await take("LATER", FOR)).toBe(false);
    });

    test("for a scheduled time are granted once for each time", async () => {
      const acquireFor = (holder: string, at: number) =>
        store.write((tx) => tx.servers.acquireScheduled(holder, "job", at, -1));
      expect(await acquireFor("a", 100)).toEqual({ name: "job", epoch: 1 });
      expect(await acquireFor("b", 100)).toBeUndefined();
      expect(await acquireFor("b", 50)).toBeUndefined();
      expect(await acquireFor("b", 200)).toEqual({ name: "job", epoch: 2 });
    });
  });

  test("the first schema step that a server does not know is found", async () => {
    const { stepAfter } = store.read.installation;
    expect(await stepAfter(0)).toMatchObject({ number: 1 });
    expect(await stepAfter(1)).toMatchObject({ number: 2 });
    expect(await stepAfter(store.schemaVersion)).toBeUndefined();
  });

  test("servers are listed with the time they were last seen and their leases, until they leave", async () => {
    const join = (id: string) => store.write((tx) => tx.servers.join({ ...SERVER, id }));
    const beat = (id: string) => store.write((tx) => tx.servers.touch({ ...SERVER, id }));
    expect(await beat("a")).toBeUndefined();
    const beforeMs = Date.now();
    const first = await join("a");
    expect(first).toBeWithin(beforeMs - 1, Date.now() + 1);
    await join("b");
    expect(await beat("a")).toBeGreaterThanOrEqual(first);
    await acquire("a", ["x", "y"]);
    const alive = await read().alive(60_000);
    expect(alive.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(alive[0]).toMatchObject(SERVER);
    // PostgreSQL reads its clock for each of the two instants of a row.
    expect(alive[0]!.startedAt).toBeWithin(beforeMs - 1, first + 1);
    expect(await read().alive(-60_000)).toEqual([]);
    const listed = await read().list(60_000);
    expect(listed.map(({ id, leases, isAlive }) => [id, leases, isAlive])).toEqual([
      ["a", 2, true],
      ["b", 0, true],
    ]);
    expect(listed[0]!.silentMs).toBeGreaterThanOrEqual(0);
    expect((await read().list(-1))[0]!.isAlive).toBe(false);
    await store.write((tx) => tx.servers.prune());
    expect(await read().alive(60_000)).toHaveLength(2);
    await store.write((tx) => tx.servers.leave("a"));
    expect(await beat("a")).toBeUndefined();
    expect((await read().list(60_000)).map(({ id }) => id)).toEqual(["b"]);
    expect(await acquire("b", ["x"])).toEqual([{ name: "x", epoch: 2 }]);
  });
}
