import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { StorageError } from "../../src/domain/errors.ts";
import type { Partner } from "../../src/domain/partner.ts";
import { type CallLedger, DailyCallLimits } from "../../src/http/request-daily-call-limits.ts";
import type { BudgetReservations } from "../../src/store/store.ts";
import { createPartner } from "../../src/usecases/partners/create-partner-and-credentials.ts";
import { type PartnerFixture, usePartnerStore } from "../support/partner-store.ts";
import { runsOnEngine, testOnSqlite } from "../support/postgres.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const open = usePartnerStore();
let fixture: PartnerFixture;
let budgets: DailyCallLimits;
let partner: Partner;
beforeAll(async () => {
  fixture = await open(NOON);
});
/** Creates a partner, whose calls are counted separately from those of the tests before. */
const begin = async () => {
  fixture.time.now = NOON;
  budgets = start();
  const created = await createPartner(fixture.administration, {
    name: "Acme",
    dailyBudget: 25,
    webhookUrl: null,
  });
  partner = created.partner;
};
beforeEach(begin);

/** Starts the counting of a server. Reservations that a previous one has not returned are lost. */
const start = () => new DailyCallLimits(fixture.store, fixture.clock);
/** A ledger in memory, which outlives the servers of a test as a file does. */
function ledger(): CallLedger & { lines: ReturnType<CallLedger["read"]> } {
  const lines: ReturnType<CallLedger["read"]> = [];
  return {
    lines,
    read: () => lines.toSorted((a, b) => a.calls - b.calls),
    record: (partnerId, day, calls) => lines.push({ partnerId, day, calls }) > 0,
    clear: () => void lines.splice(0),
  };
}
const stored = (day = "2026-03-10") => fixture.store.read.budgets.taken(partner.id, day);
/** Takes a call like a request, which reads the partner's revision first. */
async function call(of = partner) {
  await budgets.revision(of.id);
  return await budgets.take(of);
}
/** Takes calls one after another; returns the number of allowed ones. */
async function take(calls: number, of = partner): Promise<number> {
  let allowed = 0;
  for (let nth = 0; nth < calls; nth++) if ((await call(of)).allowed) allowed++;
  return allowed;
}

describe("a partner's calls of a day", () => {
  test("are allowed to the limit, each with the number of remaining calls", async () => {
    const answers = [];
    for (let nth = 0; nth < 26; nth++) answers.push(await call());
    expect(answers.map(({ remaining }) => remaining)).toEqual([
      ...Array.from({ length: 25 }, (_, nth) => 24 - nth),
      0,
    ]);
    expect(answers.map(({ allowed }) => allowed)).toEqual([...Array(25).fill(true), false]);
    expect(await budgets.remaining(partner)).toBe(0);
  });

  test("that arrive concurrently are allowed to the limit, and no further", async () => {
    const answers = await Promise.all(Array.from({ length: 80 }, () => call()));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(25);
  });

  test("that wait together are reserved in one write, with few additional calls", async () => {
    let writes = 0;
    const write: typeof fixture.store.write = async (...given) => {
      writes++;
      return await fixture.store.write(...given);
    };
    budgets = new DailyCallLimits({ ...fixture.store, write }, fixture.clock);
    const many = { ...partner, dailyBudget: 1000 };
    const answers = await Promise.all(Array.from({ length: 64 }, () => budgets.take(many)));
    expect(answers.every(({ allowed }) => allowed)).toBe(true);
    expect(writes).toBe(1);
    expect(await stored()).toBeWithin(64, 64 + 10 + 1);
  });

  test("stay within the limit on any number of servers, each with its own reservations", async () => {
    const servers = [budgets, start(), start()];
    const many = { ...partner, dailyBudget: 200 };
    const perServer = await Promise.all(
      servers.map(async (server) => {
        let allowed = 0;
        for (let burst = 0; burst < 20; burst++) {
          const answers = await Promise.all(
            Array.from({ length: 1 + (burst % 5) }, async () => {
              await server.revision(many.id);
              return await server.take(many);
            }),
          );
          allowed += answers.filter((answer) => answer.allowed).length;
        }
        return allowed;
      }),
    );
    const allowed = perServer.reduce((sum, one) => sum + one, 0);
    expect(allowed).toBe(3 * 60);
    expect(await stored()).toBeWithin(allowed, 200 + 1);
    for (const server of servers) await server.release();
    expect(await stored()).toBe(allowed);
    // Each server's unused reservations are available to the others again.
    expect(await take(200, many)).toBe(20);
  });

  // Rule: daily-limit-reset
  test("are counted from zero after midnight UTC", async () => {
    fixture.time.now = Date.parse("2026-03-10T23:59:59.999Z");
    expect(await take(30)).toBe(25);
    fixture.time.now++;
    expect(await take(30)).toBe(25);
  });

  test("are counted separately for each partner", async () => {
    await take(25);
    expect(await take(5, { ...partner, id: "PARTNER_2" })).toBe(5);
  });

  // Rule: cache-current
  test("are forgotten once the partner is gone, and never before", async () => {
    const other = await createPartner(fixture.administration, {
      name: "Other",
      dailyBudget: 25,
      webhookUrl: null,
    });
    await take(3);
    await take(2, other.partner);
    const revisions = await fixture.store.read.partners.revisions();
    for (let nth = 0; nth < 3; nth++) budgets.dropSuperseded(revisions);
    expect(budgets.size).toBe(2);
    revisions.delete(other.partner.id);
    // It may have been created since.
    budgets.dropSuperseded(revisions);
    expect(budgets.size).toBe(2);
    budgets.dropSuperseded(revisions);
    expect(budgets.size).toBe(1);
    expect(await take(30)).toBe(22);
  });

  test("with a limit of 0 are refused", async () => {
    expect(await take(3, { ...partner, dailyBudget: 0 })).toBe(0);
  });
});

describe("while nothing can be written", () => {
  /** Makes every write fail until the returned function is called. */
  function onFullDisk() {
    let isFull = true;
    const write: typeof fixture.store.write = (...given) =>
      isFull
        ? Promise.reject(new StorageError("the disk is full", "Make room."))
        : fixture.store.write(...given);
    budgets = new DailyCallLimits({ ...fixture.store, read: fixture.store.read, write }, fixture.clock);
    return () => {
      isFull = false;
    };
  }

  // Servers that share a database do not count in memory, which the others could not see.
  testOnSqlite("calls are still allowed to the limit, each with the number of remaining calls", async () => {
    expect(await take(10)).toBe(10);
    await budgets.release();
    onFullDisk();
    const answers = [];
    for (let nth = 0; nth < 17; nth++) answers.push(await budgets.take(partner));
    expect(answers.slice(0, 15).map(({ remaining }) => remaining)).toEqual(
      Array.from({ length: 15 }, (_, nth) => 14 - nth),
    );
    expect(answers.map(({ allowed }) => allowed)).toEqual([...Array(15).fill(true), false, false]);
    expect(await stored()).toBe(10);
  });

  testOnSqlite("calls are counted, and written as soon as writes succeed again", async () => {
    const repair = onFullDisk();
    expect(await take(6)).toBe(6);
    repair();
    expect(await take(40)).toBe(19);
    expect(await stored()).toBe(25);
  });
});

describe("a limit that an operator changes", () => {
  test("applies from the next call when it is raised", async () => {
    expect(await take(30)).toBe(25);
    expect(await take(30, { ...partner, dailyBudget: 30 })).toBe(5);
  });

  test("applies from the next call when it is lowered", async () => {
    await take(4);
    expect(await take(30, { ...partner, dailyBudget: 6 })).toBe(2);
  });
});

describe("the stored count", () => {
  test("is at least the number of allowed calls, and at most 10 higher", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 20 }), async (bursts) => {
        await begin();
        let allowed = 0;
        for (const calls of bursts) {
          const answers = await Promise.all(Array.from({ length: calls }, () => call()));
          allowed += answers.filter((answer) => answer.allowed).length;
          const taken = await stored();
          expect(taken).toBeWithin(allowed, allowed + 11);
          expect(taken).toBeLessThanOrEqual(partner.dailyBudget);
        }
      }),
      { numRuns: runsOnEngine(15) },
    );
  });

  test("after a stop equals the allowed calls", async () => {
    await take(9);
    await budgets.release();
    expect(await stored()).toBe(9);
    budgets = start();
    expect(await take(30)).toBe(16);
  });

  test("after a crash forfeits at most 10 calls, and never exceeds the limit", async () => {
    const before = await take(9);
    budgets = start();
    const after = await take(30);
    expect(before + after).toBeWithin(15, 26);
  });

  test("of a day that has ended is corrected before the server stops", async () => {
    const write: typeof fixture.store.write = async (run, options = {}) => {
      if (options.sharedRow?.endsWith("2026-03-10")) await Bun.sleep(20);
      return await fixture.store.write(run, options);
    };
    budgets = new DailyCallLimits({ ...fixture.store, write }, fixture.clock);
    await take(1);
    fixture.time.now += 86_400_000;
    await take(1);
    await budgets.release();
    expect([await stored("2026-03-10"), await stored("2026-03-11")]).toEqual([1, 1]);
  });
});

describe("with a ledger", () => {
  /** Blocks all writes until `release` is called. */
  function withBlockedWrites(noted: CallLedger) {
    const gate = Promise.withResolvers<void>();
    const write: typeof fixture.store.write = async (...given) => {
      await gate.promise;
      return await fixture.store.write(...given);
    };
    const store = { ...fixture.store, write };
    return { store, budgets: new DailyCallLimits(store, fixture.clock, noted), release: gate.resolve };
  }

  test("no call waits for a write, and the limit holds", async () => {
    const { budgets: waiting, release } = withBlockedWrites(ledger());
    budgets = waiting;
    expect(await take(40)).toBe(25);
    expect(await stored()).toBe(0);
    release();
    await budgets.release();
    expect(await stored()).toBe(25);
  });

  test("a crash during a write forfeits at most 10 calls, and never exceeds the limit", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 4 }), async (lives) => {
        await begin();
        const noted = ledger();
        let allowed = 0;
        for (const calls of lives) {
          const { budgets: waiting } = withBlockedWrites(noted);
          budgets = new DailyCallLimits(fixture.store, fixture.clock, noted);
          await budgets.recover();
          budgets = waiting;
          allowed += await take(calls);
          expect(allowed).toBeLessThanOrEqual(25);
        }
        budgets = new DailyCallLimits(fixture.store, fixture.clock, noted);
        await budgets.recover();
        expect(await stored()).toBeWithin(allowed, allowed + 10 * lives.length + 1);
        expect(noted.lines).toEqual([]);
      }),
      { numRuns: runsOnEngine(15) },
    );
  });

  test("no calls are reserved in the database, whose count lacks the recorded ones", async () => {
    const noted = ledger();
    /** Reservations in the database, as on PostgreSQL, whatever the test runs on. */
    const budgetReservations: BudgetReservations = {
      reserve: (partnerId, day, calls, budget) =>
        fixture.store.write(async (tx) => ({
          revision: (await tx.partners.revision(partnerId))!,
          taken: (await tx.budgets.take(partnerId, day, calls, budget)).taken,
        })),
    };
    const restart = async () => {
      const { store } = withBlockedWrites(noted);
      await new DailyCallLimits(fixture.store, fixture.clock, noted).recover();
      budgets = new DailyCallLimits({ ...store, budgetReservations }, fixture.clock, noted);
    };
    let allowed = 0;
    for (const calls of [4, 11]) {
      await restart();
      allowed += await take(calls);
    }
    await restart();
    expect(await stored()).toBeGreaterThanOrEqual(allowed);
  });

  test("after a stop exactly the allowed calls are stored, and the ledger is empty", async () => {
    const noted = ledger();
    budgets = new DailyCallLimits(fixture.store, fixture.clock, noted);
    await take(9);
    await budgets.release();
    expect([await stored(), noted.lines]).toEqual([9, []]);
  });

  test("that cannot be written, calls are counted in the database first", async () => {
    budgets = new DailyCallLimits(fixture.store, fixture.clock, { ...ledger(), record: () => false });
    expect(await take(3)).toBe(3);
    // A block in addition to the call that waited for it.
    expect(await stored()).toBe(8);
    expect(await take(40)).toBe(22);
  });
});
