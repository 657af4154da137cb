import { useState } from "preact/hooks";
import type { AnnouncedStateJson, FullPartnerJson, ProbeJson } from "../../api-schemas/partner-schema.ts";
import type { PartnerTaskJson } from "../../api-schemas/partner-task-schema.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { useLoad } from "../browser/use-load.ts";
import { formatPageCount, formatPageWholeNumber } from "../page/page-format.ts";
import { ReportSection } from "../sections/section.tsx";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { useAdminAction, useConsole } from "./console-context.ts";
import { VERDICT_LABELS } from "./console-status-labels.ts";

/** Tests a partner's webhook endpoint, and sends it the current alerts. */
export function ConsolePartnerEndpoint(props: {
  partner: FullPartnerJson;
  path: string;
  task: PartnerTaskJson | null;
  onChange: () => void;
}) {
  const { partner, path, task, onChange } = props;
  if (partner.webhook_url === null) return null;
  const sending = task?.kind === "announce" ? task : null;
  return (
    <ReportSection
      id="endpoint"
      title="Test the webhook endpoint"
      about="A test event has a valid signature. The verification check sends an invalid one: an endpoint that accepts it does not verify signatures."
    >
      <p class="choices">
        <SendTest partner={partner} path={path} />
        <SendAlerts
          partner={partner}
          path={path}
          isRunning={task?.status === "running"}
          onChange={onChange}
        />
        <ProbeButton path={path} />
      </p>
      {sending && (
        <p class="small" role="status">
          {sending.status === "running" ? (
            <>
              Queuing current alerts since <InstantWithLocalTime at={sending.started_at} />.
            </>
          ) : sending.status === "failed" ? (
            `Not all current alerts were sent: ${sending.error}`
          ) : (
            <>
              Current alerts queued <InstantWithLocalTime at={sending.finished_at!} />:{" "}
              {formatPageCount(sending.counts?.queued ?? 0, "delivery", "deliveries")}.
            </>
          )}{" "}
          <a href={hrefTo(["deliveries"], { partner_id: partner.partner_id })}>Show deliveries</a>
        </p>
      )}
    </ReportSection>
  );
}

function SendTest({ partner, path }: { partner: FullPartnerJson; path: string }) {
  const { api } = useConsole();
  const { run } = useAdminAction();
  return (
    <ConfirmDialog
      name="Send test event"
      title={`Send a test event to ${partner.name}?`}
      onConfirm={async (form) => {
        const message = String(form.get("message")).trim();
        const sent = await run(() =>
          api.write<{ id: string }>("POST", `${path}/webhook-test`, message === "" ? {} : { message }),
        );
        if (sent) location.hash = hrefTo(["deliveries", sent.id]);
      }}
    >
      <label>
        Message
        <input
          name="message"
          maxLength={500}
          placeholder="This is a test of your webhook endpoint."
          autoComplete="off"
        />
      </label>
      <p class="small muted">A paused endpoint is retried immediately.</p>
    </ConfirmDialog>
  );
}

function ProbeButton({ path }: { path: string }) {
  const { api } = useConsole();
  const { isRunning, run } = useAdminAction();
  const [result, setResult] = useState<ProbeJson>();
  const probe = async () => setResult(await run(() => api.write<ProbeJson>("POST", `${path}/webhook-probe`)));
  return (
    <>
      <button
        type="button"
        class="outline"
        aria-busy={isRunning}
        disabled={isRunning}
        onClick={() => void probe()}
      >
        Check signature verification
      </button>
      <span role="status">{result && <ConsoleEndpointVerdict probe={result} />}</span>
    </>
  );
}

/** Shows how an endpoint responded to a delivery with an invalid signature. */
export function ConsoleEndpointVerdict({ probe }: { probe: ProbeJson }) {
  const { name, chip } = VERDICT_LABELS[probe.verdict];
  return (
    <>
      <span class={`chip ${chip}`}>{name}</span>{" "}
      <span class="small muted">
        {probe.error ?? `HTTP ${probe.status_code}`} in {formatPageWholeNumber(probe.duration_ms)} ms
      </span>
    </>
  );
}

function SendAlerts(props: {
  partner: FullPartnerJson;
  path: string;
  isRunning: boolean;
  onChange: () => void;
}) {
  const { partner, path, isRunning, onChange } = props;
  const { api } = useConsole();
  const { run } = useAdminAction();
  if (isRunning) return null;
  return (
    <ConfirmDialog
      name="Send current alerts"
      title={`Send all current alerts to ${partner.name}?`}
      onConfirm={async () => {
        await run(() => api.write("POST", `${path}/announce`, {}), "Queuing current alerts.");
        onChange();
      }}
    >
      <AlertCount path={path} />
      <p class="small muted">
        Use this when an endpoint was added after alerts were raised. Running it again sends duplicates.
      </p>
    </ConfirmDialog>
  );
}

/** Shows how many deliveries the current alerts would create. */
function AlertCount({ path }: { path: string }) {
  const { api } = useConsole();
  const loaded = useLoad(path, () =>
    api.write<AnnouncedStateJson>("POST", `${path}/announce`, { dry_run: true }),
  );
  return (
    <LoadedContent loaded={loaded} what="the count">
      {({ critical, warning, queued }) => (
        <p>
          {formatPageWholeNumber(critical)} critical and {formatPageWholeNumber(warning)} warning components:{" "}
          <strong>{formatPageCount(queued, "delivery", "deliveries")}</strong>
          {queued < critical + warning ? ". The endpoint is not subscribed to the others." : "."}
        </p>
      )}
    </LoadedContent>
  );
}
