import { useEffect, useState } from "preact/hooks";
import { counted } from "../format.ts";
import { Section } from "../sections/section.tsx";
import { useAction, useConsole } from "./console-context.ts";
import { PartnerField } from "./partner-field.tsx";

type Window = { partner_id: string; from: string; to: string };
type Counted = Window & { matched: number; resent: number };

const DAY_MS = 86_400_000;
const inField = (at: number) => new Date(at).toISOString().slice(0, 16);

/** Sends a partner's failed deliveries of a window of time again, after they were counted. */
export function ResendFailed(props: {
  /** Whose are looked at above. */
  partnerId: string;
  onResent: () => void;
}) {
  const { partnerId: shown, onResent } = props;
  const [partnerId, setPartnerId] = useState(shown);
  useEffect(() => setPartnerId(shown), [shown]);
  const { api } = useConsole();
  const { isRunning, run } = useAction();
  const [found, setFound] = useState<Counted>();
  const path = "/admin/webhook-deliveries/resend";
  const look = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(given.get(name));
    const window = { partner_id: partnerId, from: `${text("from")}:00Z`, to: `${text("to")}:00Z` };
    setFound(await run(() => api.write<Counted>("POST", path, { ...window, dry_run: true })));
  };
  const send = async ({ partner_id, from, to }: Counted) => {
    const sent = await run(() => api.write<Counted>("POST", path, { partner_id, from, to, dry_run: false }));
    if (!sent) return;
    setFound(sent);
    onResent();
  };
  return (
    <Section
      id="resend"
      title="Send what failed again"
      about="A partner’s failed deliveries of a window of time, with the same ids and bytes, in the order in which they were made."
    >
      <form class="fields" onSubmit={(event) => void look(event)} onInput={() => setFound(undefined)}>
        <PartnerField label="Partner" value={partnerId} onChange={setPartnerId} isRequired />
        <label>
          From (UTC)
          <input name="from" type="datetime-local" required defaultValue={inField(Date.now() - DAY_MS)} />
        </label>
        <label>
          To (UTC)
          <input name="to" type="datetime-local" required defaultValue={inField(Date.now() + 60_000)} />
        </label>
        <p class="choices">
          <span role="status">
            {found &&
              (found.resent > 0
                ? `${counted(found.resent, "delivery", "deliveries")} on the way again.`
                : `${counted(found.matched, "failed delivery", "failed deliveries")} in this window.`)}
          </span>
          {found && found.matched > 0 && found.resent === 0 ? (
            <button type="button" aria-busy={isRunning} disabled={isRunning} onClick={() => void send(found)}>
              Send {counted(found.matched, "delivery", "deliveries")} again
            </button>
          ) : (
            <button type="submit" class="outline" aria-busy={isRunning} disabled={isRunning}>
              Count them
            </button>
          )}
        </p>
      </form>
    </Section>
  );
}
