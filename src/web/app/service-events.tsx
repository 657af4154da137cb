import type { HistoryEventJson } from "../../wire/service-event.ts";
import { date, money } from "../format.ts";
import { codeLabel } from "../labels.ts";

/** Service events in full. `about` names what was serviced. */
export function ServiceEvents<E extends HistoryEventJson>(props: {
  events: readonly E[];
  about?: (event: E) => string;
}) {
  const { events, about } = props;
  if (events.length === 0) return <p class="empty">No service events.</p>;
  return (
    <ol class="records">
      {events.map((event) => (
        <li key={event.id}>
          <time class="muted" dateTime={event.date}>
            {date(event.date)}
          </time>
          <div>
            <p>
              <strong>{event.event_type}</strong>
              {about && `, ${about(event)}`}
              {event.condition_after && ` · condition after: ${codeLabel(event.condition_after)}`}
              {event.technician && (
                <span class="muted">
                  {" · "}
                  <bdi>{event.technician}</bdi>
                </span>
              )}
            </p>
            {event.inspection_types.length > 0 && (
              <p class="small muted">{event.inspection_types.map(codeLabel).join(" · ")}</p>
            )}
            {event.notes && (
              <p class="small">
                <bdi>{event.notes}</bdi>
              </p>
            )}
          </div>
          <span class="number">{event.total_cost === null ? "" : money(event.total_cost)}</span>
        </li>
      ))}
    </ol>
  );
}
