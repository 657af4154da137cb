import type { Instant } from "../domain/time.ts";
import type { Lease } from "./lease.ts";

/** The part of a write transaction that confirms leases. */
type LeaseTx = {
  servers: { confirm(holder: string, names: readonly string[]): Promise<Lease[]> };
};

/**
 * This server's view of the servers that share its database. A single node holds every lease without asking; in a
 * cluster, leases are acquired from the database and confirmed in each transaction that does the work they protect.
 */
export type Cluster = {
  isSingleNode: boolean;
  /** Acquires the leases that are free; returns the epochs of those that this server holds afterwards, by name. */
  acquire(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Returns whether this server holds the lease for at least `needMs` more. Does not ask the database. */
  holds(lease: Lease, needMs: number): boolean;
  /** Returns the epochs of the leases that this server holds by the database; nobody acquires them before the commit. */
  confirm(tx: LeaseTx, names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  release(names: readonly string[]): Promise<void>;
  /** Sets the listener for leases that were lost without being released. */
  onLost(listener: (names: readonly string[]) => void): void;
  /**
   * Runs a job on at most one server at a time; with `scheduledFor`, at most once for that or a later time. Aborts the
   * job's signal if its lease is lost. Returns false if another server runs or has run it.
   */
  runExclusively(
    job: string,
    scheduledFor: Instant | undefined,
    run: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean>;
  /** Returns the number of live servers, this one included. */
  alive(): number;
  /** Returns this server's clock minus the database's, as far as it is certain; 0 before the first heartbeat. */
  clockOffMs(): number;
  /** Returns the reason that keeps this server from taking snapshots; undefined if there is none. */
  snapshotBlockedReason(): string | undefined;
};

/** The cluster of a server that has its database to itself. */
export const SINGLE_NODE: Cluster = {
  isSingleNode: true,
  acquire: async (names) => new Map(names.map((name) => [name, 0])),
  holds: () => true,
  confirm: async (_, names) => new Map(names.map((name) => [name, 0])),
  release: async () => {},
  onLost: () => {},
  async runExclusively(_job, _scheduledFor, run, signal) {
    await run(signal);
    return true;
  },
  alive: () => 1,
  clockOffMs: () => 0,
  snapshotBlockedReason: () => undefined,
};
