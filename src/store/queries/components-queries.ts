import { and, asc, desc, eq, getTableColumns, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Component, ComponentToScore, PlacedComponent } from "../../domain/component.ts";
import type { System } from "../../domain/domain-knowledge.ts";
import type { ScoreState } from "../../domain/scoring/scoring-types.ts";
import type { Engine } from "../store-engine.ts";
import { alertListsStore } from "./alert-lists-queries.ts";
import { componentListsStore } from "./component-lists-queries.ts";
import {
  isInStoredSequenceRange,
  sortRowsBySequence,
  storedSequenceRange,
} from "./list-page-starts-queries.ts";
import { placedComponentsQuery } from "./placed-component-rows-queries.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** The columns that scoring writes, and those that identify the component. */
type ScoredColumns = Pick<
  Component,
  | "id"
  | "riskScore"
  | "riskTier"
  | "confidence"
  | keyof ScoreState
  | "scoredOn"
  | "rescoredAt"
  | "announcedTier"
  | "trendScore"
  | "expectedCostCents"
>;

/** The columns of a component that service events change, and those that identify it. */
export type DatedComponent = Pick<
  Component,
  "id" | "applianceId" | "defId" | "lastReplaced" | "lastServiced"
>;

/** Reads and writes components with their scores, in hundredths. */
export function componentStore(engine: Engine) {
  const { db, isAmong } = engine;
  const { components, properties } = engine.tables;
  const rows = () => placedComponentsQuery(engine);
  /** Every read leaves out retired rows, except those that say so. */
  const listed = gt(components.seq, 0);
  const byId = engine.read<PlacedComponent>(() =>
    rows().where(
      and(eq(components.id, placeholder("id")), eq(components.partnerId, placeholder("partnerId"))),
    ),
  );
  const ownerOf = engine.read<{ partnerId: string }>(() =>
    db
      .select(aliasedSqlColumns({ partnerId: components.partnerId }))
      .from(components)
      .where(eq(components.id, placeholder("id"))),
  );
  const insert = engine.insertRow(components, "all", {
    computed: {
      state: (given) =>
        sql`(select ${properties.state} from ${properties} where ${properties.id} = ${given("propertyId")})`,
    },
  });
  // SQLite rewrites each index of a statement's columns even if their values do not change, so it has a statement for
  // each extent of a change. PostgreSQL compares the values, so that one statement is enough.
  const aged = [
    "confidence",
    "lifeFactor",
    "effectiveAgeYears",
    "rate",
    "hazardRatio",
    "acuteHazard",
    "scoredOn",
  ] as const;
  const settled = [...aged, "announcedTier", "trendScore", "rescoredAt"] as const;
  const isOne = engine.dialect === "postgres";
  const cost = ["expectedCostCents"] as const;
  // PostgreSQL's statements are batched, so that each column is set by one of them.
  const saveExpectedCost = engine.setRow(components, "id", cost);
  const ranked = [...settled, "riskScore"] as const;
  const moved = [...ranked, "riskTier"] as const;
  const saveMoved = engine.setRow(components, "id", isOne ? moved : [...moved, ...cost]);
  const saveRanked = isOne ? saveMoved : engine.setRow(components, "id", ranked);
  const saveRankedAndCost = isOne ? saveMoved : engine.setRow(components, "id", [...ranked, ...cost]);
  const saveSettled = isOne ? saveMoved : engine.setRow(components, "id", settled);
  const saveSettledAndCost = isOne ? saveMoved : engine.setRow(components, "id", [...settled, ...cost]);
  const saveAged = isOne ? saveMoved : engine.setRow(components, "id", aged);
  const saveAgedAndCost = isOne ? saveMoved : engine.setRow(components, "id", [...aged, ...cost]);
  const saveAll = async (scored: ScoredColumns, hasNewCost: boolean) => {
    await saveMoved(scored);
    const { id, expectedCostCents } = scored;
    if (hasNewCost) await saveExpectedCost({ id, expectedCostCents });
  };
  const saveDates = engine.setRow(components, "id", ["lastReplaced", "lastServiced"]);
  const ofAppliances = engine.read<Component>(() =>
    db
      .select(aliasedSqlColumns(getTableColumns(components)))
      .from(components)
      .where(and(isAmong(components.applianceId, "applianceIds"), listed))
      .orderBy(asc(components.applianceId), asc(components.seq)),
  );
  const { id, applianceId, defId, lastReplaced, lastServiced } = components;
  const datesOfAppliances = engine.read<DatedComponent>(() =>
    db
      .select(aliasedSqlColumns({ id, applianceId, defId, lastReplaced, lastServiced }))
      .from(components)
      .where(and(isAmong(applianceId, "applianceIds"), listed))
      .orderBy(asc(applianceId), asc(components.seq)),
  );
  const scoringRows = (which: SQL, order: SQL) => {
    const { system, state, ...columns } = getTableColumns(components);
    const { confidence, acuteHazard, ...read } = columns;
    return db
      .select(aliasedSqlColumns(read satisfies Record<keyof ComponentToScore, unknown>))
      .from(components)
      .where(and(isAmong(components.applianceId, "applianceIds"), which))
      .orderBy(asc(components.applianceId), order);
  };
  const forScoring = engine.read<ComponentToScore>(() => scoringRows(listed, asc(components.seq)));
  const ofProperties = engine.read<Component>(() =>
    db
      .select(aliasedSqlColumns(getTableColumns(components)))
      .from(components)
      .where(and(isAmong(components.propertyId, "propertyIds"), listed))
      .orderBy(asc(components.propertyId), asc(components.seq)),
  );

  const placedOfAppliances = engine.read<PlacedComponent>(() =>
    rows()
      .where(and(isAmong(components.applianceId, "applianceIds"), listed))
      .orderBy(asc(components.applianceId), asc(components.seq)),
  );
  const placedOfProperties = engine.read<PlacedComponent>(() =>
    rows().where(and(isAmong(components.propertyId, "propertyIds"), listed)),
  );
  const ofProperty = engine.read<PlacedComponent>(() =>
    rows()
      .where(and(eq(components.propertyId, placeholder("propertyId")), listed))
      .orderBy(asc(components.seq)),
  );
  const retiredOfAppliances = engine.read<Component>(() =>
    db
      .select(aliasedSqlColumns(getTableColumns(components)))
      .from(components)
      .where(and(isAmong(components.applianceId, "applianceIds"), lt(components.seq, 0)))
      .orderBy(asc(components.applianceId), desc(components.seq)),
  );
  const rowsOfRetired = engine.read<PlacedComponent>(() =>
    rows()
      .where(and(eq(components.applianceId, placeholder("applianceId")), lt(components.seq, 0)))
      .orderBy(desc(components.seq)),
  );
  const retiredForScoring = engine.read<ComponentToScore>(() =>
    scoringRows(lt(components.seq, 0), desc(components.seq)),
  );
  const numbered = engine.read<PlacedComponent>(() =>
    rows().where(
      and(eq(components.partnerId, placeholder("partnerId")), isInStoredSequenceRange(components.seq)),
    ),
  );
  const ofPropertyAfter = engine.read<PlacedComponent>(() =>
    rows()
      .where(
        and(eq(components.propertyId, placeholder("propertyId")), gt(components.seq, placeholder("after"))),
      )
      .orderBy(asc(components.seq))
      .limit(placeholder("limit")),
  );

  return {
    ...componentListsStore(engine),
    ...alertListsStore(engine),
    async find(partnerId: string, id: string): Promise<PlacedComponent | undefined> {
      return (await byId({ partnerId, id }))[0];
    },
    /** Returns the partner's id; undefined for an unknown component. */
    async ownerOf(id: string): Promise<string | undefined> {
      return (await ownerOf({ id }))[0]?.partnerId;
    },
    async ofAppliance(applianceId: string): Promise<Component[]> {
      return ofAppliances({ applianceIds: engine.list([applianceId]) });
    },
    async ofAppliances(applianceIds: readonly string[]): Promise<Component[]> {
      return ofAppliances({ applianceIds: engine.list(applianceIds) });
    },
    /** Returns what service events read and change of the components of appliances, ordered by appliance and creation. */
    async datesOfAppliances(applianceIds: readonly string[]): Promise<DatedComponent[]> {
      return datesOfAppliances({ applianceIds: engine.list(applianceIds) });
    },
    /** Returns the columns for scoring of the components of appliances, ordered by appliance and creation. */
    async forScoring(applianceIds: readonly string[]): Promise<ComponentToScore[]> {
      return forScoring({ applianceIds: engine.list(applianceIds) });
    },
    async ofProperties(propertyIds: readonly string[]): Promise<Component[]> {
      return ofProperties({ propertyIds: engine.list(propertyIds) });
    },
    /** Returns the retired components of appliances: of retired ones, and of the types that they had before. */
    async retiredOfAppliances(applianceIds: readonly string[]): Promise<Component[]> {
      return retiredOfAppliances({ applianceIds: engine.list(applianceIds) });
    },
    async retiredForScoring(applianceIds: readonly string[]): Promise<ComponentToScore[]> {
      return retiredForScoring({ applianceIds: engine.list(applianceIds) });
    },
    async rowsOfRetired(applianceId: string): Promise<PlacedComponent[]> {
      return rowsOfRetired({ applianceId });
    },
    /** Returns the components numbered from after `after` to `last`, retired ones included, in the order of creation. */
    async numbered(partnerId: string, after: number, last: number): Promise<PlacedComponent[]> {
      return sortRowsBySequence(await numbered({ partnerId, ...storedSequenceRange(after, last) }));
    },
    /**
     * Takes components out of all lists, or puts them back, by the sign of their numbers. They count as scored by the latest
     * snapshot then.
     */
    async negateNumbers(ids: readonly string[]): Promise<void> {
      await db
        .update(components)
        .set({ seq: sql`-${components.seq}`, rescoredAt: null })
        .where(inArray(components.id, [...ids]));
    },
    /** Moves the components of appliances to the property of these, with its state. */
    async followAppliances(applianceIds: readonly string[], property: { id: string; state: string }) {
      await db
        .update(components)
        .set({ propertyId: property.id, state: property.state })
        .where(inArray(components.applianceId, [...applianceIds]));
    },
    async rowsOfAppliance(applianceId: string): Promise<PlacedComponent[]> {
      return placedOfAppliances({ applianceIds: engine.list([applianceId]) });
    },
    /** Returns the components of appliances, ordered by appliance and creation. */
    async rowsOfAppliances(applianceIds: readonly string[]): Promise<PlacedComponent[]> {
      return placedOfAppliances({ applianceIds: engine.list(applianceIds) });
    },
    async rowsOfProperty(propertyId: string): Promise<PlacedComponent[]> {
      return ofProperty({ propertyId });
    },
    /** Returns the rows of properties, in any order. The caller has limited their number. */
    async rowsOfProperties(propertyIds: readonly string[]): Promise<PlacedComponent[]> {
      return placedOfProperties({ propertyIds: engine.list(propertyIds) });
    },
    /** Returns the rows of a property with a `seq` after `after`, in order; 0 returns all. */
    async rowsOfPropertyAfter(propertyId: string, after: number, limit: number): Promise<PlacedComponent[]> {
      return ofPropertyAfter({ propertyId, after, limit });
    },
    async insert(component: Component, system: System): Promise<void> {
      return insert({ ...component, system });
    },
    /**
     * Writes a property's state to up to `limit` of its components with a `seq` after `after`; returns the `seq` of the
     * last one, undefined if there are none.
     */
    async setState(propertyId: string, state: string, afterSeq: number, limit: number) {
      const chosen = await db
        .select({ id: components.id, seq: components.seq })
        .from(components)
        .where(and(eq(components.propertyId, propertyId), gt(components.seq, afterSeq)))
        .orderBy(asc(components.seq))
        .limit(limit);
      await db
        .update(components)
        .set({ state })
        .where(
          inArray(
            components.id,
            chosen.map(({ id }) => id),
          ),
        );
      return chosen.at(-1)?.seq;
    },
    /**
     * Writes a score. `extent` tells what may have changed: everything, all but the tier, all but the score and its tier, or
     * only the values that change daily; and `hasNewCost` whether the expected cost has. The other values are passed unchanged.
     */
    saveScore(
      scored: ScoredColumns,
      extent: "moved" | "ranked" | "settled" | "aged",
      hasNewCost = false,
    ): void | Promise<void> {
      if (isOne) return saveAll(scored, hasNewCost);
      if (extent === "moved") return saveMoved(scored);
      if (extent === "ranked") return (hasNewCost ? saveRankedAndCost : saveRanked)(scored);
      if (extent === "settled") return (hasNewCost ? saveSettledAndCost : saveSettled)(scored);
      return (hasNewCost ? saveAgedAndCost : saveAged)(scored);
    },
    /** Writes the expected cost of a failure within 12 months, in cents. */
    async saveExpectedCost(id: string, expectedCostCents: number): Promise<void> {
      return saveExpectedCost({ id, expectedCostCents });
    },
    async setAnnouncedTier(id: string, announcedTier: Component["announcedTier"]): Promise<void> {
      await db.update(components).set({ announcedTier }).where(eq(components.id, id));
    },
    async saveDates(
      id: string,
      { lastReplaced, lastServiced }: Pick<Component, "lastReplaced" | "lastServiced">,
    ): Promise<void> {
      return saveDates({ id, lastReplaced, lastServiced });
    },
    async update(
      id: string,
      change: Partial<
        Pick<
          Component,
          | "installYear"
          | "installYearGiven"
          | "lastReplaced"
          | "lastServiced"
          | "overrideLifespan"
          | "ownPlannedCents"
          | "ownFailedCents"
          | "past"
        >
      >,
    ): Promise<void> {
      await db.update(components).set(change).where(eq(components.id, id));
    },
  };
}
