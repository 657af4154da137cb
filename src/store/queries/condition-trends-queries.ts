import { and, asc, eq, lt, sql } from "drizzle-orm";
import type { ConditionPoint, ConditionSums } from "../../domain/figures/condition-trend.ts";
import type { Day } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** A property's row has its id, the portfolio's an empty one. */
const PORTFOLIO = "";

const SUMS = ["properties", "dueCents", "valueCents", "expectedCents"] as const;

/** The sums that a property's condition follows from, and the facts of the property that it depends on. */
type ConditionInputs = {
  propertyId: string;
  replacementValueCents: number | null;
  grossAreaSqft: number | null;
  dueCents: number;
  rcvCents: number;
};

/** Reads and writes the trends of the conditions of properties and portfolios. */
export function conditionTrendStore(engine: Engine) {
  const { db } = engine;
  const { conditionTrends: t, properties, propertyTotals } = engine.tables;
  const columns = {
    day: t.day,
    properties: t.properties,
    dueCents: t.dueCents,
    valueCents: t.valueCents,
    expectedCents: t.expectedCents,
  };
  const add = engine.addToRow(t, ["partnerId", "propertyId", "day"], SUMS, { orInsert: true });
  const inputs = engine.read<ConditionInputs>(() =>
    db
      .select(
        aliasedSqlColumns({
          propertyId: propertyTotals.propertyId,
          replacementValueCents: properties.replacementValueCents,
          grossAreaSqft: properties.grossAreaSqft,
          dueCents: propertyTotals.dueCents,
          rcvCents: propertyTotals.rcvCents,
        }),
      )
      .from(propertyTotals)
      .innerJoin(properties, eq(properties.id, propertyTotals.propertyId))
      .where(engine.isAmong(propertyTotals.propertyId, "propertyIds")),
  );
  const isOfPartner = eq(t.partnerId, placeholder("partnerId"));
  const isOfProperties = and(isOfPartner, engine.isAmong(t.propertyId, "propertyIds"));
  const ofDay = engine.read<ConditionSums & { propertyId: string }>(() =>
    db
      .select(aliasedSqlColumns({ propertyId: t.propertyId, ...columns }))
      .from(t)
      .where(and(isOfProperties, eq(t.day, placeholder("day")))),
  );
  const points = engine.read<ConditionPoint>(() =>
    db
      .select(aliasedSqlColumns(columns))
      .from(t)
      .where(and(isOfPartner, eq(t.propertyId, placeholder("propertyId"))))
      .orderBy(asc(t.day)),
  );
  const prune = engine.prepared(() =>
    db.delete(t).where(and(isOfProperties, lt(t.day, placeholder("cutoff")))),
  );

  return {
    /** Returns the points of a property, or of the portfolio, oldest first. */
    async points(partnerId: string, propertyId: string | null): Promise<ConditionPoint[]> {
      return await points({ partnerId, propertyId: propertyId ?? PORTFOLIO });
    },
    /** Returns what the conditions of properties follow from. */
    async inputs(propertyIds: readonly string[]): Promise<ConditionInputs[]> {
      return await inputs({ propertyIds: engine.list(propertyIds) });
    },
    /** Returns the points that properties have on a day. */
    async ofDay(partnerId: string, propertyIds: readonly string[], day: Day) {
      return await ofDay({ partnerId, propertyIds: engine.list(propertyIds), day });
    },
    /** Adds to the point of a day, of a property or of the portfolio. */
    async add(partnerId: string, propertyId: string | null, day: Day, sums: ConditionSums): Promise<void> {
      return add({ partnerId, propertyId: propertyId ?? PORTFOLIO, day, ...sums });
    },
    /** Deletes the points before a day, of properties and of the portfolio. */
    async prune(partnerId: string, propertyIds: readonly string[], cutoff: Day): Promise<void> {
      await prune().execute({ partnerId, propertyIds: engine.list([...propertyIds, PORTFOLIO]), cutoff });
    },
    /** Deletes a partner's points of days after `day`. */
    async forgetAfter(partnerId: string, day: Day): Promise<void> {
      await db.delete(t).where(and(eq(t.partnerId, partnerId), sql`${t.day} > ${day}`));
    },
  };
}
