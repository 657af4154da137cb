import type {
  BookAlertPageJson,
  BookLossesJson,
  BookPropertiesPageJson,
} from "../../api-schemas/book-schema.ts";
import { joinPlace } from "../../domain/places/place.ts";
import { hrefTo, type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { pageAssumptionSentences } from "../page/page-assumption-sentences.ts";
import { sortPageRowsByExpectedLoss } from "../page/page-expected-loss.ts";
import { formatPageCount, formatPageMoney, formatPageWholeNumber } from "../page/page-format.ts";
import { RecordHazardFilter } from "../records/record-hazard-filter.tsx";
import {
  LargestDamageSectionTable,
  LossDriversSection,
  LossExceedanceSectionTable,
} from "../sections/loss-section-tables.tsx";
import { ReportSection } from "../sections/section.tsx";
import { AlertFilters } from "../widgets/alert-filters.tsx";
import {
  FilterRow,
  RETIRED_CHOICES,
  RetiredFilter,
  SearchFilter,
  SelectFilter,
} from "../widgets/filters.tsx";
import { InsuredLayerFields, insuredLayerUrlQuery } from "../widgets/layer-fields.tsx";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { StateOrRegionFilter, US_STATES } from "../widgets/state-filter.tsx";
import type { TableColumn } from "../widgets/virtual-table.tsx";
import { DownloadWorkbookButton, pageWorkbookQuery } from "../widgets/workbook-download.tsx";
import { consoleComponentColumns } from "./console-component-columns.tsx";
import { useAdminRead, useConsole, useConsoleTitle } from "./console-context.ts";
import { ConsolePagedTable } from "./console-paged-table.tsx";
import { ConsolePartnerField } from "./console-partner-field.tsx";
import { ConsoleHeading } from "./console-shell.tsx";

const VIEWS = [
  ["properties", "Properties"],
  ["alerts", "Alerts"],
  ["losses", "Losses"],
] as const;

/** The properties, alerts and losses of all partners, or of one. */
export function ConsoleBookPage({ route }: { route: Route }) {
  const partner = route.query.get("partner_id") ?? "";
  const view = route.query.get("view") ?? "properties";
  useConsoleTitle("Book");
  return (
    <>
      <ConsoleHeading
        title="Book"
        about="The properties of all partners, with their risk and expected losses."
      />
      <div class="filters">
        <ConsolePartnerField
          label="Partner"
          value={partner}
          onChange={(to) => replaceBrowserUrlQuery(route, { partner_id: to, offset: "" })}
        />
        <SelectFilter
          label="Show"
          value={view === "properties" ? "" : view}
          all="Properties"
          choices={VIEWS.filter(([name]) => name !== "properties")}
          onChange={(to) => replaceBrowserUrlQuery(route, { view: to, offset: "" })}
        />
      </div>
      {view === "losses" ? (
        <Losses partner={partner} route={route} />
      ) : view === "alerts" ? (
        <Alerts partner={partner} route={route} />
      ) : (
        <Properties partner={partner} route={route} />
      )}
    </>
  );
}

type ViewProps = { partner: string; route: Route };

function listQuery({ partner, route }: ViewProps): URLSearchParams {
  const offset = route.query.get("offset") ?? "0";
  return new URLSearchParams({ offset, ...(partner !== "" && { partner_id: partner }) });
}

const PROPERTY_COLUMNS: readonly TableColumn<BookPropertiesPageJson["portfolio"][number]>[] = [
  {
    key: "name",
    heading: "Property",
    cell: ({ property_id, name, partner, ...place }) => (
      <>
        <a class="name" href={hrefTo(["properties", property_id])}>
          <bdi>{name}</bdi>
        </a>
        <span class="under small muted">
          <bdi>{partner}</bdi> · {joinPlace(place)}
        </span>
      </>
    ),
  },
  {
    key: "critical",
    heading: "Critical",
    isNumber: true,
    width: "narrow",
    cell: ({ critical }) => formatPageWholeNumber(critical),
  },
  {
    key: "warning",
    heading: "Warning",
    isNumber: true,
    width: "narrow",
    cell: ({ warning }) => formatPageWholeNumber(warning),
  },
  {
    key: "deferred",
    heading: "Planned cost",
    isNumber: true,
    width: "narrow",
    shownFrom: "medium",
    cell: ({ total_deferred_maintenance }) => formatPageMoney(Math.round(total_deferred_maintenance)),
  },
];

function Properties({ partner, route }: ViewProps) {
  const filter = (name: string) => route.query.get(name) ?? "";
  const showsRetired = filter("status") === RETIRED_CHOICES;
  const query = listQuery({ partner, route });
  for (const name of ["q", "state", "flag", "include_demo"])
    if (filter(name) !== "") query.set(name, filter(name));
  if (showsRetired) query.set("retired", "true");
  const loaded = useAdminRead<BookPropertiesPageJson>(`/admin/book/summary?${query}`);
  const set = (change: Record<string, string>) => replaceBrowserUrlQuery(route, { ...change, offset: "" });
  return (
    <>
      <FilterRow>
        <SearchFilter label="Search by name or address" value={filter("q")} onChange={(q) => set({ q })} />
        <StateOrRegionFilter known={US_STATES} value={filter("state")} onChange={(state) => set({ state })} />
        <RetiredFilter value={filter("status")} onChange={(status) => set({ status })} />
        <RecordHazardFilter value={filter("flag")} onChange={(flag) => set({ flag })} />
        <SelectFilter
          label="Demo properties"
          value={filter("include_demo")}
          all="Not in totals"
          choices={[["true", "In totals"]]}
          onChange={(include_demo) => set({ include_demo })}
        />
      </FilterRow>
      <LoadedContent loaded={loaded} what="the book">
        {(page) =>
          page.total === 0 ? (
            <EmptyState
              title={
                hasAny(route, ["q", "state", "flag"])
                  ? "No matching properties"
                  : showsRetired
                    ? "No retired properties"
                    : "No properties"
              }
            />
          ) : (
            <>
              <ConsolePagedTable
                caption="Properties"
                page={page}
                rows={page.portfolio}
                rowKey={({ property_id }) => property_id}
                columns={PROPERTY_COLUMNS}
                one="property"
                many="properties"
                route={route}
              >
                {!showsRetired && (
                  <p class="small muted">
                    {page.totals.properties < page.total && "Without demo properties: "}
                    {formatPageCount(page.totals.properties, "property", "properties")},{" "}
                    {formatPageCount(page.totals.components, "component")}:{" "}
                    {formatPageWholeNumber(page.totals.critical)} critical,{" "}
                    {formatPageWholeNumber(page.totals.warning)} warning. Planned cost of both{" "}
                    {formatPageMoney(Math.round(page.totals.total_deferred))}.
                  </p>
                )}
              </ConsolePagedTable>
              {!showsRetired && page.assumptions && (
                <p class="small muted">{pageAssumptionSentences(page.assumptions).join(" ")}</p>
              )}
            </>
          )
        }
      </LoadedContent>
    </>
  );
}

const ALERT_FILTERS = ["tier", "system", "state"] as const;

const hasAny = (route: Route, filters: readonly string[]) =>
  filters.some((name) => (route.query.get(name) ?? "") !== "");

/** The alerts of all partners, or of one: highest expected loss first, unless scores are asked for. */
function Alerts({ partner, route }: ViewProps) {
  const query = listQuery({ partner, route });
  const sort = route.query.get("sort") ?? "";
  query.set("sort", sort === "" ? "cost" : sort);
  const state = route.query.get("state") ?? "";
  for (const name of ALERT_FILTERS) {
    const value = route.query.get(name) ?? "";
    if (value !== "") query.set(name, value);
  }
  const loaded = useAdminRead<BookAlertPageJson>(`/admin/book/alerts?${query}`);
  return (
    <>
      <FilterRow>
        <SelectFilter
          label="Sort by"
          value={sort}
          all="Expected loss"
          choices={[["score", "Risk score"]]}
          onChange={(to) => replaceBrowserUrlQuery(route, { sort: to, offset: "" })}
        />
        <AlertFilters route={route} />
        <StateOrRegionFilter
          known={US_STATES}
          value={state}
          onChange={(to) => replaceBrowserUrlQuery(route, { state: to, offset: "" })}
        />
      </FilterRow>
      <LoadedContent loaded={loaded} what="the alerts">
        {(page) =>
          page.total === 0 ? (
            <EmptyState
              title={
                hasAny(route, ALERT_FILTERS) ? "No matching alerts" : "No critical or warning components"
              }
            />
          ) : (
            <ConsolePagedTable
              caption="Alerts"
              page={page}
              rows={sort === "score" ? page.alerts : sortPageRowsByExpectedLoss(page.alerts)}
              rowKey={({ id }) => id}
              columns={ALERT_COLUMNS}
              one="alert"
              route={route}
            />
          )
        }
      </LoadedContent>
    </>
  );
}

const ALERT_COLUMNS = consoleComponentColumns<BookAlertPageJson["alerts"][number]>(
  ({ property_name, partner }) => (
    <>
      <bdi>{property_name}</bdi> · <bdi>{partner}</bdi>
    </>
  ),
);

function Losses({ partner, route }: ViewProps) {
  const { api } = useConsole();
  const query = insuredLayerUrlQuery(route);
  if (partner !== "") query.set("partner_id", partner);
  const state = route.query.get("state") ?? "";
  if (state !== "") query.set("state", state);
  const loaded = useAdminRead<BookLossesJson>(`/admin/book/losses?${query}`);
  return (
    <>
      <InsuredLayerFields route={route}>
        <StateOrRegionFilter
          known={US_STATES}
          value={state}
          onChange={(to) => replaceBrowserUrlQuery(route, { state: to })}
        />
        <DownloadWorkbookButton
          api={api}
          file="book-losses.xlsx"
          path={`/admin/book/losses?${pageWorkbookQuery(query)}`}
        />
      </InsuredLayerFields>
      <LoadedContent loaded={loaded} what="the losses">
        {(losses) => (
          <div class="underwriting">
            <div class="two-columns">
              <ReportSection
                id="bad-years"
                title="Worst years"
                about={`${formatPageCount(losses.components, "component")} in ${formatPageCount(losses.properties, "property", "properties")}.`}
              >
                <LossExceedanceSectionTable losses={losses} />
                <LargestDamageSectionTable losses={losses} />
              </ReportSection>
              <ReportSection id="drivers" title="Loss drivers">
                <LossDriversSection losses={losses} by="system" heading="System" />
                <LossDriversSection losses={losses} by="peril" heading="Peril" />
                <LossDriversSection losses={losses} by="state" heading="State or region" />
                <LossDriversSection losses={losses} by="kind" heading="Component" />
              </ReportSection>
            </div>
            <ul class="small muted">
              {[...losses.notes, losses.assumptions.statement].map((sentence) => (
                <li>{sentence}</li>
              ))}
            </ul>
          </div>
        )}
      </LoadedContent>
    </>
  );
}
