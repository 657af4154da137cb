import type { UsageJson } from "../../wire/partner.ts";
import { type Place, replaceQuery } from "../browser/place.ts";
import { Showing } from "../browser/states.tsx";
import { count, counted, date } from "../format.ts";
import { Numbers, Section } from "../sections/section.tsx";
import { ColumnChart } from "./column-chart.tsx";
import { useRead } from "./console-context.ts";

/** A partner's calls, day by day. */
export function PartnerUsage({
  path,
  place,
  dailyBudget,
}: {
  path: string;
  place: Place;
  dailyBudget: number;
}) {
  const month = place.query.get("month") ?? new Date().toISOString().slice(0, 7);
  const loaded = useRead<UsageJson>(`${path}/usage?month=${encodeURIComponent(month)}`);
  return (
    <Section id="usage" title="Calls">
      <form class="filters month" onSubmit={(event) => event.preventDefault()}>
        <span class="filter">
          <label for="month">Month (UTC)</label>
          <input
            id="month"
            type="month"
            value={month}
            max={new Date().toISOString().slice(0, 7)}
            onChange={({ currentTarget: { value } }) => value && replaceQuery(place, { month: value })}
          />
        </span>
      </form>
      <Showing loaded={loaded} what="the calls">
        {(usage) => <MonthUsage usage={usage} dailyBudget={dailyBudget} />}
      </Showing>
    </Section>
  );
}

function MonthUsage({ usage, dailyBudget }: { usage: UsageJson; dailyBudget: number }) {
  const { month, calls, days, billable_units } = usage;
  const [year, number] = month.split("-").map(Number) as [number, number];
  const length = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const byDay = new Map(days.map(({ day, calls }) => [day, calls]));
  const all = Array.from({ length }, (_, at) => {
    const day = `${month}-${String(at + 1).padStart(2, "0")}`;
    return { day, calls: byDay.get(day) ?? 0 };
  });
  const busiest = all.reduce((a, b) => (b.calls > a.calls ? b : a));
  const words =
    calls === 0
      ? "No calls in this month."
      : `${counted(calls, "call")}; most on ${date(busiest.day)}: ${count(busiest.calls)} of ${count(dailyBudget)} a day.`;
  return (
    <>
      <p class="about">
        {words} {counted(billable_units, "billable unit")}.
      </p>
      {calls > 0 && (
        <>
          <figure>
            <ColumnChart
              words={words}
              limit={dailyBudget}
              columns={all.map(({ day, calls }) => ({ key: day, parts: [{ kind: "", value: calls }] }))}
            />
            <p class="ends small mute" aria-hidden="true">
              <span>{date(all[0]!.day)}</span>
              <span>{date(all.at(-1)!.day)}</span>
            </p>
          </figure>
          <Numbers
            summary="Calls by day"
            rows={days}
            columns={[
              { heading: "Day", cell: ({ day }) => date(day) },
              { heading: "Calls", isNumber: true, cell: ({ calls }) => count(calls) },
            ]}
          />
        </>
      )}
    </>
  );
}
