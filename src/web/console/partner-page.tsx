import { useEffect, useState } from "preact/hooks";
import type { FullPartnerJson } from "../../wire/partner.ts";
import type { PartnerTaskJson } from "../../wire/partner-task.ts";
import { addressOf, type Place } from "../browser/place.ts";
import { Showing } from "../browser/states.tsx";
import { count, counted, date, moment } from "../format.ts";
import { Section } from "../sections/section.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { useAction, useConsole, useRead, useTitle } from "./console-context.ts";
import { type Credential, Credentials } from "./credentials.tsx";
import { PartnerEndpoint } from "./partner-endpoint.tsx";
import { PartnerDeleted, PartnerRemoval } from "./partner-removal.tsx";
import { PartnerSettings } from "./partner-settings.tsx";
import { PartnerUsage } from "./partner-usage.tsx";
import { EndpointStatus } from "./partners-page.tsx";
import { Heading } from "./shell.tsx";

const BUSY_REFRESHED_S = 2;

/** A partner, and all that can be done to it. */
export function PartnerPage({ id, place }: { id: string; place: Place }) {
  const path = `/admin/partners/${encodeURIComponent(id)}`;
  const loaded = useRead<FullPartnerJson>(path);
  const [shown, setShown] = useState<readonly Credential[]>();
  const [isBusy, setBusy] = useState(false);
  const { value: latest, again: lookAgain } = useRead<{ task: PartnerTaskJson | null }>(
    `${path}/task`,
    isBusy ? BUSY_REFRESHED_S : undefined,
  );
  const task = latest?.task ?? null;
  useEffect(() => setBusy(task?.status === "running"), [task]);
  useTitle(loaded.value?.name ?? "Partner");
  if (task?.kind === "purge" && task.status === "done") return <PartnerDeleted task={task} />;
  return (
    <>
      <p class="trail small">
        <a href={addressOf(["partners"])}>Partners</a>
      </p>
      <Showing loaded={loaded} what="the partner" isPage>
        {(partner) => (
          <>
            <Heading
              title={partner.name}
              about={
                <>
                  <code>{partner.partner_id}</code>, since {date(partner.created_at)}
                  {!partner.enabled && <span class="chip overdue">Disabled</span>}
                </>
              }
            >
              <EnableSwitch partner={partner} path={path} onChange={loaded.again} />
            </Heading>
            {shown && (
              <Credentials
                title={`New for ${partner.name}`}
                credentials={shown}
                onDone={() => setShown(undefined)}
              />
            )}
            <PartnerOverview partner={partner} />
            <PartnerUsage path={path} place={place} dailyBudget={partner.daily_budget} />
            <PartnerSettings
              key={JSON.stringify([partner.daily_budget, partner.webhook_url, partner.webhook_events])}
              partner={partner}
              path={path}
              onChange={loaded.again}
            />
            <PartnerEndpoint partner={partner} path={path} task={task} onChange={lookAgain} />
            <CredentialSection path={path} partner={partner} onNew={setShown} onChange={loaded.again} />
            <PartnerRemoval partner={partner} path={path} task={task} onChange={lookAgain} />
          </>
        )}
      </Showing>
    </>
  );
}

function PartnerOverview({ partner }: { partner: FullPartnerJson }) {
  const { partner_id, webhook_failing_since, webhook_paused_at, webhook_last_error } = partner;
  const since = webhook_paused_at ?? webhook_failing_since;
  const deliveries = (status: string) => addressOf(["deliveries"], { partner_id, status });
  return (
    <Section id="facts" title="How it stands">
      <dl class="facts">
        <div>
          <dt>Portfolio</dt>
          <dd>
            {counted(partner.properties, "property", "properties")},{" "}
            {counted(partner.appliances, "appliance")},{" "}
            <a href={addressOf(["components"], { of: partner_id })}>
              {counted(partner.components, "component")}
            </a>
          </dd>
        </div>
        <div>
          <dt>Receiver</dt>
          <dd>
            <EndpointStatus {...partner} />
            {since !== null && (
              <span class="small mute">
                {" "}
                since {moment(since)}: {webhook_last_error ?? "no answer"}
              </span>
            )}
          </dd>
        </div>
        <div>
          <dt>Deliveries</dt>
          <dd>
            <a href={deliveries("pending")}>{count(partner.deliveries_pending)} waiting</a>,{" "}
            <a href={deliveries("failed")}>{count(partner.deliveries_failed)} failed</a>
          </dd>
        </div>
        <div>
          <dt>Embeds</dt>
          <dd>
            <a href={addressOf(["embeds"], { partner_id })}>Pages of its properties in other sites</a>
          </dd>
        </div>
        <div>
          <dt>Client id</dt>
          <dd>{partner.client_id ? <code>{partner.client_id}</code> : "None"}</dd>
        </div>
        <div>
          <dt>Changes</dt>
          <dd>
            <a href={addressOf(["audit"], { subject: partner_id })}>What was changed, and by whom</a>
          </dd>
        </div>
      </dl>
    </Section>
  );
}

type ChangeProps = { partner: FullPartnerJson; path: string; onChange: () => void };

function EnableSwitch({ partner, path, onChange }: ChangeProps) {
  const { api } = useConsole();
  const { isRunning, run } = useAction();
  const turn = async (action: "enable" | "disable", said: string) => {
    await run(() => api.write("POST", `${path}/${action}`), said);
    onChange();
  };
  if (!partner.enabled)
    return (
      <button
        type="button"
        aria-busy={isRunning}
        disabled={isRunning}
        onClick={() => void turn("enable", `${partner.name} is enabled.`)}
      >
        Enable
      </button>
    );
  return (
    <ConfirmDialog
      name="Disable"
      title={`Disable ${partner.name}?`}
      isGrave
      onConfirm={() => turn("disable", `${partner.name} is disabled.`)}
    >
      <p>
        Its credentials are refused from now on, its bearer tokens end for good, and its deliveries wait until
        it is enabled again. Nothing is deleted.
      </p>
    </ConfirmDialog>
  );
}

function CredentialSection(props: ChangeProps & { onNew: (credentials: readonly Credential[]) => void }) {
  const { partner, path, onNew, onChange } = props;
  const { api } = useConsole();
  const { run } = useAction();
  const rotate = async (action: string, names: Readonly<Record<string, string>>, body?: unknown) => {
    const made = await run(() => api.write<Record<string, string>>("POST", `${path}/${action}`, body));
    if (!made) return;
    onNew(Object.entries(names).map(([field, name]) => ({ name, value: made[field]! })));
    onChange();
    scrollTo({ top: 0 });
  };
  return (
    <Section
      id="credentials"
      title="Credentials"
      about={
        api.session.shows_credentials
          ? "A new one is shown once. All but the webhook secret are stored as hashes: nobody can read them again."
          : "Partners reach this listener too, so it makes no credentials; the command line does."
      }
    >
      <p class="choices">
        {api.session.shows_credentials && (
          <>
            <ConfirmDialog
              name="New API key"
              title="Make a new API key?"
              isGrave
              onConfirm={() => rotate("rotate-key", { api_key: "API key" })}
            >
              <p>
                The present one ends at once. Programs that use it are refused until they have the new one.
              </p>
            </ConfirmDialog>
            <ConfirmDialog
              name="New client secret"
              title="Make a new client secret?"
              isGrave
              onConfirm={() =>
                rotate("rotate-secret", { client_id: "client id", client_secret: "client secret" })
              }
            >
              <p>The present one ends at once; bearer tokens that were bought with it live to their end.</p>
            </ConfirmDialog>
            <ConfirmDialog
              name="New webhook secret"
              title="Make a new webhook secret?"
              onConfirm={(given) =>
                rotate(
                  "rotate-webhook-secret",
                  { webhook_secret: "webhook secret" },
                  { overlap_hours: Number(given.get("overlap")) },
                )
              }
            >
              <label>
                Hours for which the present one goes on signing
                <input name="overlap" type="number" min={0} max={2160} value={24} required />
              </label>
              <p class="small mute">
                Meanwhile the new one’s signature is sent beside it. With 0 it takes over at once.
              </p>
            </ConfirmDialog>
          </>
        )}
        <ConfirmDialog
          name="End bearer tokens"
          title="End every bearer token?"
          isGrave
          onConfirm={async () => {
            await run(() => api.write("POST", `${path}/revoke-tokens`), "Its bearer tokens have ended.");
            onChange();
          }}
        >
          <p>{partner.name} has to ask for new ones. Its API key and client secret stay.</p>
        </ConfirmDialog>
      </p>
      {partner.webhook_secret_rotates_at && (
        <p class="small mute">
          The next webhook secret takes over {moment(partner.webhook_secret_rotates_at)}.
        </p>
      )}
    </Section>
  );
}
