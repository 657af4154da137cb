import type { ComponentChildren } from "preact";
import type { PagingJson } from "../../api-schemas/paging-schema.ts";
import { type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { PreviousNextButtons } from "../widgets/pager.tsx";
import { type TableColumn, VirtualTable } from "../widgets/virtual-table.tsx";

/** A page of a list that is not in order of time, as a table, with buttons to the previous and next pages. */
export function ConsolePagedTable<Row>(props: {
  caption: string;
  page: PagingJson;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  columns: readonly TableColumn<Row>[];
  one: string;
  many?: string;
  route: Route;
  /** Shown above the table. */
  children?: ComponentChildren;
}) {
  const { caption, page, rows, rowKey, columns, one, many, route, children } = props;
  return (
    <section class="card" aria-label={caption}>
      {children}
      <VirtualTable caption={caption} rows={rows} rowKey={rowKey} columns={columns} />
      <PreviousNextButtons
        page={page}
        one={one}
        {...(many !== undefined && { many })}
        directions={["Previous", "Next"]}
        onOffset={(to) => replaceBrowserUrlQuery(route, { offset: String(to) })}
      />
    </section>
  );
}
