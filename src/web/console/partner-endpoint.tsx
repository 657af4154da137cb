import { useState } from "preact/hooks";
import type { AnnouncedStateJson, FullPartnerJson, ProbeJson } from "../../wire/partner.ts";
import type { PartnerTaskJson } from "../../wire/partner-task.ts";
import { useLoaded } from "../browser/loaded.ts";
import { addressOf } from "../browser/place.ts";
import { Showing } from "../browser/states.tsx";
import { count, counted, moment } from "../format.ts";
import { Section } from "../sections/section.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { useAction, useConsole } from "./console-context.ts";
import { VERDICT_WORDS } from "./words.ts";

/** Tries out a partner's receiver, and tells it what it has missed. */
export function PartnerEndpoint(props: {
  partner: FullPartnerJson;
  path: string;
  task: PartnerTaskJson | null;
  onChange: () => void;
}) {
  const { partner, path, task, onChange } = props;
  if (partner.webhook_url === null) return null;
  const announcing = task?.kind === "announce" ? task : null;
  return (
    <Section
      id="receiver"
      title="Try the receiver out"
      about="A test is signed as every delivery is. A probe is signed wrongly on purpose: a receiver that takes it believes anybody."
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
      {announcing && (
        <p class="small" role="status">
          {announcing.status === "running"
            ? `The present state is being queued, since ${moment(announcing.started_at)}.`
            : announcing.status === "failed"
              ? `The present state was not told in full: ${announcing.error}`
              : `The present state was queued ${moment(announcing.finished_at!)}: ${counted(announcing.counts?.queued ?? 0, "delivery", "deliveries")}.`}{" "}
          <a href={addressOf(["deliveries"], { partner_id: partner.partner_id })}>Its deliveries</a>
        </p>
      )}
    </Section>
  );
}

function SendTest({ partner, path }: { partner: FullPartnerJson; path: string }) {
  const { api } = useConsole();
  const { run } = useAction();
  return (
    <ConfirmDialog
      name="Send a test"
      title={`Send ${partner.name} a webhook.test?`}
      onConfirm={async (given) => {
        const message = String(given.get("message")).trim();
        const sent = await run(() =>
          api.write<{ id: string }>("POST", `${path}/webhook-test`, message === "" ? {} : { message }),
        );
        if (sent) location.hash = addressOf(["deliveries", sent.id]);
      }}
    >
      <label>
        What it says
        <input
          name="message"
          maxLength={500}
          placeholder="This is a test of your webhook endpoint."
          autoComplete="off"
        />
      </label>
      <p class="small mute">A receiver that is paused is tried again at once.</p>
    </ConfirmDialog>
  );
}

function ProbeButton({ path }: { path: string }) {
  const { api } = useConsole();
  const { isRunning, run } = useAction();
  const [found, setFound] = useState<ProbeJson>();
  const probe = async () => setFound(await run(() => api.write<ProbeJson>("POST", `${path}/webhook-probe`)));
  return (
    <>
      <button
        type="button"
        class="outline"
        aria-busy={isRunning}
        disabled={isRunning}
        onClick={() => void probe()}
      >
        Probe it
      </button>
      <span role="status">{found && <Verdict probe={found} />}</span>
    </>
  );
}

/** What a receiver did with a delivery that was signed wrongly. */
export function Verdict({ probe }: { probe: ProbeJson }) {
  const { words, chip } = VERDICT_WORDS[probe.verdict];
  return (
    <>
      <span class={`chip ${chip}`}>{words}</span>{" "}
      <span class="small mute">
        {probe.error ?? `answered ${probe.status_code}`} in {count(probe.duration_ms)} ms
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
  const { run } = useAction();
  if (isRunning) return null;
  return (
    <ConfirmDialog
      name="Announce the present state"
      title={`Tell ${partner.name} what is elevated now?`}
      onConfirm={async () => {
        await run(() => api.write("POST", `${path}/announce`, {}), "It is being queued.");
        onChange();
      }}
    >
      <AlertCount path={path} />
      <p class="small mute">
        For a receiver that was set after the components had crossed their tiers. Asked twice, it tells twice.
      </p>
    </ConfirmDialog>
  );
}

/** How many deliveries an announcement would be. */
function AlertCount({ path }: { path: string }) {
  const { api } = useConsole();
  const loaded = useLoaded(path, () =>
    api.write<AnnouncedStateJson>("POST", `${path}/announce`, { dry_run: true }),
  );
  return (
    <Showing loaded={loaded} what="the count">
      {({ critical, warning, queued }) => (
        <p>
          {count(critical)} critical and {count(warning)} warning components:{" "}
          <strong>{counted(queued, "delivery", "deliveries")}</strong> to{" "}
          {queued < critical + warning ? "a receiver that wants no others." : "its receiver."}
        </p>
      )}
    </Showing>
  );
}
