import { LRUCache } from "lru-cache";
import { coversNeed, type HeldLease, LEASE_MS, type Lease, leaseEnd, RENEWALS } from "../domain/lease.ts";
import { clockOff, isClockOff, isNewestModel, type Server } from "../domain/server.ts";
import type { Instant } from "../domain/time.ts";
import type { Timers } from "../webhooks/timers.ts";
import type { AmongServers } from "./among-servers.ts";
import { type LeaseBook, OutdatedServer, type ServerOfItself } from "./lease-book.ts";

type Log = Record<"info" | "warn", (fields: Record<string, unknown>, message: string) => void>;

export type MembershipParts = {
  book: LeaseBook;
  /** Looked at with every beat: the address is known only once the server listens. */
  self: () => Omit<ServerOfItself, "clockOffMs">;
  clock: () => Instant;
  /** Milliseconds of a clock that nobody sets, and that goes on while the process is stopped. */
  ticks: () => number;
  timers: Timers;
  log: Log;
  /** How long a lease lasts. */
  leaseMs: number;
  /** Told once, when this server, which has started, may not go on: it says no more that it is there. */
  mustStop: (reason: OutdatedServer) => void;
};

const AFTER_FAULT_MS = 1_000;
/** A server that says nothing for `LEASE_MS` passes for lost, however long its leases last. */
const BEAT_MS = LEASE_MS / RENEWALS;
/** What another holds is not asked for again before. */
const REFUSED_MS = 1_000;
const MOST_REFUSED = 10_000;
const jobLease = (job: string) => `job:${job}`;

/** A server among several on one database: says that it is there, and keeps what it holds. */
export class Membership implements AmongServers {
  readonly isAlone = false;
  readonly #held = new Map<string, HeldLease>();
  /** Until when not to ask again for what another holds. */
  readonly #refused = new LRUCache<string, number>({ max: MOST_REFUSED });
  /** One call after the other: a release that is overtaken would end what was taken after it. */
  #latest: Promise<unknown> = Promise.resolve();
  #alive: Server[] = [];
  #clockOffMs = 0;
  #lost: (names: readonly string[]) => void = () => {};
  #jobsLost = new Map<string, AbortController>();
  #timer: unknown;
  #isStopped = false;
  #isFailing = false;

  constructor(private readonly parts: MembershipParts) {}

  /** Joins the others. Rejects when the database cannot be asked, and with an OutdatedServer. */
  async start(): Promise<void> {
    await this.#beat();
    this.#plan(BEAT_MS);
  }

  /** Leaves the others, with nothing held. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.parts.timers.clear(this.#timer);
    this.#held.clear();
    await this.#inOrder(() => this.parts.book.leave(this.#id)).catch((error) => {
      this.parts.log.warn(
        { err: error },
        "this server could not be taken out of the list: its leases run out",
      );
    });
  }

  async take(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { book, ticks, leaseMs } = this.parts;
    const mayAsk = (name: string) => !this.#isHeld(name) && (this.#refused.get(name) ?? 0) <= ticks();
    const wanted = names.filter(mayAsk);
    if (wanted.length > 0) {
      await this.#ask(() => book.take(this.#id, wanted, leaseMs));
      for (const name of wanted) if (!this.#isHeld(name)) this.#refused.set(name, ticks() + REFUSED_MS);
    }
    return epochs(names.flatMap((name) => (this.#isHeld(name) ? this.#held.get(name)! : [])));
  }

  holds({ name, epoch }: Lease, needMs: number): boolean {
    const held = this.#held.get(name);
    return held?.epoch === epoch && coversNeed(held, this.parts.ticks(), needMs);
  }

  async confirm(
    tx: Parameters<AmongServers["confirm"]>[0],
    names: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    return epochs(await tx.servers.confirm(this.#id, names));
  }

  release(names: readonly string[]): Promise<void> {
    // At once: what is about to be given back is no longer this server's to act by.
    for (const name of names) this.#held.delete(name);
    return this.#inOrder(() => this.parts.book.release(this.#id, names));
  }

  onLost(listener: (names: readonly string[]) => void): void {
    this.#lost = listener;
  }

  async once(
    job: string,
    turn: Instant | undefined,
    run: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { book, leaseMs } = this.parts;
    const name = jobLease(job);
    // A time that is far ahead would keep the others from theirs.
    const isAhead = turn !== undefined && isClockOff(this.#clockOffMs);
    if (isAhead || this.#isHeld(name)) return false;
    const [lease] = await this.#ask(async () => {
      if (turn === undefined) return await book.take(this.#id, [name], leaseMs);
      const taken = await book.takeTurn(this.#id, name, turn, leaseMs);
      return taken ? [taken] : [];
    });
    if (!lease) return false;
    const lost = new AbortController();
    this.#jobsLost.set(name, lost);
    try {
      await run(AbortSignal.any([signal, lost.signal]));
    } finally {
      this.#jobsLost.delete(name);
      if (this.#held.get(name)?.epoch === lease.epoch && !this.#isStopped)
        await this.release([name]).catch(() => {});
    }
    return true;
  }

  alive = () => Math.max(1, this.#alive.length);
  clockOffMs = () => this.#clockOffMs;

  keptFromSnapshots(): string | undefined {
    if (isClockOff(this.#clockOffMs))
      return `this server's clock is ${Math.round(this.#clockOffMs / 1000)} s off the database's`;
    const { model } = this.parts.self();
    return isNewestModel(model, this.#alive) ? undefined : "a server with a newer model is alive";
  }

  get #id(): string {
    return this.parts.self().id;
  }

  #isHeld(name: string): boolean {
    const held = this.#held.get(name);
    return held !== undefined && coversNeed(held, this.parts.ticks(), 0);
  }

  /** Keeps what is taken. */
  async #ask(take: () => Promise<Lease[]>): Promise<Lease[]> {
    return await this.#inOrder(async () => {
      if (this.#isStopped) return [];
      const askedAt = this.parts.ticks();
      const taken = await take();
      this.#keep(taken, askedAt);
      return taken;
    });
  }

  #inOrder<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#latest.then(run, run);
    this.#latest = turn.catch(() => {});
    return turn;
  }

  #plan(ms: number): void {
    if (!this.#isStopped) this.#timer = this.parts.timers.set(() => void this.#run(), ms);
  }

  async #run(): Promise<void> {
    try {
      await this.#beat();
      if (this.#isFailing) this.parts.log.info({}, "the database has this server's leases again");
      this.#isFailing = false;
      this.#plan(BEAT_MS);
    } catch (error) {
      if (error instanceof OutdatedServer) {
        this.#drop([...this.#held.values()]);
        return this.parts.mustStop(error);
      }
      if (!this.#isFailing)
        this.parts.log.warn({ err: error }, "this server's leases could not be renewed; trying again soon");
      this.#isFailing = true;
      this.#dropEnded();
      this.#plan(AFTER_FAULT_MS);
    }
  }

  #beat(): Promise<void> {
    return this.#inOrder(() => this.#renew());
  }

  async #renew(): Promise<void> {
    const { book, self, clock, ticks, leaseMs } = this.parts;
    this.#dropEnded();
    const askedAt = ticks();
    const before = clock();
    const { now, alive, leases } = await book.beat({ ...self(), clockOffMs: this.#clockOffMs }, leaseMs);
    this.#noteClock(clockOff(before, clock(), now));
    this.#alive = alive;
    if (this.#isStopped) return;
    const renewed = epochs(leases);
    const lost = [...this.#held.values()].filter(({ name, epoch }) => renewed.get(name) !== epoch);
    this.#keep(
      leases.filter(({ name, epoch }) => this.#held.get(name)?.epoch === epoch),
      askedAt,
    );
    this.#drop(lost);
    // What ended here, or was taken by a call whose answer was lost, would be lengthened for nobody.
    const unknown = [...renewed.keys()].filter((name) => !this.#held.has(name));
    if (unknown.length > 0) await book.release(this.#id, unknown);
  }

  #noteClock(offMs: number): void {
    if (isClockOff(offMs) !== isClockOff(this.#clockOffMs)) {
      const fields = { clock_off_ms: offMs };
      if (isClockOff(offMs))
        this.parts.log.warn(
          fields,
          "this server's clock is more than a minute off the database's: it takes no snapshot until it is set right",
        );
      else this.parts.log.info(fields, "this server's clock agrees with the database's again");
    }
    this.#clockOffMs = offMs;
  }

  #keep(leases: readonly Lease[], askedAt: number): void {
    for (const lease of leases)
      this.#held.set(lease.name, { ...lease, until: leaseEnd(askedAt, this.parts.leaseMs) });
  }

  #dropEnded(): void {
    this.#drop([...this.#held.values()].filter((lease) => !coversNeed(lease, this.parts.ticks(), 0)));
  }

  /** Of what was held when it was asked, what is not any more; it may have been taken anew since. */
  #drop(leases: readonly HeldLease[]): void {
    const gone = leases.filter(({ name, epoch }) => this.#held.get(name)?.epoch === epoch);
    for (const { name } of gone) {
      this.#held.delete(name);
      this.#jobsLost.get(name)?.abort(new Error("another server may run this job now"));
    }
    if (gone.length > 0) this.#lost(gone.map(({ name }) => name));
  }
}

const epochs = (leases: readonly Lease[]) => new Map(leases.map(({ name, epoch }) => [name, epoch]));
