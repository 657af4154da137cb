import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  lte,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import { CRITICAL_FROM, type PlacedComponent, WARNING_FROM } from "../../domain/component.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import type { Engine } from "../store-engine.ts";
import type { StoredRowRange } from "../stored-row-range.ts";
import { isElevatedScoreSql } from "./elevated-score-sql.ts";
import { queryPlacedComponentPage } from "./placed-component-rows-queries.ts";

const { placeholder } = sql;

/** The filters of alerts by system and state. */
type AlertFilter = Places & { partnerId: string };

/** The range of scores of a tier, in hundredths; of both tiers of alerts by default. */
export const storedScoreRangeOfTier = (tier: RiskTier | undefined) => ({
  from: tier === "CRITICAL" ? CRITICAL_FROM : WARNING_FROM,
  to: tier === "WARNING" ? CRITICAL_FROM - 1 : 99,
});

type Places = { system?: string | undefined; state?: string | undefined };
export const alertStatementVariant = ({ system, state }: Places) =>
  system === undefined ? (state === undefined ? "all" : "state") : state === undefined ? "system" : "both";

/**
 * Makes a read of the index of expected costs for each filter, whose columns it has: `make` gets the conditions of `leastScore`
 * and `mostScore`, of `system` and of `state`. None can be a bound of an index, or that of another one would be used.
 */
export function queriesByFilterOnCostIndex<Read>(
  { tables: { components } }: Engine,
  make: (...conditions: SQL[]) => Read,
) {
  const isIn = (column: SQLWrapper, name: string) => sql`${column} || '' = ${placeholder(name)}`;
  const isOfTier = sql`${components.riskScore} + 0 between ${placeholder("leastScore")} and ${placeholder("mostScore")}`;
  const [inSystem, inState] = [isIn(components.system, "system"), isIn(components.state, "state")];
  return {
    all: make(isOfTier),
    system: make(isOfTier, inSystem),
    state: make(isOfTier, inState),
    both: make(isOfTier, inSystem, inState),
  };
}

/**
 * Alerts of one system, one state, or both. Each filter has an index of the elevated components in their order, which
 * alone is read to count and skip rows: 300,000 took 20 ms.
 */
export function alertListsStore(engine: Engine) {
  const { db } = engine;
  const { components } = engine.tables;
  // A literal condition, so that SQLite uses the partial indexes.
  const matching = (...more: (SQL | undefined)[]) =>
    and(
      eq(components.partnerId, placeholder("partnerId")),
      isElevatedScoreSql(components.riskScore),
      gt(components.seq, 0),
      ...more,
    );
  const ofSystem = eq(components.system, placeholder("system"));
  const ofState = eq(components.state, placeholder("state"));
  const byScore = [desc(components.riskScore), asc(components.seq)];

  const reads = (condition: SQL | undefined) => {
    const within = and(
      condition,
      gte(components.riskScore, placeholder("from")),
      lte(components.riskScore, placeholder("to")),
    );
    const places = db
      .select({ seq: components.seq })
      .from(components)
      .where(within)
      .orderBy(...byScore)
      .limit(placeholder("limit"))
      .offset(placeholder("offset"));
    return {
      page: queryPlacedComponentPage(engine, (rows) =>
        rows
          .where(and(eq(components.partnerId, placeholder("partnerId")), inArray(components.seq, places)))
          .orderBy(...byScore),
      ),
      counts: engine.read<{ critical: number; all: number }>(() =>
        db
          .select({
            critical:
              sql`count(*) filter (where ${components.riskScore} >= ${sql.raw(String(CRITICAL_FROM))})`.as(
                "critical",
              ),
            all: count().as("all"),
          })
          .from(components)
          .where(within),
      ),
    };
  };
  const bySystem = reads(matching(ofSystem));
  const byState = reads(matching(ofState));
  const byBoth = reads(matching(ofState, ofSystem));
  const byCost = [desc(components.expectedCostCents), asc(components.seq)];
  const costPage = (...conditions: SQL[]) => {
    const within = and(matching(...conditions), gte(components.expectedCostCents, 0));
    const places = db
      .select({ seq: components.seq })
      .from(components)
      .where(within)
      .orderBy(...byCost)
      .limit(placeholder("limit"))
      .offset(placeholder("offset"));
    return queryPlacedComponentPage(engine, (rows) =>
      rows
        .where(and(eq(components.partnerId, placeholder("partnerId")), inArray(components.seq, places)))
        .orderBy(...byCost),
    );
  };
  const costPages = queriesByFilterOnCostIndex(engine, costPage);
  const readsFor = ({ system, state }: AlertFilter) =>
    state === undefined ? bySystem : system === undefined ? byState : byBoth;

  return {
    /** Ordered by score, the highest first, and then by creation. */
    async alertPage(
      filter: AlertFilter,
      tier: RiskTier | undefined,
      slice: StoredRowRange,
    ): Promise<PlacedComponent[]> {
      return readsFor(filter).page({ ...filter, ...storedScoreRangeOfTier(tier), ...slice });
    },
    /** Ordered by what a failure within 12 months is expected to cost, the highest first, and then by creation. */
    async costliestPage(
      filter: AlertFilter,
      tier: RiskTier | undefined,
      slice: StoredRowRange,
    ): Promise<PlacedComponent[]> {
      const { from: leastScore, to: mostScore } = storedScoreRangeOfTier(tier);
      return costPages[alertStatementVariant(filter)]({ ...filter, leastScore, mostScore, ...slice });
    },
    async countAlerts(filter: AlertFilter, tier: RiskTier | undefined) {
      const [found] = await readsFor(filter).counts({ ...filter, ...storedScoreRangeOfTier(tier) });
      const { critical, all } = found!;
      return { critical, warning: all - critical };
    },
  };
}
