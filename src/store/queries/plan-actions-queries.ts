import {
  and,
  asc,
  count,
  desc,
  eq,
  gte,
  inArray,
  lte,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import type { ActionName } from "../../domain/planning/action.ts";
import type { ActionSums } from "../../domain/planning/due-actions.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import type { Day } from "../../domain/time.ts";
import type { WorkState } from "../../domain/work-mark.ts";
import type { Engine } from "../store-engine.ts";
import type { StoredRowRange } from "../stored-row-range.ts";
import { isInStoredSequenceRange, storedSequenceRange } from "./list-page-starts-queries.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** An action of a stored plan, as lists order and filter it. */
export type StoredAction = {
  subjectId: string;
  applianceId: string;
  action: ActionName;
  system: string;
  state: string;
  tier: RiskTier;
  dueOn: Day | null;
  plannedCents: number;
  waitingCents: number;
  expectedCents: number;
};
/** The mark on an action's work. */
type Mark = { state: WorkState; until: Day | null };

export type ActionOrder = "waiting" | "expected";

/** The filters of a partner's actions. The caller has checked that the property belongs to the partner. */
export type ActionFilter = {
  partnerId: string;
  propertyId?: string | undefined;
  action?: ActionName | undefined;
  system?: string | undefined;
  state?: string | undefined;
  tier?: RiskTier | undefined;
  /** Due by the day, and not deferred beyond it. */
  dueBy?: Day | undefined;
  leastCents?: number | undefined;
  mostCents?: number | undefined;
  /** `open`: neither ordered, nor deferred beyond `today`. */
  work?: "open" | WorkState | undefined;
  today: Day;
  /** Properties that are left out. */
  without: readonly string[];
};

const NONE = "";
const LAST_DAY = "9999-12-31";

/**
 * Reads and writes the actions of stored plans. A list in either order reads one index, which has the columns of all filters
 * and sums: a page of a portfolio of a million components reads about 100,000 of its entries at most.
 */
export function planActionStore(engine: Engine) {
  const { db } = engine;
  const { planActions: t, properties } = engine.tables;
  const drop = engine.write(() => db.delete(t).where(eq(t.propertyId, placeholder("propertyId"))));
  const add = engine.insertRow(t, "all");
  const mark = engine.write(() =>
    db
      .update(t)
      .set({ workState: sql`${placeholder("workState")}`, workUntil: sql`${placeholder("workUntil")}` })
      .where(and(eq(t.propertyId, placeholder("propertyId")), eq(t.subjectId, placeholder("subjectId")))),
  );

  // Not as bounds of an index: both lists are read in the order of theirs.
  const isIfStated = (column: SQLWrapper, name: "action" | "system" | "state" | "tier") =>
    sql`(${placeholder(name)} = ${NONE} or ${column} || '' = ${placeholder(name)})`;
  const isWork = (name: "open" | WorkState, condition: SQL) =>
    sql`(${placeholder("work")} = ${sql.raw(`'${name}'`)} and ${condition})`;
  const ofFilter = (filter: ActionFilter) =>
    // With the partner, too, SQLite would read all of its actions to find those of a property.
    filter.propertyId === undefined
      ? eq(t.partnerId, placeholder("partnerId"))
      : eq(t.propertyId, placeholder("propertyId"));
  const matching = (filter: ActionFilter, scope = ofFilter(filter)): SQL | undefined =>
    and(
      scope,
      hasNames(filter)
        ? and(
            isIfStated(t.action, "action"),
            isIfStated(t.system, "system"),
            isIfStated(t.state, "state"),
            isIfStated(t.tier, "tier"),
          )
        : undefined,
      hasBounds(filter)
        ? and(
            lte(t.dueOn, placeholder("dueBy")),
            lte(t.workUntil, placeholder("dueBy")),
            gte(t.plannedCents, placeholder("leastCents")),
            lte(t.plannedCents, placeholder("mostCents")),
          )
        : undefined,
      filter.work &&
        or(
          isWork("open", sql`${t.workState} <> 'ordered' and ${t.workUntil} <= ${placeholder("today")}`),
          isWork("ordered", sql`${t.workState} = 'ordered'`),
          isWork("deferred", sql`${t.workUntil} > ${placeholder("today")}`),
        ),
      filter.without.length === 0 ? undefined : sql`not (${engine.isAmong(t.propertyId, "without")})`,
    );
  const readsOf = memo((filter, order) => {
    const by = order === "waiting" ? t.waitingCents : t.expectedCents;
    const sums = {
      count: count().as("count"),
      plannedCents: sumOf(t.plannedCents).as("plannedCents"),
      waitingCents: sumOf(t.waitingCents).as("waitingCents"),
      expectedCents: sumOf(t.expectedCents).as("expectedCents"),
    };
    return {
      page: engine.read<Pick<StoredAction, "subjectId" | "applianceId">>(() =>
        db
          .select(aliasedSqlColumns({ subjectId: t.subjectId, applianceId: t.applianceId }))
          .from(t)
          .where(matching(filter))
          .orderBy(desc(by), asc(t.subjectId))
          .limit(placeholder("limit"))
          .offset(placeholder("offset")),
      ),
      sums: engine.read<ActionSums>(() => db.select(sums).from(t).where(matching(filter))),
      sumsOfProperties: engine.read<ActionSums>(() => {
        const some = db
          .select({ id: properties.id })
          .from(properties)
          .where(
            and(eq(properties.partnerId, placeholder("partnerId")), isInStoredSequenceRange(properties.seq)),
          );
        return db
          .select(sums)
          .from(t)
          .where(matching(filter, inArray(t.propertyId, some)));
      }),
    };
  });
  const bound = (filter: ActionFilter) => ({
    ...filter,
    action: filter.action ?? NONE,
    system: filter.system ?? NONE,
    state: filter.state ?? NONE,
    tier: filter.tier ?? NONE,
    dueBy: filter.dueBy ?? LAST_DAY,
    leastCents: filter.leastCents ?? 0,
    mostCents: filter.mostCents ?? Number.MAX_SAFE_INTEGER,
    without: engine.list(filter.without),
  });

  return {
    /** Deletes the actions of a property. */
    async drop(propertyId: string): Promise<void> {
      return drop({ propertyId });
    },
    async add(
      place: { propertyId: string; partnerId: string },
      some: readonly StoredAction[],
      markOf: (subjectId: string) => Mark | undefined,
    ): Promise<void> {
      for (const action of some)
        await add({
          ...place,
          ...action,
          dueOn: action.dueOn ?? NONE,
          ...columnsOf(markOf(action.subjectId)),
        });
    },
    /** Stores the mark on the work of an action, if there is one for the subject. */
    async mark(propertyId: string, subjectId: string, work: Mark | undefined): Promise<void> {
      return mark({ propertyId, subjectId, ...columnsOf(work) });
    },
    /** Returns the subjects of the actions that match, the highest cost first. */
    async page(filter: ActionFilter, order: ActionOrder, slice: StoredRowRange) {
      return await readsOf(filter, order).page({ ...bound(filter), ...slice });
    },
    async sums(filter: ActionFilter, order: ActionOrder): Promise<ActionSums> {
      return (await readsOf(filter, order).sums(bound(filter)))[0]!;
    },
    /** Sums the actions of the properties numbered from after `after` to `last`, where all at once would take long. */
    async sumsOfProperties(
      filter: ActionFilter,
      order: ActionOrder,
      after: number,
      last: number,
    ): Promise<ActionSums> {
      const values = { ...bound(filter), ...storedSequenceRange(after, last) };
      return (await readsOf(filter, order).sumsOfProperties(values))[0]!;
    },
  };
}

const columnsOf = (mark: Mark | undefined) => ({
  workState: mark?.state ?? NONE,
  workUntil: mark?.until ?? NONE,
});

const sumOf = (column: SQLWrapper) => sql<number>`cast(coalesce(sum(${column}), 0) as bigint)`;

const hasNames = ({ action, system, state, tier }: ActionFilter) =>
  [action, system, state, tier].some((name) => name !== undefined);
const hasBounds = ({ dueBy, leastCents, mostCents }: ActionFilter) =>
  [dueBy, leastCents, mostCents].some((bound) => bound !== undefined);

/**
 * Prepares a query once for each kind of conditions, whatever their values are. A statement for each set of filters would be
 * thousands, and each connection keeps its statements.
 */
function memo<T>(make: (filter: ActionFilter, order: ActionOrder) => T) {
  const made = new Map<string, T>();
  return (filter: ActionFilter, order: ActionOrder): T => {
    const kinds = [
      filter.propertyId !== undefined,
      hasNames(filter),
      hasBounds(filter),
      filter.work !== undefined,
      filter.without.length > 0,
    ];
    const key = [...kinds.map(Number), order].join();
    const value = made.get(key) ?? make(filter, order);
    made.set(key, value);
    return value;
  };
}
