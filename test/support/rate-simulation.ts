import type { CallerUsage } from "../../src/cluster/cluster-rate-window-permits.ts";
import { DistributedRateWindow } from "../../src/cluster/distributed-rate-window.ts";
import type { Timers } from "../../src/event-loop/event-loop.ts";

/** A call of the simulated caller. Times are true ones, which no simulated clock shows. */
export type SimulatedCall = {
  arrivedAt: number;
  /** When it was counted: at once if a permit was left, else when the database decided. */
  countedAt: number;
  outcome: "admitted" | "refused" | "failed" | "waiting";
  /** Milliseconds to wait, of a refused call. */
  waitMs: number;
};

/** How a request to the database fares: its way there and back, and whether it or its answer is lost. */
export type Exchange = {
  thereMs: number;
  backMs: number;
  fault: "none" | "request lost" | "answer lost" | "repeated";
};

type SimulatedServer = {
  window: DistributedRateWindow;
  isDead: boolean;
  /** The latest decision of the database: its time, and the number of calls when it was requested. */
  decided: { at: number; calls: number };
};

/** Servers that count the calls of one caller in a database, by simulated clocks that all differ. */
export class RateSimulation {
  readonly calls: SimulatedCall[] = [];
  /** The requests that reached the database. */
  requests = 0;
  #now = 1_000_000;
  #usage: CallerUsage = [[], []];
  #agenda: { at: number; run: () => void }[] = [];
  #servers: SimulatedServer[] = [];
  #holders = 0;

  constructor(
    private readonly limit: number,
    private readonly nextExchange: () => Exchange,
  ) {}

  /** Starts a server whose clock shows another time. */
  join(clockMs: number): number {
    const server: SimulatedServer = { window: undefined!, isDead: false, decided: { at: 0, calls: 0 } };
    const write = async <T>(run: (tx: never) => Promise<T>): Promise<T> => {
      const { thereMs, backMs, fault } = this.nextExchange();
      const calls = this.calls.length;
      await this.#sleep(thereMs);
      if (fault === "request lost") throw new Error("request lost");
      if (fault === "repeated") await this.#inTransaction(run, () => {});
      server.decided = { at: this.#now, calls };
      this.requests++;
      const answer = await this.#inTransaction(run, (usage) => {
        this.#usage = usage;
      });
      await this.#sleep(backMs);
      if (fault === "answer lost") throw new Error("answer lost");
      return answer;
    };
    const timers: Timers = { set: (fire, delayMs) => this.#at(this.#now + delayMs, fire), clear: () => {} };
    server.window = new DistributedRateWindow(
      {
        store: { write: write as never },
        monotonicMs: () => this.#now + clockMs,
        timers,
        newHolder: () => `holder ${this.#holders++}`,
      },
      this.limit,
      "process",
    );
    return this.#servers.push(server) - 1;
  }

  /** Ends a server: nobody learns what it would have answered. */
  kill(server: number): void {
    this.#servers[server]!.isDead = true;
  }

  isAlive(server: number): boolean {
    return !this.#servers[server]!.isDead;
  }

  call(to: number): void {
    const server = this.#servers[to]!;
    const call: SimulatedCall = { arrivedAt: this.#now, countedAt: 0, outcome: "waiting", waitMs: 0 };
    const nth = this.calls.push(call) - 1;
    server.window.admit("caller").then(
      (waitMs) => {
        // The database decides on the calls that had come when it was asked, and the server on those after them.
        call.countedAt = nth < server.decided.calls ? server.decided.at : this.#now;
        call.outcome = server.isDead ? "failed" : waitMs === undefined ? "admitted" : "refused";
        call.waitMs = waitMs ?? 0;
      },
      () => {
        call.countedAt = this.#now;
        call.outcome = "failed";
      },
    );
  }

  /** Lets a time pass, with all that happens in it. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (;;) {
      const due = this.#agenda.reduce<{ at: number; run: () => void } | undefined>(
        (first, entry) => (entry.at <= end && (!first || entry.at < first.at) ? entry : first),
        undefined,
      );
      if (!due) break;
      this.#agenda.splice(this.#agenda.indexOf(due), 1);
      this.#now = due.at;
      due.run();
      await settled();
    }
    this.#now = end;
  }

  async #inTransaction<T>(run: (tx: never) => Promise<T>, commit: (usage: CallerUsage) => void): Promise<T> {
    let saved = this.#usage;
    const rateWindows = {
      lock: async () => ({ usage: JSON.parse(JSON.stringify(this.#usage)), now: this.#now + 5_000_000 }),
      save: async (_: string, usage: CallerUsage) => {
        saved = usage;
      },
    };
    const answer = await run({ rateWindows } as never);
    commit(saved);
    return answer;
  }

  #at(at: number, run: () => void): void {
    this.#agenda.push({ at, run });
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#at(this.#now + ms, resolve));
  }
}

/** Resolves when everything has run that waits for no time to pass. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
