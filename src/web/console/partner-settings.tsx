import type { FullPartnerJson } from "../../wire/partner.ts";
import { Section } from "../sections/section.tsx";
import { useAction, useConsole } from "./console-context.ts";
import { EVENTS } from "./words.ts";

/** A partner's budget and receiver, to be changed. */
export function PartnerSettings(props: { partner: FullPartnerJson; path: string; onChange: () => void }) {
  const { partner, path, onChange } = props;
  const { api } = useConsole();
  const { isRunning, run } = useAction();
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(given.get(name)).trim();
    const events = given.getAll("event");
    const url = text("url") || null;
    const wanted = {
      daily_budget: Number(text("budget")),
      // A receiver whose address is set is taken for healthy: only what was changed is sent.
      ...(url !== partner.webhook_url && { webhook_url: url }),
      webhook_events: events.length === EVENTS.length ? null : events,
      webhook_concurrency: text("concurrency") === "" ? null : Number(text("concurrency")),
    };
    if (await run(() => api.write("PUT", path, wanted), "Saved.")) onChange();
  };
  const { webhook_events: chosen } = partner;
  return (
    <Section id="settings" title="Budget and receiver">
      <form class="fields" onSubmit={(event) => void save(event)}>
        <label>
          Calls a day
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
          Webhook address
          <input
            name="url"
            type="url"
            autoComplete="off"
            placeholder="None: no webhooks are sent"
            defaultValue={partner.webhook_url ?? ""}
          />
        </label>
        <label>
          Deliveries at a time
          <input
            name="concurrency"
            type="number"
            min={1}
            max={64}
            placeholder="The setting’s number"
            defaultValue={partner.webhook_concurrency === null ? "" : String(partner.webhook_concurrency)}
          />
        </label>
        <fieldset>
          <legend>Events that it is told of</legend>
          {EVENTS.map((event) => (
            <label>
              <input
                type="checkbox"
                name="event"
                value={event}
                defaultChecked={chosen === null || chosen.includes(event)}
              />
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
    </Section>
  );
}
