import type { InspectionJson } from "../../wire/compliance.ts";
import { count, date, daysFromNow } from "../format.ts";
import { INSPECTION_WORDS, type Places, sentence } from "../words.ts";
import { type Csv, Numbers, Section } from "./section.tsx";

const SHOWN = 8;

/** The inspections that are due, overdue ones first. */
export function Inspections(props: {
  /** The first due first. */
  inspections: readonly InspectionJson[];
  places: Places;
  csv?: Csv;
}) {
  const { inspections, places, csv } = props;
  const overdue = inspections.filter(({ status }) => status === "OVERDUE").length;
  if (inspections.length === 0)
    return (
      <Section id="inspections" title="Inspections">
        <p class="empty">No inspection is asked of what is on record.</p>
      </Section>
    );
  return (
    <Section
      id="inspections"
      title="Inspections"
      about={
        overdue > 0
          ? `${count(overdue)} of ${count(inspections.length)} overdue by what is on record; one that was made and not reported counts as open.`
          : `None of ${count(inspections.length)} is overdue.`
      }
    >
      <ul class="inspections">
        {inspections.slice(0, SHOWN).map((one) => (
          <li>
            <span class={`chip ${one.status.toLowerCase()}`}>{INSPECTION_WORDS[one.status]}</span>
            <span>
              {sentence(one.inspection_type)} <span class="small mute">{places.of(one)}</span>
            </span>
            <span class="due">
              <time dateTime={one.due_date}>{date(one.due_date)}</time>
            </span>
          </li>
        ))}
      </ul>
      <Numbers
        summary={
          inspections.length > SHOWN ? `All ${count(inspections.length)} in a table` : "These in a table"
        }
        csv={csv}
        rows={inspections}
        columns={[
          { heading: "Inspection", cell: (one) => sentence(one.inspection_type) },
          { heading: "Of", cell: (one) => places.of(one) },
          { heading: "Asked by", cell: (one) => `${one.authority}${one.mandatory ? "" : " (recommended)"}` },
          { heading: "Status", cell: (one) => INSPECTION_WORDS[one.status] },
          { heading: "Due", isNumber: true, cell: (one) => date(one.due_date) },
          { heading: "That is", isNumber: true, cell: (one) => daysFromNow(one.days_until_due) },
          {
            heading: "Last",
            isNumber: true,
            cell: (one) => (one.last_inspection === null ? "none on record" : date(one.last_inspection)),
          },
        ]}
      />
    </Section>
  );
}
