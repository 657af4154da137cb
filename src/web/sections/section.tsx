import type { ComponentChildren } from "preact";

/** A part of a page with its heading. `about` is one quiet line below it. */
export function Section(props: {
  id: string;
  title: string;
  about?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="card" id={props.id} aria-labelledby={`${props.id}-title`}>
      <h2 id={`${props.id}-title`}>{props.title}</h2>
      {props.about && <p class="about">{props.about}</p>}
      {props.children}
    </section>
  );
}

export type Column<Row> = {
  heading: string;
  /** Aligned at the end, figures under figures. */
  isNumber?: boolean;
  cell: (row: Row) => ComponentChildren;
};

/** The most rows that a table shows; the rest is where `Numbers` leads. */
export const MOST_ROWS = 100;

export function DataTable<Row>(props: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
}) {
  const { caption, columns, rows } = props;
  return (
    <div class="wide" role="group" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="heard">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ heading, isNumber }) => (
              <th scope="col" class={isNumber ? "number" : undefined}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map(({ cell, isNumber }, at) =>
                at === 0 ? (
                  <th scope="row">{cell(row)}</th>
                ) : (
                  <td class={isNumber ? "number" : undefined}>{cell(row)}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Where the numbers are as a file: its address, or what saves it. Undefined where none is offered. */
export type Csv = string | (() => void) | undefined;

/**
 * The numbers of a picture, one click away: a table of its first rows, the address of all as CSV, and where there are
 * more rows than a page should have, the address of a page with them.
 */
export function Numbers<Row>(props: {
  summary: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Without one, the page offers no file. */
  csv?: Csv;
  all?: string | undefined;
  /** Said above the table. */
  note?: string | undefined;
}) {
  const { summary, columns, rows, csv, all, note } = props;
  const shown = rows.slice(0, MOST_ROWS);
  const rest = rows.length - shown.length;
  return (
    <details class="numbers">
      <summary>{summary}</summary>
      {note && <p class="note">{note}</p>}
      <DataTable caption={summary} columns={columns} rows={shown} />
      <p class="more">
        {rest > 0 && `The first ${MOST_ROWS} of ${rows.length.toLocaleString("en-US")}. `}
        {rest > 0 && all && (
          <>
            <a href={all}>See all</a>
            {csv && " · "}
          </>
        )}
        {typeof csv === "string" && (
          <a href={csv} download>
            Download as CSV
          </a>
        )}
        {typeof csv === "function" && (
          <button type="button" class="plain" onClick={csv}>
            Save as CSV
          </button>
        )}
      </p>
    </details>
  );
}
