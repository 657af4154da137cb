import { beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import pg from "pg";
import { notFound } from "../../../src/domain/errors.ts";
import { scoreTrendByRule } from "../../../src/domain/rules/score-trend-rule.ts";
import { scoreProperty } from "../../../src/domain/scoring/score.ts";
import { type Day, dayOf, MS_PER_DAY } from "../../../src/domain/time.ts";
import { extendStores, type Store, type Tx } from "../../../src/store/store.ts";
import { loadHistories } from "../../../src/usecases/history/load-histories.ts";
import { ServiceLog } from "../../../src/usecases/history/record-service-events.ts";
import { createPartner } from "../../../src/usecases/partners/create-partner-and-credentials.ts";
import { purgePartner } from "../../../src/usecases/partners/purge-partner.ts";
import { createAppliance } from "../../../src/usecases/portfolio/create-or-change-appliance.ts";
import {
  changeProperty,
  createPropertyAndQueueWebhook,
} from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { writePortfolio } from "../../../src/usecases/portfolio/portfolio-writer.ts";
import { discardLaterSnapshots } from "../../../src/usecases/snapshot/discard-snapshots.ts";
import { snapshotDayToTake, takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import {
  APPLIANCE,
  knowledge,
  type PortfolioFixture,
  PROPERTY,
  usePortfolioStore,
} from "../../support/portfolio-store.ts";
import { onPostgres, testOnSqlite, textsSent } from "../../support/postgres.ts";
import { revisionNumber } from "../../support/revision-number.ts";

const THREE = Date.parse("2026-03-10T03:00:00Z");
const open = usePortfolioStore();
/** True where the snapshot is taken as by one of several servers. */
let isShared = onPostgres;
let fixture: PortfolioFixture;
let propertyId: string;
/** The initial state of a test, which gets a copy of it. */
type Beginning = { fixture: PortfolioFixture; propertyId: string };
let empty: Beginning;
beforeAll(async () => {
  const fixture = await open(THREE, "http://hooks.test/");
  empty = { fixture, propertyId: (await fixture.addProperty()).id };
});
const beginWith = async (beginning: Beginning) => {
  fixture = await beginning.fixture.copy();
  propertyId = beginning.propertyId;
};
const beginEmpty = () => beginWith(empty);

const today = () => dayOf(fixture.time.now);
/**
 * Takes the snapshot of the present day. `cutAfter` aborts it after that many steps and one more; 0, after the first.
 */
function take({
  cutAfter = Number.POSITIVE_INFINITY,
  store = fixture.store,
  afterStep = async (_step: number) => {},
  monotonicMs = () => performance.now(),
  othersWrite = (): boolean => true,
} = {}) {
  const abort = new AbortController();
  if (cutAfter === 0) abort.abort();
  let steps = 0;
  const yieldNow = async () => {
    if (++steps >= cutAfter) abort.abort();
    await afterStep(steps);
  };
  const environment = {
    store: { ...store, isShared },
    knowledge,
    clock: fixture.clock,
    monotonicMs,
    othersWrite,
    yieldNow,
  };
  return takeSnapshot({ ...environment, signal: abort.signal }, today());
}
const nextDay = (days = 1) => {
  fixture.time.now += days * MS_PER_DAY;
};
const points = async (componentId: string, from: Day = "2000-01-01") => {
  const { snapshots } = fixture.store.read;
  return scoreTrendByRule(await snapshots.trendRows(componentId), await snapshots.days(from));
};
/** Returns the announcements in the outbox: event, component, previous and new tier. */
async function announced(): Promise<string[]> {
  const page = await fixture.store.read.deliveryLog.page({}, { limit: 1000, offset: 0 });
  return page
    .map(({ delivery }) => JSON.parse(delivery.body))
    .filter(({ event }) => event.startsWith("component."))
    .map(({ event, data }) => `${event} ${data.component_def_id} ${data.previous_tier} ${data.risk_tier}`)
    .reverse();
}

const WAYS = [
  // A server on PostgreSQL is never the only one.
  ...(onPostgres ? [] : [["of one server", false] as const]),
  ["that servers divide", true] as const,
];

describe.each(WAYS)("a snapshot %s", (_, divided) => {
  beforeEach(async () => {
    isShared = divided;
    await beginEmpty();
  });

  test("stores its counts as the day's run", async () => {
    await fixture.addAppliances({ propertyId, installYear: 1980 }, { propertyId, installYear: 2026 });
    const result = await take();
    expect(result).toMatchObject({
      date: "2026-03-10",
      components: 12,
      critical: 2,
      warning: 1,
      good: 9,
      announced: 3,
      suppressed: 0,
      alreadyDone: false,
    });
    expect(await fixture.store.read.snapshots.run("2026-03-10")).toMatchObject({
      components: 12,
      critical: 2,
      announced: 3,
      modelVersion: "3",
    });
  });

  test("of an installation without partners ends", async () => {
    const { administration, store, partnerId } = fixture;
    const partner = (await store.read.partners.find(partnerId))!;
    const uploads = { remove: async () => {} };
    await purgePartner({ administration, uploads, yieldNow: async () => {} }, partner, partner.name);
    expect(await take({ cutAfter: 5 })).toMatchObject({ components: 0, alreadyDone: false });
    expect((await store.read.snapshots.latestFinished())?.day).toBe(today());
    expect(await take({ cutAfter: 5 })).toMatchObject({ components: 0, alreadyDone: true });
  });

  // Rule: snapshot-twice
  test("repeated on its day changes nothing and announces nothing", async () => {
    await fixture.addAppliances({ propertyId, installYear: 1980 });
    const first = await take();
    const before = await announced();
    fixture.time.now += 3_600_000;
    expect(await take()).toEqual({ ...first, durationMs: 0, alreadyDone: true });
    expect(await announced()).toEqual(before);
  });

  test("increments the revisions of the partners that a step scores, and of all partners at its end", async () => {
    const { partner: other } = await createPartner(fixture.administration, {
      name: "Other",
      dailyBudget: 1,
      webhookUrl: null,
    });
    await fixture.addAppliances({ propertyId });
    const revisionOf = async (id: string) => revisionNumber(await fixture.store.read.partners.revision(id));
    const revisions = () => Promise.all([revisionOf(fixture.partnerId), revisionOf(other.id)]);
    const [mine, others] = await revisions();
    // Everything is scored in the first step, which follows one that opens the shares; only the end of the run is left.
    // The step ends by its size, however slow the machine is.
    await expect(take({ cutAfter: divided ? 1 : 0, monotonicMs: () => 0 })).rejects.toThrow();
    expect(await revisions()).toEqual([mine + 1, others]);
    await take();
    expect(await revisions()).toEqual([mine + 2, others + 1]);
    await take();
    expect(await revisions()).toEqual([mine + 2, others + 1]);
  });

  test("of a day before the latest snapshot is refused and changes nothing", async () => {
    const [appliance] = await fixture.addAppliances({ propertyId, installYear: 1980 });
    await take();
    const [component] = await fixture.components(propertyId);
    nextDay(-1);
    await expect(take()).rejects.toThrow("a snapshot of 2026-03-10 exists, but today is 2026-03-09");
    expect(await points(component!.id)).toHaveLength(1);
    expect(await fixture.components(propertyId)).toContainEqual(component!);
    expect(appliance).toBeDefined();
  });

  test("after an implausibly long gap deletes no trend points; the next one does", async () => {
    const [appliance] = await fixture.addAppliances({ propertyId, installYear: 2024 });
    await take();
    nextDay(400);
    await take();
    const [component] = await fixture.components(propertyId);
    expect((await points(component!.id)).map(({ day }) => day)).toEqual(["2026-03-10", "2027-04-14"]);
    nextDay();
    await take();
    expect((await points(component!.id)).map(({ day }) => day)).toEqual(["2027-04-14", "2027-04-15"]);
    expect(appliance).toBeDefined();
  });

  test("dated by a clock that was ahead can be discarded: the trend continues from the day before", async () => {
    await fixture.addAppliances({ propertyId, typeId: "roof", installYear: 2010 });
    await take();
    const before = await fixture.components(propertyId);
    nextDay(3650);
    await take();
    nextDay(-3649);
    const { administration } = fixture;
    expect(await discardLaterSnapshots(administration, today())).toBe(1);
    expect(await discardLaterSnapshots(administration, today())).toBe(0);
    await take();
    const after = await fixture.components(propertyId);
    expect(after.map(({ riskScore }) => riskScore)).toEqual(before.map(({ riskScore }) => riskScore));
    for (const { id, riskScore } of after)
      expect(await points(id)).toEqual([
        { day: "2026-03-10", riskScore },
        { day: "2026-03-11", riskScore },
      ]);
  });

  test("discarded back to an earlier one restores the trend of that one", async () => {
    await fixture.addAppliances({ propertyId, typeId: "roof", installYear: 2010 });
    await take();
    const rows = async () =>
      Promise.all(
        (await fixture.components(propertyId)).map(({ id }) => fixture.store.read.snapshots.trendRows(id)),
      );
    const before = { components: await fixture.components(propertyId), rows: await rows() };
    nextDay(3650);
    await take();
    expect((await rows()).flat().length).toBeGreaterThan(before.rows.length);
    nextDay(-3650);
    expect(await discardLaterSnapshots(fixture.administration, today())).toBe(1);
    expect(await rows()).toEqual(before.rows);
    const trend = (await fixture.components(propertyId)).map(({ trendScore }) => trendScore);
    expect(trend).toEqual(before.components.map(({ trendScore }) => trendScore));
  });

  // Rule: tier-change-sent, component-warning
  test("announces a component once when it changes its tier, with the previously announced tier", async () => {
    await fixture.addAppliances({ propertyId, typeId: "roof", installYear: 2026 });
    const seen = new Map<string, string>();
    for (let year = 0; year < 60; year += 6) {
      await take();
      nextDay(2190);
    }
    for (const line of await announced()) {
      const [, component, previous, now] = line.split(" ") as [string, string, string, string];
      expect(previous, line).toBe(seen.get(component) ?? "GOOD");
      expect(now, line).not.toBe(previous);
      seen.set(component, now);
    }
    expect(new Set(seen.values())).toEqual(new Set(["CRITICAL", "WARNING"])); // the highest risk of age alone
    expect(seen.size).toBe(6);
  });

  test("writes no announcement for a partner that does not subscribe to it", async () => {
    await fixture.store.write((tx) =>
      tx.partners.updateEndpoint(fixture.partnerId, { events: ["property.created"] }),
    );
    await fixture.addAppliances({ propertyId, installYear: 1980 });
    expect((await take()).announced).toBe(3);
    expect(await announced()).toEqual([]);
  });
});

/** More than two steps score, the second up to twice as many as the 400 of the first. A third are critical, a half elevated. */
const FILLED = { properties: 26, components: 1248 };
let filled: Beginning;
beforeAll(async () => {
  const fixture = await open(THREE, "http://hooks.test/");
  filled = { fixture, propertyId: (await fixture.addProperty()).id };
  for (let nth = 0; nth < FILLED.properties; nth++) {
    const { id } = await fixture.addProperty({ name: `Property ${nth}` });
    await fixture.addAppliances(...Array.from({ length: 8 }, () => ({ propertyId: id, installYear: 1980 })));
  }
});

describe.each(WAYS)("an interrupted snapshot, %s", (_, divided) => {
  const all = FILLED.components;
  beforeEach(async () => {
    isShared = divided;
    await beginWith(filled);
  });

  test("continues where it stopped, and announces each component once", async () => {
    await expect(take({ cutAfter: 1 })).rejects.toThrow();
    const unfinished = await fixture.store.read.snapshots.unfinished();
    const done = divided ? await fixture.store.read.snapshotShares.sum(unfinished!.day) : unfinished!;
    expect(done.components).toBeWithin(1, all);
    expect(await take()).toMatchObject({
      components: all,
      critical: all / 3,
      announced: all / 2,
      alreadyDone: false,
    });
    const announcements = await fixture.store.read.deliveryLog.count({ event: "component.critical" });
    expect(announcements).toBe(all / 3);
  });

  // Rule: model-change
  test("by another model starts again, and counts on what it has announced and suppressed", async () => {
    await expect(take({ cutAfter: 1 })).rejects.toThrow();
    const { store } = fixture;
    const { day, ...before } = (await store.read.snapshots.unfinished())!;
    const { announced } = divided ? await store.read.snapshotShares.sum(day) : before;
    await store.write((tx) => tx.snapshots.update(day, { modelVersion: "1", suppressed: 5 }));
    const ended = await take();
    expect(ended).toMatchObject({ components: all, announced: all / 2, suppressed: 5 });
    expect(announced).toBeWithin(1, all / 2);
  });

  test("is not part of the trend until it is finished", async () => {
    const [component] = await fixture.store.read.components.page(fixture.partnerId, { limit: 1, offset: 0 });
    await expect(take({ cutAfter: 1 })).rejects.toThrow();
    expect(await points(component!.id)).toEqual([]);
    await take();
    expect(await points(component!.id)).toHaveLength(1);
  });

  describe("discarded halfway, since the clock was ahead,", () => {
    const scored = async () => {
      const components = await fixture.store.read.components.page(fixture.partnerId, {
        limit: all,
        offset: 0,
      });
      return components.map(({ id, trendScore }) => ({ id, trendScore }));
    };
    let before: Awaited<ReturnType<typeof scored>>;
    beforeEach(async () => {
      await take();
      before = await scored();
      nextDay(3650);
    });
    const discard = () => {
      nextDay(-3650);
      return discardLaterSnapshots(fixture.administration, today());
    };
    const leavesNoTrace = async () => {
      expect(await fixture.store.read.snapshots.laterThan(today())).toBeUndefined();
      expect(await scored()).toEqual(before);
      for (const { id } of before.slice(0, 20))
        expect(await fixture.store.read.snapshots.trendRows(id)).toHaveLength(1);
      nextDay();
      expect(await take()).toMatchObject({ alreadyDone: false, components: all });
    };

    test("between two steps is not restarted and leaves no trace", async () => {
      let discarded = 0;
      const ahead = take({
        async afterStep(step) {
          if (step === 2) discarded = await discard();
        },
      });
      await expect(ahead).rejects.toThrow("was discarded while it was being taken");
      expect(discarded).toBe(1);
      await leavesNoTrace();
    });

    test("in steps, between which others write, is repeated after an interruption", async () => {
      await take();
      nextDay(-3650);
      const atOnce = 500;
      let steps = 0;
      const yieldNow = async () => {
        await fixture.addProperty();
        if (++steps === 2) throw new Error("interrupted");
      };
      const cut = discardLaterSnapshots(fixture.administration, today(), { yieldNow, atOnce });
      await expect(cut).rejects.toThrow("interrupted");
      nextDay();
      await expect(take()).rejects.toThrow("a snapshot of");
      nextDay(-1);
      expect(await discardLaterSnapshots(fixture.administration, today(), { atOnce })).toBe(1);
      await leavesNoTrace();
    });

    test("with a component that is scored for that day once its trend was discarded", async () => {
      const [added] = await fixture.addAppliances({ propertyId, installYear: 1980 });
      await take();
      nextDay(-3650);
      const ofAdded = () => fixture.store.read.components.ofAppliance(added!.id);
      let takenIn = 0;
      const yieldNow = async () => {
        const isTakenBack = (await ofAdded()).every(({ trendScore }) => trendScore === null);
        if (!isTakenBack || takenIn > 0) return;
        nextDay(3650);
        takenIn = (await take()).added!.components;
        nextDay(-3650);
      };
      expect(await discardLaterSnapshots(fixture.administration, today(), { yieldNow })).toBe(1);
      const components = await ofAdded();
      expect(takenIn).toBe(components.length);
      for (const { id, trendScore } of components) {
        expect(trendScore).toBeNull();
        expect(await fixture.store.read.snapshots.trendRows(id)).toEqual([]);
      }
    });

    test("during another server's step is not restarted either", async () => {
      let underWay = () => {};
      const isUnderWay = new Promise<void>((resolve) => {
        underWay = resolve;
      });
      let steps = 0;
      const { store } = fixture;
      const write: typeof store.write = (run, options) =>
        store.write(async (tx) => {
          const value = await run(tx);
          if (options?.priority === "background" && ++steps === 2) {
            underWay();
            // Long enough for the other to get here where it can at all.
            await Bun.sleep(200);
          }
          return value;
        }, options);
      const ahead = take({ store: { ...store, write } }).catch((error: Error) => error);
      await isUnderWay;
      const other = await fixture.open();
      nextDay(-3650);
      await discardLaterSnapshots({ ...fixture.administration, store: other }, today());
      // It is refused, unless it came to its end first.
      await ahead;
      await leavesNoTrace();
    });

    test("while a component is scored that was read before keeps the restored value", async () => {
      await take();
      let underWay = () => {};
      const isUnderWay = new Promise<void>((resolve) => {
        underWay = resolve;
      });
      const scoring = fixture.write(async ({ tx }) => {
        const rows = await tx.components.page(fixture.partnerId, { limit: all, offset: 0 });
        const moved = rows.find(({ trendScore }, nth) => trendScore !== before[nth]!.trendScore)!;
        underWay();
        // Long enough for the other to get here where it can at all.
        await Bun.sleep(200);
        await tx.components.saveScore(moved, "settled");
      });
      await isUnderWay;
      const other = await fixture.open();
      nextDay(-3650);
      await discardLaterSnapshots({ ...fixture.administration, store: other }, today());
      await scoring;
      await leavesNoTrace();
    });
  });

  test("scores with the changes of a write that it had to wait for", async () => {
    const roof = { typeId: "roof", installYear: 2015 };
    // The first property of the first step.
    const [moving, there] = [{ id: propertyId }, await fixture.addProperty({ state: "FL" })];
    await fixture.addAppliances({ propertyId: moving.id, ...roof }, { propertyId: there.id, ...roof });
    const scores = async ({ id }: { id: string }) => {
      const components = await fixture.components(id);
      return new Map(components.map(({ defId, riskScore }) => [defId, riskScore]));
    };
    expect(await scores(moving)).not.toEqual(await scores(there));
    let underWay = () => {};
    const isUnderWay = new Promise<void>((resolve) => {
      underWay = resolve;
    });
    const move = fixture.write(async (writer) => {
      await changeProperty(writer, moving.id, { state: "FL" });
      underWay();
      // Long enough for the other to get here where it can at all.
      await Bun.sleep(300);
    });
    await isUnderWay;
    await take({ store: await fixture.open() });
    await move;
    expect(await scores(moving)).toEqual(await scores(there));
  });

  test("goes on without a partner that is deleted while a step waits for its rows", async () => {
    const administration = { ...fixture.administration, actor: "test" };
    const { partner: gone } = await createPartner(administration, {
      name: "Gone",
      dailyBudget: 1,
      webhookUrl: null,
    });
    const write: Store["write"] = (run, how) =>
      fixture.store.write(
        (tx) =>
          run(
            extendStores(tx, {
              forPartner: async (id: string) => {
                if (id === gone.id) throw notFound("Partner not found");
                return await tx.forPartner(id);
              },
            }),
          ),
        how,
      );
    expect(await take({ store: { ...fixture.store, write } })).toMatchObject({ components: all });
  });

  test("that another version starts again before it has ended is left to that version", async () => {
    const write: typeof fixture.store.write = async (...args) => {
      const done = await fixture.store.write(...args);
      if ((done as { isLast?: boolean } | undefined)?.isLast)
        await fixture.store.write((tx) =>
          tx.snapshots.update(dayOf(fixture.time.now), {
            modelVersion: "newer",
            finishedAt: null,
            cursor: null,
          }),
        );
      return done;
    };
    const taken = await take({ store: { ...fixture.store, write } as typeof fixture.store });
    expect(taken.endedByAnotherServer).toBe(true);
    expect(await fixture.store.write((tx) => tx.snapshotShares.any(dayOf(fixture.time.now)))).toBe(divided);
    expect((await fixture.store.read.snapshots.run(dayOf(fixture.time.now)))?.finishedAt).toBeNull();
  });

  test("by two processes at the same time is one run", async () => {
    const results = await Promise.all([take(), take({ store: await fixture.open() })]);
    for (const { components, announced } of results) expect([components, announced]).toEqual([all, all / 2]);
    if (divided)
      expect(results.filter((one) => !one.endedByAnotherServer && !one.alreadyDone)).toHaveLength(1);
  });

  test("by servers of which some stop is finished by the others, each partner once", async () => {
    const partners = await Promise.all(
      Array.from({ length: 5 }, async (_, nth) => {
        const { partner } = await createPartner(fixture.administration, {
          name: `Partner ${nth}`,
          dailyBudget: 1000,
          webhookUrl: "http://hooks.test/",
        });
        await writePortfolio(fixture.store.write, knowledge, partner, async (writer) => {
          const { id } = await createPropertyAndQueueWebhook(writer, PROPERTY, { source: "api" });
          for (let n = 0; n < 4; n++)
            await createAppliance(writer, { ...APPLIANCE, propertyId: id, installYear: 1980 });
        });
        return partner;
      }),
    );
    const withTheirs = all + partners.length * 24;
    const stores = [fixture.store, await fixture.open(), await fixture.open()];
    const [ends] = await Promise.allSettled(
      stores.map((store, nth) => take({ store, cutAfter: nth === 0 ? Number.POSITIVE_INFINITY : nth })),
    );
    expect(ends).toMatchObject({
      status: "fulfilled",
      value: { components: withTheirs, announced: withTheirs / 2 },
    });
    expect(await fixture.store.read.deliveryLog.count({ event: "component.critical" })).toBe(withTheirs / 3);
  });
});

describe.each(WAYS)("the trend of conditions, with a snapshot %s", (_, divided) => {
  beforeEach(async () => {
    isShared = divided;
    await beginEmpty();
  });
  const trend = async (id: string | null) =>
    await fixture.store.read.conditionTrends.points(fixture.partner.id, id);
  const daysOf = async (id: string | null) => (await trend(id)).map(({ day }) => day);
  const expectedCost = async () =>
    (await fixture.components(propertyId)).reduce((sum, one) => sum + one.expectedCostCents, 0);

  // Rule: condition-trend
  test("has a point for the first snapshot of each week, for three years", async () => {
    await fixture.addAppliances({ propertyId, installYear: 1990 });
    await take();
    const { dueCents, rcvCents } = await fixture.store.read.totals.ofProperty(propertyId);
    const point = {
      day: "2026-03-10",
      properties: 1,
      dueCents,
      valueCents: Math.round(rcvCents / 0.45),
      expectedCents: await expectedCost(),
    };
    expect(dueCents).toBeGreaterThan(0);
    expect(point.expectedCents).toBeGreaterThan(0);
    expect(await trend(propertyId)).toEqual([point]);
    expect(await trend(null)).toEqual([point]);
    // The Sunday of the same week, and the Monday after it.
    for (const days of [5, 1, 7]) {
      nextDay(days);
      await take();
    }
    for (const id of [propertyId, null])
      expect(await daysOf(id)).toEqual(["2026-03-10", "2026-03-16", "2026-03-23"]);
    // Nothing is deleted after a gap, by which the clock may be wrong.
    nextDay(3 * 365 - 26);
    await take();
    const late = today();
    for (const id of [propertyId, null]) expect(await daysOf(id)).toHaveLength(4);
    nextDay(14);
    await take();
    for (const id of [propertyId, null])
      expect(await daysOf(id)).toEqual(["2026-03-16", "2026-03-23", late, today()]);
  });

  test("counts a building as worth 10 billion at most, so that no sum of mistyped values is too large", async () => {
    const { id } = await fixture.addProperty({ address: "2 Elm St", replacementValueCents: 100e12 });
    await fixture.addAppliances({ propertyId: id, installYear: 1990 });
    await take();
    expect((await trend(id)).map(({ valueCents }) => valueCents)).toEqual([1e12]);
  });

  // Rule: condition-trend, portfolio-trend
  test("counts what the day's snapshot scores later, and no demo property in the portfolio", async () => {
    await fixture.addAppliances({ propertyId, installYear: 1990 });
    await take();
    const [before] = await trend(propertyId);
    const other = await fixture.addProperty({ address: "2 Elm St" });
    await fixture.addAppliances(
      { propertyId, installYear: 1980 },
      { propertyId: other.id, installYear: 1970 },
    );
    const demo = await writePortfolio<{ id: string }>(
      fixture.store.write,
      knowledge,
      fixture.partner,
      async (writer) => {
        const origin = { source: "demo", isDemo: true } as const;
        const demo = await createPropertyAndQueueWebhook(
          writer,
          { ...PROPERTY, address: "3 Elm St" },
          origin,
        );
        await createAppliance(writer, { ...APPLIANCE, propertyId: demo.id });
        return demo;
      },
    );
    await take();
    const [own, others, sum] = [await trend(propertyId), await trend(other.id), await trend(null)];
    expect(own[0]!.expectedCents).toBe(await expectedCost());
    expect(own[0]!.expectedCents).toBeGreaterThan(before!.expectedCents);
    expect(await daysOf(demo.id)).toEqual(["2026-03-10"]);
    expect(sum).toMatchObject([
      {
        properties: 2,
        expectedCents: own[0]!.expectedCents + others[0]!.expectedCents,
        valueCents: own[0]!.valueCents + others[0]!.valueCents,
      },
    ]);
  });

  test("ends with the snapshots that are left", async () => {
    await fixture.addAppliances({ propertyId, installYear: 1990 });
    await take();
    nextDay(3650);
    await take();
    nextDay(-3650);
    await discardLaterSnapshots(fixture.administration, today());
    for (const id of [propertyId, null]) expect(await daysOf(id)).toEqual(["2026-03-10"]);
  });
});

describe("the trend", () => {
  beforeEach(beginEmpty);

  // Rule: missed-snapshot
  test("has a point for every day with a snapshot, and none for a missed day", async () => {
    await fixture.addAppliances({ propertyId, installYear: 2024 });
    const [component] = await fixture.components(propertyId);
    for (const days of [1, 1, 3, 1]) {
      await take();
      nextDay(days);
    }
    await take();
    expect((await points(component!.id)).map(({ day }) => day)).toEqual([
      "2026-03-10",
      "2026-03-11",
      "2026-03-12",
      "2026-03-15",
      "2026-03-16",
    ]);
  });

  // Rule: trend-kept
  test("agrees with the score that each snapshot found", async () => {
    await fixture.addAppliances({ propertyId, typeId: "refrigerator", installYear: 2018 });
    const expected = new Map<string, string[]>();
    for (let nth = 0; nth < 10; nth++) {
      await take();
      for (const { id, riskScore } of await fixture.components(propertyId))
        expected.set(id, [...(expected.get(id) ?? []), `${today()} ${riskScore}`]);
      nextDay(36);
    }
    for (const [id, lines] of expected) {
      const found = (await points(id)).map(({ day, riskScore }) => `${day} ${riskScore}`);
      expect(found).toEqual(lines);
    }
  });

  // Rule: trend-unchanging
  test("of the past is not changed by events that are logged later with an earlier date", async () => {
    await fixture.addAppliances({ propertyId, installYear: 1980 });
    const [component] = await fixture.components(propertyId);
    await take();
    const before = await points(component!.id);
    nextDay();
    await fixture.write(async (writer) => {
      const log = new ServiceLog(writer);
      await log.add({
        applianceId: component!.applianceId,
        componentId: null,
        eventType: "Replacement",
        date: "2026-03-01",
        technician: null,
        notes: null,
        conditionAfter: null,
        partsCostCents: null,
        laborCostCents: null,
        totalCostCents: null,
      });
      await log.finish();
    });
    await take();
    const [first, second] = await points(component!.id);
    expect([first]).toEqual(before);
    expect(first!.riskScore).toBe(99);
    expect(second!.riskScore).toBeLessThan(3);
  });

  // Rule: trend-stored
  test("stores a row only where the score has changed", async () => {
    await fixture.addAppliances({ propertyId, installYear: 2026 });
    const [component] = await fixture.components(propertyId);
    for (let nth = 0; nth < 10; nth++) {
      await take();
      nextDay();
    }
    expect((await fixture.store.read.snapshots.trendRows(component!.id)).length).toBeLessThan(3);
    expect(await points(component!.id)).toHaveLength(10);
  });

  // Rule: trend-kept
  test("is kept for 365 days, also where the score has not changed since", async () => {
    await fixture.addAppliances({ propertyId, typeId: "refrigerator", installYear: 2018 });
    const components = await fixture.components(propertyId);
    await take();
    for (let days = 0; days < 420; days += 30) {
      nextDay(30);
      await take();
    }
    const oldest = dayOf(fixture.time.now - 365 * MS_PER_DAY);
    for (const { id } of components) {
      const kept = await points(id);
      expect(kept).toHaveLength(13);
      expect(kept[0]!.day >= oldest).toBe(true);
    }
  });

  test("of a component starts at its first snapshot", async () => {
    await take();
    nextDay();
    await fixture.addAppliances({ propertyId });
    await take();
    const [component] = await fixture.components(propertyId);
    expect((await points(component!.id)).map(({ day }) => day)).toEqual(["2026-03-11"]);
  });
});

// The rules of costs and of steps are the same on every engine.
testOnSqlite("a normal day leaves the expected costs of most components as they are", async () => {
  await beginEmpty();
  const years = Array.from({ length: 25 }, (_, nth) => ({ propertyId, installYear: 1985 + nth }));
  await fixture.addAppliances(...years, ...years.map((one) => ({ ...one, typeId: "electrical_panel" })));
  await take();
  const costs = async () =>
    new Map(
      (await fixture.components(propertyId))
        .filter(({ riskTier }) => riskTier !== "GOOD")
        .map(({ id, expectedCostCents }) => [id, expectedCostCents]),
    );
  const changed: boolean[] = [];
  for (let nth = 0; nth < 10; nth++) {
    const before = await costs();
    nextDay();
    await take();
    for (const [id, cents] of await costs()) if (before.has(id)) changed.push(cents !== before.get(id));
  }
  expect(changed.length).toBeGreaterThan(500);
  const share = changed.filter(Boolean).length / changed.length;
  expect(share).toBeGreaterThan(0);
  expect(share).toBeLessThan(0.05);
});

testOnSqlite(
  "a property with very many appliances is scored in steps, with the result of a single step",
  async () => {
    await beginEmpty();
    const types = ["plumbing_supply", "washer", "water_heater_gas", "elevator"];
    // On record from its installation, so that old components are in a state that cascades to other appliances.
    const { id: propertyId } = await fixture.addProperty({ recordsSince: "1950-01-01" });
    const many = Array.from({ length: 320 }, (_, i) => ({
      propertyId,
      // Most of them have few components, since the number of appliances matters.
      typeId: i % 4 > 0 ? "garbage_disposal" : types[(i / 4) % types.length]!,
      installYear: 1960 + (i % 60),
    }));
    await fixture.addAppliances(...many);
    nextDay(400);
    await take();
    const { read } = fixture.store;
    const appliances = await read.appliances.forScoring([propertyId]);
    const all = await read.properties.forSnapshot("", 100_000);
    const property = all.find(({ id }) => id === propertyId)!;
    const loaded = await loadHistories(read, knowledge, [property], appliances, today());
    const scores = scoreProperty(knowledge, loaded.get(propertyId)!.history, today());
    const components = await fixture.components(propertyId);
    expect(components.length).toBeGreaterThan(1000);
    for (const { id, riskScore, hazardRatio, scoredOn } of components) {
      const score = scores.get(id)!;
      expect([riskScore, hazardRatio]).toEqual([Math.round(score.riskScore * 100), score.hazardRatio]);
      expect(scoredOn).toBe(today());
    }
  },
);

// Rule: snapshot-time
test("a snapshot is due from its time of day on", () => {
  const at = (time: string) => Date.parse(`2026-03-10T${time}Z`);
  expect(snapshotDayToTake(at("02:59:59.999"), 180)).toBeUndefined();
  expect(snapshotDayToTake(at("03:00:00.000"), 180)).toBe("2026-03-10");
  expect(snapshotDayToTake(at("23:59:59.999"), 180)).toBe("2026-03-10");
  expect(snapshotDayToTake(at("00:00:00.000"), 0)).toBe("2026-03-10");
});

describe("a day with a snapshot by another model", () => {
  beforeEach(async () => {
    await beginEmpty();
    await fixture.addAppliances({ propertyId, installYear: 1980 });
    await take();
    const [component] = await fixture.components(propertyId);
    await fixture.store.write(async (tx) => {
      await tx.snapshots.update(today(), { modelVersion: "1" });
      await tx.components.saveScore({ ...component!, announcedTier: "GOOD" }, "settled");
    });
  });

  // Rule: model-change
  test("gets a new snapshot, announces nothing, and keeps its trend points", async () => {
    const reported = await announced();
    const [before] = await fixture.components(propertyId);
    expect(await take()).toMatchObject({ alreadyDone: false, announced: 0, suppressed: 1, components: 6 });
    expect(await take()).toMatchObject({ alreadyDone: true, suppressed: 1 });
    expect(await announced()).toEqual(reported);
    const [component] = await fixture.components(propertyId);
    expect(component).toMatchObject({ announcedTier: component!.riskTier, trendScore: before!.trendScore });
    expect(await points(component!.id)).toHaveLength(1);
    expect(await fixture.store.read.snapshots.run(today())).toMatchObject({
      modelVersion: "3",
      takenAgain: true,
    });
  });

  test("shows the new scores in the trend from the next day on", async () => {
    const [component] = await fixture.components(propertyId);
    await fixture.store.write(async (tx) =>
      tx.components.saveScore({ ...component!, trendScore: 1 }, "settled"),
    );
    await take();
    expect((await fixture.components(propertyId))[0]!.trendScore).toBe(1);
    nextDay();
    await take();
    const [after] = await fixture.components(propertyId);
    expect(after!.trendScore).toBe(after!.riskScore);
    expect((await points(after!.id)).at(-1)).toEqual({ day: today(), riskScore: after!.riskScore });
  });
});

describe("a divided snapshot", () => {
  beforeAll(() => {
    isShared = true;
  });
  /** Takes a snapshot, and returns what each of its transactions did: opened shares, or locked partners. */
  async function transactions(store: Store, passes: () => void = () => {}): Promise<string[][]> {
    const all: string[][] = [];
    const write: Store["write"] = (run, how) =>
      store.write((tx) => {
        const done: string[] = [];
        all.push(done);
        const snapshotShares = {
          ...tx.snapshotShares,
          open: (day: Day) => {
            done.push("open");
            return tx.snapshotShares.open(day);
          },
        };
        const components = {
          ...tx.components,
          saveScore: (...saved: Parameters<typeof tx.components.saveScore>) => {
            passes();
            return tx.components.saveScore(...saved);
          },
        };
        const forPartner: Tx["forPartner"] = (id) => {
          if (!done.includes(id)) done.push(id);
          return tx.forPartner(id);
        };
        return run(extendStores(tx, { snapshotShares, components, forPartner }));
      }, how);
    await takeSnapshot(
      {
        store: { ...store, write, isShared },
        knowledge,
        clock: fixture.clock,
        monotonicMs: () => now,
        yieldNow: async () => {},
      },
      today(),
    );
    return all.filter((done) => done.length > 0);
  }
  let now = 0;

  /** Creates partners of one appliance each. */
  async function addSmallPartners(partners: number): Promise<void> {
    for (let nth = 0; nth < partners; nth++) {
      const { partner } = await createPartner(fixture.administration, {
        name: `Partner ${nth}`,
        dailyBudget: 1000,
        webhookUrl: null,
      });
      await writePortfolio(fixture.store.write, knowledge, partner, async (writer) => {
        const { id } = await createPropertyAndQueueWebhook(writer, PROPERTY, { source: "api" });
        await createAppliance(writer, { ...APPLIANCE, propertyId: id, installYear: 1980 });
      });
    }
  }

  test.if(onPostgres)("takes few statements for each of many small partners", async () => {
    await beginEmpty();
    const statementsWith = async (partners: number) => {
      await addSmallPartners(partners);
      // A transaction ends early when it has taken long, as it does on a slow machine.
      const monotonicMs = () => 0;
      nextDay();
      await take({ monotonicMs });
      nextDay();
      const query = spyOn(pg.Client.prototype, "query");
      await take({ monotonicMs });
      const texts = textsSent(query);
      query.mockRestore();
      return texts.length;
    };
    const few = await statementsWith(3);
    const many = await statementsWith(30);
    // A partner alone takes 19.
    expect((many - few) / 30).toBeLessThan(5);
  });

  test("scores nothing in the transaction that locks the clock, and few partners in one that is slow", async () => {
    await beginEmpty();
    await addSmallPartners(3);
    const [first, ...others] = await transactions(fixture.store);
    expect(first).toEqual(["open"]);
    expect(others.map((done) => done.length)).toEqual([4]);
    nextDay();
    const slow = await transactions(fixture.store, () => {
      now += 50;
    });
    // The end of one partner's share, perhaps the empty one, and a part of the next.
    expect(Math.max(...slow.map((done) => done.length))).toBeLessThan(4);
    expect(new Set(slow.flat()).size).toBe(5);
  });
});

test("a step with announcements is durable on a database that may stop independently", async () => {
  await beginEmpty();
  const asked: unknown[] = [];
  const { store } = fixture;
  const write: typeof store.write = (run, how) => {
    asked.push(how?.durability ?? "durable");
    return store.write(run, how);
  };
  await fixture.addAppliances({ propertyId: (await fixture.addProperty()).id });
  await take({ store: { ...store, write } });
  expect(asked).toContain(isShared ? "durable" : "process");
  if (isShared) expect(asked).not.toContain("process");
});

test.skipIf(onPostgres)("takes fewer and longer steps while no other process writes", async () => {
  await beginEmpty();
  isShared = false;
  for (let nth = 0; nth < 6; nth++) {
    const { id } = await fixture.addProperty();
    await fixture.addAppliances(...Array.from({ length: 40 }, () => ({ propertyId: id })));
  }
  const steps = async (othersWrite: boolean) => {
    nextDay();
    let now = 0;
    let taken = 0;
    await take({
      // A step takes 24 ms by this clock, which is read before and after it.
      monotonicMs: () => (now += 24),
      othersWrite: () => othersWrite,
      afterStep: async (step) => {
        taken = step;
      },
    });
    return taken;
  };
  const shared = await steps(true);
  expect(await steps(false)).toBeLessThan(shared);
  expect(shared).toBeGreaterThan(3);
});
