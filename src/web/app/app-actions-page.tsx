import { useState } from "preact/hooks";
import type { ActionPageJson, PortfolioActionJson } from "../../api-schemas/portfolio-action-schema.ts";
import { postalAddressLine } from "../../domain/places/postal-address.ts";
import { probabilityText } from "../../domain/wording/us-english-wording.ts";
import { hrefTo, type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import {
  ACTION_LABELS,
  OFFERED_SYSTEMS,
  pageSystemLabel,
  TIER_LABELS,
  TIERS,
} from "../page/page-code-labels.ts";
import { capitalizePageText, formatPageCount, formatPageMoney } from "../page/page-format.ts";
import { sumPageItems } from "../page/page-grouping.ts";
import { pageSectionDueDateText, SectionWorkMarkText } from "../sections/due-actions-section.tsx";
import { FilterRow, SelectFilter } from "../widgets/filters.tsx";
import { LoadMore } from "../widgets/load-more.tsx";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { TierMark } from "../widgets/tier-mark.tsx";
import { type TableColumn, VirtualTable } from "../widgets/virtual-table.tsx";
import { useApp, useAppTitle } from "./app-context.ts";
import { AppDownloadAllCsv, downloadCsvInBrowser } from "./app-csv-download.tsx";
import { appDateFromToday } from "./app-date-from-today.ts";
import { AppMarkWork } from "./app-mark-work.tsx";
import { useAppPagedList } from "./app-paged-list.ts";
import { AppSavedFilters } from "./app-saved-filters.tsx";
import { AppStateFilter } from "./app-state-filter.tsx";

/** The filters that the address has, by the names of the API but for the day. */
const FILTERS = ["action", "system", "state", "tier", "work", "min_cost", "sort"] as const;

const ACTIONS = ["immediate_hazard", "replace_now", "inspect", "replace_by"] as const;
/** Days from today by which work is due, with their labels. */
const DUE = [
  ["0", "Due now"],
  ["90", "Within 90 days"],
  ["365", "Within 12 months"],
] as const;
const COSTS = [1_000, 5_000, 25_000, 100_000] as const;
const WORK = [
  ["open", "Open"],
  ["ordered", "Ordered"],
  ["deferred", "Deferred"],
] as const;

const idOf = ({ component_id, appliance_id }: PortfolioActionJson) => component_id ?? appliance_id;

/** The due actions of all properties, the costliest to delay first. */
export function AppActionsPage({ route }: { route: Route }) {
  const { api } = useApp();
  useAppTitle("Actions");
  const path = pathOf(route.query);
  const list = useAppPagedList(api, path, ({ actions }: ActionPageJson) => actions);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const rows = list.value?.rows ?? [];
  const chosen = rows.filter((row) => selected.has(idOf(row)));
  const set = (changes: Record<string, string>) => replaceBrowserUrlQuery(route, changes);
  const select = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(selected);
    for (const id of ids)
      if (isOn) next.add(id);
      else next.delete(id);
    setSelected(next);
  };
  const sortedBy = route.query.get("sort") === "expected" ? "expected" : "waiting";
  return (
    <>
      <header class="heading">
        <div>
          <h1>Actions</h1>
          <p class="muted">
            Recommended actions of the next two years in all properties except the demo property, highest{" "}
            {sortedBy === "expected" ? "expected cost" : "cost of waiting"} first.
          </p>
        </div>
      </header>
      <ActionFilters route={route} set={set} list={list} />
      <div class="saved-filters screen">
        <AppSavedFilters route={route} />
      </div>
      {list.value && <Totals page={list.value.first} />}
      <LoadedContent loaded={list} what="the actions">
        {({ rows, total }) =>
          rows.length === 0 ? (
            <EmptyState title={route.query.size === 0 ? "Nothing to do" : "No matching actions"}>
              <p>
                {route.query.size === 0 ? (
                  "Nothing has to be replaced or inspected within two years."
                ) : (
                  <a href={hrefTo(["actions"])}>Show all actions</a>
                )}
              </p>
            </EmptyState>
          ) : (
            <>
              <Selection
                rows={chosen}
                onClear={() => setSelected(new Set())}
                onMarked={() => {
                  setSelected(new Set());
                  list.reload();
                }}
              />
              <div class="portfolio-actions">
                <VirtualTable
                  caption="Actions"
                  columns={columnsOf(rows, selected, select)}
                  rows={rows}
                  rowKey={idOf}
                  sorting={{ key: sortedBy, isDescending: true }}
                  onSort={({ key }) => set({ sort: key === "waiting" ? "" : key })}
                />
              </div>
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

function ActionFilters(props: {
  route: Route;
  set: (changes: Record<string, string>) => void;
  list: ReturnType<typeof useAppPagedList<PortfolioActionJson, ActionPageJson>>;
}) {
  const { route, set, list } = props;
  const filter = (name: string, label: string, choices: readonly (readonly [string, string])[]) => (
    <SelectFilter
      label={label}
      value={route.query.get(name) ?? ""}
      choices={choices}
      onChange={(value) => set({ [name]: value })}
    />
  );
  return (
    <FilterRow>
      {filter(
        "action",
        "Action",
        ACTIONS.map((action) => [action, ACTION_LABELS[action]]),
      )}
      {filter("due", "Due", DUE)}
      {filter("work", "Work", WORK)}
      {filter(
        "system",
        "System",
        OFFERED_SYSTEMS.map((system) => [system, pageSystemLabel(system)]),
      )}
      <AppStateFilter value={route.query.get("state") ?? ""} onChange={(state) => set({ state })} />
      {filter(
        "tier",
        "Tier",
        TIERS.map((tier) => [tier, TIER_LABELS[tier].name]),
      )}
      {filter(
        "min_cost",
        "Planned cost",
        COSTS.map((cost) => [String(cost), `From ${formatPageMoney(cost)}`]),
      )}
      <AppDownloadAllCsv file="actions.csv" path={pathOf(route.query)} total={list.value?.total ?? 0} />
    </FilterRow>
  );
}

/** Returns the address of the list with the filters of a page. */
function pathOf(query: URLSearchParams): string {
  const asked = new URLSearchParams();
  for (const name of FILTERS) {
    const value = query.get(name);
    if (value) asked.set(name, value);
  }
  const days = DUE.find(([value]) => value === query.get("due"))?.[0];
  if (days !== undefined) asked.set("due_by", appDateFromToday(Number(days)));
  return `/v1/portfolio/actions?${asked}`;
}

function Totals({ page }: { page: ActionPageJson }) {
  const { total, totals } = page;
  if (total === 0) return null;
  const waiting = Math.round(totals.cost_of_waiting_a_year);
  return (
    <p class="result-totals" role="status">
      <strong>{formatPageCount(total, "action")}</strong>: planned cost{" "}
      <strong>{formatPageMoney(Math.round(totals.proactive_cost))}</strong> if all are replaced; waiting a
      year is expected to {waiting < 0 ? "save" : "cost"}{" "}
      <strong>{formatPageMoney(Math.abs(waiting))}</strong>
      {waiting >= 0 && " more"}; failures within 12 months,{" "}
      <strong>{formatPageMoney(Math.round(totals.expected_cost_12m))}</strong>.
    </p>
  );
}

/** The buttons for the selected actions. */
function Selection(props: {
  rows: readonly PortfolioActionJson[];
  onClear: () => void;
  onMarked: () => void;
}) {
  const { rows, onClear, onMarked } = props;
  return (
    <section class="selection screen" aria-label="Selection">
      <span>
        {rows.length === 0
          ? "Select actions to mark their work or to save them as CSV."
          : `${formatPageCount(rows.length, "action")} selected, ${formatPageMoney(Math.round(sumPageItems(rows, (row) => row.proactive_cost)))}`}
      </span>
      {rows.length > 0 && (
        <>
          <AppMarkWork
            name={rows.length === 1 ? rows[0]!.name : "actions"}
            items={rows.map((row) => ({
              line: {
                id: idOf(row),
                isUnit: row.component_id === null,
                action: row.action,
                work_state: row.work_state,
              },
              place: `${row.name}, ${row.property_name}`,
            }))}
            onMarked={onMarked}
          />
          <button
            type="button"
            class="outline small-action"
            onClick={() => downloadCsvInBrowser("selected-actions.csv", rows)}
          >
            CSV of the selection
          </button>
          <button type="button" class="plain" onClick={onClear}>
            Clear
          </button>
        </>
      )}
    </section>
  );
}

const columnsOf = (
  rows: readonly PortfolioActionJson[],
  selected: ReadonlySet<string>,
  select: (ids: readonly string[], isOn: boolean) => void,
): readonly TableColumn<PortfolioActionJson>[] => [
  {
    key: "name",
    heading: (
      <label class="pick">
        <input
          type="checkbox"
          aria-label="Select all loaded actions"
          checked={rows.every((row) => selected.has(idOf(row)))}
          onChange={({ currentTarget }) => select(rows.map(idOf), currentTarget.checked)}
        />
        Component
      </label>
    ),
    cell: (row) => (
      <span class="pick">
        <input
          type="checkbox"
          aria-label={`Select ${row.name}, ${row.property_name}`}
          checked={selected.has(idOf(row))}
          onChange={({ currentTarget }) => select([idOf(row)], currentTarget.checked)}
        />
        <span>
          <span class="name">
            <TierMark tier={row.risk_tier} named />{" "}
            <a
              href={
                row.component_id === null
                  ? hrefTo(["appliances", row.appliance_id])
                  : hrefTo(["components", row.component_id])
              }
            >
              {row.name}
            </a>
          </span>
          <span class="small muted under">
            <span class="from-medium">
              {row.component_id === null ? "Whole appliance" : pageSystemLabel(row.system)}
            </span>
            <bdi class="below-medium">{row.property_name}</bdi>
          </span>
          <span class="small under below-medium">
            <span class={`action ${row.action}`}>{ACTION_LABELS[row.action]}</span>{" "}
            <span class="muted">
              {row.work_state === null ? dueText(row) : <SectionWorkMarkText line={row} />}
            </span>
          </span>
        </span>
      </span>
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
          <bdi>{postalAddressLine({ address: row.property_address, city: null, state: row.state })}</bdi>
        </span>
      </>
    ),
  },
  {
    key: "action",
    heading: "Action",
    shownFrom: "medium",
    width: "roomy",
    cell: (row) => (
      <>
        <span class={`action ${row.action}`} title={row.reason}>
          {ACTION_LABELS[row.action]}
        </span>
        <span class="small muted under">
          {row.work_state === null ? dueText(row) : <SectionWorkMarkText line={row} />}
        </span>
      </>
    ),
  },
  {
    key: "chance",
    heading: "Chance in 12 months",
    isNumber: true,
    shownFrom: "wide",
    cell: (row) => capitalizePageText(probabilityText(row.failure_probability_12m)),
  },
  {
    key: "planned",
    heading: "Planned cost",
    isNumber: true,
    cell: (row) => formatPageMoney(Math.round(row.proactive_cost)),
  },
  {
    key: "failed",
    heading: "After failure",
    isNumber: true,
    shownFrom: "wide",
    cell: (row) => <span class="muted">{formatPageMoney(Math.round(row.reactive_cost))}</span>,
  },
  {
    key: "waiting",
    heading: "Cost of waiting",
    isNumber: true,
    isSortable: true,
    shownFrom: "medium",
    cell: (row) => formatPageMoney(Math.round(row.cost_of_waiting_a_year)),
  },
  {
    key: "expected",
    heading: "12-month expected cost",
    isNumber: true,
    isSortable: true,
    shownFrom: "wide",
    cell: (row) => formatPageMoney(Math.round(row.expected_cost_12m)),
  },
];

const dueText = ({ action, replace_on: due, due_now: dueNow }: PortfolioActionJson) =>
  pageSectionDueDateText({ action, due, dueNow }, appDateFromToday(0));
