import { tierOfHundredths } from "../component.ts";
import type { ComponentDef } from "../domain-knowledge.ts";

/** The names of totals. */
export const PROPERTY_TOTALS = [
  "appliances",
  "components",
  "serviceEvents",
  "critical",
  "warning",
  "criticalProactiveCents",
  "warningProactiveCents",
  "criticalReactiveCents",
  "warningReactiveCents",
] as const;

/** Counts and costs over the components of a property, an appliance or a portfolio. Money in cents. */
export type Totals = Record<(typeof PROPERTY_TOTALS)[number], number>;

/** A property's totals, with the inputs of its rating. */
export type PropertyTotals = Totals & {
  /** Replacement cost value of the appliances. */
  rcvCents: number;
  /** The cost of what the plan says is due now, each unit once. */
  dueCents: number;
  /** CRITICAL components of life-safety and conveyance systems. */
  vitalCritical: number;
};

export const emptyTotals = (): PropertyTotals => ({
  appliances: 0,
  components: 0,
  serviceEvents: 0,
  critical: 0,
  warning: 0,
  criticalProactiveCents: 0,
  warningProactiveCents: 0,
  criticalReactiveCents: 0,
  warningReactiveCents: 0,
  rcvCents: 0,
  dueCents: 0,
  vitalCritical: 0,
});

/** The sums of money in totals. */
export type TotalMoney = Pick<
  PropertyTotals,
  | "criticalProactiveCents"
  | "warningProactiveCents"
  | "criticalReactiveCents"
  | "warningReactiveCents"
  | "rcvCents"
>;

/** Adds (`sign` 1) or subtracts (-1), in place, a component in the counts by tier. The score is in hundredths. */
export function countTierInTotals(
  totals: PropertyTotals,
  riskScore: number,
  { vital }: Pick<ComponentDef, "vital">,
  sign: 1 | -1,
): void {
  const tier = tierOfHundredths(riskScore);
  if (tier === "CRITICAL") {
    totals.critical += sign;
    if (vital) totals.vitalCritical += sign;
  } else if (tier === "WARNING") totals.warning += sign;
}

/** Adds (`sign` 1) or subtracts (-1) money, in place. */
export function addMoneyTotals(totals: PropertyTotals, money: TotalMoney, sign: 1 | -1): void {
  totals.criticalProactiveCents += sign * money.criticalProactiveCents;
  totals.warningProactiveCents += sign * money.warningProactiveCents;
  totals.criticalReactiveCents += sign * money.criticalReactiveCents;
  totals.warningReactiveCents += sign * money.warningReactiveCents;
  totals.rcvCents += sign * money.rcvCents;
}
