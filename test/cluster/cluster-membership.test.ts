import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Membership } from "../../src/cluster/cluster-membership.ts";
import { LEASE_MS } from "../../src/cluster/lease.ts";
import { MemoryLeaseRepository } from "../support/memory-lease-repository.ts";
import { SimulatedServer } from "../support/simulated-server.ts";
import { ManualTime } from "../webhooks/manual-time.ts";

async function serversOf(count: number) {
  const time = new ManualTime();
  const book = new MemoryLeaseRepository(() => time.now);
  const servers = Array.from({ length: count }, (_, n) => new SimulatedServer(`s${n}`, time, book));
  for (const { membership } of servers) await membership.start();
  return { time, book, servers };
}

describe("a server in a cluster", () => {
  test("keeps its leases while it is alive, and another server acquires them soon after it dies", async () => {
    const { time, servers } = await serversOf(2);
    const [a, b] = servers as [SimulatedServer, SimulatedServer];
    expect([...(await a.membership.acquire(["x"]))]).toEqual([["x", 1]]);
    await time.advance(10 * LEASE_MS);
    expect(a.membership.holds({ name: "x", epoch: 1 }, LEASE_MS / 2)).toBe(true);
    expect(await b.membership.acquire(["x"])).toEqual(new Map());

    a.isPaused = true;
    await time.advance(LEASE_MS);
    expect(await b.membership.acquire(["x"])).toEqual(new Map([["x", 2]]));
    expect(a.membership.holds({ name: "x", epoch: 1 }, 0)).toBe(false);
    a.resume();
    await time.settle();
    expect(a.lost).toEqual(["x"]);
  });

  test("does not block leases that it lost, or acquired without receiving the reply", async () => {
    const { time, book, servers } = await serversOf(2);
    const [a, b] = servers as [SimulatedServer, SimulatedServer];
    await a.membership.acquire(["x"]);
    await book.acquire("s0", ["y"], LEASE_MS);
    a.isPaused = true;
    await time.advance(LEASE_MS + 1);
    a.resume();
    await time.settle();
    expect([...(await b.membership.acquire(["x", "y"])).keys()]).toEqual(["x", "y"]);
  });

  test("recognizes a late result by its epoch, even if the lease has returned to the server", async () => {
    const { time, book, servers } = await serversOf(2);
    const [a, b] = servers as [SimulatedServer, SimulatedServer];
    const tx = { servers: book } as unknown as Parameters<Membership["confirm"]>[0];
    await a.membership.acquire(["x"]);
    a.isPaused = true;
    await time.advance(LEASE_MS);
    await b.membership.acquire(["x"]);
    expect(await a.membership.confirm(tx, ["x"])).toEqual(new Map());
    await b.membership.release(["x"]);
    a.resume();
    await time.settle();
    await a.membership.acquire(["x"]);
    expect(await a.membership.confirm(tx, ["x"])).toEqual(new Map([["x", 3]]));
  });

  test("releases a lease at once: the next holder, even the same server, gets a new epoch", async () => {
    const { servers } = await serversOf(1);
    const [a] = servers as [SimulatedServer];
    await a.membership.acquire(["x"]);
    const released = a.membership.release(["x"]);
    expect(a.membership.holds({ name: "x", epoch: 1 }, 0)).toBe(false);
    expect(await a.membership.acquire(["x"])).toEqual(new Map([["x", 2]]));
    await released;
    expect(a.membership.holds({ name: "x", epoch: 2 }, 0)).toBe(true);
  });

  test("reports a clock that is more than a minute off, and takes no snapshot until it is corrected", async () => {
    const { time, servers } = await serversOf(1);
    const [a] = servers as [SimulatedServer];
    a.clockOff = 59_000;
    await time.advance(LEASE_MS);
    expect(a.membership.snapshotBlockedReason()).toBeUndefined();
    a.clockOff = -61_000;
    await time.advance(LEASE_MS);
    expect(a.membership.clockOffMs()).toBe(-61_000);
    expect(a.membership.snapshotBlockedReason()).toContain("61 s off");
    expect(a.warnings).toHaveLength(1);
    a.clockOff = 0;
    await time.advance(LEASE_MS);
    expect(a.membership.snapshotBlockedReason()).toBeUndefined();
  });

  test("keeps the time of its own clock from when it last agreed with the database's", async () => {
    const { time, servers } = await serversOf(1);
    const [a] = servers as [SimulatedServer];
    for (const jump of [30 * 86_400_000, -3_600_000]) {
      a.clockOff = 2_000;
      await time.advance(LEASE_MS);
      expect(a.clock.now()).toBe(time.now + 2_000);
      a.clockOff = jump;
      expect(a.clock.now()).toBe(time.now + 2_000);
      await time.advance(LEASE_MS);
      expect(a.membership.clockOffMs()).toBe(jump);
      expect(a.clock.now()).toBe(time.now + 2_000);
    }
  });

  test("is not misled by a clock that jumps during a heartbeat", async () => {
    const time = new ManualTime();
    const book = new MemoryLeaseRepository(() => time.now);
    const server = new SimulatedServer("s", time, book);
    await server.membership.start();
    const { heartbeat } = book;
    book.heartbeat = async (...report) => {
      const answer = await heartbeat.apply(book, report);
      server.clockOff = 30 * 86_400_000;
      return answer;
    };
    await time.advance(LEASE_MS);
    expect(server.clockOff).toBe(server.membership.clockOffMs());
    expect(server.clock.now()).toBe(time.now);
  });

  test("uses the database's clock if its own was off at the start", async () => {
    const time = new ManualTime();
    const server = new SimulatedServer("s", time, new MemoryLeaseRepository(() => time.now));
    server.clockOff = 86_400_000;
    expect(server.clock.now()).toBe(time.now + 86_400_000);
    await server.clock.start(async () => time.now);
    expect(server.clock.now()).toBe(time.now);
    await server.membership.start();
    expect(server.clock.now()).toBe(time.now);
    server.clockOff = -1_000;
    await time.advance(LEASE_MS);
    expect(server.clock.now()).toBe(time.now - 1_000);
  });

  test("leaves snapshots to servers with a newer model until these are gone", async () => {
    const { time, servers } = await serversOf(2);
    const [a, b] = servers as [SimulatedServer, SimulatedServer];
    b.model = "3";
    await time.advance(LEASE_MS);
    expect(a.membership.snapshotBlockedReason()).toContain("newer model");
    expect(b.membership.snapshotBlockedReason()).toBeUndefined();
    expect(a.membership.alive()).toBe(2);
    await b.membership.stop();
    await time.advance(LEASE_MS);
    expect(a.membership.snapshotBlockedReason()).toBeUndefined();
    expect(a.membership.alive()).toBe(1);
  });

  test("must stop, and has no leases, once it was removed for an incompatible schema", async () => {
    const { time, book, servers } = await serversOf(2);
    const [a, b] = servers as [SimulatedServer, SimulatedServer];
    await a.membership.acquire(["x"]);
    a.isPaused = true;
    b.membership.stop();
    book.upgrade({ number: 13, name: "less" }, true);
    a.resume();
    await time.advance(LEASE_MS);
    expect(a.ends).toEqual([expect.stringContaining("has migration 13 (less), this version knows 12")]);
    expect(a.membership.holds({ name: "x", epoch: 1 }, 0)).toBe(false);
    expect(a.lost).toEqual(["x"]);
    expect(a.warnings).toEqual([]);
    await time.advance(10 * LEASE_MS);
    expect(a.ends).toHaveLength(1);
    expect(b.ends).toEqual([]);
    const late = new SimulatedServer("late", time, book);
    await expect(late.membership.start()).rejects.toThrow("this version knows 12");
    expect(late.ends).toEqual([]);
  });

  test("is seen as alive at all times, however long its leases last", async () => {
    const time = new ManualTime();
    const book = new MemoryLeaseRepository(() => time.now);
    await new SimulatedServer("s0", time, book, 6 * LEASE_MS).membership.start();
    for (let at = 0; at < 12 * LEASE_MS; at += 1_000) {
      await time.advance(1_000);
      expect(time.now - book.servers.get("s0")!.seenAt).toBeLessThan(LEASE_MS);
    }
  });

  test("runs a scheduled time of a job once, and aborts a job whose lease it lost", async () => {
    const { time, servers } = await serversOf(3);
    const forever = new AbortController().signal;
    let runs = 0;
    const once = async () => void runs++;
    const at = (lock: number) =>
      Promise.all(servers.map(({ membership }) => membership.runExclusively("prune", lock, once, forever)));
    expect((await at(100)).filter(Boolean)).toHaveLength(1);
    expect((await at(100)).filter(Boolean)).toHaveLength(0);
    expect((await at(200)).filter(Boolean)).toHaveLength(1);
    expect(runs).toBe(2);

    const [a, b] = servers as [SimulatedServer, SimulatedServer, SimulatedServer];
    const untilLost = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const long = a.membership.runExclusively("prune", 300, untilLost, forever);
    const ended = long.then(
      () => "done",
      (error: Error) => error.message,
    );
    await time.advance(4 * LEASE_MS);
    expect(await b.membership.runExclusively("prune", 400, once, forever)).toBe(false);
    a.isPaused = true;
    await time.advance(LEASE_MS);
    expect(await b.membership.runExclusively("prune", 400, once, forever)).toBe(true);
    a.resume();
    expect(await ended).toContain("another server");
  });

  const NAMES = ["x", "y", "z"];
  const action = fc.oneof(
    fc.record({ kind: fc.constantFrom("take", "release", "pause", "cut", "resume"), server: fc.nat(2) }),
    fc.record({ kind: fc.constant("pass"), ms: fc.nat(LEASE_MS) }),
  );

  test("never holds another server's lease, even when servers pause, lose the connection and resume", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const { time, book, servers } = await serversOf(3);
        const epochs = servers.map(() => new Map<string, number>());
        const written = new Map<string, number>();
        for (const one of actions) {
          if ("ms" in one) await time.advance(one.ms);
          else {
            const server = servers[one.server]!;
            const { membership } = server;
            if (one.kind === "pause") server.isPaused = true;
            if (one.kind === "cut") server.isCutOff = !server.isCutOff;
            if (one.kind === "resume") server.resume();
            // A paused server gets its response when it resumes.
            if (one.kind === "take")
              void membership.acquire(NAMES).then(
                (taken) => {
                  for (const [name, epoch] of taken) epochs[one.server]!.set(name, epoch);
                },
                () => {},
              );
            if (one.kind === "release") void membership.release(NAMES).catch(() => {});
            await time.settle();
          }
          for (const name of NAMES) {
            const holders = servers.filter(({ membership }, at) =>
              membership.holds({ name, epoch: epochs[at]!.get(name) ?? 0 }, 0),
            );
            expect(holders.length).toBeLessThanOrEqual(1);
            for (const [at, { id }] of servers.entries()) {
              const epoch = epochs[at]!.get(name);
              const [confirmed] = await book.confirm(id, [name]);
              if (epoch === undefined || confirmed?.epoch !== epoch) continue;
              expect(epoch).toBeGreaterThanOrEqual(written.get(name) ?? 0);
              written.set(name, epoch);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
