import type {
  DeliveryJson,
  FailureGroupsJson,
  PartnerDeliveryPageJson,
} from "../../api-schemas/delivery-schema.ts";
import { WEBHOOK_EVENTS } from "../../domain/partner.ts";
import { hrefTo, type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { formatPageWholeNumber } from "../page/page-format.ts";
import { FilterRow, SelectFilter } from "../widgets/filters.tsx";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { PreviousNextButtons } from "../widgets/pager.tsx";
import { VirtualTable } from "../widgets/virtual-table.tsx";
import { useAdminRead, useConsoleTitle } from "./console-context.ts";
import { ConsoleDeliveryFailures } from "./console-delivery-failures.tsx";
import { ConsolePartnerField } from "./console-partner-field.tsx";
import { ConsolePeriodFilter, useConsolePeriodBounds } from "./console-period-filter.tsx";
import { ConsoleHeading } from "./console-shell.tsx";
import { DELIVERY_LABELS } from "./console-status-labels.ts";

const FILTERS = ["partner_id", "status", "event", "offset"];

/** Lists the webhook deliveries of all partners, and resends failed ones. */
export function ConsoleDeliveriesPage({ route }: { route: Route }) {
  const of = (name: string) => route.query.get(name) ?? "";
  const filters = FILTERS.map((name) => [name, of(name)]).filter(([, value]) => value !== "");
  const { bounds, moveToNow } = useConsolePeriodBounds(route);
  const query = new URLSearchParams([...filters, ...Object.entries(bounds)]);
  const isFiltered = query.size > 0;
  const loaded = useAdminRead<PartnerDeliveryPageJson>(
    `/admin/webhook-deliveries?${query}`,
    undefined,
    String(route.query),
  );
  const group = { ...(of("partner_id") && { partner_id: of("partner_id") }), ...bounds };
  const failures = useAdminRead<FailureGroupsJson>(`/admin/webhook-failures?${new URLSearchParams(group)}`);
  const again = () => {
    loaded.reload();
    failures.reload();
  };
  const refresh = () => {
    moveToNow();
    again();
  };
  const set = (changes: Record<string, string>) => replaceBrowserUrlQuery(route, { offset: "", ...changes });
  useConsoleTitle("Deliveries");
  return (
    <>
      <ConsoleHeading title="Deliveries" about="Webhook deliveries to partners, newest first." />
      <FilterRow>
        <ConsolePartnerField
          label="Partner"
          value={of("partner_id")}
          onChange={(partner_id) => set({ partner_id })}
        />
        <SelectFilter
          label="Status"
          value={of("status")}
          choices={Object.entries(DELIVERY_LABELS).map(([status, { name }]) => [status, name])}
          onChange={(status) => set({ status })}
        />
        <SelectFilter
          label="Event"
          value={of("event")}
          choices={WEBHOOK_EVENTS.map((event) => [event, event])}
          onChange={(event) => set({ event })}
        />
        <ConsolePeriodFilter route={route} onChange={set} />
        <button type="button" class="outline" aria-busy={loaded.isLoading} onClick={refresh}>
          Refresh
        </button>
      </FilterRow>
      <ConsoleDeliveryFailures loaded={failures} since={bounds.since} onResent={again} />
      <LoadedContent loaded={loaded} what="the deliveries">
        {(page) =>
          page.total === 0 ? (
            <EmptyState title={isFiltered ? "No matching deliveries" : "No deliveries yet"}>
              <p>
                {isFiltered ? (
                  <a href={hrefTo(["deliveries"])}>Show all deliveries</a>
                ) : (
                  "Deliveries appear after a webhook URL is set for a partner and an event occurs."
                )}
              </p>
            </EmptyState>
          ) : (
            <section class="card" aria-label="Deliveries">
              <VirtualTable
                caption="Deliveries"
                rows={page.deliveries}
                rowKey={({ id }) => id}
                columns={[
                  { key: "event", heading: "Event", cell: EventName },
                  { key: "status", heading: "Status", width: "medium", cell: ConsoleDeliveryStatus },
                  {
                    key: "partner",
                    heading: "Partner",
                    shownFrom: "medium",
                    cell: ({ partner_id, partner_name }) => (
                      <a class="name" href={hrefTo(["partners", partner_id])}>
                        <bdi>{partner_name}</bdi>
                      </a>
                    ),
                  },
                  {
                    key: "attempts",
                    heading: "Attempts",
                    isNumber: true,
                    shownFrom: "wide",
                    cell: ({ attempt_count }) => formatPageWholeNumber(attempt_count),
                  },
                  { key: "response", heading: "Last response", shownFrom: "wide", cell: lastResponse },
                ]}
              />
              <PreviousNextButtons
                page={page}
                one="delivery"
                many="deliveries"
                onOffset={(offset) => replaceBrowserUrlQuery(route, { offset: String(offset) })}
              />
            </section>
          )
        }
      </LoadedContent>
    </>
  );
}

function EventName({ id, event, subject, created_at }: DeliveryJson) {
  return (
    <>
      <a class="name" href={hrefTo(["deliveries", id])}>
        {event}
      </a>
      {subject !== null && (
        <bdi class="under small" title={subject}>
          {subject}
        </bdi>
      )}
      <span class="under small muted">
        <InstantWithLocalTime at={created_at} />
      </span>
    </>
  );
}

/** Shows the status of a delivery in words. */
export function ConsoleDeliveryStatus({ status }: Pick<DeliveryJson, "status">) {
  const { name, chip } = DELIVERY_LABELS[status];
  return <span class={`chip ${chip}`}>{name}</span>;
}

function lastResponse({ attempts }: DeliveryJson): string {
  const last = attempts.at(-1);
  return last ? (last.error ?? `HTTP ${last.status_code}`) : "Queued";
}
