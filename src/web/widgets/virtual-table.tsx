import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatPageWholeNumber } from "../page/page-format.ts";

export type TableColumn<Row> = {
  key: string;
  heading: ComponentChildren;
  isNumber?: boolean;
  /** Rows can be sorted by this column. */
  isSortable?: boolean;
  /** The least width of the window at which the column is shown; always, if omitted. */
  shownFrom?: "medium" | "wide" | "widest";
  /** A width other than that of its kind: numbers have one for amounts, and texts share the rest. */
  width?: "narrow" | "medium" | "roomy";
  cell: (row: Row) => ComponentChildren;
};

export type SortOrder = { key: string; isDescending: boolean };

/** The number of rows rendered above and below the window, so that scrolling shows no gap. */
const OVERSCAN_ROWS = 12;
/** The height assumed for a row until one has been measured. */
const ESTIMATED_ROW_PX = 56;

/**
 * A table of any number of rows, of which only those in the window are in the document. All rows have the same height;
 * the first column is the row heading.
 */
export function VirtualTable<Row>(props: {
  caption: string;
  columns: readonly TableColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  sorting?: SortOrder;
  onSort?: (sorting: SortOrder) => void;
}) {
  const { caption, columns, rows, rowKey, sorting, onSort } = props;
  const { body, from, to, rowPx } = useVisibleRows(rows.length);
  return (
    <>
      <table class="rows" aria-rowcount={rows.length + 1}>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Heading key={column.key} column={column} sorting={sorting} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Spacer rows={from} rowPx={rowPx} />
          {rows.slice(from, to).map((row, at) => (
            <tr key={rowKey(row)} class="row" aria-rowindex={from + at + 2}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th key={column.key} scope="row" class={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.key} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
          <Spacer rows={rows.length - to} rowPx={rowPx} />
        </tbody>
      </table>
      {to - from < rows.length && (
        <p class="rows-in-print small" aria-hidden="true">
          Rows {formatPageWholeNumber(from + 1)} to {formatPageWholeNumber(to)} of{" "}
          {formatPageWholeNumber(rows.length)}: those on screen. A CSV file has all.
        </p>
      )}
    </>
  );
}

function Heading<Row>(props: {
  column: TableColumn<Row>;
  sorting: SortOrder | undefined;
  onSort: ((sorting: SortOrder) => void) | undefined;
}) {
  const { column, sorting, onSort } = props;
  const isSorted = sorting?.key === column.key;
  const direction = isSorted ? (sorting.isDescending ? "descending" : "ascending") : undefined;
  // The first click sorts numbers descending and texts ascending.
  const isDescending = isSorted ? !sorting.isDescending : column.isNumber === true;
  return (
    <th scope="col" class={classOf(column)} {...(direction && { "aria-sort": direction })}>
      {column.isSortable && onSort ? (
        <button type="button" class="plain" onClick={() => onSort({ key: column.key, isDescending })}>
          {column.heading}
          <span class="arrow" aria-hidden="true">
            {direction === "descending" ? "↓" : direction === "ascending" ? "↑" : ""}
          </span>
        </button>
      ) : (
        column.heading
      )}
    </th>
  );
}

/** The space of rows that are not in the document. One cell: with more, hidden columns would reappear. */
function Spacer({ rows, rowPx }: { rows: number; rowPx: number }) {
  if (rows <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it is focusable
    <tr class="gap" aria-hidden="true">
      <td style={{ height: `${rows * rowPx}px` }} />
    </tr>
  );
}

function classOf<Row>({ isNumber, width, shownFrom }: TableColumn<Row>): string {
  return [isNumber && "number", width, shownFrom && `from-${shownFrom}`].filter(Boolean).join(" ");
}

/** Returns the range of rows in the window, and updates it on scroll and resize. */
function useVisibleRows(all: number) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [range, setRange] = useState({ from: 0, to: 40, rowPx: ESTIMATED_ROW_PX });
  useEffect(() => {
    let frame = 0;
    const measure = () => {
      frame = 0;
      const element = body.current;
      if (!element) return;
      const rowPx =
        element.querySelector<HTMLElement>("tr.row")?.getBoundingClientRect().height || ESTIMATED_ROW_PX;
      const { top } = element.getBoundingClientRect();
      const from = Math.max(0, Math.floor(-top / rowPx) - OVERSCAN_ROWS);
      const to = Math.ceil((innerHeight - top) / rowPx) + OVERSCAN_ROWS;
      setRange((previous) =>
        previous.from === from && previous.to === to && previous.rowPx === rowPx
          ? previous
          : { from, to, rowPx },
      );
    };
    const scheduleMeasure = () => {
      frame ||= requestAnimationFrame(measure);
    };
    measure();
    addEventListener("scroll", scheduleMeasure, { passive: true });
    addEventListener("resize", scheduleMeasure);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", scheduleMeasure);
      removeEventListener("resize", scheduleMeasure);
    };
  }, [all]);
  const from = Math.min(range.from, Math.max(0, all - 1));
  return { body, from, to: Math.min(all, Math.max(range.to, from)), rowPx: range.rowPx };
}
