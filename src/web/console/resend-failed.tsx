import { useEffect, useState } from "preact/hooks";
import { counted } from "../format.ts";
import { Section } from "../sections/section.tsx";
import { useAction, useConsole } from "./console-context.ts";
import { PartnerField } from "./partner-field.tsx";

type Resend = { partner_id: string; from: string; to: string; matched: number; resent: number };

const DAY_MS = 86_400_000;
const fieldValue = (at: number) => new Date(at).toISOString().slice(0, 16);

/** Counts a partner's failed deliveries in a time window, and resends them on request. */
export function ResendFailed(props: {
  /** The partner that the list above is filtered by; "" for none. */
  partnerId: string;
  onResent: () => void;
}) {
  const { partnerId: listed, onResent } = props;
  const [partnerId, setPartnerId] = useState(listed);
  useEffect(() => setPartnerId(listed), [listed]);
  const { api } = useConsole();
  const { isRunning, run } = useAction();
  const [result, setResult] = useState<Resend>();
  const path = "/admin/webhook-deliveries/resend";
  const countFailed = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name));
    const window = { partner_id: partnerId, from: `${text("from")}:00Z`, to: `${text("to")}:00Z` };
    setResult(await run(() => api.write<Resend>("POST", path, { ...window, dry_run: true })));
  };
  const resend = async ({ partner_id, from, to }: Resend) => {
    const sent = await run(() => api.write<Resend>("POST", path, { partner_id, from, to, dry_run: false }));
    if (!sent) return;
    setResult(sent);
    onResent();
  };
  return (
    <Section
      id="resend"
      title="Resend failed deliveries"
      about="Resends a partner’s failed deliveries from a time window in their original order, with the same IDs and payloads."
    >
      <form class="fields" onSubmit={(event) => void countFailed(event)} onInput={() => setResult(undefined)}>
        <PartnerField label="Partner" value={partnerId} onChange={setPartnerId} isRequired />
        <label>
          From (UTC)
          <input name="from" type="datetime-local" required defaultValue={fieldValue(Date.now() - DAY_MS)} />
        </label>
        <label>
          To (UTC)
          <input name="to" type="datetime-local" required defaultValue={fieldValue(Date.now() + 60_000)} />
        </label>
        <p class="choices">
          <span role="status">
            {result &&
              (result.resent > 0
                ? `${counted(result.resent, "delivery", "deliveries")} requeued.`
                : `${counted(result.matched, "failed delivery", "failed deliveries")} in this window.`)}
          </span>
          {result && result.matched > 0 && result.resent === 0 ? (
            <button
              type="button"
              aria-busy={isRunning}
              disabled={isRunning}
              onClick={() => void resend(result)}
            >
              Resend {counted(result.matched, "delivery", "deliveries")}
            </button>
          ) : (
            <button type="submit" class="outline" aria-busy={isRunning} disabled={isRunning}>
              Count failed deliveries
            </button>
          )}
        </p>
      </form>
    </Section>
  );
}
