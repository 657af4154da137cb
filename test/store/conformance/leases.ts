import { beforeAll, describe, expect, test } from "bun:test";
import type { Store } from "../../../src/store/store.ts";
import { type Called, type Database, type MakeDatabase, watched } from "./test-store.ts";

const FOR = 60_000;
const SERVER = { address: "http://10.0.0.1", version: "1", schemaVersion: 1, model: "2", clockOffMs: -7 };

/** What every store promises of the servers that share it, and of what one of them holds at a time. */
export function leases(make: MakeDatabase, called: Called): void {
  let database: Database;
  let store: Store;
  beforeAll(async () => {
    database = await make();
    store = watched(await database.open(), called);
  });
  const read = () => store.read.servers;
  const namesOf = (held: readonly { name: string }[]) => held.map(({ name }) => name).sort();
  const take = (holder: string, names: readonly string[], forMs = FOR) =>
    store.write((tx) => tx.servers.take(holder, names, forMs));

  describe("leases", () => {
    test("tell who has them while they last, and leave nothing behind once they are dropped", async () => {
      expect(await read().holderOf("told")).toBeUndefined();
      await take("one", ["told"]);
      expect(await read().holderOf("told")).toBe("one");
      expect(await store.write((tx) => tx.servers.drop("another", "told"))).toBe(false);
      expect(await read().holderOf("told")).toBe("one");
      await store.write((tx) => tx.servers.release("one", ["told"]));
      expect(await read().holderOf("told")).toBeUndefined();
      await take("two", ["told"]);
      expect(await store.write((tx) => tx.servers.drop("two", "told"))).toBe(true);
      expect(await take("three", ["told"])).toEqual([{ name: "told", epoch: 1 }]);
    });

    test("are held by one server at a time, whoever asks at once, and change hands with an epoch", async () => {
      const servers = await Promise.all([1, 2, 3].map(() => database.open()));
      const names = Array.from({ length: 250 }, (_, nth) => `name ${nth}`);
      const taken = await Promise.all(
        servers.map((server, nth) =>
          server.write((tx) => tx.servers.take(`server ${nth}`, nth === 1 ? names.toReversed() : names, FOR)),
        ),
      );
      expect(namesOf(taken.flat())).toEqual([...names].sort());
      expect(new Set(taken.flat().map(({ epoch }) => epoch))).toEqual(new Set([1]));
      const [first] = taken.find((held) => held.length > 0)!;
      const holder = `server ${taken.findIndex((held) => held.length > 0)}`;
      expect(await take("late", [first!.name])).toEqual([]);
      expect(await take(holder, [first!.name]), "its own").toEqual([first!]);
      await store.write((tx) => tx.servers.release(holder, [first!.name]));
      expect(await take("late", [first!.name])).toEqual([{ name: first!.name, epoch: 2 }]);
      expect(await store.write((tx) => tx.servers.confirm(holder, [first!.name]))).toEqual([]);
      expect(await store.write((tx) => tx.servers.confirm("late", [first!.name, "none"]))).toEqual([
        { name: first!.name, epoch: 2 },
      ]);
    });

    test("that were given for no time are anybody's, and are lengthened by who has them", async () => {
      expect(await take("a", ["x"], -1)).toEqual([{ name: "x", epoch: 1 }]);
      expect(await store.write((tx) => tx.servers.renew("a", FOR))).toEqual([{ name: "x", epoch: 1 }]);
      expect(await take("b", ["x"])).toEqual([]);
      expect(await store.write((tx) => tx.servers.renew("b", FOR))).toEqual([]);
    });

    test("for a turn are given once for each", async () => {
      const turn = (holder: string, at: number) =>
        store.write((tx) => tx.servers.takeTurn(holder, "job", at, -1));
      expect(await turn("a", 100)).toEqual({ name: "job", epoch: 1 });
      expect(await turn("b", 100)).toBeUndefined();
      expect(await turn("b", 50)).toBeUndefined();
      expect(await turn("b", 200)).toEqual({ name: "job", epoch: 2 });
    });
  });

  test("the first step of the schema is told that a server does not know", async () => {
    const { stepAfter } = store.read.installation;
    expect(await stepAfter(0)).toMatchObject({ number: 1 });
    expect(await stepAfter(1)).toMatchObject({ number: 2 });
    expect(await stepAfter(store.schemaVersion)).toBeUndefined();
  });

  test("servers are listed as they were seen, with what they hold, until they leave", async () => {
    const join = (id: string) => store.write((tx) => tx.servers.join({ ...SERVER, id }));
    const beat = (id: string) => store.write((tx) => tx.servers.beat({ ...SERVER, id }));
    expect(await beat("a")).toBeUndefined();
    const first = await join("a");
    expect(Math.abs(first - Date.now())).toBeLessThan(60_000);
    await join("b");
    expect(await beat("a")).toBeGreaterThanOrEqual(first);
    await take("a", ["x", "y"]);
    const alive = await read().alive(60_000);
    expect(alive.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(alive[0]).toMatchObject({ ...SERVER, startedAt: first });
    expect(await read().alive(-60_000)).toEqual([]);
    const listed = await read().list(60_000);
    expect(listed.map(({ id, leases, isAlive }) => [id, leases, isAlive])).toEqual([
      ["a", 2, true],
      ["b", 0, true],
    ]);
    expect(listed[0]!.silentMs).toBeGreaterThanOrEqual(0);
    expect((await read().list(-1))[0]!.isAlive).toBe(false);
    await store.write((tx) => tx.servers.forgetGone());
    expect(await read().alive(60_000)).toHaveLength(2);
    await store.write((tx) => tx.servers.leave("a"));
    expect(await beat("a")).toBeUndefined();
    expect((await read().list(60_000)).map(({ id }) => id)).toEqual(["b"]);
    expect(await take("b", ["x"])).toEqual([{ name: "x", epoch: 2 }]);
  });
}
