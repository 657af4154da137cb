import type { Lease } from "../domain/lease.ts";
import type { Instant } from "../domain/time.ts";
import type { Tx } from "../store/store.ts";

/**
 * What this server holds among those that share its database. Alone it holds everything and asks nobody; among several,
 * what it holds is leased, and what it does under a lease is confirmed in the transaction that writes it.
 */
export type AmongServers = {
  isAlone: boolean;
  /** Of the names, those that this server holds now, with their epochs; taken where nobody held them. */
  take(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Whether this server holds it, and nobody else can within `needMs`. Asks nobody. */
  holds(lease: Lease, needMs: number): boolean;
  /** Those of the names that this server holds by the database, with their epochs; nobody takes them before the commit. */
  confirm(tx: Pick<Tx, "servers">, names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  release(names: readonly string[]): Promise<void>;
  /** Told of what is held no more, though nobody released it. */
  onLost(listener: (names: readonly string[]) => void): void;
  /**
   * Runs a job that one server at a time runs: when it is nobody's, and where a `turn` is given, a time of the job's
   * pattern, when nobody has run it for that or a later one. Its signal ends it when it is lost. False when it was not
   * this server's to run.
   */
  once(
    job: string,
    turn: Instant | undefined,
    run: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean>;
  /** How many servers are alive, this one among them. */
  alive(): number;
  /** This server's clock minus the database's, as far as it is certain; 0 while nobody knows. */
  clockOffMs(): number;
  /** Why this server takes no part in snapshots just now; undefined when it does. */
  keptFromSnapshots(): string | undefined;
};

/** A server that has its database for itself. */
export const ALONE: AmongServers = {
  isAlone: true,
  take: async (names) => new Map(names.map((name) => [name, 0])),
  holds: () => true,
  confirm: async (_, names) => new Map(names.map((name) => [name, 0])),
  release: async () => {},
  onLost: () => {},
  async once(_job, _turn, run, signal) {
    await run(signal);
    return true;
  },
  alive: () => 1,
  clockOffMs: () => 0,
  keptFromSnapshots: () => undefined,
};
