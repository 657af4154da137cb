import { useState } from "preact/hooks";
import type { PortfolioPlanPageJson } from "../../api-schemas/portfolio-plan-schema.ts";
import { todaysMoney } from "../../domain/wording/currency-and-unit-wording.ts";
import type { ApiClient } from "../browser/browser-api-client.ts";
import { hrefTo, type Route } from "../browser/browser-route.ts";
import { useLoad } from "../browser/use-load.ts";
import { usePrintFooter } from "../browser/use-print-footer.ts";
import { formatPageCount, formatPageDate, formatPageWholeNumber } from "../page/page-format.ts";
import { sumPageItems } from "../page/page-grouping.ts";
import { truncatedPageName } from "../page/page-print-footer.ts";
import {
  pageScheduleSumsOf,
  roundPageRowsToTotals,
  type ScheduleSums,
} from "../page/page-reserve-schedule.ts";
import {
  ReserveScheduleHeadingSection,
  ReserveScheduleNotesSection,
  ReserveScheduleSummarySection,
} from "../sections/reserve-schedule-sections.tsx";
import {
  ScheduleSectionInflatedRows,
  ScheduleSectionTablesByYears,
  ScheduleSectionYearCells,
  ScheduleSectionYearHeadings,
  type YearSlice,
} from "../sections/schedule-section-table.tsx";
import { LoadMore } from "../widgets/load-more.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { DownloadWorkbookButton } from "../widgets/workbook-download.tsx";
import { useApp, useAppTitle } from "./app-context.ts";
import { AppDownloadCsv } from "./app-csv-download.tsx";
import {
  type AddressedPlanTerms,
  AppPlanTermsControls,
  appPlanTermsInAddress,
  appPlanTermsQuery,
} from "./app-plan-terms.tsx";
import { PAGE_SIZE } from "./app-portfolio-loader.ts";
import { portfolioPlanPath } from "./app-portfolio-plan.tsx";
import { appYearlyCostsOfCsvRow, parseAppCsvRecords } from "./app-property-schedule-page.tsx";

/** The printable replacement reserve schedule of the portfolio, with one row per property. */
export function AppPortfolioSchedulePage({ route }: { route: Route }) {
  const { api } = useApp();
  const [pages, setPages] = useState(1);
  const terms = appPlanTermsInAddress(route);
  const key = `${terms.years} ${terms.inflationPct}`;
  const loaded = useLoad(key, () => readSchedule(api, terms, pages));
  const { value } = loaded;
  const loadMore = () => {
    setPages(pages + 1);
    loaded.reload();
  };
  useAppTitle("Replacement reserve schedule");
  usePrintFooter(
    value
      ? `${truncatedPageName(value.plan.partner)} · Replacement reserve schedule, ${formatPageDate(value.plan.as_of)}`
      : "Replacement reserve schedule",
    { isLandscape: true },
  );
  return (
    <div class="property reserve-page">
      <LoadedContent loaded={loaded} what="the schedule" isPage>
        {({ plan, query, file, schedule }) => (
          <>
            <ReserveScheduleHeadingSection plan={plan}>
              <a href={hrefTo([])}>
                <bdi>{plan.partner}</bdi>
              </a>
              {" · "}
              {formatPageCount(plan.total, "property", "properties")}
            </ReserveScheduleHeadingSection>
            <AppPlanTermsControls route={route}>
              <DownloadWorkbookButton
                api={api}
                file="portfolio-reserve-schedule.xlsx"
                path={`/v1/portfolio/plan?${new URLSearchParams({ ...query, years: String(plan.years), format: "xlsx" })}`}
              />
              <AppDownloadCsv file="portfolio-plan.csv" rows={file} total={plan.total} />
            </AppPlanTermsControls>
            {plan.total === 0 ? (
              <section class="card">
                <p class="empty">No properties yet.</p>
              </section>
            ) : (
              <>
                <ReserveScheduleSummarySection plan={plan} sums={schedule} units={schedule.units} />
                <section class="card" aria-label="Schedule">
                  <ScheduleSectionTablesByYears years={plan.years} caption="Replacement reserve schedule">
                    {(sheet) => <PropertiesTable schedule={schedule} {...sheet} />}
                  </ScheduleSectionTablesByYears>
                </section>
                <div class="screen">
                  <LoadMore
                    loaded={file.length}
                    total={plan.total}
                    isLoading={loaded.isLoading}
                    onMore={loadMore}
                  />
                </div>
              </>
            )}
            <ReserveScheduleNotesSection plan={plan}>
              {file.length < plan.total && (
                <li>
                  The {formatPageWholeNumber(file.length)} properties with the highest cost of delay have rows
                  of their own; the others share one.
                </li>
              )}
              <li>Costs per unit are shown only if every property has a number of units.</li>
            </ReserveScheduleNotesSection>
          </>
        )}
      </LoadedContent>
    </div>
  );
}

/** The rows above which a schedule is printed small, so that the first page of 200 properties takes four sheets. */
const LONG_SCHEDULE = 100;

type Row = { id: string; name: string; units: number; dueCount: number; dueUsd: number; years: number[] };
type PortfolioSchedule = ScheduleSums & {
  units: number;
  /** Highest total first. */
  rows: Row[];
  /** The sum of the properties that are not loaded. */
  rest: { properties: number; dueCount: number; dueUsd: number; years: number[] };
};

async function readSchedule(api: ApiClient, terms: AddressedPlanTerms, pages: number) {
  let query: Record<string, string> = appPlanTermsQuery(terms);
  const read = () => api.read<PortfolioPlanPageJson>(portfolioPlanPath(query));
  let plan = await read();
  if (plan.total === 0) {
    // The demo property has a plan of its own, which is shown if there is no other.
    query = { ...query, include_demo: "true" };
    plan = await read();
  }
  const file: Record<string, string>[] = [];
  for (let page = 0; page < pages; page++) {
    const pageQuery = {
      ...query,
      sort: "waiting",
      format: "csv",
      limit: String(PAGE_SIZE),
      offset: String(page * PAGE_SIZE),
    };
    const records = parseAppCsvRecords(
      await api.readText(`/v1/portfolio/plan?${new URLSearchParams(pageQuery)}`),
    );
    file.push(...records);
    if (records.length < PAGE_SIZE) break;
  }
  return { plan, query, file, schedule: scheduleOf(plan, file) };
}

/** Rounds the costs so that every row and column adds up as printed; properties that are not loaded share a row. */
function scheduleOf(plan: PortfolioPlanPageJson, file: readonly Record<string, string>[]): PortfolioSchedule {
  const units = plan.unit_count ?? 0;
  const sums = pageScheduleSumsOf(plan, units);
  const unrounded = file.map((record) => [
    Number(record.due_now_cost),
    ...appYearlyCostsOfCsvRow(record, plan.years),
  ]);
  const totals = [plan.due_now.cost, ...plan.schedule.map(({ total }) => total)];
  const isComplete = file.length >= plan.total;
  const others = totals.map((total, at) =>
    isComplete ? 0 : Math.max(total - sumPageItems(unrounded, (row) => row[at]!), 0),
  );
  const shared = roundPageRowsToTotals(
    [...unrounded, others],
    [Math.round(plan.due_now.cost), ...sums.years],
  );
  const rows = file.map((record, at) => {
    const [dueUsd, ...years] = shared[at] as [number, ...number[]];
    return {
      id: record.property_id!,
      name: record.name!,
      units: Number(record.unit_count),
      dueCount: Number(record.due_now_component_count) + Number(record.due_now_unit_count),
      dueUsd,
      years,
    };
  });
  const [dueOfOthers, ...yearsOfOthers] = shared.at(-1) as [number, ...number[]];
  return {
    ...sums,
    units,
    rows: rows.sort((a, b) => sumPageItems(b.years, Number) - sumPageItems(a.years, Number)),
    rest: {
      properties: plan.total - file.length,
      dueCount:
        plan.due_now.component_count +
        plan.due_now.unit_count -
        sumPageItems(rows, ({ dueCount }) => dueCount),
      dueUsd: dueOfOthers,
      years: yearsOfOthers,
    },
  };
}

/** Nobody has said how many units a property with 0 has. */
const unitsText = (units: number) => (units === 0 ? "–" : formatPageWholeNumber(units));

function PropertiesTable({ schedule, from, to, caption }: YearSlice & { schedule: PortfolioSchedule }) {
  const { rows, rest } = schedule;
  const inSheet = (years: readonly number[]) => years.slice(from, to);
  return (
    <div class="wide" role="group" aria-label={caption} tabIndex={0}>
      <table class={schedule.rows.length > LONG_SCHEDULE ? "reserve long" : "reserve"}>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Property</th>
            {["Units", "Due now", "Cost due now"].map((heading) => (
              <th scope="col" class="number">
                {heading}
              </th>
            ))}
            <ScheduleSectionYearHeadings from={from} to={to} />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr class="property-row">
              <th scope="row">
                <a href={hrefTo(["properties", row.id, "schedule"])}>
                  <bdi>{row.name}</bdi>
                </a>
              </th>
              <td class="number">{unitsText(row.units)}</td>
              <td class="number">{formatPageWholeNumber(row.dueCount)}</td>
              <td class="number">{formatPageWholeNumber(row.dueUsd)}</td>
              <ScheduleSectionYearCells years={inSheet(row.years)} />
            </tr>
          ))}
          {rest.properties > 0 && (
            <tr class="property-row">
              <th scope="row" class="muted">
                {formatPageWholeNumber(rest.properties)} more{" "}
                {rest.properties === 1 ? "property" : "properties"}
              </th>
              <td />
              <td class="number">{formatPageWholeNumber(rest.dueCount)}</td>
              <td class="number">{formatPageWholeNumber(rest.dueUsd)}</td>
              <ScheduleSectionYearCells years={inSheet(rest.years)} />
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr class="total">
            <th scope="row">Total ({todaysMoney()})</th>
            <td class="number">{unitsText(schedule.units)}</td>
            <td class="number">
              {formatPageWholeNumber(sumPageItems(rows, ({ dueCount }) => dueCount) + rest.dueCount)}
            </td>
            <td class="number">
              {formatPageWholeNumber(sumPageItems(rows, ({ dueUsd }) => dueUsd) + rest.dueUsd)}
            </td>
            <ScheduleSectionYearCells years={inSheet(schedule.years)} />
          </tr>
          <ScheduleSectionInflatedRows sums={schedule} from={from} to={to} columns={4} />
        </tfoot>
      </table>
    </div>
  );
}
