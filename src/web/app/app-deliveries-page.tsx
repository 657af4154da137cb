import { useState } from "preact/hooks";
import type { DeliveryJson, DeliveryPageJson } from "../../api-schemas/delivery-schema.ts";
import type { DeliveryStatus } from "../../domain/partner.ts";
import { hrefTo, type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { formatPageCount, formatPageWholeNumber } from "../page/page-format.ts";
import { SectionTable } from "../sections/section.tsx";
import { FilterRow, SelectFilter } from "../widgets/filters.tsx";
import { LoadMore } from "../widgets/load-more.tsx";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { showToast } from "../widgets/toasts.tsx";
import { appLabelWithDetails, useAppCallCost } from "./app-call-cost.ts";
import { useApp, useAppTitle } from "./app-context.ts";
import { useAppPagedList } from "./app-paged-list.ts";
import { AppWebhookEndpoint } from "./app-webhook-endpoint.tsx";

const STATUS_LABELS: Readonly<Record<DeliveryStatus, { name: string; chip: string }>> = {
  failed: { name: "Failed", chip: "overdue" },
  pending: { name: "Pending", chip: "due_soon" },
  delivered: { name: "Delivered", chip: "ok" },
};

const EVENTS = [
  "component.critical",
  "component.warning",
  "component.recovered",
  "service_event.created",
  "property.created",
  "appliance.created",
  "sensor.received",
  "sensor.smart",
  "webhook.test",
];

/** The deliveries to the partner's webhook endpoint, with every attempt. Finished ones can be sent again. */
export function AppDeliveriesPage({ route }: { route: Route }) {
  const { api } = useApp();
  useAppTitle("Deliveries");
  const parameter = (name: string) => route.query.get(name) ?? "";
  const filters = Object.entries({ status: parameter("status"), event: parameter("event") }).filter(
    ([, value]) => value,
  );
  const path = `/v1/webhook-deliveries${filters.length > 0 ? `?${new URLSearchParams(filters)}` : ""}`;
  const list = useAppPagedList(api, path, ({ deliveries }: DeliveryPageJson) => deliveries);
  const set = (changes: Record<string, string>) => replaceBrowserUrlQuery(route, changes);
  const costOf = useAppCallCost();
  const refresh = () => {
    api.refresh();
    list.reload();
  };
  return (
    <>
      <header class="heading">
        <div>
          <h1>Deliveries</h1>
          <p class="muted">Events sent to your webhook endpoint, newest first.</p>
        </div>
      </header>
      <AppWebhookEndpoint onSent={refresh} />
      <FilterRow>
        <SelectFilter
          label="Status"
          value={parameter("status")}
          choices={Object.entries(STATUS_LABELS).map(([status, { name }]) => [status, name])}
          onChange={(status) => set({ status })}
        />
        <SelectFilter
          label="Event"
          value={parameter("event")}
          choices={EVENTS.map((event) => [event, event])}
          onChange={(event) => set({ event })}
        />
        <p class="result-count" role="status">
          {list.value && formatPageCount(list.value.total, "delivery", "deliveries")}
        </p>
        <button type="button" class="outline" aria-busy={list.isLoading} onClick={refresh}>
          {appLabelWithDetails("Refresh", costOf(1))}
        </button>
      </FilterRow>
      <LoadedContent loaded={list} what="the deliveries">
        {({ rows, total }) =>
          rows.length === 0 ? (
            <EmptyState title={filters.length === 0 ? "No deliveries yet" : "No matching deliveries"}>
              <p>
                {filters.length === 0 ? (
                  "Deliveries appear after your administrator sets a webhook URL and an event occurs."
                ) : (
                  <a href={hrefTo(["deliveries"])}>Show all deliveries</a>
                )}
              </p>
            </EmptyState>
          ) : (
            <section class="card" aria-label="Deliveries">
              <ul class="deliveries">
                {rows.map((delivery) => (
                  <Delivery key={delivery.id} delivery={delivery} onResent={refresh} />
                ))}
              </ul>
              <LoadMore
                loaded={rows.length}
                total={total}
                isLoading={list.isLoading}
                onMore={list.loadMore}
              />
            </section>
          )
        }
      </LoadedContent>
    </>
  );
}

function Delivery({ delivery, onResent }: { delivery: DeliveryJson; onResent: () => void }) {
  const { id, event, subject, status, created_at, attempts, next_attempt_at } = delivery;
  const last = attempts.at(-1);
  return (
    <li>
      <div class="line">
        <span class={`chip ${STATUS_LABELS[status].chip}`}>{STATUS_LABELS[status].name}</span>
        <span class="event">
          <strong>{event}</strong>{" "}
          <span class="small muted">
            <InstantWithLocalTime at={created_at} />
          </span>
          {subject !== null && <bdi class="small under">{subject}</bdi>}
          <span class="small muted under">
            {last ? `${outcomeOf(last)} on attempt ${formatPageWholeNumber(last.attempt)}` : "Queued"}
            {next_attempt_at !== null && (
              <>
                {" · next attempt "}
                <InstantWithLocalTime at={next_attempt_at} />
              </>
            )}
          </span>
        </span>
        {status !== "pending" && <ResendButton id={id} onResent={onResent} />}
      </div>
      <details>
        <summary class="small">
          {formatPageCount(attempts.length, "attempt")}
          <span class="visually-hidden"> of {id}</span>
        </summary>
        <p class="small muted">
          <code>{id}</code>
        </p>
        <SectionTable
          caption={`Attempts of ${id}`}
          rows={attempts}
          columns={[
            { heading: "Attempt", cell: (row) => formatPageWholeNumber(row.attempt) },
            { heading: "Started", cell: (row) => <InstantWithLocalTime at={row.started_at} /> },
            {
              heading: "Duration",
              isNumber: true,
              cell: (row) => `${formatPageWholeNumber(row.duration_ms)} ms`,
            },
            { heading: "Outcome", cell: outcomeOf },
            { heading: "Response", cell: (row) => <code>{row.response_head}</code> },
          ]}
        />
      </details>
    </li>
  );
}

const outcomeOf = (attempt: DeliveryJson["attempts"][number]) =>
  attempt.error ?? `HTTP ${attempt.status_code}`;

function ResendButton({ id, onResent }: { id: string; onResent: () => void }) {
  const { api } = useApp();
  const [isSending, setSending] = useState(false);
  const resend = async () => {
    setSending(true);
    try {
      await api.write("POST", `/v1/webhook-deliveries/${encodeURIComponent(id)}/resend`);
      showToast("Queued for redelivery (same ID and payload).");
      onResent();
    } catch (thrown) {
      showToast(thrown instanceof Error ? thrown.message : String(thrown), { isFailure: true });
    }
    setSending(false);
  };
  return (
    <button
      type="button"
      class="outline"
      aria-label={`Resend ${id}`}
      aria-busy={isSending}
      disabled={isSending}
      onClick={() => void resend()}
    >
      Resend
    </button>
  );
}
