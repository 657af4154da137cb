import type { InspectionJson } from "../../wire/compliance.ts";
import { count, counted, date, relativeDays } from "../format.ts";
import { codeLabel, INSPECTION_STATUS_LABELS } from "../labels.ts";
import type { Locations } from "../locations.ts";
import { type CsvLink, Section, TableDetails } from "./section.tsx";

const MAX_INSPECTIONS = 8;

/** The inspections that apply to the property, earliest due date first. */
export function Inspections(props: {
  /** Earliest due date first. */
  inspections: readonly InspectionJson[];
  locations: Locations;
  csv?: CsvLink;
}) {
  const { inspections, locations, csv } = props;
  const overdue = inspections.filter(({ status }) => status === "OVERDUE").length;
  if (inspections.length === 0)
    return (
      <Section id="inspections" title="Inspections">
        <p class="empty">No inspections apply to the equipment on record.</p>
      </Section>
    );
  return (
    <Section
      id="inspections"
      title="Inspections"
      about={
        overdue > 0
          ? `${count(overdue)} of ${counted(inspections.length, "inspection")} ${overdue === 1 ? "is" : "are"} overdue. Inspections not reported to Mainstay are counted as outstanding.`
          : `None of ${counted(inspections.length, "inspection")} is overdue.`
      }
    >
      <ul class="inspections">
        {inspections.slice(0, MAX_INSPECTIONS).map((one) => (
          <li>
            <span class={`chip ${one.status.toLowerCase()}`}>{INSPECTION_STATUS_LABELS[one.status]}</span>
            <span>
              {codeLabel(one.inspection_type)} <span class="small muted">{locations.of(one)}</span>
            </span>
            <span class="due">
              <time dateTime={one.due_date}>{date(one.due_date)}</time>
            </span>
          </li>
        ))}
      </ul>
      <TableDetails
        caption="Inspections"
        summary={
          inspections.length > MAX_INSPECTIONS ? `View all ${count(inspections.length)} as table` : undefined
        }
        csv={csv}
        rows={inspections}
        columns={[
          { heading: "Inspection", cell: (row) => codeLabel(row.inspection_type) },
          { heading: "Location", cell: (row) => locations.of(row) },
          {
            heading: "Required by",
            cell: (row) => `${row.authority}${row.mandatory ? "" : " (recommended)"}`,
          },
          { heading: "Status", cell: (row) => INSPECTION_STATUS_LABELS[row.status] },
          { heading: "Due date", isNumber: true, cell: (row) => date(row.due_date) },
          { heading: "Time to due date", isNumber: true, cell: (row) => relativeDays(row.days_until_due) },
          {
            heading: "Last inspection",
            isNumber: true,
            cell: (row) => (row.last_inspection === null ? "Never" : date(row.last_inspection)),
          },
        ]}
      />
    </Section>
  );
}
