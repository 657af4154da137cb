import { useId, useState } from "preact/hooks";
import { MAX_EMBED_DAYS } from "../../domain/embed.ts";
import type { EmbedJson, EmbedPageJson, NewEmbedJson } from "../../wire/embed.ts";
import { addressOf, type Place, replaceQuery } from "../browser/place.ts";
import { Empty, Showing } from "../browser/states.tsx";
import { VirtualTable } from "../browser/virtual-table.tsx";
import { count, date, moment } from "../format.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { useAction, useConsole, useRead, useTitle } from "./console-context.ts";
import { Credentials } from "./credentials.tsx";
import { Pager } from "./pager.tsx";
import { PartnerField } from "./partner-field.tsx";
import { Heading } from "./shell.tsx";

/** The pages of properties that stand in partners' sites: made, listed and ended. */
export function EmbedsPage({ place }: { place: Place }) {
  const { api } = useConsole();
  const of = (name: string) => place.query.get(name) ?? "";
  const given = ["partner_id", "property_id", "offset"]
    .map((name) => [name, of(name)])
    .filter(([, one]) => one !== "");
  const loaded = useRead<EmbedPageJson>(`/admin/embeds?${new URLSearchParams(given)}`);
  const [isMaking, setMaking] = useState(of("property_id") !== "");
  const [made, setMade] = useState<NewEmbedJson>();
  useTitle("Embeds");
  return (
    <>
      <Heading
        title="Embeds"
        about="Pages of properties in the sites of partners and borrowers: who has the address may read the page."
      >
        {api.session.shows_credentials && !isMaking && (
          <button type="button" onClick={() => setMaking(true)}>
            New embed
          </button>
        )}
      </Heading>
      {!api.session.shows_credentials && (
        <p class="small mute">
          Partners reach this listener too, so it makes no tokens. On the server’s machine,{" "}
          <code>mainstay embed create PROPERTY_ID</code> does.
        </p>
      )}
      {isMaking && api.session.shows_credentials && (
        <NewEmbed
          propertyId={of("property_id")}
          onCancel={() => setMaking(false)}
          onMade={(embed) => {
            setMade(embed);
            setMaking(false);
            loaded.again();
          }}
        />
      )}
      {made && (
        <Credentials
          title="The new page"
          credentials={[
            { name: "Address", value: made.url },
            { name: "Token", value: made.token },
          ]}
          onDone={() => setMade(undefined)}
        />
      )}
      <div class="filters">
        <PartnerField
          label="Partner"
          value={of("partner_id")}
          onChange={(partner_id) => replaceQuery(place, { partner_id, offset: "" })}
        />
        {of("property_id") !== "" && (
          <button
            type="button"
            class="outline"
            onClick={() => replaceQuery(place, { property_id: "", offset: "" })}
          >
            Of every property
          </button>
        )}
      </div>
      <Showing loaded={loaded} what="the embeds">
        {(page) =>
          page.total === 0 ? (
            <Empty title={given.length === 0 ? "No embed yet" : "None of these"}>
              <p>An embed is made of a property, for a number of days or until it is revoked.</p>
            </Empty>
          ) : (
            <EmbedList page={page} place={place} again={loaded.again} />
          )
        }
      </Showing>
    </>
  );
}

function EmbedList({ page, place, again }: { page: EmbedPageJson; place: Place; again: () => void }) {
  return (
    <section class="card" aria-label="Embeds">
      <VirtualTable
        caption="Embeds"
        rows={page.embeds}
        rowKey={({ embed_id }) => embed_id}
        columns={[
          { key: "property", heading: "Property", cell: EmbedName },
          { key: "status", heading: "Status", shownFrom: "medium", cell: Status },
          {
            key: "views",
            heading: "Views",
            isNumber: true,
            shownFrom: "medium",
            width: "narrow",
            cell: ({ views }) => count(views),
          },
          {
            key: "viewed",
            heading: "Last looked at",
            shownFrom: "wide",
            cell: ({ last_viewed_at }) =>
              last_viewed_at === null ? <span class="mute">Never</span> : moment(last_viewed_at),
          },
          {
            key: "end",
            heading: <span class="heard">End it</span>,
            isNumber: true,
            cell: (embed) =>
              embed.status === "active" ? (
                <Revoke embed={embed} again={again} />
              ) : (
                <span class="where-narrow">
                  <Status {...embed} />
                </span>
              ),
          },
        ]}
      />
      <Pager page={page} one="embed" onOffset={(to) => replaceQuery(place, { offset: String(to) })} />
    </section>
  );
}

function EmbedName({ embed_id, property_id, property_name }: EmbedJson) {
  return (
    <>
      <a class="name" href={addressOf(["components"], { of: property_id })}>
        <bdi>{property_name}</bdi>
      </a>
      <code class="under small mute">{embed_id}</code>
    </>
  );
}

const STATUS_WORDS = {
  active: { words: "Open", chip: "ok" },
  expired: { words: "Expired", chip: "due_soon" },
  revoked: { words: "Revoked", chip: "overdue" },
} as const;

function Status({ status, expires_at, revoked_at }: EmbedJson) {
  const { words, chip } = STATUS_WORDS[status];
  const until = status === "revoked" ? revoked_at : expires_at;
  return (
    <>
      <span class={`chip ${chip}`}>{words}</span>
      {until !== null && (
        <span class="under small mute">
          {status === "active" ? "until " : ""}
          {date(until)}
        </span>
      )}
    </>
  );
}

function Revoke({ embed, again }: { embed: EmbedJson; again: () => void }) {
  const { api } = useConsole();
  const { run } = useAction();
  return (
    <ConfirmDialog
      name="Revoke"
      title={`End the page of ${embed.property_name}?`}
      isGrave
      onConfirm={async () => {
        const path = `/admin/embeds/${encodeURIComponent(embed.embed_id)}/revoke`;
        await run(() => api.write("POST", path), "The page has ended.");
        again();
      }}
    >
      <p>Its address leads nowhere from now on, wherever it is framed. It cannot be opened again.</p>
    </ConfirmDialog>
  );
}

function NewEmbed(props: {
  propertyId: string;
  onMade: (embed: NewEmbedJson) => void;
  onCancel: () => void;
}) {
  const { propertyId, onMade, onCancel } = props;
  const { api } = useConsole();
  const { isRunning, run } = useAction();
  const id = useId();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(given.get(name)).trim();
    const wanted = {
      property_id: text("property"),
      ...(text("days") !== "" && { expires_days: Number(text("days")) }),
    };
    const made = await run(() => api.write<NewEmbedJson>("POST", "/admin/embeds", wanted));
    if (made) onMade(made);
  };
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>New embed</h2>
      <form class="fields" onSubmit={(event) => void submit(event)}>
        <label>
          Property’s id
          <input
            name="property"
            required
            pattern="P_.+"
            defaultValue={propertyId}
            placeholder="P_…"
            autoComplete="off"
          />
        </label>
        <label>
          Days until it ends
          <input name="days" type="number" min={1} max={MAX_EMBED_DAYS} step={1} placeholder="Never" />
        </label>
        <p class="choices">
          <button type="button" class="outline" onClick={onCancel}>
            Cancel
          </button>
          <button type="submit" aria-busy={isRunning} disabled={isRunning}>
            Make the embed
          </button>
        </p>
      </form>
    </section>
  );
}
