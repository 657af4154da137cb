import type { ComponentChildren } from "preact";
import { probabilityText } from "../../domain/wording/us-english-wording.ts";
import type { ActionRow } from "../page/page-action-rows.ts";
import type { ApplianceNames } from "../page/page-appliance-names.ts";
import { ACTION_LABELS, TIER_LABELS } from "../page/page-code-labels.ts";
import {
  capitalizePageText,
  formatPageCount,
  formatPageDate,
  formatPageMoney,
  formatPageMonth,
  formatPageWholeNumber,
} from "../page/page-format.ts";
import { pageTextOfRange, sumPageItems } from "../page/page-grouping.ts";
import type { PlanLine } from "../page/page-plan-lines.ts";
import type { DefinedTerm } from "../page/page-term-definitions.ts";
import { DefinitionButton } from "../widgets/term-definition.tsx";
import { TierMark } from "../widgets/tier-mark.tsx";
import { pageSectionDueNowDate } from "./plan-section.tsx";
import { CollapsedSectionTable, ReportSection, type SectionCsvLink } from "./section.tsx";

/** Rows that are shown at once. */
const FIRST_ROWS = 10;

/** The heading of each column, with the term that it is defined by. */
const HEADINGS: readonly { heading: string; term?: DefinedTerm; isNumber?: boolean }[] = [
  { heading: "Component" },
  { heading: "Action" },
  { heading: "Tier", term: "tier" },
  { heading: "Chance in 12 months", term: "chance", isNumber: true },
  { heading: "Due", isNumber: true },
  { heading: "Planned cost", term: "plannedCost", isNumber: true },
  { heading: "After failure", term: "failedCost", isNumber: true },
];

export type RenderMark = (row: ActionRow, placeOf: (line: PlanLine) => string) => ComponentChildren;

/** All work that somebody has to do, one row for identical components: the most urgent first. */
export function DueActionsSection(props: {
  rows: readonly ActionRow[];
  /** All units and components, in the order of the plan. */
  lines: readonly PlanLine[];
  applianceNames: ApplianceNames;
  /** The day of the plan. */
  asOf: string;
  csv?: SectionCsvLink;
  /** Renders what marks the work of a row; nothing by default. */
  renderMark?: RenderMark | undefined;
}) {
  const { rows, lines, asOf, csv } = props;
  const table = { asOf, applianceNames: props.applianceNames, renderMark: props.renderMark };
  const rest = rows.slice(FIRST_ROWS);
  return (
    <ReportSection
      id="actions"
      title="Actions"
      about={
        rows.length === 0
          ? "Nothing has to be replaced or inspected now, and nothing is planned."
          : `The most urgent first. Identical ones share a row.${markedText(rows)}`
      }
    >
      {rows.length > 0 && <ActionTable caption="Actions" rows={rows.slice(0, FIRST_ROWS)} {...table} />}
      {rest.length > 0 && (
        <details class="table-details">
          <summary>Show {formatPageCount(rest.length, "more action")}</summary>
          <ActionTable caption="Further actions" rows={rest} {...table} place="rest" />
        </details>
      )}
      <CollapsedSectionTable
        caption="All appliances and components"
        summary={`View all ${formatPageCount(lines.length, "appliance and component", "appliances and components")} as table`}
        csv={csv}
        rows={lines}
        columns={[
          {
            heading: "Appliance or component",
            cell: (row) => (
              <>
                {row.tier && <TierMark tier={row.tier} />} {row.name}
                {row.isUnit && <span class="muted small"> whole appliance</span>}
              </>
            ),
          },
          { heading: "Location", cell: (row) => props.applianceNames.of(row) },
          { heading: "Action", cell: (row) => ACTION_LABELS[row.action] },
          { heading: "Why", cell: (row) => <span class="small">{row.reason}</span> },
          {
            heading: "Due date",
            isNumber: true,
            cell: (row) => (row.replace_on === null ? "–" : formatPageDate(row.replace_on)),
          },
          {
            heading: "Planned cost",
            isNumber: true,
            cell: (row) => (row.policy === "with_unit" ? "with appliance" : formatPageMoney(row.cost)),
          },
          {
            heading: "Cost after failure",
            isNumber: true,
            cell: (row) => (row.policy === "with_unit" ? "–" : formatPageMoney(row.failedCost)),
          },
          {
            heading: "Cost of waiting a year",
            isNumber: true,
            cell: (row) =>
              row.policy === "with_unit" ? "–" : formatPageMoney(Math.round(row.cost_of_waiting_a_year)),
          },
        ]}
      />
    </ReportSection>
  );
}

type RowContext = { asOf: string; applianceNames: ApplianceNames; renderMark: RenderMark | undefined };

/** A table that phones show as a list; the roles keep its meaning there. */
function ActionTable(
  props: {
    caption: string;
    rows: readonly ActionRow[];
    place?: string;
  } & RowContext,
) {
  const { caption, rows, place, ...context } = props;
  return (
    // biome-ignore lint/a11y/noRedundantRoles: on phones the style takes the roles away
    <table class="actions" role="table">
      <caption class="visually-hidden">{caption}</caption>
      {/* biome-ignore lint/a11y/noRedundantRoles: as above */}
      <thead role="rowgroup">
        {/* biome-ignore lint/a11y/noRedundantRoles: as above */}
        <tr role="row">
          {HEADINGS.map(({ heading, term, isNumber }) => (
            // biome-ignore lint/a11y/noRedundantRoles: as above
            <th scope="col" role="columnheader" class={isNumber ? "number" : undefined}>
              {heading}
              {term && place === undefined && <DefinitionButton term={term} place="actions" />}
            </th>
          ))}
        </tr>
      </thead>
      {/* biome-ignore lint/a11y/noRedundantRoles: as above */}
      <tbody role="rowgroup">
        {rows.map((row) => (
          <Row row={row} {...context} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row, asOf, applianceNames, renderMark }: { row: ActionRow } & RowContext) {
  const { lines, action, tier, chances, costUsd, failedUsd } = row;
  const [first] = lines as [PlanLine];
  const place = applianceNames.ofGroup(lines);
  const cells = [
    <span class={`action ${action}`}>{ACTION_LABELS[action]}</span>,
    <>
      <TierMark tier={tier} /> {TIER_LABELS[tier].name}
    </>,
    capitalizePageText(pageTextOfRange(chances, probabilityText)),
    dueText(row, asOf),
    formatPageMoney(costUsd),
    formatPageMoney(failedUsd),
  ];
  return (
    // biome-ignore lint/a11y/noRedundantRoles: on phones the style takes the roles away
    <tr role="row">
      {/* biome-ignore lint/a11y/noRedundantRoles: as above */}
      <th scope="row" role="rowheader">
        {first.name}
        {lines.length > 1 && ` × ${formatPageWholeNumber(lines.length)}`}{" "}
        <span class="small muted under">
          {first.isUnit ? place.replace(`${first.name}, `, "").replace(first.name, "whole appliance") : place}
        </span>
        <span class="small why">
          {lines.some(({ reason }) => reason !== first.reason) && "For the most urgent: "}
          {first.reason}
        </span>
        <SectionWorkMarkText line={first} />
        {renderMark?.(row, (line) => applianceNames.ofGroup([line]))}
      </th>
      {cells.map((cell, at) => {
        const { heading, isNumber } = HEADINGS[at + 1]!;
        return (
          // biome-ignore lint/a11y/noRedundantRoles: as above
          <td role="cell" data-label={heading} class={isNumber ? "number" : undefined}>
            {cell}
          </td>
        );
      })}
    </tr>
  );
}

/** Who has ordered or deferred the work of a line, and why. */
export function SectionWorkMarkText({
  line,
}: {
  line: Pick<PlanLine, `work_${"state" | "until" | "by" | "reason"}`>;
}) {
  if (line.work_state === null) return null;
  return (
    <span class="small mark">
      <strong>
        {line.work_state === "ordered" ? "Ordered" : `Deferred until ${formatPageDate(line.work_until!)}`}
      </strong>
      {" by "}
      <bdi>{line.work_by}</bdi>
      {line.work_reason !== null && (
        <>
          {": "}
          <bdi>{line.work_reason}</bdi>
        </>
      )}
    </span>
  );
}

/** How much of the work is marked, which the figures do not leave out. */
function markedText(rows: readonly ActionRow[]): string {
  const marked = rows.filter(({ lines }) => lines[0]!.work_state !== null);
  if (marked.length === 0) return "";
  const counts = (["ordered", "deferred"] as const).flatMap((state) => {
    const some = sumPageItems(marked, ({ lines }) => (lines[0]!.work_state === state ? lines.length : 0));
    return some === 0 ? [] : `${formatPageWholeNumber(some)} ${state}`;
  });
  return ` ${capitalizePageText(counts.join(" and "))}: the figures count this work until it is done.`;
}

function dueText({ isDeferred, lines, ...row }: ActionRow, asOf: string): string {
  if (isDeferred) return `Deferred until ${formatPageDate(lines[0]!.work_until!)}`;
  return pageSectionDueDateText(row, asOf) ?? "–";
}

/** `Immediately`, `By Nov 2027`, `Mar 2029`: by when something has to be done; undefined without a day. */
export function pageSectionDueDateText(
  { dueNow, action, due }: Pick<ActionRow, "dueNow" | "action" | "due">,
  asOf: string,
): string | undefined {
  // An older server answers without the field during an upgrade of several servers.
  if (dueNow) return capitalizePageText(pageSectionDueNowDate(dueNow, asOf));
  if (action === "replace_now" || action === "immediate_hazard") return "Now";
  return due === null ? undefined : formatPageMonth(due);
}
