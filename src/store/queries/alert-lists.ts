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
import type { RiskTier } from "../../domain/scoring/types.ts";
import { WHOLE_BUCKET } from "../component-counters.ts";
import { isElevated } from "../elevated-components.ts";
import type { Engine } from "../engine.ts";
import type { Slice } from "../slice.ts";
import { componentRows } from "./component-rows.ts";
import { aliased } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** The filters of alerts by system and state. */
type AlertFilter = { partnerId: string; system?: string | undefined; state?: string | undefined };

/** The range of scores of a tier, in hundredths; of both tiers of alerts by default. */
export const scoresOf = (tier: RiskTier | undefined) => ({
  from: tier === "CRITICAL" ? CRITICAL_FROM : WARNING_FROM,
  to: tier === "WARNING" ? CRITICAL_FROM - 1 : 99,
});

/**
 * Alerts of one system, one state, or both. Each filter has an index of the elevated components in their order, which
 * alone is read to count and skip rows: 300,000 took 20 ms.
 */
export function alertLists(engine: Engine) {
  const { db } = engine;
  const { componentCounters, components } = engine.tables;
  // A literal condition, so that SQLite uses the partial indexes.
  const matching = (...more: (SQL | undefined)[]) =>
    and(
      eq(components.partnerId, placeholder("partnerId")),
      isElevated(components.riskScore),
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
      page: engine.read<PlacedComponent>(() =>
        componentRows(engine)
          .where(and(eq(components.partnerId, placeholder("partnerId")), inArray(components.seq, places)))
          .orderBy(...byScore),
      ),
      scores: engine.read<{ score: number; count: number }>(() =>
        db
          .select({
            score: sql<number>`${components.riskScore}`.as("score"),
            count: count().as("count"),
          })
          .from(components)
          .where(within)
          .groupBy(components.riskScore),
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
  /** Buckets of scores are their hundredths. */
  const scoreCounters = engine.read<{ score: number; count: number }>(() =>
    db
      .select(aliased({ score: componentCounters.bucket, count: componentCounters.count }))
      .from(componentCounters)
      .where(
        and(
          eq(componentCounters.partnerId, placeholder("partnerId")),
          gte(componentCounters.bucket, placeholder("from")),
          lte(componentCounters.bucket, placeholder("to")),
          eq(componentCounters.block, WHOLE_BUCKET),
        ),
      ),
  );
  const byCost = [desc(components.expectedCostCents), asc(components.seq)];
  /** Reads one index for all filters, which has the columns of each. */
  const costPage = (condition: SQL | undefined) => {
    const within = and(
      condition,
      gte(components.expectedCostCents, 0),
      // Not as bounds of an index: that of scores would be sorted.
      sql`${components.riskScore} + 0 between ${placeholder("from")} and ${placeholder("to")}`,
    );
    const places = db
      .select({ seq: components.seq })
      .from(components)
      .where(within)
      .orderBy(...byCost)
      .limit(placeholder("limit"))
      .offset(placeholder("offset"));
    return engine.read<PlacedComponent>(() =>
      componentRows(engine)
        .where(and(eq(components.partnerId, placeholder("partnerId")), inArray(components.seq, places)))
        .orderBy(...byCost),
    );
  };
  const isIn = (column: SQLWrapper, name: string) => sql`${column} || '' = ${placeholder(name)}`;
  const [inSystem, inState] = [isIn(components.system, "system"), isIn(components.state, "state")];
  const costPages = {
    all: costPage(matching()),
    system: costPage(matching(inSystem)),
    state: costPage(matching(inState)),
    both: costPage(matching(inSystem, inState)),
  };
  const readsFor = ({ system, state }: AlertFilter) =>
    state === undefined ? bySystem : system === undefined ? byState : byBoth;

  return {
    /** Ordered by score, the highest first, and then by creation. */
    async alertPage(
      filter: AlertFilter,
      tier: RiskTier | undefined,
      slice: Slice,
    ): Promise<PlacedComponent[]> {
      return readsFor(filter).page({ ...filter, ...scoresOf(tier), ...slice });
    },
    /** Ordered by what a failure within 12 months is expected to cost, the highest first, and then by creation. */
    async costliestPage(
      filter: AlertFilter,
      tier: RiskTier | undefined,
      slice: Slice,
    ): Promise<PlacedComponent[]> {
      const { system, state } = filter;
      const one = system === undefined ? (state === undefined ? "all" : "state") : "system";
      const kind = system !== undefined && state !== undefined ? "both" : one;
      return costPages[kind]({ ...filter, ...scoresOf(tier), ...slice });
    },
    /** Counts a partner's alerts by score, in hundredths. */
    async alertScores(filter: AlertFilter, tier: RiskTier | undefined): Promise<ReadonlyMap<number, number>> {
      const range = scoresOf(tier);
      const isWhole = filter.system === undefined && filter.state === undefined;
      const rows = isWhole
        ? await scoreCounters({ ...filter, ...range })
        : await readsFor(filter).scores({ ...filter, ...range });
      return new Map(rows.map(({ score, count }) => [score, count]));
    },
    async countAlerts(filter: AlertFilter, tier: RiskTier | undefined) {
      const [found] = await readsFor(filter).counts({ ...filter, ...scoresOf(tier) });
      const { critical, all } = found!;
      return { critical, warning: all - critical };
    },
  };
}
