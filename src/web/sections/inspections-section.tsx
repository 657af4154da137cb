import type { InspectionJson } from "../../api-schemas/compliance-schema.ts";
import { INSPECTION_NOTICE } from "../../domain/wording/inspection-law-wording.ts";
import type { ApplianceNames } from "../page/page-appliance-names.ts";
import {
  INSPECTION_BASIS_LABELS,
  INSPECTION_STATUS_LABELS,
  pageCodeLabel,
} from "../page/page-code-labels.ts";
import {
  formatPageCount,
  formatPageDate,
  formatPageWholeNumber,
  pageRelativeDaysText,
} from "../page/page-format.ts";
import { CollapsedSectionTable, ReportSection, type SectionCsvLink } from "./section.tsx";

const MAX_LINES = 8;

/** The inspections that apply to the property, earliest due date first. */
export function DueInspectionsSection(props: {
  /** Earliest due date first. */
  inspections: readonly InspectionJson[];
  applianceNames: ApplianceNames;
  csv?: SectionCsvLink;
}) {
  const { inspections, applianceNames, csv } = props;
  if (inspections.length === 0)
    return (
      <ReportSection id="inspections" title="Inspections">
        <p class="empty">No inspections apply to the equipment on record.</p>
      </ReportSection>
    );
  const lines = firstLines(inspections, applianceNames);
  return (
    <ReportSection
      id="inspections"
      title="Inspections"
      about={`${summaryOf(inspections)} ${INSPECTION_NOTICE}`}
    >
      <ul class="inspections">
        {lines.map(({ inspection, applianceName, count: like }) => (
          <li>
            <span class={`chip ${inspection.status.toLowerCase()}`}>
              {INSPECTION_STATUS_LABELS[inspection.status]}
            </span>
            <span>
              {pageCodeLabel(inspection.inspection_type)}{" "}
              <span class="small muted">
                {applianceName}
                {like > 1 && ` × ${formatPageWholeNumber(like)}`}
                {inspection.deficiency_open && " · deficiency open"}
              </span>
            </span>
            <span class="due">
              <DueDay inspection={inspection} />
            </span>
          </li>
        ))}
      </ul>
      <CollapsedSectionTable
        caption="Inspections"
        summary={
          inspections.length > lines.length
            ? `View all ${formatPageWholeNumber(inspections.length)} as table`
            : undefined
        }
        csv={csv}
        rows={inspections}
        columns={[
          { heading: "Inspection", cell: (row) => pageCodeLabel(row.inspection_type) },
          { heading: "Location", cell: (row) => applianceNames.of(row) },
          {
            heading: "Required by",
            cell: (row) => `${row.authority}${row.mandatory ? "" : " (recommended)"}`,
          },
          { heading: "Status", cell: (row) => INSPECTION_STATUS_LABELS[row.status] },
          {
            heading: "Due date",
            isNumber: true,
            cell: (row) => (isUnrecorded(row) ? "No record" : formatPageDate(row.due_date)),
          },
          {
            heading: "Time to due date",
            isNumber: true,
            cell: (row) => (isUnrecorded(row) ? "" : pageRelativeDaysText(row.days_until_due)),
          },
          {
            heading: "Last inspection",
            isNumber: true,
            cell: (row) => (row.last_inspection === null ? "No record" : formatPageDate(row.last_inspection)),
          },
          { heading: "Result", cell: resultOf },
          { heading: "Known from", cell: (row) => INSPECTION_BASIS_LABELS[row.basis] },
        ]}
      />
    </ReportSection>
  );
}

type Line = { inspection: InspectionJson; applianceName: string; count: number };

/** Returns the first lines of the list. Inspections that follow each other and read the same share a line. */
function firstLines(inspections: readonly InspectionJson[], applianceNames: ApplianceNames): Line[] {
  const lines: Line[] = [];
  for (const inspection of inspections) {
    const applianceName = applianceNames.of(inspection);
    const last = lines.at(-1);
    if (last && last.applianceName === applianceName && isSameInspection(last.inspection, inspection))
      last.count++;
    else if (lines.length === MAX_LINES) break;
    else lines.push({ inspection, applianceName, count: 1 });
  }
  return lines;
}

const isSameInspection = (a: InspectionJson, b: InspectionJson) =>
  a.inspection_type === b.inspection_type &&
  a.status === b.status &&
  a.deficiency_open === b.deficiency_open &&
  dueText(a) === dueText(b);

const dueText = (inspection: InspectionJson) => {
  if (isUnrecorded(inspection)) return "";
  const { due_date, last_inspection, result } = inspection;
  return `${due_date} ${last_inspection} ${result}`;
};

/** The day on which the next visit is due; of one that stays due because the last one failed, the day of that visit. */
function DueDay({ inspection }: { inspection: InspectionJson }) {
  if (isUnrecorded(inspection)) return "No record";
  const { due_date, last_inspection, result, mandatory } = inspection;
  const isFailed = result === "failed" && mandatory;
  const day = isFailed ? last_inspection! : due_date;
  return (
    <>
      {isFailed && "Failed "}
      <time dateTime={day}>{formatPageDate(day)}</time>
    </>
  );
}

/** Returns whether an overdue inspection has no visit on record: its due date follows from the installation alone. */
const isUnrecorded = ({ basis, status }: InspectionJson) => basis === "none" && status === "OVERDUE";

function summaryOf(inspections: readonly InspectionJson[]): string {
  const overdue = inspections.filter(({ status }) => status === "OVERDUE");
  const all = formatPageCount(inspections.length, "inspection");
  if (overdue.length === 0) return `None of ${all} is overdue.`;
  const mandatory = overdue.filter((inspection) => inspection.mandatory).length;
  const unrecorded = overdue.filter(isUnrecorded).length;
  return [
    `${formatPageWholeNumber(overdue.length)} of ${all} ${overdue.length === 1 ? "is" : "are"} overdue`,
    `, ${formatPageWholeNumber(mandatory)} of them mandatory`,
    unrecorded > 0
      ? `; ${formatPageWholeNumber(unrecorded)} ${unrecorded === 1 ? "has" : "have"} no visit on record`
      : "",
    ".",
  ].join("");
}

function resultOf({ result, deficiency_open }: InspectionJson): string {
  if (result === null) return "";
  if (result === "passed") return "Passed";
  return deficiency_open ? "Failed, deficiency open" : "Failed, deficiency settled";
}
