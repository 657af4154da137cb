import type { PlanSums } from "./plan-sums.ts";

/** Figures of the same components that are not the plan's, in cents. */
type OtherFigures = {
  /** The expected cost of the forecast's window of 12 months. */
  forecastCents: number;
  /** Planned and reactive cost of the CRITICAL and WARNING components. */
  deferredCents: number;
  exposureCents: number;
  /** The documented reserve over 12 months, for a month. */
  reserveCents: number;
};

/** The sums of the coming 12 months on the pages of one property, and how they follow from each other; in cents. */
export type TwelveMonthReconciliation = OtherFigures & {
  immediateCents: number;
  shortTermCents: number;
  /** Planned replacements within 12 months after what is due now. */
  plannedLaterCents: number;
  plannedCents: number;
  unplannedCents: number;
  /** `plannedCents` and `unplannedCents`. */
  totalCents: number;
  runToFailureCents: number;
  /** The excess of the forecast over run to failure: alarms, and failures of minor parts that a renewal prevents. */
  differenceCents: number;
};

/** Returns how the figures of 12 months fit together (docs/model/planning.md#reconciliation). */
export function reconcileTwelveMonthFigures(
  { due, years }: Pick<PlanSums, "due" | "years">,
  others: OtherFigures,
): TwelveMonthReconciliation {
  const plannedCents = years.planned[0]!;
  const unplannedCents = years.failures[0]! + years.repairs[0]!;
  const runToFailureCents = years.runToFailure[0]!;
  return {
    ...others,
    immediateCents: due.immediate.cents,
    shortTermCents: due.shortTerm.cents,
    plannedLaterCents: plannedCents - due.cents,
    plannedCents,
    unplannedCents,
    totalCents: plannedCents + unplannedCents,
    runToFailureCents,
    differenceCents: others.forecastCents - runToFailureCents,
  };
}
