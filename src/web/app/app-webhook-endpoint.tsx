import { useState } from "preact/hooks";
import type { OwnEndpointJson } from "../../api-schemas/own-endpoint-schema.ts";
import { useLoad } from "../browser/use-load.ts";
import { messageOfFailedEdit } from "../records/edit-record.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { showToast } from "../widgets/toasts.tsx";
import { useApp } from "./app-context.ts";

const PATH = "/v1/webhook-endpoint";

/** The partner's webhook endpoint, with a button that sends a test event to it. */
export function AppWebhookEndpoint({ onSent }: { onSent: () => void }) {
  const { api } = useApp();
  const [isBusy, setBusy] = useState(false);
  const loaded = useLoad("endpoint", () => api.read<OwnEndpointJson>(PATH));
  const send = async () => {
    setBusy(true);
    const failure = await messageOfFailedEdit(async () => {
      await api.write("POST", `${PATH}/test`);
      showToast("The test event was sent. Its delivery is listed first.");
      onSent();
    });
    setBusy(false);
    if (failure !== undefined) showToast(failure, { isFailure: true });
  };
  return (
    <section class="card endpoint" aria-labelledby="endpoint-title">
      <h2 id="endpoint-title">Your endpoint</h2>
      <LoadedContent loaded={loaded} what="the endpoint">
        {({ url, events, failing_since, paused_at, last_error }) =>
          url === null ? (
            <p class="empty">Your operator has not set a webhook URL.</p>
          ) : (
            <>
              <p>
                <code>{url}</code>
              </p>
              <p class="small muted">{events === null ? "All events" : events.join(", ")}</p>
              {failing_since !== null && (
                <p role="alert">
                  {paused_at === null ? "Failing" : "Paused"} since{" "}
                  <InstantWithLocalTime at={failing_since} />
                  {last_error !== null && `: ${last_error}`}
                </p>
              )}
              <button
                type="button"
                class="outline"
                aria-busy={isBusy}
                disabled={isBusy}
                onClick={() => void send()}
              >
                Send a test event
              </button>
            </>
          )
        }
      </LoadedContent>
    </section>
  );
}
