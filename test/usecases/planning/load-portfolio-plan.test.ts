import { beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { PriceList } from "../../../src/domain/costs/price-list.ts";
import { StorageError } from "../../../src/domain/errors.ts";
import { planContextOfPrices } from "../../../src/domain/planning/plan-context.ts";
import { addPlanSums, emptyPlanSums } from "../../../src/domain/planning/plan-sums.ts";
import { type PlanTerms, USUAL_TERMS } from "../../../src/domain/planning/plan-terms.ts";
import {
  planComponentsInSteps,
  spendBudgetOnAppliancesInSteps,
} from "../../../src/domain/planning/planned-components.ts";
import { runSteps } from "../../../src/domain/steps/computation-steps.ts";
import { dayOf, MS_PER_DAY } from "../../../src/domain/time.ts";
import { createDemoProperty } from "../../../src/usecases/demo-property/create-demo-property.ts";
import { loadActionListPage } from "../../../src/usecases/planning/load-action-list-page.ts";
import {
  loadBestUseOfPortfolioBudget,
  loadPortfolioPlan,
  loadPropertyPlansOfPortfolio,
  renewAgedPlans,
  renewChangedPlans,
} from "../../../src/usecases/planning/load-portfolio-plan.ts";
import { changeProperty } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { loadPortfolioTotals } from "../../../src/usecases/portfolio/load-portfolio-totals.ts";
import { takeSnapshot } from "../../../src/usecases/snapshot/take-snapshot.ts";
import { knowledge, type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();
const yieldNow = async () => {};
let fixture: PortfolioFixture;
let properties: string[];

/** Copied by each test. */
let whole: { fixture: PortfolioFixture; properties: readonly string[] };
beforeAll(async () => {
  const fixture = await open(NOON);
  const properties: string[] = [];
  for (const [index, installYear] of [1995, 2008, 2014, 2026].entries()) {
    const { id } = await fixture.addProperty({ name: `House ${index}`, unitCount: index * 3 });
    properties.push(id);
    await fixture.addAppliances(
      { propertyId: id, installYear },
      { propertyId: id, installYear, typeId: "elevator" },
      { propertyId: id, installYear: installYear - 3, typeId: "roof" },
    );
  }
  whole = { fixture, properties };
});
beforeEach(async () => {
  fixture = await whole.fixture.copy();
  properties = [...whole.properties];
});

const ALL = { limit: 1000, offset: 0 };
const environment = () => ({ store: fixture.store, knowledge, clock: fixture.clock, yieldNow });
const rowsOf = async (...page: Parameters<typeof loadPropertyPlansOfPortfolio>) =>
  (await loadPropertyPlansOfPortfolio(...page)).rows;
const renew = () => renewChangedPlans(environment(), fixture.partnerId);
const portfolio = async () => (await fixture.store.read.plans.ofPartner(fixture.partnerId)).sums;
const sumsOf = async (id: string) => (await fixture.store.read.plans.ofProperty(id))!.sums;
const componentsOf = (id: string) => fixture.store.read.components.rowsOfProperty(id);

const NO_SIZE = { unitCount: 0, areaSqft: null };
type Rows = Awaited<ReturnType<typeof componentsOf>>;
const plansOf = (rows: Rows) =>
  runSteps(
    planComponentsInSteps(
      planContextOfPrices<Rows[number]>(new PriceList(knowledge, knowledge.priceTerms)),
      rows,
      dayOf(fixture.time.now),
    ),
  );
/** The units and parts of an appliance that are due now. */
const dueOf = ({ unit, components }: Awaited<ReturnType<typeof plansOf>>["appliances"][number]) =>
  unit ? Number(unit.dueNow !== null) : components.filter(({ dueNow }) => dueNow !== null).length;

// Rule: portfolio-actions
test("the sums of a large portfolio's actions are those of a few properties at a time", async () => {
  const prices = new PriceList(knowledge, knowledge.priceTerms);
  const listed = async (summedAtOnce: number, filter = {}) => {
    const how = {
      order: "waiting",
      slice: { limit: 1, offset: 0 },
      includeDemo: true,
      summedAtOnce,
    } as const;
    return (
      await loadActionListPage({ ...environment(), prices }, { partnerId: fixture.partnerId, ...filter }, how)
    ).sums;
  };
  const sums = await listed(1e6);
  expect(sums.count).toBeGreaterThan(3);
  expect(await listed(0)).toEqual(sums);
  const urgent = { tier: "CRITICAL" };
  expect(await listed(0, urgent)).toEqual(await listed(1e6, urgent));
});

async function recounted() {
  const sums = emptyPlanSums();
  for (const id of properties) addPlanSums(sums, await sumsOf(id), 1);
  return sums;
}

describe("a portfolio's plan", () => {
  // Rule: portfolio-plan
  test("is the sum of the plans of its properties, to the cent", async () => {
    expect(await renew()).toBe(4);
    const sums = await portfolio();
    expect(sums).toEqual(await recounted());
    expect(sums).toMatchObject({ unitCount: 3 + 6 + 9, withoutUnits: 1 });
    expect(sums.due.units + sums.due.components).toBeGreaterThan(0);
    let [planned, due] = [0, 0];
    for (const id of properties) {
      const made = await plansOf(await componentsOf(id));
      planned += made.sums.sums(NO_SIZE).years.planned[4]!;
      due += made.appliances.reduce((count, one) => count + dueOf(one), 0);
    }
    expect(sums.years.planned[4]).toBe(planned);
    expect(sums.due.units + sums.due.components).toBe(due);
  });

  test("is recomputed for changed properties only", async () => {
    await renew();
    const before = await portfolio();
    expect(await renew()).toBe(0);
    await fixture.addAppliances({ propertyId: properties[2]!, installYear: 1990 });
    expect(await fixture.store.read.plans.changed(fixture.partnerId, 10)).toEqual([properties[2]!]);
    expect(await renew()).toBe(1);
    const after = await portfolio();
    expect(after).toEqual(await recounted());
    expect(after.years.failures[0]).toBeGreaterThan(before.years.failures[0]!);
  });

  // Rule: retire
  test("sorted by the cost of delay, has exactly the properties that are not retired, also while sums are recalculated", async () => {
    const { write, partnerId } = { write: fixture.store.write, partnerId: fixture.partnerId };
    const retire = (id: string, retiredAt: string | null) =>
      fixture.write((writer) => changeProperty(writer, id, { retiredAt }));
    const today = dayOf(fixture.time.now);
    const [first, second] = properties as [string, string];
    const expectListed = async (ids: string[], inOrder = true) => {
      await loadPortfolioPlan(environment(), partnerId, USUAL_TERMS);
      const rows = await rowsOf(environment(), partnerId, ALL, { order: "waiting" });
      const amounts = rows.map(({ sums }) => sums.due.waitingCents);
      expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
      expect(rows.map(({ propertyId }) => propertyId).sort()).toEqual(ids.toSorted());
      expect((await loadPortfolioTotals(fixture.store.read, partnerId, true)).properties).toBe(ids.length);
      if (!inOrder) return;
      for (const [offset, row] of rows.entries())
        expect(await rowsOf(environment(), partnerId, { limit: 1, offset }, { order: "waiting" })).toEqual([
          row,
        ]);
    };
    await expectListed(properties);
    await retire(first, today);
    await expectListed(properties.slice(1));
    await write((tx) => tx.recalculations.request(partnerId, tx.now));
    await retire(second, today);
    await expectListed(properties.slice(2));
    await retire(second, null);
    await expectListed(properties.slice(1));
    // The plan of a property that was retired before is not stored yet: it follows the others over all pages.
    await retire(first, null);
    await expectListed(properties, false);
  });

  // Rule: portfolio-plan, retire
  test("has each listed property on one page, without the demo property, whatever is retired", async () => {
    const { id: demo } = (await fixture.write((writer) => createDemoProperty(writer))).property;
    for (const name of ["A", "B", "C", "D", "E", "F"])
      properties.push((await fixture.addProperty({ name, unitCount: 2 })).id);
    const retire = (id: string) =>
      fixture.write((writer) => changeProperty(writer, id, { retiredAt: dayOf(fixture.time.now) }));
    const listed = new Set(properties);
    const expectPages = async (demos: string[]) => {
      await renew();
      const others = properties.filter((id) => listed.has(id));
      const before = properties.slice(0, 4).filter((id) => listed.has(id)).length;
      for (const [includeDemo, ids] of [
        [false, others],
        [true, others.toSpliced(before, 0, ...demos)],
      ] as const)
        for (const limit of [1, 2, 3]) {
          const pages = [];
          for (let offset = 0; offset < ids.length; offset += limit) {
            const slice = { limit, offset };
            pages.push(...(await rowsOf(environment(), fixture.partnerId, slice, { includeDemo })));
          }
          expect(pages.map(({ propertyId }) => propertyId)).toEqual(ids);
        }
    };
    await expectPages([demo]);
    for (const at of [0, 2, 3, 4, 7]) {
      await retire(properties[at]!);
      listed.delete(properties[at]!);
      await expectPages([demo]);
    }
    await retire(demo);
    await expectPages([]);
  });

  // Rule: portfolio-plan
  test.each(["page", "pageByWaiting"] as const)(
    "is listed and counted in one state of the list: %s",
    async (name) => {
      await renew();
      const { plans } = fixture.store.read;
      const original = plans[name] as (...args: unknown[]) => Promise<never>;
      const reading = spyOn(plans, name).mockImplementationOnce(async (...args: unknown[]) => {
        const rows = await original(...args);
        await fixture.addProperty({ name: "New" });
        return rows;
      });
      const order = name === "page" ? "created" : "waiting";
      const { rows, total } = await loadPropertyPlansOfPortfolio(environment(), fixture.partnerId, ALL, {
        order,
      });
      reading.mockRestore();
      expect([rows.length, total]).toEqual([5, 5]);
    },
  );

  test("follows a property's number of units", async () => {
    await renew();
    await fixture.write((writer) => changeProperty(writer, properties[0]!, { unitCount: 40 }));
    expect(await renew()).toBe(1);
    expect(await portfolio()).toMatchObject({ unitCount: 40 + 3 + 6 + 9, withoutUnits: 0 });
  });

  test("that is computed while a property changes includes the change the next time", async () => {
    let changed = false;
    const once = async () => {
      if (changed) return;
      changed = true;
      await fixture.addAppliances({ propertyId: properties[0]!, installYear: 1985 });
    };
    const store = {
      ...fixture.store,
      write: async (...args: Parameters<typeof fixture.store.write>) => {
        await once();
        return fixture.store.write(...args);
      },
    } as typeof fixture.store;
    await renewChangedPlans({ ...environment(), store }, fixture.partnerId);
    expect(await fixture.store.read.plans.changed(fixture.partnerId, 10)).toEqual([properties[0]!]);
    await renew();
    const { appliances } = await plansOf(await componentsOf(properties[0]!));
    const { due } = await sumsOf(properties[0]!);
    expect(due.units + due.components).toBe(appliances.reduce((count, one) => count + dueOf(one), 0));
    expect(await portfolio()).toEqual(await recounted());
  });

  test("includes everything that was there before, and does not wait for properties that are added without end", async () => {
    let added = 0;
    const write: typeof fixture.store.write = async (...args) => {
      if (added === 10) throw new Error("plans are renewed without end");
      added++;
      await fixture.addProperty({ name: `New ${added}`, unitCount: 1 });
      return await fixture.store.write(...args);
    };
    const store = { ...fixture.store, read: fixture.store.read, write } as typeof fixture.store;
    expect(await renewChangedPlans({ ...environment(), store }, fixture.partnerId)).toBe(properties.length);
    expect((await portfolio()).unitCount).toBe(3 + 6 + 9);
    expect(await fixture.store.read.plans.changed(fixture.partnerId, 10)).toHaveLength(added);
  });

  test("renews all changed plans, also if those of a round change again before the next", async () => {
    const write: typeof fixture.store.write = async (...args) => {
      const result = await fixture.store.write(...args);
      for (const id of properties.slice(0, 2)) await fixture.store.write((tx) => tx.plans.touch(id));
      return result;
    };
    const store = { ...fixture.store, read: fixture.store.read, write } as typeof fixture.store;
    expect(await renewChangedPlans({ ...environment(), store }, fixture.partnerId, 2)).toBe(4);
    expect((await fixture.store.read.plans.changed(fixture.partnerId, 10)).sort()).toEqual(
      properties.slice(0, 2).sort(),
    );
  });

  test("are renewed once for requests at the same time, also if the first caller goes away", async () => {
    await renew();
    await fixture.write((writer) => changeProperty(writer, properties[0]!, { unitCount: 40 }));
    let writes = 0;
    const write: typeof fixture.store.write = async (...args) => {
      writes++;
      return await fixture.store.write(...args);
    };
    const store = { ...fixture.store, read: fixture.store.read, write } as typeof fixture.store;
    const left = new AbortController();
    const yieldUntilLeft = async () => {
      left.abort(new Error("the caller has left"));
      left.signal.throwIfAborted();
    };
    const first = { ...environment(), store, yieldNow: yieldUntilLeft, signal: left.signal };
    const others = { ...environment(), store };
    const plan = (deps: typeof others) => loadPortfolioPlan(deps, fixture.partnerId, USUAL_TERMS);
    const answers = await Promise.allSettled([first, others, others, others].map(plan));
    expect(answers.map(({ status }) => status)).toEqual(["rejected", ...Array(3).fill("fulfilled")]);
    expect(writes).toBe(1);
    expect(await portfolio()).toMatchObject({ unitCount: 40 + 3 + 6 + 9 });
  });

  // Rule: full-disk, portfolio-plan
  test("that cannot be stored is computed, with the same figures, properties and uses of a budget", async () => {
    await renew();
    for (const at of [0, 2])
      await fixture.addAppliances({ propertyId: properties[at]!, installYear: 1980, typeId: "elevator" });
    await fixture.addProperty({ name: "New", unitCount: 2 });
    await fixture.write((writer) => createDemoProperty(writer));
    const full = {
      ...fixture.store,
      write: () => Promise.reject(new StorageError("the disk is full")),
    } as typeof fixture.store;
    const read = async (store: typeof fixture.store) => {
      const deps = { ...environment(), store };
      const plans = [];
      for (const budgetCents of [null, 0, 300_000, 2_000_000, 1e14])
        for (const includeDemo of [false, true]) {
          const terms = { ...USUAL_TERMS, years: 12, budgetCents };
          plans.push(await loadPortfolioPlan(deps, fixture.partnerId, terms, includeDemo));
        }
      const rows = await rowsOf(deps, fixture.partnerId, { limit: 10, offset: 0 });
      const all = await rowsOf(deps, fixture.partnerId, { limit: 10, offset: 0 }, { includeDemo: true });
      expect([rows.length, all.length]).toEqual([5, 6]);
      const order = "waiting";
      const slice = { limit: 3, offset: 2 };
      const rest = await rowsOf(deps, fixture.partnerId, slice, { order });
      const first = await rowsOf(deps, fixture.partnerId, { limit: 2, offset: 0 }, { order });
      expect([...first, ...rest].map(({ name }) => name).sort()).toEqual(rows.map(({ name }) => name).sort());
      return {
        plans,
        due: rows.map(({ name, sums }) => ({ name, due: sums.due, planned: sums.years.planned })),
      };
    };
    const computed = await read(full);
    expect(await fixture.store.read.plans.changed(fixture.partnerId, 10)).toHaveLength(4);
    expect(computed).toEqual(await read(fixture.store));
    expect(await fixture.store.read.plans.changed(fixture.partnerId, 10)).toEqual([]);
  });

  /** Deletes all rows of the partner's properties, as a purge on another server does. */
  const purge = () =>
    fixture.store.write(async (tx) => {
      let step = await tx.purge.step(fixture.partnerId, undefined);
      while (!step.isEmpty) step = await tx.purge.step(fixture.partnerId, step.place);
    });

  test("leaves out properties that are purged before their plans are made", async () => {
    const { plans } = fixture.store.read;
    let isPurged = false;
    const changed = async (...args: Parameters<typeof plans.changed>) => {
      const found = await plans.changed(...args);
      if (!isPurged) await purge();
      isPurged = true;
      return found;
    };
    const read = { ...fixture.store.read, plans: { ...plans, changed } };
    const store = { ...fixture.store, read, write: fixture.store.write } as typeof fixture.store;
    await renewChangedPlans({ ...environment(), store }, fixture.partnerId);
    expect(isPurged).toBe(true);
    expect(await portfolio()).toEqual(emptyPlanSums());
  });

  test("leaves out properties that are purged before their plans are stored", async () => {
    let isPurged = false;
    const write: typeof fixture.store.write = async (...args) => {
      if (!isPurged) await purge();
      isPurged = true;
      return await fixture.store.write(...args);
    };
    const store = { ...fixture.store, read: fixture.store.read, write } as typeof fixture.store;
    await renewChangedPlans({ ...environment(), store }, fixture.partnerId);
    expect(isPurged).toBe(true);
    expect(await portfolio()).toEqual(emptyPlanSums());
  });

  test("that fails for another reason is an error", async () => {
    const store = {
      ...fixture.store,
      write: () => Promise.reject(new Error("a fault of ours")),
    } as typeof fixture.store;
    const terms: PlanTerms = { ...USUAL_TERMS, years: 12 };
    await expect(loadPortfolioPlan({ ...environment(), store }, fixture.partnerId, terms)).rejects.toThrow(
      "a fault of ours",
    );
  });

  test("is recomputed after a snapshot, also where scores have only aged", async () => {
    await renewAgedPlans(environment(), dayOf(fixture.time.now));
    const before = await portfolio();
    let yields = 0;
    const counting = { ...environment(), yieldNow: async () => void yields++ };
    expect(await renewAgedPlans(counting, dayOf(fixture.time.now))).toBe(0);
    expect(yields).toBe(1);
    const snapshot = () =>
      takeSnapshot({ ...environment(), monotonicMs: () => performance.now() }, dayOf(fixture.time.now));
    await snapshot();
    fixture.time.now += 200 * MS_PER_DAY;
    // A plan that is made on that day, of the scores before its snapshot.
    await fixture.store.write((tx) => tx.plans.touch(properties[0]!));
    expect(await renew()).toBe(1);
    const day = dayOf(fixture.time.now);
    await snapshot();
    expect(await renew()).toBe(0);
    expect(await fixture.store.read.plans.asOf(fixture.partnerId)).toBe("2026-03-10");
    expect(await renewAgedPlans(environment(), day)).toBe(4);
    expect(await fixture.store.read.plans.asOf(fixture.partnerId)).toBe(day);
    const after = await portfolio();
    expect(after).toEqual(await recounted());
    expect(after.years).not.toEqual(before.years);
  });
});

describe("a budget over a portfolio", () => {
  // Rule: plan-budget
  test("buys the same as if all components belonged to one property", async () => {
    await renew();
    const all = (await Promise.all(properties.map(componentsOf))).flat();
    const { appliances } = await plansOf(all);
    for (const amountCents of [0, 50_000, 300_000, 2_000_000, 1e14]) {
      const found = await loadBestUseOfPortfolioBudget(
        { store: fixture.store, yieldNow },
        fixture.partnerId,
        amountCents,
      );
      const expected = runSteps(spendBudgetOnAppliancesInSteps(appliances, amountCents));
      expect(found.chosen.map(({ id }) => id)).toEqual(expected.chosen.map(({ id }) => id));
      expect(found.spentCents).toBe(expected.spentCents);
      expect(found.avoidedCents).toBe(expected.avoidedCents);
    }
  });

  test("is spent in steps, each of which continues the one before", async () => {
    await renew();
    // More components of equal worth than a step reads, so that only the id orders them.
    const rows = Array.from(
      { length: 1700 },
      (_, n) =>
        `('${properties[0]}', 'C_${String(n).padStart(5, "0")}', '${fixture.partnerId}', -2, 100, 200)`,
    );
    await fixture.sql(`INSERT INTO plan_candidates VALUES ${rows.join(", ")}`);
    const { chosen } = await loadBestUseOfPortfolioBudget(
      { store: fixture.store, yieldNow },
      fixture.partnerId,
      1e14,
    );
    const ours = chosen.filter(({ id }) => /^C_\d{5}$/.test(id));
    expect(ours.length).toBe(1700);
    expect(new Set(chosen.map(({ id }) => id)).size).toBe(chosen.length);
  });
});
