import type { PlacedComponent } from "../../domain/component.ts";
import { priceBasisOf } from "../../domain/costs/price-basis.ts";
import { StorageError, UnreadableStorageError } from "../../domain/errors.ts";
import {
  AssumptionsAccumulator,
  addAssumptionCountsOfComponents,
  emptyAssumptionCounts,
} from "../../domain/figures/assumptions.ts";
import {
  type BudgetCandidate,
  budgetRankOf,
  isWorthBuying,
  spendBudget,
} from "../../domain/planning/budget.ts";
import { budgetCandidatesOfAppliance } from "../../domain/planning/budget-candidates.ts";
import {
  ACTION_DAYS,
  type DueAction,
  dueActionsOfPlannedAppliance,
} from "../../domain/planning/due-actions.ts";
import { MAX_PLAN_YEARS } from "../../domain/planning/horizon.ts";
import { planContextOfPrices } from "../../domain/planning/plan-context.ts";
import {
  addPlanSums,
  delayRankCents,
  emptyPlanSums,
  PlanSumsAccumulator,
  propertySizeOfPlan,
} from "../../domain/planning/plan-sums.ts";
import type { PlanOrder, PlanTerms } from "../../domain/planning/plan-terms.ts";
import { PlannableApplianceGroups } from "../../domain/planning/plannable-appliance-groups.ts";
import { planApplianceFromScores } from "../../domain/planning/planned-appliance.ts";
import {
  type BudgetUse,
  type PortfolioPlan,
  type PropertyCandidate,
  planSummaryOf,
} from "../../domain/planning/property-plan-summary.ts";
import type { Property } from "../../domain/property.ts";
import { isRetired } from "../../domain/rules/retirement-rule.ts";
import { sortInSteps } from "../../domain/steps/computation-steps.ts";
import { addDays, type Day, dayOf } from "../../domain/time.ts";
import { forEachYielding, runYielding } from "../../event-loop/event-loop.ts";
import { InProcessKeyedMutex } from "../../event-loop/in-process-keyed-mutex.ts";
import type { StoredAction } from "../../store/queries/plan-actions-queries.ts";
import type { CountedSums, PropertyPlanRow, SpendingPlace } from "../../store/queries/plans-queries.ts";
import { selectStoredComponents } from "../../store/select-stored-rows.ts";
import type { Tx } from "../../store/store.ts";
import { readStoreConsistently } from "../../store/store-consistent-reads.ts";
import type { StoredRowRange } from "../../store/stored-row-range.ts";
import type { Stores } from "../../store/stores.ts";
import { loadActiveModelVersion } from "../calibration/load-active-model.ts";
import { loadCurrentPartnerPrices } from "../costs/load-partner-prices.ts";
import { loadPortfolioTotals } from "../portfolio/load-portfolio-totals.ts";
import { loadDayOfPlannedScores } from "./load-day-of-planned-scores.ts";
import { loadMarksOfActions } from "./load-marks-of-actions.ts";
import type { PlanDeps } from "./load-property-plan.ts";

/** Properties that are looked up at once. */
const PROPERTIES_A_ROUND = 2000;
/** Properties whose plans are renewed in one transaction, unless they have very many candidates. */
const PROPERTIES_A_STEP = 40;
const MOST_CANDIDATES = 4000;
/** More properties than a partner has. */
const MOST_PROPERTIES = 1_000_000_000;
/** Candidates read or written by one step. */
const CANDIDATES_A_STEP = 500;

/** The renewals of changed plans, by partner: a second one at the same time would make the same plans again. */
const changedPlans = new InProcessKeyedMutex();

/**
 * Renews the plans of the partner's properties whose history has changed since, in short transactions. Afterwards
 * the sums include everything that was stored when the call began. If plans of the partner are being renewed, waits for it,
 * then renews those that are left: all if the caller before has gone away.
 */
export async function renewChangedPlans(
  deps: PlanDeps,
  partnerId: string,
  propertiesOfRound = PROPERTIES_A_ROUND,
): Promise<number> {
  const { plans } = deps.store.read;
  const renew = () =>
    renewPlans(deps, partnerId, propertiesOfRound, (limit) => plans.changed(partnerId, limit));
  return await changedPlans.run(partnerId, renew, deps.signal);
}

/** Renews the plans of all partners that are older than the snapshot of the day; returns their number. */
export async function renewAgedPlans(deps: PlanDeps, day: Day): Promise<number> {
  const { plans, partners } = deps.store.read;
  let count = 0;
  for (const { id } of await partners.list()) {
    count += await renewPlans(deps, id, PROPERTIES_A_ROUND, (limit) => plans.aged(id, day, limit));
    // Thousands of partners without such plans hold up nothing.
    await deps.yieldNow();
  }
  return count;
}

/** Renews plans until all that `find` returned at one time are, however many properties change meanwhile. */
async function renewPlans(
  deps: PlanDeps,
  partnerId: string,
  propertiesOfRound: number,
  find: (limit: number) => Promise<string[]>,
): Promise<number> {
  const renewed = new Set<string>();
  let changedAgain = 0;
  while (true) {
    // Those that have changed again are found first.
    const limit = changedAgain + propertiesOfRound;
    const found = await find(limit);
    // Changes made meanwhile are left to the next call: one renewal of each property is enough.
    const left = found.filter((propertyId) => !renewed.has(propertyId));
    changedAgain = found.length - left.length;
    for (const propertyId of left) renewed.add(propertyId);
    await renewEach(deps, partnerId, left);
    if (found.length < limit) return renewed.size;
  }
}

async function renewEach(deps: PlanDeps, partnerId: string, propertyIds: readonly string[]): Promise<void> {
  const { store, yieldNow, signal } = deps;
  for (let done = 0; done < propertyIds.length; ) {
    // Loaded before the scores: a snapshot that ends meanwhile has the plans renewed.
    const asOf = await loadDayOfPlannedScores(deps);
    const made: MadePlan[] = [];
    let candidates = 0;
    for (const propertyId of propertyIds.slice(done, done + PROPERTIES_A_STEP)) {
      done++;
      const plan = await makePlan(deps, partnerId, propertyId);
      if (!plan) continue;
      made.push(plan);
      candidates += plan.candidates.length;
      if (candidates > MOST_CANDIDATES) break;
    }
    signal?.throwIfAborted();
    await store.write((tx) => savePlans({ tx, signal }, partnerId, made, asOf), {
      durability: "process",
      priority: "background",
      partnerId,
    });
    signal?.throwIfAborted();
    await yieldNow();
  }
}

type MadePlan = CountedSums & {
  propertyId: string;
  candidates: BudgetCandidate[];
  actions: StoredAction[];
  changes: number;
};

const emptySums = (): CountedSums => ({ sums: emptyPlanSums(), counted: emptyAssumptionCounts() });

/** Adds the sums of plans and what they rest on (`sign` 1) or subtracts them (-1), in place. */
function addSums(to: CountedSums, other: CountedSums, sign: 1 | -1): void {
  addPlanSums(to.sums, other.sums, sign);
  addAssumptionCountsOfComponents(to.counted, other.counted, sign);
}

/** Returns undefined for a property that a purge has deleted since it was found. */
async function makePlan(
  { store, knowledge, clock, yieldNow }: PlanDeps,
  partnerId: string,
  propertyId: string,
): Promise<MadePlan | undefined> {
  // The number of changes is read first, so that a later change marks the plan as stale again.
  const stored = await store.read.plans.ofProperty(propertyId);
  const property = await store.read.properties.find(partnerId, propertyId);
  if (!stored || !property) return undefined;
  if (isRetired(property))
    return { propertyId, ...emptySums(), candidates: [], actions: [], changes: stored.changes };
  const context = planContextOfPrices<PlacedComponent>(
    await loadCurrentPartnerPrices(store.read, knowledge, partnerId),
  );
  const groups = new PlannableApplianceGroups<PlacedComponent>(knowledge);
  const sums = new PlanSumsAccumulator();
  const counted = new AssumptionsAccumulator(knowledge);
  const candidates: BudgetCandidate[] = [];
  const actions: StoredAction[] = [];
  const asOf = dayOf(clock());
  const until = addDays(asOf, ACTION_DAYS);
  const plan = (group: readonly PlacedComponent[]) => {
    const planned = planApplianceFromScores(context, group, asOf, MAX_PLAN_YEARS);
    sums.add(planned);
    for (const { component, price } of planned.components) counted.add(component, price);
    for (const action of dueActionsOfPlannedAppliance(knowledge, planned, until))
      actions.push(storedAction(property, action));
    for (const candidate of budgetCandidatesOfAppliance(planned))
      if (isWorthBuying(candidate)) candidates.push(candidate);
  };
  const add = (component: PlacedComponent) => {
    const group = groups.add(component);
    if (group) plan(group);
    return 0;
  };
  await selectStoredComponents(store, propertyId, add, yieldNow);
  await forEachYielding(groups.rest(), yieldNow, plan);
  return {
    propertyId,
    sums: sums.sums(propertySizeOfPlan(property)),
    counted: counted.counts,
    candidates,
    actions,
    changes: stored.changes,
  };
}

const storedAction = ({ state }: Property, action: DueAction<PlacedComponent>): StoredAction => ({
  subjectId: action.subjectId,
  applianceId: action.component.applianceId,
  action: action.action.name,
  system: action.system,
  state,
  tier: action.tier,
  dueOn: action.dueOn,
  plannedCents: action.price.plannedCents,
  waitingCents: action.waitingCents,
  expectedCents: action.expectedCents,
});

/**
 * Stores the plans of a partner's properties and updates the sums of the portfolio by the differences. Leaves out what was
 * purged since the plans were made: it would add rows that no purge deletes.
 */
async function savePlans(
  { tx, signal }: { tx: Tx; signal: AbortSignal | undefined },
  partnerId: string,
  plans: readonly MadePlan[],
  asOf: Day,
): Promise<void> {
  const portfolio = await tx.plans.ofPartner(partnerId);
  // On PostgreSQL, a read sends the writes before it, and a deletion the rows before it, which are sent together otherwise.
  const storedPlans = await tx.plans.ofProperties(plans.map(({ propertyId }) => propertyId));
  const marks = await loadMarksOfActions(tx, plans, tx.yieldToEventLoop);
  const kept = plans.filter(({ propertyId }) => storedPlans.has(propertyId));
  for (const { propertyId, candidates, actions, changes, ...made } of kept) {
    addSums(portfolio, storedPlans.get(propertyId)!, -1);
    addSums(portfolio, made, 1);
    await tx.plans.save(propertyId, made, asOf, changes);
    await tx.plans.dropCandidates(propertyId);
    await tx.planActions.drop(propertyId);
    await tx.yieldToEventLoop();
  }
  for (const { propertyId, candidates, actions } of kept) {
    for (let done = 0; done < candidates.length; done += CANDIDATES_A_STEP) {
      await tx.plans.addCandidates(propertyId, partnerId, candidates.slice(done, done + CANDIDATES_A_STEP));
      await tx.yieldToEventLoop();
      signal?.throwIfAborted();
    }
    for (let done = 0; done < actions.length; done += CANDIDATES_A_STEP) {
      const some = actions.slice(done, done + CANDIDATES_A_STEP);
      await tx.planActions.add({ propertyId, partnerId }, some, (id) => marks.get(id));
      await tx.yieldToEventLoop();
      signal?.throwIfAborted();
    }
  }
  if (kept.length === 0) return;
  await tx.plans.savePartner(partnerId, portfolio);
  // The summary of the portfolio shows the counts.
  tx.bumpRevision(partnerId);
}

/** Plans that could not be stored: the difference that they make to the portfolio, and their candidates. */
type UnsavedPlans = {
  /** Their properties, and those that the plan leaves out. */
  propertyIds: ReadonlySet<string>;
  /** In the order of spending. */
  candidates: readonly PlacedCandidate[];
};
type PlacedCandidate = PropertyCandidate & SpendingPlace;
const inOrderOfSpending = (a: SpendingPlace, b: SpendingPlace) =>
  a.rank - b.rank || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/**
 * Returns the plan over all properties of a partner, except demo properties unless `includeDemo`, with sums that include
 * everything stored now.
 */
export async function loadPortfolioPlan(
  deps: PlanDeps,
  partnerId: string,
  terms: PlanTerms,
  includeDemo = false,
): Promise<PortfolioPlan> {
  const { store, knowledge, clock } = deps;
  const isSaved = await tryRenewChangedPlans(deps, partnerId);
  const { summed, excluded } = await readStoreConsistently(store, partnerId, (read) =>
    portfolioSums(read, partnerId, includeDemo),
  );
  const unsaved: UnsavedPlans = isSaved
    ? { propertyIds: excluded, candidates: [] }
    : await addChangedPlans(deps, partnerId, summed, excluded);
  const asOf = (await store.read.plans.asOf(partnerId)) ?? dayOf(clock());
  const modelVersion = await loadActiveModelVersion(store.read, knowledge);
  const { budgetCents } = terms;
  return {
    ...planSummaryOf(terms, asOf, summed.sums, {
      modelVersion,
      counted: { ...summed.counted, ...priceBasisOf(knowledge) },
    }),
    budget:
      budgetCents === null ? null : await loadBestUseOfPortfolioBudget(deps, partnerId, budgetCents, unsaved),
  };
}

/**
 * Renews the changed plans; resolves with false if they cannot be stored. Renews none while sums of the portfolio are being
 * recalculated: all of them may be stale then, and responses say that they are not up to date.
 */
export async function tryRenewChangedPlans(deps: PlanDeps, partnerId: string): Promise<boolean> {
  if ((await deps.store.read.recalculations.ofPartner(partnerId)) !== undefined) return true;
  try {
    await renewChangedPlans(deps, partnerId);
    return true;
  } catch (error) {
    // Reads continue on a full disk: what cannot be stored is computed for each response.
    if (error instanceof StorageError && !(error instanceof UnreadableStorageError)) return false;
    throw error;
  }
}

/** Returns the stored sums of a portfolio, and the demo properties that they leave out. */
async function portfolioSums(
  { plans, properties }: Stores,
  partnerId: string,
  includeDemo: boolean,
): Promise<{ summed: CountedSums; excluded: ReadonlySet<string> }> {
  const summed = await plans.ofPartner(partnerId);
  const excluded = new Set<string>();
  for (const { property } of includeDemo ? [] : await properties.demo(partnerId)) {
    const stored = await plans.ofProperty(property.id);
    if (stored) addSums(summed, stored, -1);
    excluded.add(property.id);
  }
  return { summed, excluded };
}

/** Computes the plans of the changed properties and updates `portfolio` by the differences, without storing them. */
async function addChangedPlans(
  deps: PlanDeps,
  partnerId: string,
  portfolio: CountedSums,
  excluded: ReadonlySet<string>,
): Promise<UnsavedPlans> {
  const { store, yieldNow, signal } = deps;
  const propertyIds = new Set(excluded);
  const placed: PlacedCandidate[] = [];
  for (const propertyId of await store.read.plans.changed(partnerId, MOST_PROPERTIES)) {
    if (excluded.has(propertyId)) continue;
    propertyIds.add(propertyId);
    const made = await makePlan(deps, partnerId, propertyId);
    const stored = await store.read.plans.ofProperty(propertyId);
    if (!made || !stored) continue;
    addSums(portfolio, stored, -1);
    addSums(portfolio, made, 1);
    for (const candidate of made.candidates)
      placed.push({ ...candidate, propertyId, rank: budgetRankOf(candidate) });
    signal?.throwIfAborted();
    await yieldNow();
  }
  return { propertyIds, candidates: await runYielding(sortInSteps(placed, inOrderOfSpending), yieldNow) };
}

/**
 * Returns a page of the partner's properties with their plans and the number of all, from one state of the list, without demo
 * properties unless `includeDemo`. A plan that is not stored is computed.
 */
export async function loadPropertyPlansOfPortfolio(
  deps: PlanDeps,
  partnerId: string,
  slice: StoredRowRange,
  { includeDemo = false, order = "created" }: { includeDemo?: boolean; order?: PlanOrder } = {},
): Promise<{ rows: PropertyPlanRow[]; total: number }> {
  const { rows, total } = await readStoreConsistently(deps.store, partnerId, async (read) => {
    const demo = includeDemo ? [] : (await read.properties.demo(partnerId)).map(({ property }) => property);
    const rows =
      order === "waiting"
        ? await read.plans.pageByWaiting(
            partnerId,
            slice,
            demo.map(({ id }) => id),
          )
        : await read.plans.page(partnerId, slice, demo);
    return { rows, total: (await loadPortfolioTotals(read, partnerId, includeDemo)).properties };
  });
  const current: PropertyPlanRow[] = [];
  for (const row of rows)
    current.push(
      row.isChanged
        ? { ...row, sums: (await makePlan(deps, partnerId, row.propertyId))?.sums ?? row.sums }
        : row,
    );
  // A plan that is not stored may cost more or less to delay than the stored one.
  if (order === "waiting") current.sort((a, b) => delayRankCents(b.sums) - delayRankCents(a.sums));
  return { rows: current, total };
}

/** The number of properties per read. */
const PROPERTIES_A_PAGE = 200;

/** Returns the number of the partner's planned properties, and how to read their plans, from an offset on. */
export async function loadPlannedProperties(deps: PlanDeps, partnerId: string, includeDemo: boolean) {
  const { properties } = await loadPortfolioTotals(deps.store.read, partnerId, includeDemo);
  return {
    properties,
    page: async (offset: number) => {
      const slice = { limit: PROPERTIES_A_PAGE, offset };
      return (await loadPropertyPlansOfPortfolio(deps, partnerId, slice, { includeDemo })).rows;
    },
  };
}

/** Returns the best use of a budget over all properties of a partner. */
export async function loadBestUseOfPortfolioBudget(
  { store, yieldNow }: Pick<PlanDeps, "store" | "yieldNow">,
  partnerId: string,
  amountCents: number,
  unsaved: UnsavedPlans = { propertyIds: new Set(), candidates: [] },
): Promise<BudgetUse<PropertyCandidate>> {
  let unsavedFrom = 0;
  const use: BudgetUse<PropertyCandidate> = { amountCents, chosen: [], spentCents: 0, avoidedCents: 0 };
  const seen = new Set<string>();
  let place: SpendingPlace = { rank: -Number.MAX_VALUE, id: "" };
  while (true) {
    const left = amountCents - use.spentCents;
    const some = await store.read.plans.candidates(partnerId, place, left, CANDIDATES_A_STEP);
    const lastStored: SpendingPlace | undefined = some.length < CANDIDATES_A_STEP ? undefined : some.at(-1);
    const lastUnsaved = unsaved.candidates[unsavedFrom + CANDIDATES_A_STEP - 1];
    const isUnsavedFirst = lastUnsaved && (!lastStored || inOrderOfSpending(lastUnsaved, lastStored) < 0);
    const end = isUnsavedFirst ? lastUnsaved : lastStored;
    const page = some.filter(
      (stored) =>
        !unsaved.propertyIds.has(stored.propertyId) && (!end || inOrderOfSpending(stored, end) <= 0),
    );
    for (let next = unsaved.candidates[unsavedFrom]; next; next = unsaved.candidates[unsavedFrom]) {
      if (end && inOrderOfSpending(next, end) > 0) break;
      if (next.plannedCents <= left) page.push(next);
      unsavedFrom++;
    }
    // A candidate whose plan is renewed between two pages may appear a second time, at another rank.
    const unseen = page.filter(({ id }) => !seen.has(id)).sort(inOrderOfSpending);
    for (const { id } of unseen) seen.add(id);
    spendBudget(use, amountCents, unseen);
    if (!end) return use;
    place = end;
    await yieldNow();
  }
}
