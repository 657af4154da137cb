import type { UsageJson } from "../../api-schemas/partner-schema.ts";
import { type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { ColumnChart } from "../charts/column-chart.tsx";
import { formatPageCount, formatPageDate, formatPageWholeNumber } from "../page/page-format.ts";
import { CollapsedSectionTable, ReportSection } from "../sections/section.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { useAdminRead } from "./console-context.ts";

/** Shows a partner's API calls in a month, by day. */
export function ConsolePartnerUsage({
  path,
  route,
  dailyLimit,
}: {
  path: string;
  route: Route;
  dailyLimit: number;
}) {
  const month = route.query.get("month") ?? new Date().toISOString().slice(0, 7);
  const loaded = useAdminRead<UsageJson>(`${path}/usage?month=${encodeURIComponent(month)}`);
  return (
    <ReportSection id="usage" title="API calls">
      <form class="filters month" onSubmit={(event) => event.preventDefault()}>
        <span class="filter">
          <label for="month">Month (UTC)</label>
          <input
            id="month"
            type="month"
            value={month}
            max={new Date().toISOString().slice(0, 7)}
            onChange={({ currentTarget: { value } }) =>
              value && replaceBrowserUrlQuery(route, { month: value })
            }
          />
        </span>
      </form>
      <LoadedContent loaded={loaded} what="the calls">
        {(usage) => <MonthUsage usage={usage} dailyLimit={dailyLimit} />}
      </LoadedContent>
    </ReportSection>
  );
}

function MonthUsage({ usage, dailyLimit }: { usage: UsageJson; dailyLimit: number }) {
  const { month, calls, days, billable_units } = usage;
  const [year, number] = month.split("-").map(Number) as [number, number];
  const length = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const byDay = new Map(days.map(({ day, calls }) => [day, calls]));
  const all = Array.from({ length }, (_, at) => {
    const day = `${month}-${String(at + 1).padStart(2, "0")}`;
    return { day, calls: byDay.get(day) ?? 0 };
  });
  const busiest = all.reduce((a, b) => (b.calls > a.calls ? b : a));
  const summary =
    calls === 0
      ? "No calls this month."
      : `${formatPageCount(calls, "call")}. Peak: ${formatPageWholeNumber(busiest.calls)} on ${formatPageDate(busiest.day)} (limit ${formatPageWholeNumber(dailyLimit)} a day).`;
  return (
    <>
      <p class="about">
        {summary} {formatPageCount(billable_units, "billable unit")}.
      </p>
      {calls > 0 && (
        <>
          <figure>
            <ColumnChart
              name="calls by day"
              label={summary}
              limit={dailyLimit}
              columns={all.map(({ day, calls }) => ({
                key: day,
                segments: [{ kind: "", value: calls }],
                text: `${formatPageDate(day)}: ${formatPageCount(calls, "call")}`,
              }))}
            />
            <p class="ends small muted" aria-hidden="true">
              <span>{formatPageDate(all[0]!.day)}</span>
              <span>{formatPageDate(all.at(-1)!.day)}</span>
            </p>
          </figure>
          <CollapsedSectionTable
            summary="Calls by day"
            rows={days}
            columns={[
              { heading: "Day", cell: ({ day }) => formatPageDate(day) },
              { heading: "Calls", isNumber: true, cell: ({ calls }) => formatPageWholeNumber(calls) },
            ]}
          />
        </>
      )}
    </>
  );
}
