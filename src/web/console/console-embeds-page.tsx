import { useId, useState } from "preact/hooks";
import type {
  EmbedJson,
  EmbedPageJson,
  EmbedViewsJson,
  NewEmbedJson,
} from "../../api-schemas/embed-schema.ts";
import { MAX_EMBED_DAYS } from "../../domain/embed.ts";
import { PASSCODE_LENGTH } from "../../domain/rules/embed-rule.ts";
import { hrefTo, type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { formatPageCount, formatPageDate, formatPageWholeNumber } from "../page/page-format.ts";
import { messageOfFailedEdit } from "../records/edit-record.tsx";
import { PICKED_PROPERTY_FIELD, RecordPropertyPicker } from "../records/record-property-picker.tsx";
import { SectionTable } from "../sections/section.tsx";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime, pageInstantWithLocalTimeText } from "../widgets/local-date-time.tsx";
import { PreviousNextButtons } from "../widgets/pager.tsx";
import { showToast } from "../widgets/toasts.tsx";
import { VirtualTable } from "../widgets/virtual-table.tsx";
import { useAdminAction, useAdminRead, useConsole, useConsoleTitle } from "./console-context.ts";
import { ConsoleNewCredentials } from "./console-issued-credentials.tsx";
import { ConsolePartnerField } from "./console-partner-field.tsx";
import { ConsoleHeading } from "./console-shell.tsx";

/** Lists, creates and revokes the shareable reports of properties. */
export function ConsoleEmbedsPage({ route }: { route: Route }) {
  const { api } = useConsole();
  const of = (name: string) => route.query.get(name) ?? "";
  const filters = ["partner_id", "property_id", "offset"]
    .map((name) => [name, of(name)])
    .filter(([, value]) => value !== "");
  const loaded = useAdminRead<EmbedPageJson>(`/admin/embeds?${new URLSearchParams(filters)}`);
  const isCreating = of("new") !== "";
  const setCreating = (isOpen: boolean) => replaceBrowserUrlQuery(route, { new: isOpen ? "yes" : "" });
  const [created, setCreated] = useState<NewEmbedJson>();
  useConsoleTitle("Embeds");
  return (
    <>
      <ConsoleHeading
        title="Embeds"
        about="Shareable property reports. Anyone with the link, and the passcode if there is one, can view the report."
      >
        {api.session.shows_credentials && !isCreating && (
          <button type="button" onClick={() => setCreating(true)}>
            New embed
          </button>
        )}
      </ConsoleHeading>
      {!api.session.shows_credentials && (
        <p class="small muted">
          Partners can reach this address, so the console does not show tokens. To create an embed, run{" "}
          <code>mainstay embed create PROPERTY_ID</code> on the server.
        </p>
      )}
      {isCreating && api.session.shows_credentials && (
        <NewEmbed
          propertyId={of("property_id")}
          onCancel={() => setCreating(false)}
          onCreated={(embed) => {
            setCreated(embed);
            setCreating(false);
            loaded.reload();
          }}
        />
      )}
      {created && (
        <ConsoleNewCredentials
          title="New embed"
          credentials={[
            { name: "URL", value: created.url },
            { name: "Token", value: created.token },
          ]}
          onDone={() => setCreated(undefined)}
        >
          <EmbedPreview embed={created} />
        </ConsoleNewCredentials>
      )}
      <div class="filters">
        <ConsolePartnerField
          label="Partner"
          value={of("partner_id")}
          onChange={(partner_id) => replaceBrowserUrlQuery(route, { partner_id, offset: "" })}
        />
        {of("property_id") !== "" && (
          <button
            type="button"
            class="outline"
            onClick={() => replaceBrowserUrlQuery(route, { property_id: "", offset: "" })}
          >
            Show all properties
          </button>
        )}
      </div>
      <LoadedContent loaded={loaded} what="the embeds">
        {(page) =>
          page.total === 0 ? (
            <EmptyState title={filters.length === 0 ? "No embeds yet" : "No matching embeds"}>
              <p>An embed shows the report of one property until it expires or is revoked.</p>
            </EmptyState>
          ) : (
            <EmbedList page={page} route={route} again={loaded.reload} />
          )
        }
      </LoadedContent>
    </>
  );
}

/** The top of a new embed's page, with a link to it. */
function EmbedPreview({ embed: { url, preview } }: { embed: NewEmbedJson }) {
  const { display_name, has_logo, title, address, grade, components, critical, warning } = preview;
  return (
    <div class="page-preview">
      <p class="small muted">The page shows</p>
      {display_name !== null && (
        <p>
          <bdi>{display_name}</bdi>
          {has_logo && " (logo)"}
        </p>
      )}
      <p>
        <strong>
          <bdi>{title}</bdi>
        </strong>
        , <bdi>{address}</bdi>
      </p>
      <p>
        {grade === null
          ? "No components yet"
          : `Grade ${grade}: ${formatPageWholeNumber(critical)} critical and ${formatPageWholeNumber(warning)} warning of ${formatPageCount(components, "component")}`}
      </p>
      <p>
        <a href={url} target="_blank" rel="noreferrer">
          Open the page
        </a>
      </p>
    </div>
  );
}

function EmbedList({ page, route, again }: { page: EmbedPageJson; route: Route; again: () => void }) {
  const { api } = useConsole();
  const { run } = useAdminAction();
  const [shown, setShown] = useState<{ log: EmbedViewsJson; name: string }>();
  const openLog = async ({ embed_id, property_name }: EmbedJson) => {
    const path = `/admin/embeds/${encodeURIComponent(embed_id)}/views`;
    const log = await run(() => api.read<EmbedViewsJson>(path));
    if (log) setShown({ log, name: property_name });
  };
  return (
    <section class="card" aria-label="Embeds">
      <VirtualTable
        caption="Embeds"
        rows={page.embeds}
        rowKey={({ embed_id }) => embed_id}
        columns={[
          {
            key: "property",
            heading: "Property",
            cell: (embed) => <EmbedName embed={embed} onViews={() => void openLog(embed)} />,
          },
          { key: "status", heading: "Status", shownFrom: "medium", cell: Status },
          {
            key: "views",
            heading: "Views",
            isNumber: true,
            shownFrom: "medium",
            width: "narrow",
            cell: (embed) => <Views embed={embed} onOpen={() => void openLog(embed)} />,
          },
          {
            key: "viewed",
            heading: "Last viewed",
            shownFrom: "wide",
            cell: ({ last_viewed_at }) =>
              last_viewed_at === null ? (
                <span class="muted">Never</span>
              ) : (
                <span title={pageInstantWithLocalTimeText(last_viewed_at)}>
                  {formatPageDate(last_viewed_at)}
                </span>
              ),
          },
          {
            key: "change",
            heading: <span class="visually-hidden">Change</span>,
            isNumber: true,
            width: "medium",
            cell: (embed) =>
              embed.status === "active" ? (
                <span class="choices end">
                  <Edit embed={embed} again={again} />
                  <Revoke embed={embed} again={again} />
                </span>
              ) : (
                <span class="where-narrow">
                  <Status {...embed} />
                </span>
              ),
          },
        ]}
      />
      <PreviousNextButtons
        page={page}
        one="embed"
        onOffset={(to) => replaceBrowserUrlQuery(route, { offset: String(to) })}
      />
      {shown && <ViewLog {...shown} onClose={() => setShown(undefined)} />}
    </section>
  );
}

function EmbedName({ embed, onViews }: { embed: EmbedJson; onViews: () => void }) {
  const { embed_id, property_id, property_name, label, recipient, has_passcode } = embed;
  const details = [label, recipient && `for ${recipient}`, has_passcode && "passcode"].filter(Boolean);
  return (
    <>
      <a class="name" href={hrefTo(["components"], { of: property_id })}>
        <bdi>{property_name}</bdi>
      </a>
      {details.length > 0 && (
        <span class="under small">
          <bdi>{details.join(" · ")}</bdi>
        </span>
      )}
      <code class="under small muted">{embed_id}</code>
      {embed.views > 0 && (
        <span class="where-narrow">
          <span class="under small">
            <Views embed={embed} unit="view" onOpen={onViews} />
          </span>
        </span>
      )}
    </>
  );
}

/** The number of views, which opens their log. */
function Views({ embed, unit, onOpen }: { embed: EmbedJson; unit?: string; onOpen: () => void }) {
  if (embed.views === 0) return <>{formatPageWholeNumber(0)}</>;
  return (
    <button
      type="button"
      class="plain"
      aria-label={`${formatPageCount(embed.views, "view")} of ${embed.property_name}`}
      onClick={onOpen}
    >
      {unit ? formatPageCount(embed.views, unit) : formatPageWholeNumber(embed.views)}
    </button>
  );
}

function ViewLog({ log, name, onClose }: { log: EmbedViewsJson; name: string; onClose: () => void }) {
  const { latest, views } = log;
  return (
    <Dialog title={`Views of ${name}`} onClose={onClose}>
      {latest.length < views && (
        <p class="small muted">
          The latest {formatPageWholeNumber(latest.length)} of {formatPageWholeNumber(views)}.
        </p>
      )}
      <SectionTable
        caption="Latest views"
        rows={latest}
        columns={[
          { heading: "Viewed", cell: ({ viewed_at }) => <InstantWithLocalTime at={viewed_at} /> },
          { heading: "Address", cell: ({ address }) => address },
        ]}
      />
    </Dialog>
  );
}

const STATUS_LABELS = {
  active: { name: "Active", chip: "ok" },
  expired: { name: "Expired", chip: "due_soon" },
  revoked: { name: "Revoked", chip: "overdue" },
} as const;

function Status({ status, expires_at, revoked_at }: EmbedJson) {
  const { name, chip } = STATUS_LABELS[status];
  const until = status === "revoked" ? revoked_at : expires_at;
  return (
    <>
      <span class={`chip ${chip}`}>{name}</span>
      {until !== null && (
        <span class="under small muted">
          {status === "active" ? "until " : ""}
          {formatPageDate(until)}
        </span>
      )}
    </>
  );
}

function TextField(props: { name: string; label: string; value?: string | null }) {
  const { name, label, value } = props;
  return (
    <label>
      {label}
      <input name={name} maxLength={500} autoComplete="off" placeholder="None" defaultValue={value ?? ""} />
    </label>
  );
}

function PasscodeField({ placeholder }: { placeholder: string }) {
  return (
    <label>
      Passcode
      <input
        name="passcode"
        minLength={PASSCODE_LENGTH.least}
        maxLength={PASSCODE_LENGTH.most}
        autoComplete="off"
        placeholder={placeholder}
      />
    </label>
  );
}

/** Changes the label, the recipient and the passcode of an embed. */
function Edit({ embed, again }: { embed: EmbedJson; again: () => void }) {
  const { embed_id, property_name, label, recipient, has_passcode } = embed;
  const { api } = useConsole();
  const save = async (form: FormData) => {
    const text = (name: string) => String(form.get(name)).trim();
    const typed = { label: text("label") || null, recipient: text("recipient") || null };
    const passcode = text("passcode");
    const isRemoved = form.has("no_passcode");
    if (passcode !== "" && isRemoved) return "Enter a new passcode or remove it, not both.";
    const change = {
      ...(typed.label !== label && { label: typed.label }),
      ...(typed.recipient !== recipient && { recipient: typed.recipient }),
      ...(passcode !== "" && { passcode }),
      ...(isRemoved && { passcode: null }),
    };
    if (Object.keys(change).length === 0) return undefined;
    return await messageOfFailedEdit(async () => {
      await api.write("PUT", `/admin/embeds/${encodeURIComponent(embed_id)}`, change);
      showToast("Saved.");
      again();
    });
  };
  return (
    <ConfirmDialog
      name="Edit"
      confirmName="Save"
      title={`Edit the link to ${property_name}`}
      isSmall
      onConfirm={save}
    >
      <div class="edit">
        <TextField name="label" label="Label" value={label} />
        <TextField name="recipient" label="Recipient" value={recipient} />
        <PasscodeField placeholder={has_passcode ? "Unchanged" : "None"} />
        {has_passcode && (
          <label>
            <input type="checkbox" name="no_passcode" /> Remove the passcode
          </label>
        )}
      </div>
    </ConfirmDialog>
  );
}

function Revoke({ embed, again }: { embed: EmbedJson; again: () => void }) {
  const { api } = useConsole();
  const { run } = useAdminAction();
  return (
    <ConfirmDialog
      name="Revoke"
      title={`Revoke the link to ${embed.property_name}?`}
      isDestructive
      isSmall
      onConfirm={async () => {
        const path = `/admin/embeds/${encodeURIComponent(embed.embed_id)}/revoke`;
        await run(() => api.write("POST", path), "Link revoked.");
        again();
      }}
    >
      <p>The link stops working everywhere immediately. This cannot be undone.</p>
    </ConfirmDialog>
  );
}

function NewEmbed(props: {
  propertyId: string;
  onCreated: (embed: NewEmbedJson) => void;
  onCancel: () => void;
}) {
  const { propertyId, onCreated, onCancel } = props;
  const { api } = useConsole();
  const { isRunning, run } = useAdminAction();
  const [isMissing, setMissing] = useState(false);
  const id = useId();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name)).trim();
    const picked = propertyId || form.get(PICKED_PROPERTY_FIELD);
    // A search without results has no field that the browser could ask for.
    setMissing(picked === null);
    if (picked === null) return;
    const embed = {
      property_id: picked,
      ...(text("days") !== "" && { expires_days: Number(text("days")) }),
      ...(text("label") !== "" && { label: text("label") }),
      ...(text("recipient") !== "" && { recipient: text("recipient") }),
      ...(text("passcode") !== "" && { passcode: text("passcode") }),
    };
    const created = await run(() => api.write<NewEmbedJson>("POST", "/admin/embeds", embed));
    if (created) onCreated(created);
  };
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>New embed</h2>
      <form class="fields" onSubmit={(event) => void submit(event)}>
        {propertyId === "" ? (
          <>
            <RecordPropertyPicker legend="Property" owner={{}} isRequired onPick={() => setMissing(false)} />
            {isMissing && <p role="alert">Choose a property.</p>}
          </>
        ) : (
          <p>
            Property <code>{propertyId}</code>
          </p>
        )}
        <label>
          Expires after (days)
          <input name="days" type="number" min={1} max={MAX_EMBED_DAYS} step={1} placeholder="Never" />
        </label>
        <TextField name="label" label="Label" />
        <TextField name="recipient" label="Recipient" />
        <PasscodeField placeholder="None" />
        <p class="choices">
          <button type="button" class="outline" onClick={onCancel}>
            Cancel
          </button>
          <button type="submit" aria-busy={isRunning} disabled={isRunning}>
            Create embed
          </button>
        </p>
      </form>
    </section>
  );
}
