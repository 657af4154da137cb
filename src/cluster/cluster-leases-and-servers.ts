import { OperatorError } from "../domain/errors.ts";
import type { Instant } from "../domain/time.ts";
import type { ClusterServer } from "./cluster-server.ts";
import type { Lease } from "./lease.ts";

/** A server's report about itself. */
export type ServerReport = Omit<ClusterServer, "startedAt" | "seenAt">;

/** The database's answer to a heartbeat. */
type Heartbeat = {
  /** By the database's clock. */
  now: Instant;
  /** The servers seen within the lease time, this one included. */
  alive: ClusterServer[];
  /** All leases of this server, renewed. */
  leases: Lease[];
};

/** Stops a server: a newer version has migrated the schema, and this server was suspended or starting meanwhile. */
export class OutdatedServer extends OperatorError {
  constructor({ number, name }: { number: number; name: string }, known: number) {
    super(
      `the database was migrated by a newer version of Mainstay: it has migration ${number} (${name}), this version knows ${known}`,
      "Run the newer executable instead.",
    );
  }
}

/**
 * Leases and membership, shared by all servers. test/cluster/cluster-leases-and-servers.test.ts is the suite of all
 * implementations.
 */
export type LeaseRepository = {
  /**
   * Records that the server is alive and renews its leases for `forMs` from now. Rejects with an OutdatedServer if the
   * server is not registered and knows an older schema than the database's; a registered one may run beside newer ones.
   */
  heartbeat(server: ServerReport, forMs: number): Promise<Heartbeat>;
  /** Acquires the leases that are free or already the holder's; returns those. */
  acquire(holder: string, names: readonly string[], forMs: number): Promise<Lease[]>;
  /**
   * Acquires a free lease for a scheduled time; undefined if the lease is held, or if a run for this or a later time has
   * been acquired before. A run for a time that is minutes ahead of the database's clock does not count.
   */
  acquireScheduled(
    holder: string,
    name: string,
    scheduledFor: Instant,
    forMs: number,
  ): Promise<Lease | undefined>;
  /** Returns those of the leases that are still the holder's; nobody acquires them before the transaction ends. */
  confirm(holder: string, names: readonly string[]): Promise<Lease[]>;
  release(holder: string, names: readonly string[]): Promise<void>;
  /** Removes the server and releases its leases. */
  leave(id: string): Promise<void>;
};

/** The tables of servers and leases. All instants are by the database's clock. */
export type ServerRows = Omit<LeaseRepository, "heartbeat"> & {
  /** Registers a server; returns the present instant. */
  join(server: ServerReport): Promise<Instant>;
  /** Updates a registered server; returns the present instant, or undefined if the server is not registered. */
  touch(server: ServerReport): Promise<Instant | undefined>;
  /** Returns the servers seen within `withinMs`. */
  alive(withinMs: number): Promise<ClusterServer[]>;
  /** Renews all leases of the holder and returns them. An expired lease that nobody acquired is renewed. */
  renew(holder: string, forMs: number): Promise<Lease[]>;
};

type LeaseTx = {
  servers: ServerRows;
  installation: { stepAfter(schemaVersion: number): Promise<{ number: number; name: string } | undefined> };
};

type LeaseDatabase = {
  write<T>(run: (tx: LeaseTx) => Promise<T>, options?: { durability: "process" }): Promise<T>;
};

/**
 * Registers a server that has started, or that was removed while it was silent. The schema is read after that: a later
 * migration sees the server, or waits for this transaction.
 */
async function join(tx: LeaseTx, server: ServerReport): Promise<Instant> {
  const now = await tx.servers.join(server);
  const newer = await tx.installation.stepAfter(server.schemaVersion);
  if (newer) throw new OutdatedServer(newer, server.schemaVersion);
  return now;
}

/** The repository in the database that the servers share. */
export function clusterLeaseRepository(store: LeaseDatabase): LeaseRepository {
  // A lost heartbeat is followed by the next. Acquired leases must survive a failover of the database: another server
  // would be granted the same.
  const process = { durability: "process" } as const;
  return {
    heartbeat: (server, forMs) =>
      store.write(async (tx) => {
        const now = (await tx.servers.touch(server)) ?? (await join(tx, server));
        const leases = await tx.servers.renew(server.id, forMs);
        return { now, leases, alive: await tx.servers.alive(forMs) };
      }, process),
    acquire: (holder, names, forMs) => store.write((tx) => tx.servers.acquire(holder, names, forMs)),
    acquireScheduled: (holder, name, scheduledFor, forMs) =>
      store.write((tx) => tx.servers.acquireScheduled(holder, name, scheduledFor, forMs)),
    confirm: (holder, names) => store.write((tx) => tx.servers.confirm(holder, names), process),
    release: (holder, names) => store.write((tx) => tx.servers.release(holder, names), process),
    leave: (id) => store.write((tx) => tx.servers.leave(id), process),
  };
}
