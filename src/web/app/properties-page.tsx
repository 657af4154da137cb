import { useEffect, useMemo } from "preact/hooks";
import { addressLine } from "../../domain/address.ts";
import { joinPlace } from "../../domain/place.ts";
import type { RiskTier } from "../../domain/scoring/types.ts";
import type { PortfolioItemJson } from "../../wire/portfolio.ts";
import { Filters, SearchFilter, SelectFilter } from "../browser/filters.tsx";
import { EmptyState, FailureMessage, Loading } from "../browser/load-states.tsx";
import { hrefTo, type Route, replaceQuery } from "../browser/route.ts";
import { type TableColumn, VirtualTable } from "../browser/virtual-table.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import { count, counted, money } from "../format.ts";
import { useApp, useChanges, useTitle } from "./app-context.ts";
import { DownloadCsv } from "./csv-download.tsx";
import {
  filterProperties,
  formatSortOrder,
  NOT_RATED,
  parseSortOrder,
  sortProperties,
} from "./portfolio-list.ts";
import { PortfolioProgress } from "./portfolio-progress.tsx";
import { RetiredProperties } from "./retired-properties.tsx";

const RATING_LABELS: Readonly<Record<string, string>> = { GOOD: "Good", FAIR: "Fair", FAIL: "Fail" };

/** The list of properties, with search, filters and sorting. */
export function PropertiesPage({ route }: { route: Route }) {
  const { portfolio } = useApp();
  useTitle("Properties");
  useChanges(portfolio);
  useEffect(() => {
    void portfolio.start();
  }, [portfolio]);
  const { loaded, total, failure } = portfolio.state;
  const filter = {
    search: route.query.get("q") ?? "",
    state: route.query.get("state") ?? "",
    rating: route.query.get("rating") ?? "",
  };
  const sorting = parseSortOrder(route.query.get("sort"));
  const rows = useMemo(
    () => sortProperties(filterProperties(loaded, filter), sorting),
    [loaded, filter.search, filter.state, filter.rating, sorting.key, sorting.isDescending],
  );
  const states = useMemo(() => [...new Set(loaded.map(({ item }) => joinPlace(item)))].sort(), [loaded]);
  const set = (changes: Record<string, string>) => replaceQuery(route, changes);
  const showsRetired = route.query.get("status") === RETIRED;

  return (
    <>
      <header class="heading">
        <div>
          <h1>Properties</h1>
          {total !== undefined && !showsRetired && <PortfolioProgress />}
        </div>
      </header>
      {loaded.length === 0 && failure && (
        <FailureMessage failure={failure} onRetry={() => void portfolio.reload()} />
      )}
      {loaded.length === 0 && !failure && total === undefined && <Loading what="the portfolio" />}
      {total === 0 && !showsRetired && (
        <EmptyState title="No properties yet">
          <p>
            Properties added through the API or by import appear here.{" "}
            <a href={hrefTo(["properties"], { status: RETIRED })}>Show retired properties</a>
          </p>
        </EmptyState>
      )}
      {showsRetired && (
        <>
          <Filters>
            <StatusFilter value={RETIRED} onChange={(status) => set({ status })} />
          </Filters>
          <RetiredProperties />
        </>
      )}
      {loaded.length > 0 && !showsRetired && (
        <>
          <Filters>
            <SearchFilter label="Search" value={filter.search} onChange={(q) => set({ q })} />
            <SelectFilter
              label="State"
              value={filter.state}
              choices={states.map((state) => [state, state])}
              onChange={(state) => set({ state })}
            />
            <SelectFilter
              label="Condition"
              value={filter.rating}
              choices={[...Object.entries(RATING_LABELS), [NOT_RATED, "Not assessed"]]}
              onChange={(rating) => set({ rating })}
            />
            <StatusFilter value="" onChange={(status) => set({ status })} />
            <p class="result-count" role="status">
              {counted(rows.length, "property", "properties")}
            </p>
            <DownloadCsv file="properties.csv" rows={rows} total={rows.length} />
          </Filters>
          {rows.length === 0 ? (
            <EmptyState title="No matching properties">
              <p>
                <a href={hrefTo(["properties"])}>Show all properties</a>
              </p>
            </EmptyState>
          ) : (
            <VirtualTable
              caption="Properties"
              columns={COLUMNS}
              rows={rows}
              rowKey={({ property_id }) => property_id}
              sorting={sorting}
              onSort={(next) => set({ sort: formatSortOrder(next) })}
            />
          )}
        </>
      )}
    </>
  );
}

const RETIRED = "retired";

/** The filter between what is in service and what is retired. */
export function StatusFilter({ value, onChange }: { value: string; onChange: (status: string) => void }) {
  return (
    <SelectFilter
      label="Status"
      value={value}
      all="In service"
      choices={[[RETIRED, "Retired"]]}
      onChange={onChange}
    />
  );
}

const COLUMNS: readonly TableColumn<PortfolioItemJson>[] = [
  {
    key: "name",
    heading: "Property",
    isSortable: true,
    cell: (row) => (
      <>
        <a class="name" href={hrefTo(["properties", row.property_id])}>
          <bdi>{row.name}</bdi>
        </a>
        <span class="small muted under">
          <bdi>{addressLine(row)}</bdi>
        </span>
      </>
    ),
  },
  {
    key: "state",
    heading: "State",
    isSortable: true,
    shownFrom: "wide",
    width: "narrow",
    cell: (row) => joinPlace(row),
  },
  {
    key: "units",
    heading: "Units",
    isNumber: true,
    isSortable: true,
    shownFrom: "wide",
    width: "narrow",
    cell: (row) => count(row.unit_count),
  },
  {
    key: "rating",
    heading: "Condition",
    isSortable: true,
    shownFrom: "medium",
    cell: (row) =>
      row.components === 0 || row.overall_rating === null ? (
        <span class="muted">–</span>
      ) : (
        RATING_LABELS[row.overall_rating]
      ),
  },
  {
    key: "critical",
    heading: "Critical",
    isNumber: true,
    isSortable: true,
    cell: (row) => <TierCount tier="CRITICAL" of={row.critical} />,
  },
  {
    key: "warning",
    heading: "Warning",
    isNumber: true,
    isSortable: true,
    shownFrom: "medium",
    cell: (row) => <TierCount tier="WARNING" of={row.warning} />,
  },
  {
    key: "deferred",
    heading: "Planned cost",
    isNumber: true,
    isSortable: true,
    cell: (row) => money(row.total_deferred_maintenance),
  },
  {
    key: "reactive",
    heading: "Cost after failure",
    isNumber: true,
    isSortable: true,
    shownFrom: "medium",
    cell: (row) => <span class="muted">{money(row.total_reactive_exposure)}</span>,
  },
  {
    key: "door",
    heading: "Cost per unit",
    isNumber: true,
    isSortable: true,
    shownFrom: "wide",
    cell: (row) => (row.unit_count === 0 ? "–" : money(Math.round(row.deferred_per_door))),
  },
];

/** The number of components in a tier, muted if zero. */
export function TierCount({ tier, of }: { tier: RiskTier; of: number }) {
  if (of === 0) return <span class="muted">0</span>;
  return (
    <>
      <TierMark tier={tier} /> {count(of)}
    </>
  );
}
