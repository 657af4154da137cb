import { ClusterClock } from "../../src/cluster/cluster-clock.ts";
import type { LeaseRepository } from "../../src/cluster/cluster-leases-and-servers.ts";
import { Membership } from "../../src/cluster/cluster-membership.ts";
import { LEASE_MS } from "../../src/cluster/lease.ts";
import type { Timers } from "../../src/event-loop/event-loop.ts";
import type { ManualTime } from "../webhooks/manual-time.ts";

/** A server that a test can pause, cut off from the database, and give a wrong clock. */
export class SimulatedServer {
  isPaused = false;
  isCutOff = false;
  clockOff = 0;
  model = "2";
  readonly lost: string[] = [];
  readonly warnings: string[] = [];
  /** The reasons for which it was asked to stop. */
  readonly ends: string[] = [];
  #overdue: (() => void)[] = [];
  #goesOn: (() => void)[] = [];
  readonly clock: ClusterClock;
  readonly membership: Membership;
  readonly timers: Timers;

  constructor(
    readonly id: string,
    readonly time: ManualTime,
    book: LeaseRepository,
    leaseMs = LEASE_MS,
  ) {
    this.timers = {
      set: (fire, ms) =>
        time.timersPort.set(() => (this.isPaused ? void this.#overdue.push(fire) : fire()), ms),
      clear: (timer) => time.timersPort.clear(timer),
    };
    this.clock = new ClusterClock(
      () => time.now + this.clockOff,
      () => time.now,
    );
    this.membership = new Membership({
      repository: this.reaching(book),
      self: () => ({ id, address: id, version: "1", schemaVersion: 12, model: this.model }),
      clock: this.clock,
      monotonicMs: () => time.now,
      timers: this.timers,
      log: { info: () => {}, warn: (_, message) => void this.warnings.push(message) },
      leaseMs,
      mustStop: ({ message }) => void this.ends.push(message),
    });
    this.membership.onLost((names) => void this.lost.push(...names));
  }

  /**
   * Wraps the calls to other servers: they wait while the server is paused, as do their answers, and fail while it is
   * cut off.
   */
  reaching<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (_, name) => {
        const member = target[name as keyof T];
        if (typeof member !== "function") return member;
        return async (...args: unknown[]) => {
          await this.running();
          if (this.isCutOff) throw new Error("the database is away");
          const answer = await member.apply(target, args);
          await this.running();
          return answer;
        };
      },
    });
  }

  async running(): Promise<void> {
    while (this.isPaused) await new Promise<void>((resolve) => void this.#goesOn.push(resolve));
  }

  resume(): void {
    this.isPaused = false;
    for (const fire of this.#overdue.splice(0)) fire();
    for (const goOn of this.#goesOn.splice(0)) goOn();
  }
}
