import type { ComponentChildren } from "preact";
import type { DefinedTerm } from "../page/page-term-definitions.ts";
import { DefinitionButton } from "../widgets/term-definition.tsx";

/** A section of a page. `about` is a line below its heading, `define` a term that a button beside it defines. */
export function ReportSection(props: {
  id: string;
  title: string;
  about?: ComponentChildren;
  define?: DefinedTerm;
  children: ComponentChildren;
}) {
  const heading = <h2 id={`${props.id}-title`}>{props.title}</h2>;
  return (
    <section class="card" id={props.id} aria-labelledby={`${props.id}-title`}>
      {props.define ? (
        <div class="defined">
          {heading}
          <DefinitionButton term={props.define} />
        </div>
      ) : (
        heading
      )}
      {props.about && <p class="about">{props.about}</p>}
      {props.children}
    </section>
  );
}

export type SectionTableColumn<Row> = {
  heading: string;
  /** Aligned right, so that digits line up. */
  isNumber?: boolean;
  cell: (row: Row) => ComponentChildren;
};

/** The most rows that a table shows. */
const MAX_ROWS = 100;

/** The length of a heading from which its column is kept wide enough for two lines of it. */
const LONG_HEADING = 15;

/** A table with a caption that screen readers read. */
export function SectionTable<Row>(props: {
  caption: string;
  columns: readonly SectionTableColumn<Row>[];
  rows: readonly Row[];
}) {
  const { caption, columns, rows } = props;
  return (
    <div class="wide" role="group" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ heading, isNumber }) => (
              <th
                scope="col"
                class={
                  [isNumber && "number", heading.length > LONG_HEADING && "long"].filter(Boolean).join(" ") ||
                  undefined
                }
              >
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

/** A CSV file with the numbers: its address, or a function that saves it. Undefined if there is none. */
export type SectionCsvLink = string | (() => void) | undefined;

/** The numbers behind a chart, collapsed: a table of the first rows, and links to all of them, as CSV and as a page. */
export function CollapsedSectionTable<Row>(props: {
  /** The name of the table, for assistive technology. The summary, if omitted. */
  caption?: string;
  /** The text that opens the table. */
  summary?: string | undefined;
  columns: readonly SectionTableColumn<Row>[];
  rows: readonly Row[];
  csv?: SectionCsvLink;
  /** The address of a page with all rows. */
  all?: string | undefined;
  /** A sentence above the table. */
  note?: string | undefined;
}) {
  const { summary = "View as table", caption, columns, rows, csv, all, note } = props;
  const shown = rows.slice(0, MAX_ROWS);
  const rest = rows.length - shown.length;
  return (
    <details class="table-details">
      <summary>
        {summary}
        {caption !== undefined && <span class="visually-hidden">: {caption}</span>}
      </summary>
      {note && <p class="note">{note}</p>}
      <SectionTable caption={caption ?? summary} columns={columns} rows={shown} />
      <p class="more">
        {rest > 0 && `Showing the first ${MAX_ROWS} of ${rows.length.toLocaleString("en-US")}. `}
        {rest > 0 && all && (
          <>
            <a href={all}>See all</a>
            {csv && " · "}
          </>
        )}
        {typeof csv === "string" && (
          <a href={csv} download>
            Download CSV
          </a>
        )}
        {typeof csv === "function" && (
          <button type="button" class="plain" onClick={csv}>
            Download CSV
          </button>
        )}
      </p>
    </details>
  );
}
