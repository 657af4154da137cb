import type { FullPartnerJson } from "../../api-schemas/partner-schema.ts";
import { WEBHOOK_EVENTS } from "../../domain/partner.ts";
import { pageEditConflictMessage } from "../records/edit-record.tsx";
import { ReportSection } from "../sections/section.tsx";
import { useAdminAction, useConsole } from "./console-context.ts";

const LABELS = {
  name: "Name",
  daily_budget: "Daily API call limit",
  webhook_url: "Webhook URL",
  webhook_events: "Subscribed events",
  webhook_concurrency: "Concurrent deliveries",
};

/** Edits a partner's name, daily call limit and webhook endpoint. */
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
    const events = form.getAll("event").map(String);
    const name = text("name");
    const budget = Number(text("budget"));
    const url = text("url") || null;
    const concurrency = text("concurrency") === "" ? null : Number(text("concurrency"));
    // Sends only what was changed here: others may have changed the rest since, and setting the URL resets the endpoint's health.
    const change = {
      ...(name !== partner.name && { name }),
      ...(budget !== partner.daily_budget && { daily_budget: budget }),
      ...(url !== partner.webhook_url && { webhook_url: url }),
      ...(String(events) !== String(checked) && {
        webhook_events: events.length === WEBHOOK_EVENTS.length ? null : events,
      }),
      ...(concurrency !== partner.webhook_concurrency && { webhook_concurrency: concurrency }),
    };
    const send = async () => {
      const readNow = () => api.read<FullPartnerJson>(path);
      const changed = await pageEditConflictMessage(readNow, partner, LABELS, change);
      if (changed !== undefined) throw new Error(changed);
      return await api.write("PUT", path, change);
    };
    if (await run(send, "Saved.")) onChange();
  };
  return (
    <ReportSection id="settings" title="Name, API limit and webhook endpoint">
      <form class="fields" onSubmit={(event) => void save(event)}>
        <label>
          {LABELS.name}
          <input name="name" required maxLength={500} autoComplete="off" defaultValue={partner.name} />
        </label>
        <label>
          {LABELS.daily_budget}
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
          {LABELS.webhook_url}
          <input
            name="url"
            type="url"
            autoComplete="off"
            placeholder="None (no webhooks are sent)"
            defaultValue={partner.webhook_url ?? ""}
          />
        </label>
        <label>
          {LABELS.webhook_concurrency}
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
          <legend>{LABELS.webhook_events}</legend>
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
