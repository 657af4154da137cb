import { useMemo } from "preact/hooks";
import type { AlertJson, AlertPageJson } from "../../api-schemas/component-schema.ts";
import { probabilityText } from "../../domain/wording/us-english-wording.ts";
import { hrefTo, type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { useLoad } from "../browser/use-load.ts";
import { ApplianceNames } from "../page/page-appliance-names.ts";
import { ACTION_LABELS } from "../page/page-code-labels.ts";
import { sortPageRowsByExpectedLoss } from "../page/page-expected-loss.ts";
import { capitalizePageText, formatPageMoney, formatPageWholeNumber } from "../page/page-format.ts";
import { SectionComponentName } from "../sections/section-component-name.tsx";
import { AlertFilters } from "../widgets/alert-filters.tsx";
import { FilterRow } from "../widgets/filters.tsx";
import { LoadMore } from "../widgets/load-more.tsx";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { TierMark } from "../widgets/tier-mark.tsx";
import { type TableColumn, VirtualTable } from "../widgets/virtual-table.tsx";
import { readAppApplianceTypes, useApp, useAppTitle } from "./app-context.ts";
import { AppDownloadAllCsv } from "./app-csv-download.tsx";
import { useAppPagedList } from "./app-paged-list.ts";
import { AppStateFilter } from "./app-state-filter.tsx";

/** The critical and warning components of the portfolio, highest expected loss or risk score first. */
export function AppAlertsPage({ route }: { route: Route }) {
  const { api } = useApp();
  useAppTitle("Alerts");
  const parameter = (name: string) => route.query.get(name) ?? "";
  const sortedBy = parameter("sort") === "score" ? "score" : "cost";
  // The counts are those of the list.
  const path = appAlertsPath({
    include_demo: "true",
    tier: parameter("tier"),
    system: parameter("system"),
    state: parameter("state"),
    sort: sortedBy,
  });
  const list = useAppPagedList(api, path, ({ alerts }: AlertPageJson) => alerts);
  const types = useLoad("types", () => readAppApplianceTypes(api));
  const columns = useMemo(() => columnsOf(new ApplianceNames(types.value ?? [], [])), [types.value]);
  const set = (changes: Record<string, string>) => replaceBrowserUrlQuery(route, changes);
  return (
    <>
      <header class="heading">
        <div>
          <h1>Alerts</h1>
          <p class="muted">
            Critical and warning components of all properties, the demo property included,{" "}
            {sortedBy === "cost" ? "highest expected loss" : "highest risk score"} first.
          </p>
        </div>
      </header>
      <FilterRow>
        <AlertFilters route={route} />
        <AppStateFilter value={parameter("state")} onChange={(state) => set({ state })} />
        <p class="result-count" role="status">
          {list.value && (
            <>
              <span>
                <TierMark tier="CRITICAL" /> {formatPageWholeNumber(list.value.first.critical_count)} critical
              </span>{" "}
              <span>
                <TierMark tier="WARNING" /> {formatPageWholeNumber(list.value.first.warning_count)} warning
              </span>
            </>
          )}
        </p>
        <AppDownloadAllCsv file="alerts.csv" path={path} total={list.value?.total ?? 0} />
      </FilterRow>
      <LoadedContent loaded={list} what="the alerts">
        {({ rows, total }) =>
          rows.length === 0 ? (
            <EmptyState title={route.query.size === 0 ? "No alerts" : "No matching alerts"}>
              <p>
                {route.query.size === 0 ? (
                  "No critical or warning components."
                ) : (
                  <a href={hrefTo(["alerts"])}>Show all alerts</a>
                )}
              </p>
            </EmptyState>
          ) : (
            <>
              <VirtualTable
                caption="Alerts"
                columns={columns}
                rows={sortedBy === "cost" ? sortPageRowsByExpectedLoss(rows) : rows}
                rowKey={({ component_id }) => component_id}
                sorting={{ key: sortedBy, isDescending: true }}
                onSort={({ key }) => set({ sort: key === "cost" ? "" : key })}
              />
              <LoadMore
                loaded={rows.length}
                total={total}
                isLoading={list.isLoading}
                onMore={list.loadMore}
              />
            </>
          )
        }
      </LoadedContent>
    </>
  );
}

/** Returns the path of the alerts that match the filters; empty filters are left out. */
export function appAlertsPath(filter: Readonly<Record<string, string>>): string {
  const filters = Object.entries(filter).filter(([, value]) => value !== "");
  return `/v1/alerts${filters.length > 0 ? `?${new URLSearchParams(filters)}` : ""}`;
}

const columnsOf = (applianceNames: ApplianceNames): readonly TableColumn<AlertJson>[] => [
  {
    key: "component",
    heading: "Component",
    cell: (row) => (
      <>
        <span class="name">
          <TierMark tier={row.risk_tier} named /> <SectionComponentName component={row} />
        </span>
        <span class="small muted under">{applianceNames.typeName(row.appliance_type)}</span>
        <bdi class="small muted under below-medium">{row.property_name}</bdi>
      </>
    ),
  },
  {
    key: "property",
    heading: "Property",
    shownFrom: "medium",
    width: "roomy",
    cell: (row) => (
      <>
        <a class="name" href={hrefTo(["properties", row.property_id])}>
          <bdi>{row.property_name}</bdi>
        </a>
        <span class="small muted under">
          <bdi>{row.property_address}</bdi>
        </span>
      </>
    ),
  },
  {
    key: "action",
    heading: "Action",
    shownFrom: "medium",
    width: "medium",
    cell: ({ action, reason }) => <span title={reason}>{ACTION_LABELS[action]}</span>,
  },
  {
    key: "score",
    heading: "Risk score",
    isNumber: true,
    isSortable: true,
    width: "narrow",
    shownFrom: "medium",
    cell: (row) => row.risk_score.toFixed(2),
  },
  {
    key: "probability",
    heading: "Chance in 12 months",
    isNumber: true,
    shownFrom: "wide",
    cell: (row) => capitalizePageText(probabilityText(row.failure_probability_12m)),
  },
  {
    key: "expected",
    heading: "Expected failure",
    isNumber: true,
    width: "narrow",
    shownFrom: "widest",
    cell: (row) => row.projected_failure_year,
  },
  {
    key: "planned",
    heading: "Planned cost",
    isNumber: true,
    cell: (row) => formatPageMoney(row.proactive_cost),
  },
  {
    key: "reactive",
    heading: "After failure",
    isNumber: true,
    shownFrom: "wide",
    cell: (row) => <span class="muted">{formatPageMoney(row.reactive_cost)}</span>,
  },
  {
    key: "cost",
    heading: "12-month expected loss",
    isNumber: true,
    isSortable: true,
    shownFrom: "wide",
    cell: (row) => formatPageMoney(Math.round(row.expected_cost_12m)),
  },
];
