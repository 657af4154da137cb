import type { HistoryEventJson } from "../../api-schemas/service-event-schema.ts";
import { CONDITIONS, EVENT_TYPES } from "../../domain/service-event.ts";
import { currencyCode } from "../../domain/wording/currency-and-unit-wording.ts";
import { pageCodeLabel, pageTextOfFoundCondition } from "../page/page-code-labels.ts";
import { formatPageDate, formatPageMoney } from "../page/page-format.ts";
import { type EditField, EditRecordDialog } from "./edit-record.tsx";
import { recordPath, useRecordsApi } from "./page-records-context.ts";
import { VoidRecordButton } from "./void-record.tsx";

/** Service events in full. `about` names what was serviced. */
export function ServiceEventRecords<E extends HistoryEventJson>(props: {
  events: readonly E[];
  about?: (event: E) => string;
  /** Called after a correction. */
  onChanged: () => void;
}) {
  const { events, about, onChanged } = props;
  if (events.length === 0) return <p class="empty">No service events.</p>;
  return (
    <ol class="records">
      {events.map((event) => (
        <li key={event.id}>
          <time class="muted" dateTime={event.date}>
            {formatPageDate(event.date)}
          </time>
          <div>
            <p>
              <strong>{event.event_type}</strong>
              {about && `, ${about(event)}`}
              {event.condition_after && ` · condition after: ${pageTextOfFoundCondition(event)}`}
              {event.technician && (
                <span class="muted">
                  {" · "}
                  <bdi>{event.technician}</bdi>
                </span>
              )}
            </p>
            {event.inspection_types.length > 0 && (
              <p class="small muted">{event.inspection_types.map(pageCodeLabel).join(" · ")}</p>
            )}
            {event.notes && (
              <p class="small">
                <bdi>{event.notes}</bdi>
              </p>
            )}
          </div>
          <span class="number">
            {event.total_cost === null ? "" : formatPageMoney(event.total_cost)}
            <Corrections event={event} onChanged={onChanged} />
          </span>
        </li>
      ))}
    </ol>
  );
}

/** The buttons that correct or void an event. */
function Corrections({ event, onChanged }: { event: HistoryEventJson; onChanged: () => void }) {
  const records = useRecordsApi();
  const path = recordPath("service-events", event.id);
  const put = async (body: object) => {
    await records.write("PUT", path, body);
    onChanged();
  };
  const name = `${event.event_type} of ${formatPageDate(event.date)}`;
  return (
    <span class="row-actions">
      <EditRecordDialog
        title={`Edit ${name}`}
        about="Scores and inspections are updated immediately. The audit log has the values before and after."
        record={event}
        fieldsOf={fieldsOf}
        path={path}
        onSave={put}
      />
      <VoidRecordButton
        title={`Void ${name}`}
        about="The event is kept as voided, and no longer counts. This cannot be undone: log it again if it was correct."
        onVoid={put}
      />
    </span>
  );
}

const fieldsOf = (event: HistoryEventJson): readonly EditField[] => [
  {
    name: "event_type",
    label: "Type",
    kind: "choice",
    value: event.event_type,
    options: EVENT_TYPES,
    isRequired: true,
  },
  { name: "date", label: "Date", kind: "day", value: event.date, isRequired: true },
  {
    name: "condition_after",
    label: "Condition after",
    kind: "choice",
    value: event.condition_after,
    options: [...CONDITIONS],
  },
  { name: "technician", label: "Technician", kind: "text", value: event.technician },
  { name: "total_cost", label: `Total cost (${currencyCode()})`, kind: "number", value: event.total_cost },
  {
    name: "inspection_types",
    label: "Inspections, separated by commas",
    kind: "list",
    value: event.inspection_types,
  },
  { name: "notes", label: "Notes", kind: "long", value: event.notes },
];
