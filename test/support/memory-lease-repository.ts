import { type LeaseRepository, OutdatedServer } from "../../src/cluster/cluster-leases-and-servers.ts";
import { CLOCK_TOLERANCE_MS, type ClusterServer } from "../../src/cluster/cluster-server.ts";
import type { Lease } from "../../src/cluster/lease.ts";

type Row = Lease & { holder: string; until: number; lock: number };

/**
 * An in-memory repository with a clock that the test sets. test/cluster/cluster-leases-and-servers.test.ts runs the suite
 * of the real one on it.
 */
export class MemoryLeaseRepository implements LeaseRepository {
  readonly rows = new Map<string, Row>();
  readonly servers = new Map<string, ClusterServer>();

  #newest = { number: 0, name: "" };

  constructor(private readonly clock: () => number) {}

  upgrade(step: { number: number; name: string }, breaksOlder: boolean): void {
    this.#newest = step;
    if (breaksOlder) this.servers.clear();
  }

  async heartbeat(server: Parameters<LeaseRepository["heartbeat"]>[0], forMs: number) {
    const now = this.clock();
    if (!this.servers.has(server.id) && this.#newest.number > server.schemaVersion)
      throw new OutdatedServer(this.#newest, server.schemaVersion);
    const startedAt = this.servers.get(server.id)?.startedAt ?? now;
    this.servers.set(server.id, { ...server, startedAt, seenAt: now });
    const mine = this.#of(server.id).filter(({ until }) => until > 0);
    for (const row of mine) row.until = now + forMs;
    const alive = [...this.servers.values()].filter(({ seenAt }) => seenAt > now - forMs);
    return { now, alive, leases: mine.map(leaseOf) };
  }

  async acquire(holder: string, names: readonly string[], forMs: number) {
    return names.flatMap((name) => {
      const row = this.rows.get(name);
      const isFree = !row || row.until <= this.clock() || row.holder === holder;
      return isFree ? [this.#give(holder, name, forMs, 0)] : [];
    });
  }

  async acquireScheduled(holder: string, name: string, lock: number, forMs: number) {
    const row = this.rows.get(name);
    const isFree = !row || (row.until <= this.clock() && this.#lockOf(row) < lock);
    return isFree ? this.#give(holder, name, forMs, lock) : undefined;
  }

  async confirm(holder: string, names: readonly string[]) {
    return this.#of(holder).flatMap((row) => (names.includes(row.name) ? [leaseOf(row)] : []));
  }

  async release(holder: string, names: readonly string[]) {
    for (const row of this.#of(holder)) if (names.includes(row.name)) row.until = 0;
  }

  async leave(id: string) {
    for (const row of this.#of(id)) row.until = 0;
    this.servers.delete(id);
  }

  #of(holder: string): Row[] {
    return [...this.rows.values()].filter((row) => row.holder === holder);
  }

  #lockOf = ({ lock }: Row) => (lock > this.clock() + 2 * CLOCK_TOLERANCE_MS ? 0 : lock);

  #give(holder: string, name: string, forMs: number, lock: number): Lease {
    const now = this.clock();
    const before = this.rows.get(name);
    const isMine = before?.holder === holder && before.until > now;
    const epoch = (before?.epoch ?? 0) + (isMine ? 0 : 1);
    const row = {
      name,
      holder,
      epoch,
      until: now + forMs,
      lock: Math.max(lock, before ? this.#lockOf(before) : 0),
    };
    this.rows.set(name, row);
    return leaseOf(row);
  }
}

const leaseOf = ({ name, epoch }: Row): Lease => ({ name, epoch });
