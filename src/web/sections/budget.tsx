import type { ReserveJson } from "../../wire/figures.ts";
import type { ForecastJson } from "../../wire/forecast.ts";
import { Bar } from "../charts/bar.tsx";
import { count, counted, money } from "../format.ts";
import { type Csv, Numbers, Section } from "./section.tsx";

const WINDOWS = ["window_30_days", "window_60_days", "window_90_days"] as const;
const RESERVES = [
  ["12_month", "Next 12 months"],
  ["24_month", "Next 24 months"],
  ["36_month", "Next 36 months"],
  ["10_year_full_replacement", "Everything, over 10 years"],
] as const;

/** What to budget: the reserve per unit and month, and the work that the next ninety days bring. */
export function Budget(props: {
  forecast: ForecastJson;
  reserve: ReserveJson;
  reserveCsv?: Csv;
  forecastCsv?: Csv;
}) {
  const { forecast, reserve, reserveCsv, forecastCsv } = props;
  const spans = RESERVES.map(([key, name]) => ({ name, ...reserve.reserves[key] }));
  const windows = WINDOWS.map((key) => forecast.forecast[key]);
  const mostReserve = Math.max(...spans.map((span) => span.per_unit_per_month));
  const mostWork = Math.max(...windows.map((window) => window.emergency_cost_if_ignored));
  return (
    <Section
      id="budget"
      title="What to budget"
      about={
        reserve.unit_count > 0
          ? `To set aside a month for each of ${counted(reserve.unit_count, "unit")}.`
          : "To set aside a month; the property has no units on record, and counts as one."
      }
    >
      <ul class="bars">
        {spans.map((span) => (
          <li>
            <span>{span.name}</span>
            <Bar value={span.per_unit_per_month} most={mostReserve} />
            <strong>{money(Math.round(span.per_unit_per_month))}</strong>
          </li>
        ))}
      </ul>
      <Numbers
        summary="Reserves in a table"
        csv={reserveCsv}
        rows={spans}
        columns={[
          { heading: "Over", cell: (span) => span.name },
          { heading: "Unit and month", isNumber: true, cell: (span) => money(span.per_unit_per_month) },
          { heading: "Unit and year", isNumber: true, cell: (span) => money(span.per_unit_per_year) },
          { heading: "Property and month", isNumber: true, cell: (span) => money(span.property_per_month) },
        ]}
      />
      <h3>Work that is coming</h3>
      <p class="about">Planned, against what it costs if it is left until it fails.</p>
      {mostWork === 0 ? (
        <p class="empty">None within 90 days.</p>
      ) : (
        <ul class="bars pairs">
          {windows.map((window) => (
            <li>
              <span>
                {window.label}
                <span class="small mute"> {counted(window.component_count, "part")}</span>
              </span>
              <Bar value={window.proactive_cost} most={mostWork} />
              <strong>{money(window.proactive_cost)}</strong>
              <Bar value={window.emergency_cost_if_ignored} most={mostWork} kind="critical" />
              <span class="mute">{money(window.emergency_cost_if_ignored)}</span>
            </li>
          ))}
        </ul>
      )}
      <Numbers
        summary="Forecast in a table"
        csv={forecastCsv}
        rows={windows}
        columns={[
          { heading: "Within", cell: (window) => window.label },
          { heading: "Parts", isNumber: true, cell: (window) => count(window.component_count) },
          { heading: "Planned", isNumber: true, cell: (window) => money(window.proactive_cost) },
          {
            heading: "After failure",
            isNumber: true,
            cell: (window) => money(window.emergency_cost_if_ignored),
          },
          { heading: "Saved", isNumber: true, cell: (window) => money(window.savings_potential) },
        ]}
      />
    </Section>
  );
}
