import type { ReserveJson } from "../../wire/figures.ts";
import type { ForecastJson } from "../../wire/forecast.ts";
import { Bar } from "../charts/bar.tsx";
import { count, counted, money } from "../format.ts";
import { type CsvLink, Section, TableDetails } from "./section.tsx";

const WINDOWS = ["window_30_days", "window_60_days", "window_90_days"] as const;
const RESERVE_PERIODS = [
  ["12_month", "Next 12 months"],
  ["24_month", "Next 24 months"],
  ["36_month", "Next 36 months"],
  ["10_year_full_replacement", "Full replacement, 10 years"],
] as const;

/** The recommended reserve contributions, and the work expected in the next 90 days. */
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
  const mostWork = Math.max(...windows.map((window) => window.emergency_cost_if_ignored));
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
      <h3>Upcoming work</h3>
      <p class="about">Planned cost vs. cost after failure.</p>
      {mostWork === 0 ? (
        <p class="empty">No work expected in the next 90 days.</p>
      ) : (
        <ul class="bars pairs">
          {windows.map((window) => (
            <li>
              <span>
                {window.label}
                <span class="small muted"> {counted(window.component_count, "component")}</span>
              </span>
              <Bar value={window.proactive_cost} max={mostWork} />
              <strong>{money(window.proactive_cost)}</strong>
              <Bar value={window.emergency_cost_if_ignored} max={mostWork} kind="critical" />
              <span class="muted">{money(window.emergency_cost_if_ignored)}</span>
            </li>
          ))}
        </ul>
      )}
      <TableDetails
        caption="Upcoming work"
        csv={forecastCsv}
        rows={windows}
        columns={[
          { heading: "Period", cell: (window) => window.label },
          { heading: "Components", isNumber: true, cell: (window) => count(window.component_count) },
          { heading: "Planned cost", isNumber: true, cell: (window) => money(window.proactive_cost) },
          {
            heading: "Cost after failure",
            isNumber: true,
            cell: (window) => money(window.emergency_cost_if_ignored),
          },
          { heading: "Savings", isNumber: true, cell: (window) => money(window.savings_potential) },
        ]}
      />
    </Section>
  );
}
