import type { Knowledge } from "../../domain/domain-knowledge.ts";
import {
  addConditionSums,
  CONDITION_TREND_DAYS,
  type ConditionSums,
  mondayOf,
  NO_SUMS,
} from "../../domain/figures/condition-trend.ts";
import { facilityConditionOf } from "../../domain/figures/facility-condition.ts";
import { addDays, type Day } from "../../domain/time.ts";
import type { Tx } from "../../store/store.ts";

/** A property that a snapshot has scored. */
type Assessed = { id: string; partnerId: string; isDemo: boolean; expectedCents: number };

/**
 * The most that a building counts in a trend, in cents: more than any is worth. The sum of mistyped values would exceed the
 * numbers of the database, and end the snapshot of all partners.
 */
const MAX_VALUE_CENTS = 1e12;

/** Returns whether no other day of the week has a snapshot: trends of conditions have a point a week. */
export async function snapshotIsFirstOfWeek(tx: Pick<Tx, "snapshots">, day: Day): Promise<boolean> {
  return (await tx.snapshots.days(mondayOf(day))).every((other) => other >= day);
}

/**
 * Stores the conditions of properties on a day, and adds the differences to the points of their portfolios, which leave out
 * demo properties. The sums of the properties must have been written. `prunes` deletes the oldest points.
 */
export async function recordConditionTrends(
  tx: Tx,
  knowledge: Knowledge,
  day: Day,
  properties: readonly Assessed[],
  prunes: boolean,
): Promise<void> {
  const found = await tx.conditionTrends.inputs(properties.map(({ id }) => id));
  const inputs = new Map(found.map((one) => [one.propertyId, one]));
  for (const [partnerId, own] of Map.groupBy(properties, (property) => property.partnerId)) {
    const ids = own.map(({ id }) => id);
    const stored = new Map(
      (await tx.conditionTrends.ofDay(partnerId, ids, day)).map((one) => [one.propertyId, one]),
    );
    let portfolio = NO_SUMS;
    for (const { id, isDemo, expectedCents } of own) {
      const input = inputs.get(id)!;
      const { dueCents, rcvCents } = input;
      const value = facilityConditionOf(input, dueCents, rcvCents, knowledge.buildingCentsPerSqft).valueCents;
      const valueCents = Math.min(value, MAX_VALUE_CENTS);
      const sums: ConditionSums = { properties: 1, dueCents, valueCents, expectedCents };
      const change = addConditionSums(sums, stored.get(id) ?? NO_SUMS, -1);
      await tx.conditionTrends.add(partnerId, id, day, change);
      if (!isDemo) portfolio = addConditionSums(portfolio, change);
    }
    await tx.conditionTrends.add(partnerId, null, day, portfolio);
    if (prunes) await tx.conditionTrends.prune(partnerId, ids, addDays(day, -CONDITION_TREND_DAYS));
    await tx.yieldToEventLoop();
  }
}
