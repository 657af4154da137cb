import type { ReserveJson } from "../../api-schemas/figures-schema.ts";
import type { ForecastJson } from "../../api-schemas/forecast-schema.ts";
import { formatPageMoney, formatPageWholeNumber } from "../page/page-format.ts";
import { CollapsedSectionTable, type SectionCsvLink } from "./section.tsx";
import { useSectionUnitWord } from "./section-unit-word.ts";

const WINDOWS = ["window_30_days", "window_60_days", "window_90_days", "window_12_months"] as const;
const RESERVE_PERIODS = [
  ["12_month", "Next 12 months"],
  ["24_month", "Next 24 months"],
  ["36_month", "Next 36 months"],
  ["10_year_full_replacement", "Full replacement, 10 years"],
] as const;

/** The expected costs of failures in the next 12 months. */
export function FailureCostForecastSection({
  forecast,
  csv,
}: {
  forecast: ForecastJson;
  csv?: SectionCsvLink;
}) {
  const windows = WINDOWS.map((key) => forecast.forecast[key]);
  return (
    <CollapsedSectionTable
      summary="Expected cost of failures in the next 12 months (table)"
      csv={csv}
      rows={windows}
      note="Probability × cost of failure, over all components, if nothing is replaced before. The range is approximate: its probability is 68% to 95% for most properties, and about 50% where one expensive failure outweighs all others. Failures count as independent: for hundreds of like components, which a cold winter may make fail together, it is 40% to 60%."
      columns={[
        { heading: "Period", cell: (window) => window.label },
        {
          heading: "Expected failures",
          isNumber: true,
          cell: (window) => window.expected_failures.toFixed(2),
        },
        { heading: "Expected cost", isNumber: true, cell: (window) => formatPageMoney(window.expected_cost) },
        {
          heading: "80% range",
          isNumber: true,
          cell: ({ expected_cost_80: { low, high } }) =>
            `${formatPageMoney(low)} to ${formatPageMoney(high)}`,
        },
        {
          heading: "Due components",
          isNumber: true,
          cell: (window) => formatPageWholeNumber(window.component_count),
        },
        {
          heading: "Their planned cost",
          isNumber: true,
          cell: (window) => formatPageMoney(window.proactive_cost),
        },
        {
          heading: "Cost if all fail at once",
          isNumber: true,
          cell: (window) => formatPageMoney(window.emergency_cost_if_ignored),
        },
      ]}
    />
  );
}

/** The monthly contributions by which expected replacements are paid within some periods, without a plan. */
export function ReserveContributionsSection({
  reserve,
  csv,
}: {
  reserve: ReserveJson;
  csv?: SectionCsvLink;
}) {
  const spans = RESERVE_PERIODS.map(([key, name]) => ({ name, ...reserve.reserves[key] }));
  const hasUnits = reserve.unit_count > 0;
  const word = useSectionUnitWord();
  return (
    <CollapsedSectionTable
      summary="Contributions without a plan, by period (table)"
      csv={csv}
      rows={spans}
      note="Expected replacements of the period as components fail, in equal monthly parts. The yearly reserve above follows the plan instead."
      columns={[
        { heading: "Period", cell: (span) => span.name },
        {
          heading: "Property per month",
          isNumber: true,
          cell: (span) => formatPageMoney(span.property_per_month),
        },
        ...(hasUnits
          ? [
              {
                heading: `Per ${word} per month`,
                isNumber: true,
                cell: (span: (typeof spans)[number]) => formatPageMoney(span.per_unit_per_month),
              },
              {
                heading: `Per ${word} per year`,
                isNumber: true,
                cell: (span: (typeof spans)[number]) => formatPageMoney(span.per_unit_per_year),
              },
            ]
          : []),
      ]}
    />
  );
}
