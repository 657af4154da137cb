import { useEffect, useMemo } from "preact/hooks";
import type { PortfolioItemJson, PortfolioPageJson } from "../../api-schemas/portfolio-schema.ts";
import { joinPlace } from "../../domain/places/place.ts";
import { postalAddressLine } from "../../domain/places/postal-address.ts";
import { hrefTo, type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { formatPageCount, formatPageMoney, formatPageWholeNumber } from "../page/page-format.ts";
import { RecordHazardFilter } from "../records/record-hazard-filter.tsx";
import {
  FilterRow,
  RETIRED_CHOICES,
  RetiredFilter,
  SearchFilter,
  SelectFilter,
} from "../widgets/filters.tsx";
import { LoadMore } from "../widgets/load-more.tsx";
import { EmptyState, FailureMessage, LoadedContent, LoadingMessage } from "../widgets/load-states.tsx";
import { TierCount } from "../widgets/tier-mark.tsx";
import { type TableColumn, VirtualTable } from "../widgets/virtual-table.tsx";
import { useApp, useAppRerenderOnChange, useAppTitle } from "./app-context.ts";
import { AppDownloadCsv } from "./app-csv-download.tsx";
import { AppLoadingProgress } from "./app-loading-progress.tsx";
import { useAppPagedList } from "./app-paged-list.ts";
import {
  appSortOrderText,
  filterAppProperties,
  NOT_RATED,
  parseAppSortOrder,
  type SearchableProperty,
  sortAppProperties,
  toAppSearchableProperty,
} from "./app-property-list.ts";
import { AppRetiredProperties } from "./app-retired-properties.tsx";

const RATING_LABELS: Readonly<Record<string, string>> = { GOOD: "Good", FAIR: "Fair", FAIL: "Fail" };

/** The list of properties, with search, filters and sorting. */
export function AppPropertiesPage({ route }: { route: Route }) {
  const { portfolio } = useApp();
  useAppTitle("Properties");
  useAppRerenderOnChange(portfolio);
  useEffect(() => {
    void portfolio.start();
  }, [portfolio]);
  const { loaded, total, failure } = portfolio.state;
  const showsRetired = route.query.get("status") === RETIRED_CHOICES;
  const flag = route.query.get("flag") ?? "";

  return (
    <>
      <header class="heading">
        <div>
          <h1>Properties</h1>
          {total !== undefined && !showsRetired && flag === "" && <AppLoadingProgress />}
        </div>
        <a class="screen" href={hrefTo(["import"])}>
          Import a file
        </a>
      </header>
      {loaded.length === 0 && failure && (
        <FailureMessage failure={failure} onRetry={() => void portfolio.reload()} />
      )}
      {loaded.length === 0 && !failure && total === undefined && <LoadingMessage what="the portfolio" />}
      {total === 0 && !showsRetired && (
        <EmptyState title="No properties yet">
          <p>
            Properties added through the API or by <a href={hrefTo(["import"])}>import of a file</a> appear
            here. <a href={hrefTo(["properties"], { status: RETIRED_CHOICES })}>Show retired properties</a>
          </p>
        </EmptyState>
      )}
      {showsRetired ? (
        <>
          <FilterRow>
            <RetiredFilter
              value={RETIRED_CHOICES}
              onChange={(status) => replaceBrowserUrlQuery(route, { status })}
            />
          </FilterRow>
          <AppRetiredProperties />
        </>
      ) : flag !== "" ? (
        <FlaggedProperties flag={flag} route={route} />
      ) : (
        loaded.length > 0 && <PropertyList all={loaded} route={route} />
      )}
    </>
  );
}

/** The properties with a known hazard, which only the API knows. */
function FlaggedProperties({ flag, route }: { flag: string; route: Route }) {
  const { api } = useApp();
  const list = useAppPagedList(
    api,
    `/v1/portfolio/summary?${new URLSearchParams({ flag })}`,
    ({ portfolio }: PortfolioPageJson) => portfolio,
  );
  const all = useMemo(() => (list.value?.rows ?? []).map(toAppSearchableProperty), [list.value]);
  return (
    <LoadedContent loaded={list} what="the properties">
      {({ total }) => (
        <>
          <PropertyList all={all} route={route} />
          <LoadMore loaded={all.length} total={total} isLoading={list.isLoading} onMore={list.loadMore} />
        </>
      )}
    </LoadedContent>
  );
}

/** A table of properties with its filters. */
function PropertyList({ all, route }: { all: readonly SearchableProperty[]; route: Route }) {
  const parameter = (name: string) => route.query.get(name) ?? "";
  const filter = { search: parameter("q"), state: parameter("state"), rating: parameter("rating") };
  const sorting = parseAppSortOrder(route.query.get("sort"));
  const rows = useMemo(
    () => sortAppProperties(filterAppProperties(all, filter), sorting),
    [all, filter.search, filter.state, filter.rating, sorting.key, sorting.isDescending],
  );
  const states = useMemo(() => [...new Set(all.map(({ item }) => joinPlace(item)))].sort(), [all]);
  const set = (changes: Record<string, string>) => replaceBrowserUrlQuery(route, changes);
  return (
    <>
      <FilterRow>
        <SearchFilter label="Search" value={filter.search} onChange={(q) => set({ q })} />
        <SelectFilter
          label="State or region"
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
        <RecordHazardFilter value={parameter("flag")} onChange={(flag) => set({ flag })} />
        <RetiredFilter value="" onChange={(status) => set({ status })} />
        <p class="result-count" role="status">
          {formatPageCount(rows.length, "property", "properties")}
        </p>
        <AppDownloadCsv file="properties.csv" rows={rows} total={rows.length} />
      </FilterRow>
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
          onSort={(next) => set({ sort: appSortOrderText(next) })}
        />
      )}
    </>
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
          <bdi>{postalAddressLine(row)}</bdi>
        </span>
      </>
    ),
  },
  {
    key: "state",
    heading: "State or region",
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
    cell: (row) => (row.unit_count === 0 ? "–" : formatPageWholeNumber(row.unit_count)),
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
    width: "narrow",
    isSortable: true,
    cell: (row) => <TierCount tier="CRITICAL" of={row.critical} />,
  },
  {
    key: "warning",
    heading: "Warning",
    isNumber: true,
    width: "narrow",
    isSortable: true,
    shownFrom: "medium",
    cell: (row) => <TierCount tier="WARNING" of={row.warning} />,
  },
  {
    key: "deferred",
    heading: "Planned cost",
    isNumber: true,
    isSortable: true,
    cell: (row) => formatPageMoney(row.total_deferred_maintenance),
  },
  {
    key: "reactive",
    heading: "Cost after failure",
    isNumber: true,
    isSortable: true,
    shownFrom: "medium",
    cell: (row) => <span class="muted">{formatPageMoney(row.total_reactive_exposure)}</span>,
  },
  {
    key: "door",
    heading: "Cost per unit",
    isNumber: true,
    isSortable: true,
    shownFrom: "wide",
    cell: (row) => (row.unit_count === 0 ? "–" : formatPageMoney(Math.round(row.deferred_per_door))),
  },
];
