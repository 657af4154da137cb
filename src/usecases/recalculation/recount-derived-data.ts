import { tierOfHundredths } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { MoneyAccumulator } from "../../domain/figures/property-assessment.ts";
import {
  addMoneyTotals,
  countTierInTotals,
  emptyTotals,
  type PropertyTotals,
} from "../../domain/figures/property-totals.ts";
import { postalAddressKey } from "../../domain/places/postal-address.ts";
import { DueCostSum } from "../../domain/planning/due-cost-sum.ts";
import { planContextOfPrices } from "../../domain/planning/plan-context.ts";
import { isSameDue } from "../../domain/planning/planned-appliance.ts";
import type { Property } from "../../domain/property.ts";
import { addDays, dayOf, type Instant } from "../../domain/time.ts";
import { runYielding, type Yield } from "../../event-loop/event-loop.ts";
import type { Counter, PricedRow } from "../../store/queries/recounts-queries.ts";
import {
  SETTLED_ELEVATED,
  storedCounterBlockOf,
  TIER_BUCKETS,
  WHOLE_BUCKET,
} from "../../store/queries/stored-counter-buckets.ts";
import type { StoredTotals } from "../../store/queries/totals-queries.ts";
import { type Store, type Tx, yieldOfStores } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";
import { loadCurrentPartnerPrices } from "../costs/load-partner-prices.ts";
import { changeUnitsInProperty } from "../portfolio/change-property-units.ts";
import { recountDeficiencies } from "./recount-deficiencies.ts";
import { recountExpectedCosts, writeRecountedExpectedCosts } from "./recount-expected-costs.ts";
import { recountHazardFlags } from "./recount-hazard-flags.ts";
import {
  loadApplianceCounts,
  loadPricedComponentPages,
  loadServiceEventCounts,
} from "./recount-property-rows.ts";
import type { RecountRepair, RecountStep } from "./recount-step.ts";

/*
 * Recounts what writes keep beside the data that it follows from: columns that are copied to components, sums, and
 * counters. A step reads a few properties, or a block of components, from one snapshot of the database. A repair
 * recounts its step again in the transaction that corrects it, while no other write of the partner runs.
 */

/** The number of wrong rows by table and column. */
export type DerivedData = {
  "properties.address_key": number;
  /** Properties with more or fewer units than they state. */
  units: number;
  "components.system": number;
  "components.state": number;
  "components.risk_tier": number;
  "components.expected_cost_cents": number;
  "appliances.due_cents": number;
  "appliances.deficiencies": number;
  property_totals: number;
  partner_totals: number;
  component_counters: number;
  flag_counts: number;
};

type Deps = { store: Store; knowledge: Knowledge; clock: () => Instant; yieldNow: Yield };

/** Properties that are recounted together, unless the caller knows that they have few components. */
const PROPERTIES_A_STEP = 20;

/** Counts the rows that disagree with the data that they follow from; with `isRepairing`, corrects them. */
export async function recountDerivedData(deps: Deps, isRepairing: boolean): Promise<DerivedData> {
  const wrong: DerivedData = {
    "properties.address_key": 0,
    units: 0,
    "components.system": 0,
    "components.state": 0,
    "components.risk_tier": 0,
    "components.expected_cost_cents": 0,
    "appliances.due_cents": 0,
    "appliances.deficiencies": 0,
    property_totals: 0,
    partner_totals: 0,
    component_counters: 0,
    flag_counts: 0,
  };
  for (const { id } of await deps.store.read.partners.list())
    await checkPartner(deps, id, wrong, isRepairing);
  return wrong;
}

/**
 * Recalculates the sums and open deficiencies of the properties from an offset in a partner's list, with their shares of the
 * partner's sums, and marks their plans as stale. The caller has locked the partner's rows. Returns the next offset; undefined at the end.
 */
export async function recountPropertyBatch(
  tx: Tx,
  knowledge: Knowledge,
  partnerId: string,
  offset: number,
  size = PROPERTIES_A_STEP,
): Promise<number | undefined> {
  const properties = await tx.properties.numbered(partnerId, offset, offset + size);
  await recountPropertySums(tx, knowledge, partnerId, properties, size);
  const ids = properties.map(({ id }) => id);
  const { repairs } = await recountDeficiencies(tx, knowledge, ids, [dayOf(tx.now)]);
  for (const repair of repairs) await repair(tx);
  for (const id of ids) await tx.plans.touch(id);
  await tx.yieldToEventLoop();
  return properties.length === 0 ? undefined : offset + properties.length;
}

/** Recalculates the sums of properties, with their shares of the partner's sums. The caller has locked the partner's rows. */
export async function recountPropertySums(
  tx: Tx,
  knowledge: Knowledge,
  partnerId: string,
  properties: readonly CountedProperty[],
  size = PROPERTIES_A_STEP,
): Promise<void> {
  for (let at = 0; at < properties.length; at += size) {
    const some = properties.slice(at, at + size);
    // Decisions that hold until a day were made with the earlier prices and portfolio.
    const { found, repairs } = await checkProperties({ knowledge, endsHolds: true }, tx, partnerId, some);
    for (const repair of repairs) await repair(tx);
    const sum = emptyTotals();
    for (const difference of found.differences) add(sum, difference, 1);
    await tx.totals.addToPartner(partnerId, Object.fromEntries(SUMMED.map((name) => [name, sum[name]])));
    await tx.yieldToEventLoop();
  }
}

type CountedProperty = Pick<Property, "id">;

/** Returns the next properties in the order of creation, retired ones included, whose sums are zero. */
const propertiesAfter = (read: Stores, partnerId: string, offset: number) =>
  read.properties.numbered(partnerId, offset, offset + PROPERTIES_A_STEP);

async function checkPartner(
  deps: Deps,
  partnerId: string,
  wrong: DerivedData,
  isRepairing: boolean,
): Promise<void> {
  const { store, knowledge, clock, yieldNow } = deps;
  const run = async <Found>(step: (read: Stores) => Promise<RecountStep<Found>>): Promise<Found> => {
    await yieldNow();
    const { found, repairs } = await store.inReadSnapshot(step);
    if (!isRepairing || repairs.length === 0) return found;
    return await store.write(
      async (tx) => {
        await tx.forPartner(partnerId);
        const again = await step(tx);
        for (const repair of again.repairs) await repair(tx);
        tx.bumpRevision(partnerId);
        return again.found;
      },
      { partnerId, priority: "background" },
    );
  };
  const today = dayOf(clock());
  // An error below a sum is not counted once more in the sum.
  const missing = emptyTotals();
  for (let offset = 0; ; offset += PROPERTIES_A_STEP) {
    // The sums below follow the numbers of units.
    wrong.units += await run(async (read) =>
      checkUnits(read, await propertiesAfter(read, partnerId, offset)),
    );
    const found = await run(async (read) => {
      const properties = await propertiesAfter(read, partnerId, offset);
      const { found, repairs } = await checkProperties(
        { knowledge, endsHolds: false },
        read,
        partnerId,
        properties,
      );
      const keys = checkAddressKeys(properties);
      return { found: { ...found, wrongKeys: keys.found }, repairs: [...repairs, ...keys.repairs] };
    });
    wrong["appliances.deficiencies"] += await run((read) =>
      recountDeficiencies(read, knowledge, found.ids, [today, addDays(today, -1)]),
    );
    wrong["properties.address_key"] += found.wrongKeys;
    for (const name of COLUMNS) wrong[`components.${name}`] += found.columns[name];
    wrong["appliances.due_cents"] += found.wrongDue;
    wrong.property_totals += found.differences.length;
    if (!isRepairing) for (const difference of found.differences) add(missing, difference, 1);
    if (found.isLast) break;
  }
  wrong.partner_totals += await run((read) => checkTotals(read, partnerId, missing));
  wrong.flag_counts += await recountHazardFlags(partnerId, run, { isRepairing, pageSize: PROPERTIES_A_STEP });
  const { components, appliances, properties } = await store.read.recounts.ofPartner(partnerId);
  const missingCounts = new Map<number, number>();
  const blocks = Array.from(
    { length: storedCounterBlockOf(Math.max(components, appliances, properties)) + 1 },
    (_, block) => block,
  );
  for (const block of new Set([...blocks, ...(await store.read.recounts.blocks(partnerId))])) {
    const counters = await run((read) => checkBlock(read, partnerId, block));
    wrong.component_counters += counters.length;
    if (!isRepairing)
      for (const { bucket, count } of counters)
        missingCounts.set(bucket, (missingCounts.get(bucket) ?? 0) + count);
  }
  wrong.component_counters += await run((read) => checkWholes(read, partnerId, missingCounts));
}

const COLUMNS = ["system", "state", "risk_tier", "expected_cost_cents"] as const;
type Columns = Record<(typeof COLUMNS)[number], number>;

type FoundProperties = {
  ids: readonly string[];
  columns: Columns;
  /** Appliances with another cost of what is due now, or another time. */
  wrongDue: number;
  /** By how much the sums of each wrong property are too low. */
  differences: PropertyTotals[];
  isLast: boolean;
};

/** With `endsHolds`, right decisions that hold until a day are stored too, without that day. */
async function checkProperties(
  { knowledge, endsHolds }: Pick<Deps, "knowledge"> & { endsHolds: boolean },
  read: Stores,
  partnerId: string,
  properties: readonly CountedProperty[],
): Promise<RecountStep<FoundProperties>> {
  const ids = properties.map(({ id }) => id);
  const columns: Columns = { system: 0, state: 0, risk_tier: 0, expected_cost_cents: 0 };
  let wrongDue = 0;
  const differences: PropertyTotals[] = [];
  const repairs: RecountRepair[] = [];
  const copies = new CopyCheck(knowledge, columns);
  const recounted = new Map(ids.map((id) => [id, { ...emptyTotals(), hasUnseen: false }]));
  for (const [propertyId, count] of await loadApplianceCounts(read, ids))
    recounted.get(propertyId)!.appliances = count;
  const prices = await loadCurrentPartnerPrices(read, knowledge, partnerId);
  const sums = new Map<string, { money: MoneyAccumulator; due: DueCostSum<PricedRow> }>();
  const sumsOf = (id: string) => {
    const known = sums.get(id);
    if (known) return known;
    const due = new DueCostSum(planContextOfPrices<PricedRow>(prices), (stored, due) => {
      if (!isSameDue(due, stored)) wrongDue++;
      else if (!endsHolds || stored.dueHoldsUntil === null) return;
      repairs.push((tx) => tx.appliances.saveDue(stored.applianceId, { ...due, dueHoldsUntil: null }));
    });
    const added = { money: new MoneyAccumulator(prices), due };
    sums.set(id, added);
    return added;
  };
  for await (const page of loadPricedComponentPages(read, ids, (id) => recounted.get(id)!.appliances)) {
    for (const component of page) {
      const totals = recounted.get(component.propertyId)!;
      totals.components++;
      totals.hasUnseen ||= component.trendScore === null;
      countTierInTotals(totals, component.riskScore, knowledge.component(component.defId), 1);
      copies.add(component);
      const { money, due } = sumsOf(component.propertyId);
      money.add(component);
      due.add(component);
    }
    const wrong = recountExpectedCosts(prices, page);
    columns.expected_cost_cents += wrong.length;
    if (wrong.length > 0) repairs.push((tx) => writeRecountedExpectedCosts(tx, wrong));
  }
  repairs.push(...copies.repairs);
  for (const [id, { money, due }] of sums) {
    const totals = recounted.get(id)!;
    addMoneyTotals(totals, money.money, 1);
    totals.dueCents = await runYielding(due.finish(), yieldOfStores(read));
  }
  for await (const counts of loadServiceEventCounts(read, ids, (id) => recounted.get(id)!.appliances))
    for (const [id, count] of counts) recounted.get(id)!.serviceEvents += count;
  for (const { propertyId, ...stored } of ids.length === 0 ? [] : await read.recounts.ofProperties(ids)) {
    const right = recounted.get(propertyId)!;
    const difference = emptyTotals();
    add(difference, right, 1);
    add(difference, stored, -1);
    // True without such components is not wrong: the next snapshot sets it to false.
    const isUnseenWrong = right.hasUnseen && !stored.hasUnseen;
    if (!isUnseenWrong && NUMBERS.every((name) => difference[name] === 0)) continue;
    differences.push(difference);
    const totals = { ...right, hasUnseen: right.hasUnseen || stored.hasUnseen };
    repairs.push((tx) => tx.recounts.setProperty(propertyId, totals));
  }
  return { found: { ids, columns, wrongDue, differences, isLast: ids.length < PROPERTIES_A_STEP }, repairs };
}

/** Counts the properties that are compared by another address than theirs. */
function checkAddressKeys(properties: readonly Property[]): RecountStep<number> {
  const repairs = properties.flatMap((property): RecountRepair[] => {
    const key = property.isDemo ? null : postalAddressKey(property);
    return key === property.addressKey
      ? []
      : [(tx) => tx.properties.update(property.id, { addressKey: key })];
  });
  return { found: repairs.length, repairs };
}

/** Counts the properties whose units are not numbered up to their unit_count. */
async function checkUnits(read: Stores, properties: readonly Property[]): Promise<RecountStep<number>> {
  const highest = new Map<string, number>();
  for (const one of await read.units.highestOfProperties(properties.map(({ id }) => id)))
    highest.set(one.propertyId, one.highest);
  const wrong = properties.filter(({ id, unitCount }) => (highest.get(id) ?? 0) !== unitCount);
  return {
    found: wrong.length,
    repairs: wrong.map(
      (property): RecountRepair =>
        (tx) =>
          repairUnits(tx, property),
    ),
  };
}

/** Makes the units of a property those that it states, and those with an appliance. */
async function repairUnits(tx: Tx, { id, unitCount: stated }: Property): Promise<void> {
  const lastInUse = (await tx.units.inUseAbove(id, stated)).at(-1);
  const unitCount = lastInUse?.number ?? stated;
  await changeUnitsInProperty(tx, id, unitCount);
  if (unitCount !== stated) await tx.properties.update(id, { unitCount, updatedAt: tx.now });
  await tx.plans.touch(id);
}

/** Counts the wrong copies that components have of other data. */
class CopyCheck {
  /** By what they correct: one corrects all such components of a property. */
  readonly #repairs = new Map<string, RecountRepair>();

  constructor(
    private readonly knowledge: Knowledge,
    private readonly columns: Columns,
  ) {}

  add({ propertyId, defId, copiedSystem, copiedState, state, riskScore, riskTier }: PricedRow): void {
    const { system } = this.knowledge.component(defId);
    if (copiedSystem !== system) this.columns.system++;
    if (copiedState !== state) this.columns.state++;
    if (copiedSystem !== system || copiedState !== state)
      this.#repairs.set(`${propertyId} ${defId}`, (tx) =>
        tx.recounts.setCopies(propertyId, defId, system, state),
      );
    const tier = tierOfHundredths(riskScore);
    if (riskTier === tier) return;
    this.columns.risk_tier++;
    this.#repairs.set(`${propertyId} ${riskScore}`, (tx) => tx.recounts.setTier(propertyId, riskScore, tier));
  }

  get repairs(): RecountRepair[] {
    return [...this.#repairs.values()];
  }
}

async function checkTotals(
  read: Stores,
  partnerId: string,
  missing: PropertyTotals,
): Promise<RecountStep<number>> {
  const stored = await read.totals.stored(partnerId);
  const right: StoredTotals = await read.recounts.ofPartner(partnerId);
  for (const name of SUMMED) right[name] += missing[name];
  const isRight = [...SUMMED, ...RECOUNTED].every((name) => stored[name] === right[name]);
  return isRight
    ? { found: 0, repairs: [] }
    : { found: 1, repairs: [(tx) => tx.recounts.setPartner(partnerId, right)] };
}

/** Returns by how much each wrong counter of a block is too low. */
async function checkBlock(read: Stores, partnerId: string, block: number): Promise<RecountStep<Counter[]>> {
  const right = new Map<number, number>();
  const count = (bucket: number, more: number) => right.set(bucket, (right.get(bucket) ?? 0) + more);
  for (const { riskScore, count: all, settled } of await read.recounts.scores(partnerId, block)) {
    const tier = tierOfHundredths(riskScore);
    count(riskScore, all);
    count(TIER_BUCKETS[tier], all);
    if (tier !== "GOOD") count(SETTLED_ELEVATED, settled);
  }
  for (const { bucket, count: retired } of await read.recounts.retired(partnerId, block))
    if (retired > 0) count(bucket, retired);
  return compareCounters(partnerId, block, right, await read.recounts.counters(partnerId, block));
}

async function checkWholes(
  read: Stores,
  partnerId: string,
  missing: ReadonlyMap<number, number>,
): Promise<RecountStep<number>> {
  const blocks = await read.recounts.sumOfBlocks(partnerId);
  const right = new Map(missing);
  for (const { bucket, count } of blocks) right.set(bucket, (right.get(bucket) ?? 0) + count);
  const stored = await read.recounts.counters(partnerId, WHOLE_BUCKET);
  const { found, repairs } = compareCounters(partnerId, WHOLE_BUCKET, right, stored);
  return { found: found.length, repairs };
}

function compareCounters(
  partnerId: string,
  block: number,
  right: ReadonlyMap<number, number>,
  stored: readonly Counter[],
): RecountStep<Counter[]> {
  const counts = new Map(stored.map(({ bucket, count }) => [bucket, count]));
  const found: Counter[] = [];
  const repairs: RecountRepair[] = [];
  for (const bucket of new Set([...right.keys(), ...counts.keys()])) {
    const count = right.get(bucket) ?? 0;
    const difference = count - (counts.get(bucket) ?? 0);
    if (difference === 0) continue;
    found.push({ bucket, count: difference });
    repairs.push((tx) => tx.recounts.setCounter(partnerId, block, { bucket, count }));
  }
  return { found, repairs };
}

const NUMBERS = Object.keys(emptyTotals()) as (keyof PropertyTotals)[];
/** The totals of a partner that are sums over its properties, and those that follow from its lists and photos. */
const SUMMED = [
  "serviceEvents",
  "critical",
  "warning",
  "criticalProactiveCents",
  "warningProactiveCents",
  "criticalReactiveCents",
  "warningReactiveCents",
] as const;
const RECOUNTED = [
  "properties",
  "appliances",
  "components",
  "events",
  "photoBytes",
  "retiredProperties",
  "retiredAppliances",
  "retiredComponents",
] as const;

function add(to: PropertyTotals, other: PropertyTotals, sign: 1 | -1): void {
  for (const name of NUMBERS) to[name] += sign * other[name];
}
