import { and, asc, desc, eq, gt, isNotNull, lt, lte, sql } from "drizzle-orm";
import { type AssumptionCounts, emptyAssumptionCounts } from "../../domain/figures/assumptions.ts";
import { type BudgetCandidate, budgetRankOf, isUrgentRank } from "../../domain/planning/budget.ts";
import {
  delayRankCents,
  emptyPlanSums,
  type PlanRowSums,
  type PlanSums,
} from "../../domain/planning/plan-sums.ts";
import type { PropertyCandidate } from "../../domain/planning/property-plan-summary.ts";
import type { Property } from "../../domain/property.ts";
import type { Day } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import type { StoredRowRange } from "../stored-row-range.ts";
import { listPageStartsStore } from "./list-page-starts-queries.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";
import { RETIRED_COUNTER } from "./stored-counter-buckets.ts";

const { placeholder } = sql;

/** The sums of plans, and what they rest on. */
export type CountedSums = { sums: PlanSums; counted: AssumptionCounts };
/** The sums of a property's plan, with the number of changes of its inputs at the time. */
type StoredPlan = CountedSums & { changes: number };

/** A property with the replacements that are due. */
export type PropertyPlanRow = {
  propertyId: string;
  name: string;
  unitCount: number;
  sums: PlanRowSums;
  /** True if its inputs have changed since it was computed. */
  isChanged: boolean;
};

/** The basis of the stored plan of a property, which is outdated if the property has changed since. */
type PropertyCounts = { propertyId: string; counted: AssumptionCounts; isChanged: boolean };

/** A position in the order of spending. */
export type SpendingPlace = { rank: number; id: string };

/** A column that only older versions used, and that cannot be null. */
const UNUSED = "";

/** Reads and writes stored plans and their sums, in cents. */
export function planStore(engine: Engine) {
  const { db } = engine;
  const { partnerPlans, planCandidates, properties, propertyPlans } = engine.tables;
  /** True if its inputs have changed since it was computed. */
  const isChanged = sql`${propertyPlans.changes} <> ${propertyPlans.plannedChanges}`;
  const start = engine.insertRow(propertyPlans, [
    "propertyId",
    "partnerId",
    "changes",
    "plannedChanges",
    "asOf",
    "years",
  ]);
  const touch = engine.addToRow(propertyPlans, ["propertyId"], ["changes"]);
  const changed = engine.read<{ propertyId: string }>(() =>
    db
      .select(aliasedSqlColumns({ propertyId: propertyPlans.propertyId }))
      .from(propertyPlans)
      .where(and(eq(propertyPlans.partnerId, placeholder("partnerId")), isChanged))
      .limit(placeholder("limit")),
  );
  const aged = engine.read<{ propertyId: string }>(() =>
    db
      .select(aliasedSqlColumns({ propertyId: propertyPlans.propertyId }))
      .from(propertyPlans)
      .where(
        and(
          eq(propertyPlans.partnerId, placeholder("partnerId")),
          lt(propertyPlans.asOf, placeholder("day")),
        ),
      )
      .limit(placeholder("limit")),
  );
  const oldest = engine.read<{ asOf: Day }>(() =>
    db
      .select(aliasedSqlColumns({ asOf: propertyPlans.asOf }))
      .from(propertyPlans)
      .where(and(eq(propertyPlans.partnerId, placeholder("partnerId")), gt(propertyPlans.asOf, "")))
      .orderBy(asc(propertyPlans.asOf))
      .limit(1),
  );
  const planColumns = aliasedSqlColumns({
    propertyId: propertyPlans.propertyId,
    sums: propertyPlans.sums,
    products: propertyPlans.products,
    counted: propertyPlans.counted,
    changes: propertyPlans.changes,
  });
  const ofProperties = engine.read<SumsRow & { propertyId: string; changes: number }>(() =>
    db.select(planColumns).from(propertyPlans).where(engine.isAmong(propertyPlans.propertyId, "propertyIds")),
  );
  const ofPartner = engine.read<SumsRow>(() =>
    db
      .select(
        aliasedSqlColumns({
          sums: partnerPlans.sums,
          products: partnerPlans.products,
          counted: partnerPlans.counted,
        }),
      )
      .from(partnerPlans)
      .where(eq(partnerPlans.partnerId, placeholder("partnerId"))),
  );
  const changedOfPartners = engine.read<{ propertyId: string }>(() =>
    db
      .select(aliasedSqlColumns({ propertyId: propertyPlans.propertyId }))
      .from(propertyPlans)
      .where(and(engine.isAmong(propertyPlans.partnerId, "partnerIds"), isChanged))
      .limit(placeholder("limit")),
  );
  const countedOfPartners = engine.read<Pick<SumsRow, "counted">>(() =>
    db
      .select(aliasedSqlColumns({ counted: partnerPlans.counted }))
      .from(partnerPlans)
      .where(engine.isAmong(partnerPlans.partnerId, "partnerIds")),
  );
  const countedOf = engine.read<CountedRow & { changes: number; plannedChanges: number }>(() =>
    db
      .select(
        aliasedSqlColumns({
          propertyId: propertyPlans.propertyId,
          counted: propertyPlans.counted,
          changes: propertyPlans.changes,
          plannedChanges: propertyPlans.plannedChanges,
        }),
      )
      .from(propertyPlans)
      .where(engine.isAmong(propertyPlans.propertyId, "propertyIds")),
  );
  const sumValues = {
    sums: sql`${placeholder("sums")}`,
    products: sql`${placeholder("products")}`,
    counted: sql`${placeholder("counted")}`,
  };
  const save = engine.write(() =>
    db
      .update(propertyPlans)
      .set({
        ...sumValues,
        asOf: sql`${placeholder("asOf")}`,
        plannedChanges: sql`${placeholder("changes")}`,
        // The plan may have been made before the property was retired or brought back.
        waitingCents: sql`case when ${propertyPlans.waitingCents} is null then null else cast(${placeholder("waitingCents")} as bigint) end`,
      })
      .where(eq(propertyPlans.propertyId, placeholder("propertyId"))),
  );
  const setWaiting = engine.setRow(propertyPlans, "propertyId", ["waitingCents"]);
  const savePartner = engine.write(() =>
    db
      .insert(partnerPlans)
      .values({ partnerId: placeholder("partnerId"), years: UNUSED, ...sumValues })
      .onConflictDoUpdate({ target: partnerPlans.partnerId, set: sumValues }),
  );
  const dropCandidates = engine.write(() =>
    db.delete(planCandidates).where(eq(planCandidates.propertyId, placeholder("propertyId"))),
  );
  const addCandidate = engine.insertRow(planCandidates, "all");
  const candidates = engine.read<Omit<PropertyCandidate, "isUrgent"> & SpendingPlace>(() =>
    db
      .select(
        aliasedSqlColumns({
          id: planCandidates.componentId,
          propertyId: planCandidates.propertyId,
          rank: planCandidates.rank,
          plannedCents: planCandidates.plannedCents,
          waitingCents: planCandidates.waitingCents,
        }),
      )
      .from(planCandidates)
      .where(
        and(
          eq(planCandidates.partnerId, placeholder("partnerId")),
          sql`(${planCandidates.rank}, ${planCandidates.componentId}) > (${placeholder("rank")}, ${placeholder("id")})`,
          lte(planCandidates.plannedCents, placeholder("mostCents")),
        ),
      )
      .orderBy(asc(planCandidates.rank), asc(planCandidates.componentId))
      .limit(placeholder("limit")),
  );
  const places = listPageStartsStore(engine, properties, RETIRED_COUNTER.properties);
  const rows = () =>
    db
      .select({
        propertyId: properties.id,
        name: properties.name,
        unitCount: properties.unitCount,
        sums: propertyPlans.sums,
        changes: propertyPlans.changes,
        plannedChanges: propertyPlans.plannedChanges,
      })
      .from(properties)
      .innerJoin(propertyPlans, eq(propertyPlans.propertyId, properties.id));
  const page = engine.prepared(() =>
    rows()
      .where(
        and(eq(properties.partnerId, placeholder("partnerId")), gt(properties.seq, placeholder("after"))),
      )
      .orderBy(asc(properties.seq))
      .limit(placeholder("limit")),
  );
  const ofIds = engine.prepared(() => rows().where(engine.isAmong(properties.id, "propertyIds")));
  // Reads an index alone: a page may begin after all properties of a large portfolio.
  const idsByWaiting = engine.read<{ propertyId: string }>(() =>
    db
      .select(aliasedSqlColumns({ propertyId: propertyPlans.propertyId }))
      .from(propertyPlans)
      .where(
        and(
          eq(propertyPlans.partnerId, placeholder("partnerId")),
          isNotNull(propertyPlans.waitingCents),
          sql`not (${engine.isAmong(propertyPlans.propertyId, "without")})`,
        ),
      )
      .orderBy(desc(propertyPlans.waitingCents), asc(propertyPlans.propertyId))
      .limit(placeholder("limit"))
      .offset(placeholder("offset")),
  );

  return {
    /** Inserts a new property's plan, which is not computed yet. */
    async start(propertyId: string, partnerId: string): Promise<void> {
      return start({ propertyId, partnerId, changes: 1, plannedChanges: 0, asOf: "", years: UNUSED });
    },
    /** Records a change of the inputs of a property's plan. */
    async touch(propertyId: string): Promise<void> {
      return touch({ propertyId, changes: 1 });
    },
    /** Returns some of a partner's properties whose history has changed since their plans were computed. */
    async changed(partnerId: string, limit: number): Promise<string[]> {
      return (await changed({ partnerId, limit })).map(({ propertyId }) => propertyId);
    },
    /** Returns some of a partner's properties whose plans were computed before the day. */
    async aged(partnerId: string, day: Day, limit: number): Promise<string[]> {
      return (await aged({ partnerId, day, limit })).map(({ propertyId }) => propertyId);
    },
    /** Returns undefined for a property that was purged. */
    async ofProperty(propertyId: string): Promise<StoredPlan | undefined> {
      return (await this.ofProperties([propertyId])).get(propertyId);
    },
    /** Returns the plans of properties by their IDs, without those that were purged. */
    async ofProperties(propertyIds: readonly string[]): Promise<Map<string, StoredPlan>> {
      const rows = await ofProperties({ propertyIds: engine.list(propertyIds) });
      return new Map(rows.map((row) => [row.propertyId, { ...sumsFrom(row), changes: row.changes }]));
    },
    async ofPartner(partnerId: string): Promise<CountedSums> {
      const [row] = await ofPartner({ partnerId });
      return row ? sumsFrom(row) : { sums: emptyPlanSums(), counted: emptyAssumptionCounts() };
    },
    /** Returns some of the properties of partners whose history has changed since their plans were computed. */
    async changedOfPartners(partnerIds: readonly string[], limit: number): Promise<string[]> {
      const rows = await changedOfPartners({ partnerIds: engine.list(partnerIds), limit });
      return rows.map(({ propertyId }) => propertyId);
    },
    /** Returns what the stored plans of each partner rest on, in no order. */
    async countedOfPartners(partnerIds: readonly string[]): Promise<AssumptionCounts[]> {
      const rows = await countedOfPartners({ partnerIds: engine.list(partnerIds) });
      return rows.map(({ counted }) => countsFrom(counted));
    },
    /** Returns what the stored plans of properties rest on, in no order. */
    async countedOf(propertyIds: readonly string[]): Promise<PropertyCounts[]> {
      const rows = await countedOf({ propertyIds: engine.list(propertyIds) });
      return rows.map(({ propertyId, counted, changes, plannedChanges }) => ({
        propertyId,
        counted: countsFrom(counted),
        isChanged: changes !== plannedChanges,
      }));
    },
    /** Returns the day of the oldest plan of a partner's properties; undefined if none was computed. */
    async asOf(partnerId: string): Promise<Day | undefined> {
      return (await oldest({ partnerId }))[0]?.asOf;
    },
    /** Stores a property's plan that was computed when its inputs had changed `changes` times. */
    async save(propertyId: string, plan: CountedSums, asOf: Day, changes: number): Promise<void> {
      const waitingCents = delayRankCents(plan.sums);
      return save({ propertyId, ...rowOf(plan), asOf, changes, waitingCents });
    },
    /** Takes a property out of the list by the cost of delay, or puts it back by its stored plan. */
    async setListed(propertyId: string, isListed: boolean): Promise<void> {
      const stored = isListed ? await this.ofProperty(propertyId) : undefined;
      return setWaiting({ propertyId, waitingCents: stored ? delayRankCents(stored.sums) : null });
    },
    async savePartner(partnerId: string, sums: CountedSums): Promise<void> {
      return savePartner({ partnerId, ...rowOf(sums) });
    },
    /** Deletes the candidates of a property. */
    async dropCandidates(propertyId: string): Promise<void> {
      return dropCandidates({ propertyId });
    },
    async addCandidates(
      propertyId: string,
      partnerId: string,
      some: readonly BudgetCandidate[],
    ): Promise<void> {
      for (const { id, isUrgent, ...cents } of some) {
        const rank = budgetRankOf({ isUrgent, ...cents });
        await addCandidate({ ...cents, propertyId, partnerId, componentId: id, rank });
      }
    },
    /** Returns the candidates after a position that cost at most the amount, in the order of spending. */
    async candidates(
      partnerId: string,
      { rank, id }: SpendingPlace,
      mostCents: number,
      limit: number,
    ): Promise<(PropertyCandidate & SpendingPlace)[]> {
      const rows = await candidates({ partnerId, rank, id, mostCents, limit });
      return rows.map((row) => ({ ...row, isUrgent: isUrgentRank(row.rank) }));
    },
    /** Ordered by creation, without a few properties. */
    async page(
      partnerId: string,
      { limit, offset }: StoredRowRange,
      without: readonly Pick<Property, "id" | "seq">[],
    ): Promise<PropertyPlanRow[]> {
      const after = await places.before(partnerId, offset);
      const rows = await page().execute({ partnerId, after, limit: limit + without.length });
      // Each listed property that is left out before `after` moves the beginning by one.
      const moved = without.filter(({ seq }) => seq > 0 && seq <= after).length;
      const excluded = new Set(without.map(({ id }) => id));
      const listed = rows.filter(({ propertyId }) => !excluded.has(propertyId));
      return listed.slice(moved, moved + limit).map(planRowFrom);
    },
    /** Ordered by the cost of delay of what was due when the plans were stored, the highest first. */
    async pageByWaiting(
      partnerId: string,
      slice: StoredRowRange,
      without: readonly string[],
    ): Promise<PropertyPlanRow[]> {
      const ids = await idsByWaiting({ partnerId, without: engine.list(without), ...slice });
      const propertyIds = ids.map(({ propertyId }) => propertyId);
      const found = await ofIds().execute({ propertyIds: engine.list(propertyIds) });
      const byId = new Map(found.map((row) => [row.propertyId, planRowFrom(row)]));
      return propertyIds.flatMap((id) => byId.get(id) ?? []);
    },
  };
}

type StoredRow = Omit<PropertyPlanRow, "sums" | "isChanged"> & {
  sums: string;
  changes: number;
  plannedChanges: number;
};

const planRowFrom = ({ sums, changes, plannedChanges, ...row }: StoredRow): PropertyPlanRow => ({
  ...row,
  sums: sums === "" ? emptyPlanSums() : JSON.parse(sums),
  isChanged: changes !== plannedChanges,
});

/** The sums as stored: JSON, empty before they were computed. Lists leave out the products, which are most of it. */
type SumsRow = { sums: string; products: string; counted: string };

type CountedRow = Pick<SumsRow, "counted"> & { propertyId: string };

const countsFrom = (counted: string): AssumptionCounts =>
  counted === "" ? emptyAssumptionCounts() : JSON.parse(counted);

function sumsFrom({ sums, products, counted }: SumsRow): CountedSums {
  const counts = countsFrom(counted);
  if (sums === "") return { sums: emptyPlanSums(), counted: counts };
  const { years, ...rest }: PlanRowSums = JSON.parse(sums);
  return { sums: { ...rest, years: { ...years, products: JSON.parse(products) } }, counted: counts };
}

function rowOf({ sums: { years, ...sums }, counted }: CountedSums): SumsRow {
  const { products, ...others } = years;
  return {
    sums: JSON.stringify({ ...sums, years: others }),
    products: JSON.stringify(products),
    counted: JSON.stringify(counted),
  };
}
