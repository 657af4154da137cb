import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type CallerUsage,
  decideClusterPermits,
  isClusterUsageExpired,
  maxClusterPermits,
} from "../../src/cluster/cluster-rate-window-permits.ts";
import { type Exchange, RateSimulation } from "../support/rate-simulation.ts";

const MINUTE = 60_000;

/** The next occurrence: calls to a server, as a part of the limit, or a server that joins or dies. */
type Step = { afterMs: number; server: number; part: number; event: "calls" | "join" | "die" };

const PROMPT: Exchange = { thereMs: 1, backMs: 1, fault: "none" };
const waits = fc.oneof(
  { weight: 4, arbitrary: fc.nat(200) },
  { weight: 2, arbitrary: fc.nat(20_000) },
  // Permits that were counted in several calls leave the minute in between.
  { weight: 2, arbitrary: fc.integer({ min: MINUTE - 400, max: MINUTE + 50 }) },
  { weight: 1, arbitrary: fc.constant(0) },
);
const steps = fc.array(
  fc.record<Step>({
    afterMs: waits,
    // Most calls go to the first servers.
    server: fc.oneof(fc.constant(0), fc.nat(1), fc.nat(4)),
    part: fc.constantFrom(0, 0, 0.05, 0.2, 0.5, 1, 1.5),
    event: fc.oneof(
      { weight: 12, arbitrary: fc.constant("calls" as const) },
      { weight: 1, arbitrary: fc.constantFrom("join" as const, "die" as const) },
    ),
  }),
  { minLength: 1, maxLength: 60 },
);
const exchanges = (faults: readonly Exchange["fault"][]) =>
  fc.constantFrom(2, 100, 2_000).chain((longestMs) =>
    fc.array(
      fc.record<Exchange>({
        thereMs: fc.nat(longestMs),
        backMs: fc.nat(longestMs),
        fault: fc.oneof({ weight: 9, arbitrary: fc.constant("none" as const) }, fc.constantFrom(...faults)),
      }),
      { minLength: 1, maxLength: 20 },
    ),
  );
const limits = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 60 }));
/** At least one call. */
const callsOf = (part: number, limit: number) => Math.max(1, Math.round(part * limit));

type Planned = Omit<Step, "part"> & { calls: number };

async function simulate(limit: number, plan: readonly Planned[], exchanged: readonly Exchange[]) {
  let nth = 0;
  const simulation = new RateSimulation(limit, () => exchanged[nth++ % exchanged.length]!);
  const servers = [0, 1, 2].map((server) => simulation.join(server * 977_000));
  for (const { afterMs, server, calls, event } of plan) {
    await simulation.pass(afterMs);
    const alive = servers.filter((one) => simulation.isAlive(one));
    const chosen = alive[server % alive.length]!;
    if (event === "join") servers.push(simulation.join(servers.length * 1_234_567));
    else if (event === "die" && alive.length > 1) simulation.kill(chosen);
    else for (let call = 0; call < calls; call++) simulation.call(chosen);
  }
  await simulation.pass(2 * MINUTE);
  return simulation;
}

/** Returns how many of the calls were counted in the minute that ends at an instant. */
const inMinute = (calls: readonly { countedAt: number }[], at: number) =>
  calls.filter(({ countedAt }) => countedAt > at - MINUTE && countedAt <= at).length;

function checkCounts({ calls }: RateSimulation, limit: number): void {
  const of = (...outcomes: string[]) => calls.filter(({ outcome }) => outcomes.includes(outcome));
  const admitted = of("admitted");
  for (const { countedAt } of admitted)
    expect(inMinute(admitted, countedAt)).toBeLessThanOrEqual(Math.floor(limit * 1.2));
  // A call that failed may have been counted when it arrived or later: nobody can know.
  const failed = of("failed");
  for (const { countedAt, waitMs } of of("refused")) {
    const unclear = failed.filter(
      (call) => call.arrivedAt <= countedAt && call.countedAt > countedAt - MINUTE,
    );
    expect(inMinute(admitted, countedAt) + unclear.length).toBeGreaterThanOrEqual(limit);
    expect(waitMs).toBeWithin(0, MINUTE + 1);
  }
  expect(of("waiting")).toEqual([]);
}

describe("several servers that count the calls of a caller", () => {
  test("refuse none below the limit and admit at most 1.2 times it in any minute, whichever servers are asked and die", async () => {
    const faults = ["request lost", "answer lost", "repeated"] as const;
    await fc.assert(
      fc.asyncProperty(limits, steps, exchanges(faults), async (limit, plan, exchanged) => {
        const planned = plan.map((step) => ({ ...step, calls: callsOf(step.part, limit) }));
        checkCounts(await simulate(limit, planned, exchanged), limit);
      }),
      { numRuns: 150 },
    );
  });

  test("refuse nothing at all if the caller stays at or below the limit", async () => {
    await fc.assert(
      fc.asyncProperty(limits, steps, exchanges(["repeated"]), async (limit, plan, exchanged) => {
        // At most the limit arrives in any minute, with the longest delay of an exchange added.
        let arrived: number[] = [];
        let now = 0;
        const below = plan.map((step) => {
          now += step.afterMs;
          arrived = arrived.filter((at) => at > now - MINUTE - 20_000);
          const calls = Math.min(callsOf(step.part, limit), limit - arrived.length);
          for (let call = 0; call < calls; call++) arrived.push(now);
          return { ...step, event: "calls" as const, calls };
        });
        const { calls } = await simulate(limit, below, exchanged);
        expect(calls.filter(({ outcome }) => outcome !== "admitted")).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  /** Calls by time and server, and whether the counts hold. */
  const checkPlan = async (
    limit: number,
    plan: readonly (readonly [afterMs: number, server: number, calls: number])[],
  ) => {
    const steps = plan.map(([afterMs, server, calls]) => ({
      afterMs,
      server,
      calls,
      event: "calls" as const,
    }));
    const joins = Array.from({ length: 8 }, () => ({
      afterMs: 0,
      server: 0,
      calls: 0,
      event: "join" as const,
    }));
    checkCounts(await simulate(limit, [...joins, ...steps], [PROMPT]), limit);
  };

  test("count permits that may have been used, also while other calls are about to leave the minute", async () => {
    const takePermits = [1, 2, 3, 4].map((server) => [0, server, 1] as const);
    const usePermits = [1, 2, 3, 4].map((server) => [0, server, 3] as const);
    await checkPlan(60, [
      ...takePermits,
      [50, 0, 1],
      [190, 0, 55],
      [59_710, 0, 0],
      ...usePermits,
      ...[0, 30, 30, 30, 30, 30, 30].map((afterMs) => [afterMs, 0, 60] as const),
    ]);
  });

  test("count permits for a minute after they expired", async () => {
    const each = (servers: number[], calls: number) => servers.map((server) => [0, server, calls] as const);
    await checkPlan(60, [
      ...each([1, 2, 3, 4], 1),
      [59_900, 0, 0],
      ...each([1, 2, 3, 4], 3),
      [1_000, 0, 0],
      ...each([5, 6, 7, 8], 1),
      [100, 0, 60],
      [100, 0, 0],
      ...each([5, 6, 7, 8], 3),
    ]);
  });

  test("ask the database for one call of four at 40 calls a minute with a limit of 60, and refuse none", async () => {
    const simulation = new RateSimulation(60, () => PROMPT);
    const servers = [simulation.join(0), simulation.join(5), simulation.join(-9)];
    for (let call = 0; call < 200; call++) {
      simulation.call(servers[call % servers.length]!);
      await simulation.pass(1_500);
    }
    expect(simulation.calls.every(({ outcome }) => outcome === "admitted")).toBe(true);
    expect(simulation.requests).toBeLessThanOrEqual(70);
  });

  test("ask for fewer than one call of thirty far below a limit of 1,000, and for each call near the limit at most", async () => {
    const simulation = new RateSimulation(1_000, () => PROMPT);
    const servers = [simulation.join(0), simulation.join(5)];
    const callAll = async (calls: number, everyMs: number) => {
      const before = simulation.requests;
      for (let call = 0; call < calls; call++) {
        simulation.call(servers[call % 2]!);
        await simulation.pass(everyMs);
      }
      return simulation.requests - before;
    };
    expect(await callAll(300, 100)).toBeLessThan(10);
    await simulation.pass(3 * MINUTE);
    expect(await callAll(1_500, 20)).toBeLessThan(700);
    const asked = simulation.requests;
    expect(await callAll(300, 1)).toBe(0);
    expect(simulation.requests).toBe(asked);
    expect(simulation.calls.at(-1)!.outcome).toBe("refused");
  });
});

const ask = (waiting: number, holder = "A") => ({ holder, made: [], waiting });
const UNUSED: CallerUsage = [[], []];

test("a single server admits the limit exactly", () => {
  for (const limit of [1, 4, 5, 60, 999]) {
    const { admitted, permits, refusedMs } = decideClusterPermits(UNUSED, 500_000, limit, ask(3 * limit));
    expect([admitted, permits, refusedMs]).toEqual([limit, 0, MINUTE]);
  }
});

test("permits of all servers together are at most a fifth of the limit, and fewer near it", () => {
  let usage = UNUSED;
  const given = Array.from({ length: 20 }, (_, server) => {
    const decision = decideClusterPermits(usage, 500_000, 60, ask(1, `server ${server}`));
    usage = decision.usage;
    return decision.permits;
  });
  expect(given.slice(0, 5)).toEqual([3, 3, 2, 1, 1]);
  expect(given.reduce((sum, permits) => sum + permits)).toBe(maxClusterPermits(60));
  expect(decideClusterPermits(UNUSED, 500_000, 60, ask(58)).permits).toBe(2);
});

test("a refused caller is admitted after the stated time, and none before", () => {
  const { usage } = decideClusterPermits(UNUSED, 500_000, 10, ask(10));
  const { refusedMs } = decideClusterPermits(usage, 520_000, 10, ask(1));
  expect(refusedMs).toBe(40_000);
  expect(decideClusterPermits(usage, 520_000 + refusedMs! - 1, 10, ask(1)).admitted).toBe(0);
  expect(decideClusterPermits(usage, 520_000 + refusedMs!, 10, ask(4)).admitted).toBe(4);
});

test("calls of the future, by a clock that was set back, count for a minute from now", () => {
  const { usage } = decideClusterPermits(UNUSED, 9_000_000, 10, ask(10));
  const { refusedMs, usage: later } = decideClusterPermits(usage, 500_000, 10, ask(1));
  expect(refusedMs).toBe(MINUTE);
  expect(decideClusterPermits(later, 500_000 + MINUTE, 10, ask(1)).admitted).toBe(1);
});

test("a server with a lower limit than another decides, too", () => {
  const { usage } = decideClusterPermits(UNUSED, 500_000, 1_000, ask(1, "other"));
  const { admitted, undecidedMs } = decideClusterPermits(usage, 500_001, 5, ask(9));
  expect([admitted, undecidedMs]).toEqual([4, undefined]);
});

test("usage expires a minute after its last call, and permits a minute after they do", () => {
  const { usage } = decideClusterPermits(UNUSED, 500_000, 1, ask(1));
  expect([isClusterUsageExpired(usage, 559_999), isClusterUsageExpired(usage, 560_000)]).toEqual([
    false,
    true,
  ]);
  const withPermits = decideClusterPermits(UNUSED, 500_000, 60, ask(1)).usage;
  expect([isClusterUsageExpired(withPermits, 619_999), isClusterUsageExpired(withPermits, 620_000)]).toEqual([
    false,
    true,
  ]);
});
