import type { FullPartnerJson } from "../../api-schemas/partner-schema.ts";
import { WEBHOOK_EVENTS } from "../../domain/partner.ts";
import { ReportSection } from "../sections/section.tsx";
import { useAdminAction, useConsole } from "./console-context.ts";

/** Edits a partner's daily call limit and webhook endpoint. */
export function ConsolePartnerSettings(props: {
  partner: FullPartnerJson;
  path: string;
  onChange: () => void;
}) {
  const { partner, path, onChange } = props;
  const { api } = useConsole();
  const { isRunning, run } = useAdminAction();
  const { webhook_events: chosen } = partner;
  const checked = WEBHOOK_EVENTS.filter((event) => chosen === null || chosen.includes(event));
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name)).trim();
    const events = form.getAll("event");
    const budget = Number(text("budget"));
    const url = text("url") || null;
    const concurrency = text("concurrency") === "" ? null : Number(text("concurrency"));
    // Sends only what was changed here: others may have changed the rest since, and setting the URL resets the endpoint's health.
    const changes = {
      ...(budget !== partner.daily_budget && { daily_budget: budget }),
      ...(url !== partner.webhook_url && { webhook_url: url }),
      ...(String(events) !== String(checked) && {
        webhook_events: events.length === WEBHOOK_EVENTS.length ? null : events,
      }),
      ...(concurrency !== partner.webhook_concurrency && { webhook_concurrency: concurrency }),
    };
    if (await run(() => api.write("PUT", path, changes), "Saved.")) onChange();
  };
  return (
    <ReportSection id="settings" title="API limit and webhook endpoint">
      <form class="fields" onSubmit={(event) => void save(event)}>
        <label>
          Daily API call limit
          <input
            name="budget"
            type="number"
            min={0}
            step={1}
            required
            defaultValue={String(partner.daily_budget)}
          />
        </label>
        <label>
          Webhook URL
          <input
            name="url"
            type="url"
            autoComplete="off"
            placeholder="None (no webhooks are sent)"
            defaultValue={partner.webhook_url ?? ""}
          />
        </label>
        <label>
          Concurrent deliveries
          <input
            name="concurrency"
            type="number"
            min={1}
            max={64}
            placeholder="Default"
            defaultValue={partner.webhook_concurrency === null ? "" : String(partner.webhook_concurrency)}
          />
        </label>
        <fieldset>
          <legend>Subscribed events</legend>
          {WEBHOOK_EVENTS.map((event) => (
            <label>
              <input type="checkbox" name="event" value={event} defaultChecked={checked.includes(event)} />
              {event}
            </label>
          ))}
        </fieldset>
        <p class="choices">
          <button type="submit" aria-busy={isRunning} disabled={isRunning}>
            Save
          </button>
        </p>
      </form>
    </ReportSection>
  );
}
