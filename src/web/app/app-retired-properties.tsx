import type { PropertyPageJson, PropertyRowJson } from "../../api-schemas/property-schema.ts";
import { postalAddressLine } from "../../domain/places/postal-address.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { formatPageCount, formatPageDate } from "../page/page-format.ts";
import { LoadMore } from "../widgets/load-more.tsx";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { type TableColumn, VirtualTable } from "../widgets/virtual-table.tsx";
import { useApp } from "./app-context.ts";
import { useAppPagedList } from "./app-paged-list.ts";

/** The retired properties, from the first that was created. */
export function AppRetiredProperties() {
  const { api } = useApp();
  const list = useAppPagedList(
    api,
    "/v1/properties?retired=true",
    ({ properties }: PropertyPageJson) => properties,
  );
  return (
    <LoadedContent loaded={list} what="the retired properties">
      {({ rows, total }) =>
        total === 0 ? (
          <EmptyState title="No retired properties">
            <p>Properties that are retired, on their page or through the API, appear here.</p>
          </EmptyState>
        ) : (
          <>
            <p class="muted" role="status">
              {formatPageCount(total, "retired property", "retired properties")}
            </p>
            <VirtualTable
              caption="Retired properties"
              columns={COLUMNS}
              rows={rows}
              rowKey={({ id }) => id}
            />
            <LoadMore loaded={rows.length} total={total} isLoading={list.isLoading} onMore={list.loadMore} />
          </>
        )
      }
    </LoadedContent>
  );
}

const COLUMNS: readonly TableColumn<PropertyRowJson>[] = [
  {
    key: "name",
    heading: "Property",
    cell: (row) => (
      <>
        <a class="name" href={hrefTo(["properties", row.id])}>
          <bdi>{row.name}</bdi>
        </a>
        <span class="small muted under">
          <bdi>{postalAddressLine(row)}</bdi>
        </span>
      </>
    ),
  },
  {
    key: "since",
    heading: "Retired since",
    isNumber: true,
    cell: ({ retired_at }) => (retired_at === null ? "–" : formatPageDate(retired_at)),
  },
];
