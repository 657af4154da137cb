import { OperatorError } from "../domain/errors.ts";
import type { Lease } from "../domain/lease.ts";
import type { Server } from "../domain/server.ts";
import type { Instant } from "../domain/time.ts";
import type { Store, Tx } from "../store/store.ts";

/** A server as it tells the others of itself. */
export type ServerOfItself = Omit<Server, "startedAt" | "seenAt">;

/** What a server finds when it says that it is there. */
export type Beat = {
  /** By the database's clock. */
  now: Instant;
  /** Those seen of late, this one among them. */
  alive: Server[];
  /** All that this one holds, lengthened. */
  leases: Lease[];
};

/** A server may not go on, or start: a newer version has changed the schema, and taken out those that were silent. */
export class OutdatedServer extends OperatorError {
  constructor({ number, name }: { number: number; name: string }, known: number) {
    super(
      `the database was written by a newer version of Mainstay: it has migration ${number} (${name}), this version knows ${known}`,
      "Run the newer executable in this one's place.",
    );
  }
}

/** Where servers agree on who does what. test/usecases/lease-book.test.ts holds every implementation to it. */
export type LeaseBook = {
  /**
   * Says that the server is there, and lengthens what it holds by `forMs` from now. Rejects with an OutdatedServer where
   * it is not among the others and knows less of the schema than there is; the others go on beside a newer one.
   */
  beat(server: ServerOfItself, forMs: number): Promise<Beat>;
  /** Of the leases, those that the holder has from now on for `forMs`: its own, and those that nobody held. */
  take(holder: string, names: readonly string[], forMs: number): Promise<Lease[]>;
  /** Takes a lease that nobody holds for a time of its pattern; undefined when that was taken before, or it is held. */
  takeTurn(holder: string, name: string, turn: Instant, forMs: number): Promise<Lease | undefined>;
  /** Those of the leases that are the holder's still. */
  confirm(holder: string, names: readonly string[]): Promise<Lease[]>;
  release(holder: string, names: readonly string[]): Promise<void>;
  /** The server is gone, and holds nothing. */
  leave(id: string): Promise<void>;
};

/**
 * Takes a server in that has started, or that was taken out while it was silent. The schema is looked at after that:
 * what comes between finds the server there, or waits for it.
 */
async function join(tx: Pick<Tx, "servers" | "installation">, server: ServerOfItself): Promise<Instant> {
  const now = await tx.servers.join(server);
  const newer = await tx.installation.stepAfter(server.schemaVersion);
  if (newer) throw new OutdatedServer(newer, server.schemaVersion);
  return now;
}

/** The one in the database that servers share. */
export function leaseBook(store: Pick<Store, "write">): LeaseBook {
  // A beat that is lost is followed by the next. What a server was given is not lost with the database's process, nor in
  // a failover: another one would be given the same.
  const process = { durability: "process" } as const;
  return {
    beat: (server, forMs) =>
      store.write(async (tx) => {
        const now = (await tx.servers.beat(server)) ?? (await join(tx, server));
        const leases = await tx.servers.renew(server.id, forMs);
        return { now, leases, alive: await tx.servers.alive(forMs) };
      }, process),
    take: (holder, names, forMs) => store.write((tx) => tx.servers.take(holder, names, forMs)),
    takeTurn: (holder, name, turn, forMs) =>
      store.write((tx) => tx.servers.takeTurn(holder, name, turn, forMs)),
    confirm: (holder, names) => store.write((tx) => tx.servers.confirm(holder, names), process),
    release: (holder, names) => store.write((tx) => tx.servers.release(holder, names), process),
    leave: (id) => store.write((tx) => tx.servers.leave(id), process),
  };
}
