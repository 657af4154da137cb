import { useEffect, useState } from "preact/hooks";
import type { FullPartnerJson } from "../../api-schemas/partner-schema.ts";
import type { PartnerTaskJson } from "../../api-schemas/partner-task-schema.ts";
import { hrefTo, type Route } from "../browser/browser-route.ts";
import {
  formatPageCount,
  formatPageDate,
  formatPageFileSize,
  formatPageWholeNumber,
} from "../page/page-format.ts";
import { ReportSection } from "../sections/section.tsx";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { DownloadWorkbookButton } from "../widgets/workbook-download.tsx";
import { useAdminAction, useAdminRead, useConsole, useConsoleTitle } from "./console-context.ts";
import { ConsoleNewCredentials, type Credential } from "./console-issued-credentials.tsx";
import { ConsolePartnerBrandForm } from "./console-partner-brand-form.tsx";
import { ConsolePartnerEndpoint } from "./console-partner-endpoint.tsx";
import { ConsolePartnerDeleted, ConsolePartnerRemoval } from "./console-partner-removal.tsx";
import { ConsolePartnerSettings } from "./console-partner-settings.tsx";
import { ConsolePartnerUsage } from "./console-partner-usage.tsx";
import { ConsoleEndpointStatus } from "./console-partners-page.tsx";
import { ConsoleHeading } from "./console-shell.tsx";

const TASK_REFRESH_S = 2;

/** Shows a partner, with the actions that an administrator can take on it. */
export function ConsolePartnerPage({ id, route }: { id: string; route: Route }) {
  const { api } = useConsole();
  const path = `/admin/partners/${encodeURIComponent(id)}`;
  const loaded = useAdminRead<FullPartnerJson>(path);
  const [credentials, setCredentials] = useState<readonly Credential[]>();
  const [isTaskRunning, setTaskRunning] = useState(false);
  const { value: latest, reload: reloadTask } = useAdminRead<{ task: PartnerTaskJson | null }>(
    `${path}/task`,
    isTaskRunning ? TASK_REFRESH_S : undefined,
  );
  const task = latest?.task ?? null;
  useEffect(() => setTaskRunning(task?.status === "running"), [task]);
  useConsoleTitle(loaded.value?.name ?? "Partner");
  if (task?.kind === "purge" && task.status === "done") return <ConsolePartnerDeleted task={task} />;
  return (
    <>
      <p class="breadcrumbs small">
        <a href={hrefTo(["partners"])}>Partners</a>
      </p>
      <LoadedContent loaded={loaded} what="the partner" isPage>
        {(partner) => (
          <>
            <ConsoleHeading
              title={partner.name}
              about={
                <>
                  <code>{partner.partner_id}</code>, created {formatPageDate(partner.created_at)}
                  {!partner.enabled && <span class="chip overdue">Disabled</span>}
                </>
              }
            >
              <div class="choices">
                <DownloadWorkbookButton
                  api={api}
                  name="Reserve schedule (XLSX)"
                  file={`reserve-schedule-${id}.xlsx`}
                  path={`${path}/plan?format=xlsx`}
                />
                {!partner.enabled && <EnableButton partner={partner} path={path} onChange={loaded.reload} />}
              </div>
            </ConsoleHeading>
            {credentials && (
              <ConsoleNewCredentials
                title={`New credentials for ${partner.name}`}
                credentials={credentials}
                onDone={() => setCredentials(undefined)}
              />
            )}
            <PartnerOverview partner={partner} />
            <ConsolePartnerUsage path={path} route={route} dailyLimit={partner.daily_budget} />
            <ConsolePartnerSettings
              key={JSON.stringify([
                partner.daily_budget,
                partner.webhook_url,
                partner.webhook_events,
                partner.webhook_concurrency,
              ])}
              partner={partner}
              path={path}
              onChange={loaded.reload}
            />
            <ConsolePartnerBrandForm path={path} />
            <ConsolePartnerEndpoint partner={partner} path={path} task={task} onChange={reloadTask} />
            <CredentialSection
              path={path}
              partner={partner}
              onNew={setCredentials}
              onChange={loaded.reload}
            />
            <ConsolePartnerRemoval partner={partner} path={path} task={task} onChange={reloadTask}>
              {partner.enabled && <DisableButton partner={partner} path={path} onChange={loaded.reload} />}
            </ConsolePartnerRemoval>
          </>
        )}
      </LoadedContent>
    </>
  );
}

function PartnerOverview({ partner }: { partner: FullPartnerJson }) {
  const { partner_id, webhook_failing_since, webhook_paused_at, webhook_last_error } = partner;
  const since = webhook_paused_at ?? webhook_failing_since;
  const deliveries = (status: string) => hrefTo(["deliveries"], { partner_id, status });
  return (
    <ReportSection id="facts" title="Overview">
      <dl class="facts">
        <div>
          <dt>Portfolio</dt>
          <dd>
            {formatPageCount(partner.properties, "property", "properties")},{" "}
            {formatPageCount(partner.appliances, "appliance")},{" "}
            <a href={hrefTo(["components"], { of: partner_id })}>
              {formatPageCount(partner.components, "component")}
            </a>
            {partner.photo_bytes > 0 && `, ${formatPageFileSize(partner.photo_bytes)} of photos`}
          </dd>
        </div>
        <div>
          <dt>Webhook endpoint</dt>
          <dd>
            <ConsoleEndpointStatus {...partner} />
            {since !== null && (
              <span class="small muted">
                {" "}
                since <InstantWithLocalTime at={since} />: {webhook_last_error ?? "no response"}
              </span>
            )}
          </dd>
        </div>
        <div>
          <dt>Deliveries</dt>
          <dd>
            <a href={deliveries("pending")}>{formatPageWholeNumber(partner.deliveries_pending)} pending</a>,{" "}
            <a href={deliveries("failed")}>{formatPageWholeNumber(partner.deliveries_failed)} failed</a>
          </dd>
        </div>
        <div>
          <dt>Costs</dt>
          <dd>
            <a href={hrefTo(["partners", partner_id, "costs"])}>Cost book</a>
          </dd>
        </div>
        <div>
          <dt>Embeds</dt>
          <dd>
            <a href={hrefTo(["embeds"], { partner_id })}>Embedded reports</a>
          </dd>
        </div>
        <div>
          <dt>Client ID</dt>
          <dd>{partner.client_id ? <code>{partner.client_id}</code> : "None"}</dd>
        </div>
        <div>
          <dt>History</dt>
          <dd>
            <a href={hrefTo(["audit"], { subject: partner_id })}>Audit log</a>
          </dd>
        </div>
      </dl>
    </ReportSection>
  );
}

type ChangeProps = { partner: FullPartnerJson; path: string; onChange: () => void };

function EnableButton({ partner, path, onChange }: ChangeProps) {
  const { api } = useConsole();
  const { isRunning, run } = useAdminAction();
  const enable = async () => {
    await run(() => api.write("POST", `${path}/enable`), `${partner.name} is enabled.`);
    onChange();
  };
  return (
    <button type="button" aria-busy={isRunning} disabled={isRunning} onClick={() => void enable()}>
      Enable
    </button>
  );
}

function DisableButton({ partner, path, onChange }: ChangeProps) {
  const { api } = useConsole();
  const { run } = useAdminAction();
  const disable = async () => {
    await run(() => api.write("POST", `${path}/disable`), `${partner.name} is disabled.`);
    onChange();
  };
  return (
    <ConfirmDialog name="Disable" title={`Disable ${partner.name}?`} isDestructive onConfirm={disable}>
      <p>
        Its credentials stop working immediately, its bearer tokens are revoked permanently, and its webhook
        deliveries are on hold until you enable it again. No data is deleted.
      </p>
    </ConfirmDialog>
  );
}

function CredentialSection(props: ChangeProps & { onNew: (credentials: readonly Credential[]) => void }) {
  const { partner, path, onNew, onChange } = props;
  const { api } = useConsole();
  const { run } = useAdminAction();
  const rotate = async (action: string, names: Readonly<Record<string, string>>, body?: unknown) => {
    const created = await run(() => api.write<Record<string, string>>("POST", `${path}/${action}`, body));
    if (!created) return;
    onNew(Object.entries(names).map(([field, name]) => ({ name, value: created[field]! })));
    onChange();
    scrollTo({ top: 0 });
  };
  return (
    <ReportSection
      id="credentials"
      title="Credentials"
      about={
        api.session.shows_credentials
          ? "New credentials are shown once. Except for the webhook secret, only hashes are stored. Red buttons take effect immediately."
          : "Partners can reach this address, so the console does not show credentials. Rotate them on the command line."
      }
    >
      <p class="choices">
        {api.session.shows_credentials && (
          <>
            <ConfirmDialog
              name="Rotate API key"
              title="Rotate the API key?"
              isDestructive
              onConfirm={() => rotate("rotate-key", { api_key: "API key" })}
            >
              <p>
                The current key stops working immediately. Programs that use it are rejected until they have
                the new one.
              </p>
            </ConfirmDialog>
            <ConfirmDialog
              name="Rotate client secret"
              title="Rotate the client secret?"
              isDestructive
              onConfirm={() =>
                rotate("rotate-secret", { client_id: "client ID", client_secret: "client secret" })
              }
            >
              <p>
                The current secret stops working immediately. Bearer tokens issued with it stay valid until
                they expire.
              </p>
            </ConfirmDialog>
            <ConfirmDialog
              name="Rotate webhook secret"
              title="Rotate the webhook secret?"
              onConfirm={(form) =>
                rotate(
                  "rotate-webhook-secret",
                  { webhook_secret: "webhook secret" },
                  { overlap_hours: Number(form.get("overlap")) },
                )
              }
            >
              <label>
                Overlap (hours)
                <input name="overlap" type="number" min={0} max={2160} value={24} required />
              </label>
              <p class="small muted">
                During the overlap, deliveries are signed with both the current and the new secret. With 0,
                the new secret replaces the current one immediately.
              </p>
            </ConfirmDialog>
          </>
        )}
        <ConfirmDialog
          name="Revoke bearer tokens"
          title="Revoke all bearer tokens?"
          isDestructive
          onConfirm={async () => {
            await run(() => api.write("POST", `${path}/revoke-tokens`), "Bearer tokens revoked.");
            onChange();
          }}
        >
          <p>{partner.name} must request new ones. Its API key and client secret stay valid.</p>
        </ConfirmDialog>
      </p>
      {partner.webhook_secret_rotates_at && (
        <p class="small muted">
          The new webhook secret replaces the previous one on{" "}
          <InstantWithLocalTime at={partner.webhook_secret_rotates_at} />.
        </p>
      )}
    </ReportSection>
  );
}
