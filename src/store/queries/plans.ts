import { and, asc, eq, gt, lt, lte, sql } from "drizzle-orm";
import type { Candidate } from "../../domain/planning/budget.ts";
import { emptyPlanSums, type PlanSums, type StoredYearlyCosts } from "../../domain/planning/plan-sums.ts";
import type { PropertyCandidate } from "../../domain/planning/property-plan.ts";
import type { Day } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";
import type { Slice } from "../slice.ts";
import { aliased } from "./aliased-columns.ts";

const { placeholder } = sql;

/** The sums of a property's plan, with the number of changes of its inputs at the time. */
type StoredPlan = { sums: PlanSums; changes: number };

/** A property with the replacements that are due. */
export type PropertyPlanRow = {
  propertyId: string;
  name: string;
  unitCount: number;
} & Pick<PlanSums, "dueCount" | "dueCents" | "dueWaitingCents"> & {
    /** The sums of each year, parsed when they are needed. */
    readonly years: StoredYearlyCosts;
    /** True if its inputs have changed since it was computed. */
    isChanged: boolean;
  };

/** A position in the order of spending. */
export type SpendingPlace = { rank: number; id: string };

const SUM_COLUMNS = ["doors", "dueCount", "dueCents", "dueWaitingCents"] as const;

/** The order of spending: the best use of money first. */
export const rankOf = ({ plannedCents, waitingCents }: Candidate) =>
  -waitingCents / Math.max(plannedCents, 1);

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
      .select(aliased({ propertyId: propertyPlans.propertyId }))
      .from(propertyPlans)
      .where(and(eq(propertyPlans.partnerId, placeholder("partnerId")), isChanged))
      .limit(placeholder("limit")),
  );
  const aged = engine.read<{ propertyId: string }>(() =>
    db
      .select(aliased({ propertyId: propertyPlans.propertyId }))
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
      .select(aliased({ asOf: propertyPlans.asOf }))
      .from(propertyPlans)
      .where(and(eq(propertyPlans.partnerId, placeholder("partnerId")), gt(propertyPlans.asOf, "")))
      .orderBy(asc(propertyPlans.asOf))
      .limit(1),
  );
  const sumsOf = {
    doors: propertyPlans.doors,
    dueCount: propertyPlans.dueCount,
    dueCents: propertyPlans.dueCents,
    dueWaitingCents: propertyPlans.dueWaitingCents,
    years: propertyPlans.years,
  };
  const ofProperty = engine.read<SumsRow & { changes: number }>(() =>
    db
      .select(aliased({ ...sumsOf, changes: propertyPlans.changes }))
      .from(propertyPlans)
      .where(eq(propertyPlans.propertyId, placeholder("propertyId"))),
  );
  const ofPartner = engine.read<SumsRow>(() =>
    db
      .select(
        aliased({
          doors: partnerPlans.doors,
          dueCount: partnerPlans.dueCount,
          dueCents: partnerPlans.dueCents,
          dueWaitingCents: partnerPlans.dueWaitingCents,
          years: partnerPlans.years,
        }),
      )
      .from(partnerPlans)
      .where(eq(partnerPlans.partnerId, placeholder("partnerId"))),
  );
  const sumValues = {
    doors: sql`${placeholder("doors")}`,
    dueCount: sql`${placeholder("dueCount")}`,
    dueCents: sql`${placeholder("dueCents")}`,
    dueWaitingCents: sql`${placeholder("dueWaitingCents")}`,
    years: sql`${placeholder("years")}`,
  };
  const save = engine.write(() =>
    db
      .update(propertyPlans)
      .set({
        ...sumValues,
        asOf: sql`${placeholder("asOf")}`,
        plannedChanges: sql`${placeholder("changes")}`,
      })
      .where(eq(propertyPlans.propertyId, placeholder("propertyId"))),
  );
  const savePartner = engine.write(() =>
    db
      .insert(partnerPlans)
      .values({ partnerId: placeholder("partnerId"), ...sumValues })
      .onConflictDoUpdate({ target: partnerPlans.partnerId, set: sumValues }),
  );
  const dropCandidates = engine.write(() =>
    db.delete(planCandidates).where(eq(planCandidates.propertyId, placeholder("propertyId"))),
  );
  const addCandidate = engine.insertRow(planCandidates, "all");
  const candidates = engine.read<PropertyCandidate & SpendingPlace>(() =>
    db
      .select(
        aliased({
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
  const page = engine.prepared(() =>
    db
      .select({
        propertyId: properties.id,
        name: properties.name,
        unitCount: properties.unitCount,
        dueCount: propertyPlans.dueCount,
        dueCents: propertyPlans.dueCents,
        dueWaitingCents: propertyPlans.dueWaitingCents,
        yearsText: propertyPlans.years,
        changes: propertyPlans.changes,
        plannedChanges: propertyPlans.plannedChanges,
      })
      .from(properties)
      .innerJoin(propertyPlans, eq(propertyPlans.propertyId, properties.id))
      .where(
        and(eq(properties.partnerId, placeholder("partnerId")), gt(properties.seq, placeholder("offset"))),
      )
      .orderBy(asc(properties.seq))
      .limit(placeholder("limit")),
  );

  return {
    /** Inserts a new property's plan, which is not computed yet. */
    async start(propertyId: string, partnerId: string): Promise<void> {
      const years = JSON.stringify(emptyPlanSums().years);
      return start({ propertyId, partnerId, changes: 1, plannedChanges: 0, asOf: "", years });
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
      const [found] = await ofProperty({ propertyId });
      if (!found) return undefined;
      const { changes, ...row } = found;
      return { sums: sumsFrom(row), changes };
    },
    async ofPartner(partnerId: string): Promise<PlanSums> {
      const [row] = await ofPartner({ partnerId });
      return row ? sumsFrom(row) : emptyPlanSums();
    },
    /** Returns the day of the oldest plan of a partner's properties; undefined if none was computed. */
    async asOf(partnerId: string): Promise<Day | undefined> {
      return (await oldest({ partnerId }))[0]?.asOf;
    },
    /** Stores a property's plan that was computed when its inputs had changed `changes` times. */
    async save(propertyId: string, sums: PlanSums, asOf: Day, changes: number): Promise<void> {
      return save({ propertyId, ...rowOf(sums), asOf, changes });
    },
    async savePartner(partnerId: string, sums: PlanSums): Promise<void> {
      return savePartner({ partnerId, ...rowOf(sums) });
    },
    /** Deletes the candidates of a property. */
    async dropCandidates(propertyId: string): Promise<void> {
      return dropCandidates({ propertyId });
    },
    async addCandidates(propertyId: string, partnerId: string, some: readonly Candidate[]): Promise<void> {
      for (const candidate of some) {
        const rank = rankOf(candidate);
        await addCandidate({ ...candidate, propertyId, partnerId, componentId: candidate.id, rank });
      }
    },
    /** Returns the candidates after a position that cost at most the amount, in the order of spending. */
    async candidates(
      partnerId: string,
      { rank, id }: SpendingPlace,
      mostCents: number,
      limit: number,
    ): Promise<(PropertyCandidate & SpendingPlace)[]> {
      return candidates({ partnerId, rank, id, mostCents, limit });
    },
    /** Ordered by creation. */
    async page(partnerId: string, slice: Slice): Promise<PropertyPlanRow[]> {
      const rows = await page().execute({ partnerId, ...slice });
      return rows.map(({ yearsText, changes, plannedChanges, ...row }) => ({
        ...row,
        isChanged: changes !== plannedChanges,
        get years(): StoredYearlyCosts {
          return JSON.parse(yearsText);
        },
      }));
    },
  };
}

type SumsRow = Pick<PlanSums, (typeof SUM_COLUMNS)[number]> & { years: string };

const sumsFrom = ({ years, ...row }: SumsRow): PlanSums => ({ ...row, years: JSON.parse(years) });
const rowOf = ({ years, ...sums }: PlanSums): SumsRow => ({ ...sums, years: JSON.stringify(years) });
