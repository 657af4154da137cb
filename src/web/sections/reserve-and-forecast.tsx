import type { ReserveJson } from "../../wire/figures.ts";
import type { ForecastJson } from "../../wire/forecast.ts";
import { Bar } from "../charts/bar.tsx";
import { count, counted, money } from "../format.ts";
import { type CsvLink, Section, TableDetails } from "./section.tsx";

const WINDOWS = ["window_30_days", "window_60_days", "window_90_days", "window_12_months"] as const;
const RESERVE_PERIODS = [
  ["12_month", "Next 12 months"],
  ["24_month", "Next 24 months"],
  ["36_month", "Next 36 months"],
  ["10_year_full_replacement", "Full replacement, 10 years"],
] as const;

/** The recommended reserve contributions, and what failures are expected to cost in the next 12 months. */
export function ReserveAndForecast(props: {
  forecast: ForecastJson;
  reserve: ReserveJson;
  reserveCsv?: CsvLink;
  forecastCsv?: CsvLink;
}) {
  const { forecast, reserve, reserveCsv, forecastCsv } = props;
  const spans = RESERVE_PERIODS.map(([key, name]) => ({ name, ...reserve.reserves[key] }));
  const windows = WINDOWS.map((key) => forecast.forecast[key]);
  const mostReserve = Math.max(...spans.map((span) => span.per_unit_per_month));
  const mostExpected = Math.max(...windows.map((window) => window.expected_cost));
  return (
    <Section
      id="budget"
      title="Reserve contributions"
      about={
        reserve.unit_count > 0
          ? `Monthly contribution per unit (${counted(reserve.unit_count, "unit")}).`
          : "Monthly contribution for the property. The unit count is missing, so the property counts as one unit."
      }
    >
      <ul class="bars">
        {spans.map((span) => (
          <li>
            <span>{span.name}</span>
            <Bar value={span.per_unit_per_month} max={mostReserve} />
            <strong>{money(Math.round(span.per_unit_per_month))}</strong>
          </li>
        ))}
      </ul>
      <TableDetails
        caption="Reserve contributions"
        csv={reserveCsv}
        rows={spans}
        columns={[
          { heading: "Period", cell: (span) => span.name },
          { heading: "Per unit per month", isNumber: true, cell: (span) => money(span.per_unit_per_month) },
          { heading: "Per unit per year", isNumber: true, cell: (span) => money(span.per_unit_per_year) },
          { heading: "Property per month", isNumber: true, cell: (span) => money(span.property_per_month) },
        ]}
      />
      <h3>Expected cost of failures</h3>
      <p class="about">
        Probability × cost of failure, over all components, if nothing is replaced before. The range has a
        probability of 80%.
      </p>
      {mostExpected === 0 ? (
        <p class="empty">No components.</p>
      ) : (
        <ul class="bars">
          {windows.map((window) => (
            <li>
              <span>
                {window.label}
                <span class="small muted">
                  {" "}
                  {expectedFailures(window.expected_failures)},{" "}
                  {money(Math.round(window.expected_cost_80.low))} to{" "}
                  {money(Math.round(window.expected_cost_80.high))}
                </span>
              </span>
              <Bar value={window.expected_cost} max={mostExpected} />
              <strong>{money(Math.round(window.expected_cost))}</strong>
            </li>
          ))}
        </ul>
      )}
      <TableDetails
        caption="Expected cost of failures"
        csv={forecastCsv}
        rows={windows}
        columns={[
          { heading: "Period", cell: (window) => window.label },
          {
            heading: "Expected failures",
            isNumber: true,
            cell: (window) => window.expected_failures.toFixed(2),
          },
          { heading: "Expected cost", isNumber: true, cell: (window) => money(window.expected_cost) },
          {
            heading: "80% range",
            isNumber: true,
            cell: ({ expected_cost_80: { low, high } }) => `${money(low)} to ${money(high)}`,
          },
          { heading: "Due components", isNumber: true, cell: (window) => count(window.component_count) },
          { heading: "Their planned cost", isNumber: true, cell: (window) => money(window.proactive_cost) },
          {
            heading: "Cost if all fail at once",
            isNumber: true,
            cell: (window) => money(window.emergency_cost_if_ignored),
          },
        ]}
      />
    </Section>
  );
}

/** `3.2 failures`, `under 0.1 failures` */
function expectedFailures(failures: number): string {
  return failures < 0.1 ? "under 0.1 failures" : `${failures.toFixed(1)} failures`;
}
