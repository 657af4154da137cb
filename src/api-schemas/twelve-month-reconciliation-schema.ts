import type { TwelveMonthReconciliation } from "../domain/planning/twelve-month-reconciliation.ts";
import { IMMEDIATE_WORK } from "../domain/wording/immediate-work-wording.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonUsdFromCents } from "./definition/json-unit-conversion.ts";
import { listSchema, recordSchema, textSchema, usdSchema } from "./definition/schema-field-types.ts";

const line = recordSchema("ReconciliationLine", {
  figure: textSchema("Name of the figure", "run_to_failure_12m"),
  label: textSchema("Display name", "Everything run to failure, 12 months"),
  amount: usdSchema("Amount", 4410.1),
  counts: textSchema(
    "What the figure counts",
    "Expected failures and repairs of 12 months if nothing is planned",
  ),
});
type ReconciliationLine = JsonOf<typeof line>;

export const reconciliation = listSchema(
  "How the figures of the coming 12 months fit together, at today's prices",
  line,
);

/** Serializes how the figures of the coming 12 months fit together. */
export function serializeTwelveMonthReconciliation(made: TwelveMonthReconciliation): ReconciliationLine[] {
  const of = (figure: string, label: string, cents: number, counts: string) => ({
    figure,
    label,
    amount: jsonUsdFromCents(Math.round(cents)),
    counts,
  });
  return [
    of(
      "immediate",
      "Immediate replacements",
      made.immediateCents,
      `Of the units and components due now: ${IMMEDIATE_WORK}`,
    ),
    of(
      "short_term",
      "Short-term replacements",
      made.shortTermCents,
      "The other units and components due now",
    ),
    of(
      "planned_later",
      "Other planned replacements, 12 months",
      made.plannedLaterCents,
      "Units and components that become due within 12 months",
    ),
    of(
      "failures_and_repairs_12m",
      "Failures and repairs, 12 months",
      made.unplannedCents,
      "Expected replacements after failures, and repairs of minor parts, with this plan",
    ),
    of(
      "total_12m",
      "Total of the plan, 12 months",
      made.totalCents,
      "The four lines above: year 1 of the schedule",
    ),
    of(
      "run_to_failure_12m",
      "Everything run to failure, 12 months",
      made.runToFailureCents,
      "Expected failures and repairs if nothing is planned, second failures within the year included",
    ),
    of(
      "forecast_difference",
      "Difference to the forecast",
      made.differenceCents,
      "Failures of minor parts that the renewal of a failed unit prevents and sensor alarms, less second failures within the year",
    ),
    of(
      "forecast_12m",
      "Forecast, 12 months",
      made.forecastCents,
      "The two lines above: each component's probability of failure times the cost of a failure, as in the forecast and in expected losses",
    ),
    of(
      "total_deferred_maintenance",
      "Deferred maintenance",
      made.deferredCents,
      "Planned cost of all CRITICAL and WARNING components, whether replacing them now is worthwhile or not",
    ),
    of(
      "total_reactive_exposure",
      "Reactive exposure",
      made.exposureCents,
      "The cost if all CRITICAL and WARNING components failed at once",
    ),
    of(
      "reserve_12_month",
      "12-month reserve, a month",
      made.reserveCents,
      "Planned cost of CRITICAL components and of the others by their probability of failure within 12 months, divided by 12",
    ),
  ];
}
