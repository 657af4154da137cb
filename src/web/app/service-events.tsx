import { date, money } from "../format.ts";
import { type Column, DataTable } from "../sections/section.tsx";
import { sentence } from "../words.ts";
import type { ServiceEventForm } from "./forms.ts";

/** What was done, the newest first, in full. `about`: to what. */
export function ServiceEvents<E extends ServiceEventForm>(props: {
  events: readonly E[];
  about?: (event: E) => string;
}) {
  const { events, about } = props;
  if (events.length === 0) return <p class="empty">Nothing is on record.</p>;
  const columns: Column<E>[] = [
    { heading: "Day", cell: (event) => date(event.date) },
    { heading: "Event", cell: (event) => <span class="one-line">{event.event_type}</span> },
    ...(about ? [{ heading: "Of", cell: about }] : []),
    {
      heading: "Left it",
      cell: (event) => (event.condition_after ? sentence(event.condition_after) : "–"),
    },
    {
      heading: "Cost",
      isNumber: true,
      cell: (event) => (event.total_cost === null ? "–" : money(event.total_cost)),
    },
    { heading: "By", cell: (event) => <bdi>{event.technician ?? "–"}</bdi> },
    { heading: "Notes", cell: (event) => <bdi>{event.notes ?? ""}</bdi> },
  ];
  return <DataTable caption="Service events, the newest first" rows={events} columns={columns} />;
}
