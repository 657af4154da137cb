import type { SnapshotRunJson, SnapshotRunPageJson } from "../../api-schemas/snapshot-schema.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { ColumnChart } from "../charts/column-chart.tsx";
import { TIER_LABELS, TIERS } from "../page/page-code-labels.ts";
import { formatPageCount, formatPageDate, formatPageWholeNumber } from "../page/page-format.ts";
import { ReportSection, SectionTable } from "../sections/section.tsx";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { TierMark } from "../widgets/tier-mark.tsx";
import { useAdminRead, useConsoleTitle } from "./console-context.ts";
import { ConsoleHeading } from "./console-shell.tsx";

/** Shows the daily snapshots with the number of components in each tier. */
export function ConsoleSnapshotsPage() {
  const loaded = useAdminRead<SnapshotRunPageJson>("/admin/snapshots?limit=90");
  useConsoleTitle("Snapshots");
  return (
    <>
      <ConsoleHeading
        title="Snapshots"
        about="All components are rescored daily and changes are sent as webhooks."
      />
      <LoadedContent loaded={loaded} what="the snapshots">
        {({ snapshots }) =>
          snapshots.length === 0 ? (
            <EmptyState title="No snapshots yet">
              <p>
                A snapshot is taken daily. <a href={hrefTo(["jobs"])}>Jobs</a> shows when the next one is due.
              </p>
            </EmptyState>
          ) : (
            <Runs runs={snapshots} />
          )
        }
      </LoadedContent>
    </>
  );
}

function Runs({ runs }: { runs: readonly SnapshotRunJson[] }) {
  const days = calendar(runs);
  const latest = runs[0]!;
  const share = latest.components === 0 ? 0 : Math.round((latest.critical / latest.components) * 100);
  const summary = `${formatPageDate(latest.date)}: ${formatPageCount(latest.components, "component")}, ${formatPageWholeNumber(latest.critical)} critical (${share}%), ${formatPageWholeNumber(latest.warning)} warning.`;
  return (
    <>
      <ReportSection id="elevated" title="Critical and warning components" about={summary}>
        <figure>
          <ColumnChart
            name="critical and warning components by day"
            label={`Critical and warning components over ${formatPageCount(runs.length, "day")}. ${summary}`}
            columns={days.map(({ date: day, run }) => ({
              key: day,
              segments: [
                { kind: "critical", value: run?.critical ?? 0 },
                { kind: "warning", value: run?.warning ?? 0 },
              ],
              text: run
                ? `${formatPageDate(day)}: ${formatPageWholeNumber(run.critical)} critical, ${formatPageWholeNumber(run.warning)} warning`
                : `${formatPageDate(day)}: no snapshot`,
            }))}
          />
          <AxisEnds days={days} />
        </figure>
        <p class="small">
          {TIERS.slice(0, 2).map((tier) => (
            <span class="legend">
              <TierMark tier={tier} /> {TIER_LABELS[tier].name}
            </span>
          ))}
        </p>
      </ReportSection>
      <ReportSection id="all" title="All components">
        <figure>
          <ColumnChart
            name="components by day"
            label={`Components by tier over ${formatPageCount(runs.length, "day")}`}
            columns={days.map(({ date: day, run }) => ({
              key: day,
              segments: [
                { kind: "critical", value: run?.critical ?? 0 },
                { kind: "warning", value: run?.warning ?? 0 },
                { kind: "good", value: run?.good ?? 0 },
              ],
              text: `${formatPageDate(day)}: ${run ? formatPageCount(run.components, "component") : "no snapshot"}`,
            }))}
          />
          <AxisEnds days={days} />
        </figure>
        <p class="small">
          {TIERS.map((tier) => (
            <span class="legend">
              <TierMark tier={tier} /> {TIER_LABELS[tier].name}
            </span>
          ))}
        </p>
      </ReportSection>
      <ReportSection
        id="runs"
        title="Snapshot history"
        about={`${formatPageCount(runs.length, "snapshot")}, newest first.`}
      >
        <SectionTable
          caption="Snapshots"
          rows={runs}
          columns={[
            { heading: "Date", cell: (run) => formatPageDate(run.date) },
            {
              heading: "Finished",
              cell: (run) =>
                run.finished_at === null ? (
                  "Interrupted; will resume automatically"
                ) : (
                  <InstantWithLocalTime at={run.finished_at} />
                ),
            },
            { heading: "Components", isNumber: true, cell: (run) => formatPageWholeNumber(run.components) },
            { heading: "Critical", isNumber: true, cell: (run) => formatPageWholeNumber(run.critical) },
            { heading: "Warning", isNumber: true, cell: (run) => formatPageWholeNumber(run.warning) },
            { heading: "Good", isNumber: true, cell: (run) => formatPageWholeNumber(run.good) },
            { heading: "Changed", isNumber: true, cell: (run) => formatPageWholeNumber(run.changed) },
            { heading: "Sent", isNumber: true, cell: (run) => formatPageWholeNumber(run.announced) },
            { heading: "Suppressed", isNumber: true, cell: (run) => formatPageWholeNumber(run.held_back) },
            { heading: "Model", cell: (run) => run.model_version },
          ]}
        />
      </ReportSection>
    </>
  );
}

type CalendarDay = { date: string; run: SnapshotRunJson | undefined };

const DAY_MS = 86_400_000;
const MIN_CHART_DAYS = 30;

/** Returns every day from the oldest run to the newest, so that a day without a run shows as a gap. */
function calendar(runs: readonly SnapshotRunJson[]): CalendarDay[] {
  const byDay = new Map(runs.map((run) => [run.date, run]));
  const last = Date.parse(runs[0]!.date);
  const span = Math.round((last - Date.parse(runs.at(-1)!.date)) / DAY_MS) + 1;
  const length = Math.min(Math.max(span, MIN_CHART_DAYS), 366);
  return Array.from({ length }, (_, at) => {
    const date = new Date(last - (length - 1 - at) * DAY_MS).toISOString().slice(0, 10);
    return { date, run: byDay.get(date) };
  });
}

function AxisEnds({ days }: { days: readonly CalendarDay[] }) {
  return (
    <p class="ends small muted" aria-hidden="true">
      <span>{formatPageDate(days[0]!.date)}</span>
      <span>{formatPageDate(days.at(-1)!.date)}</span>
    </p>
  );
}
