import { useId, useState } from "preact/hooks";
import type { PartnerJson, PartnerPageJson } from "../../wire/partner.ts";
import { Filters, Search } from "../browser/filters.tsx";
import { addressOf, type Place, replaceQuery } from "../browser/place.ts";
import { Empty, Showing } from "../browser/states.tsx";
import { VirtualTable } from "../browser/virtual-table.tsx";
import { count, date } from "../format.ts";
import { CheckEndpoints } from "./check-endpoints.tsx";
import { useAction, useConsole, useRead, useTitle } from "./console-context.ts";
import { type Credential, Credentials } from "./credentials.tsx";
import { Pager } from "./pager.tsx";
import { Heading } from "./shell.tsx";

/** All partners, and the making of one. */
export function PartnersPage({ place }: { place: Place }) {
  const { api } = useConsole();
  const offset = place.query.get("offset") ?? "0";
  const search = place.query.get("search") ?? "";
  const query = new URLSearchParams({ limit: "100", offset, ...(search && { search }) });
  const loaded = useRead<PartnerPageJson>(`/admin/partners?${query}`);
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<CreatedPartner>();
  useTitle("Partners");
  return (
    <>
      <Heading title="Partners" about="Who calls the API: each with its own portfolio, budget and receiver.">
        {api.session.shows_credentials && !isMaking && (
          <button type="button" onClick={() => setMaking(true)}>
            New partner
          </button>
        )}
      </Heading>
      {!api.session.shows_credentials && (
        <p class="small mute">
          Partners reach this listener too, so it makes no credentials. On the server’s machine,{" "}
          <code>mainstay partner create NAME</code> does.
        </p>
      )}
      {isMaking && (
        <NewPartner
          onCancel={() => setMaking(false)}
          onMade={(partner) => {
            setMade(partner);
            setMaking(false);
            loaded.again();
          }}
        />
      )}
      {made && (
        <Credentials
          title={`Credentials of ${made.name}`}
          credentials={credentialsOf(made)}
          onDone={() => setMade(undefined)}
        />
      )}
      <Filters>
        <Search
          label="Name or id"
          value={search}
          onChange={(to) => replaceQuery(place, { search: to, offset: "" })}
        />
        <p class="found">
          <a href={addressOf(["usage"])}>Usage of all partners</a>
        </p>
      </Filters>
      <Showing loaded={loaded} what="the partners">
        {(page) =>
          page.total === 0 ? (
            <Empty title={search === "" ? "No partner yet" : "No partner is called so"}>
              <p>
                {search === "" ? (
                  "A partner gets an API key, a client id and secret, and a webhook secret when it is made."
                ) : (
                  <a href={addressOf(["partners"])}>Show every partner</a>
                )}
              </p>
            </Empty>
          ) : (
            <section class="card" aria-label="Partners">
              <VirtualTable
                caption="Partners"
                rows={page.partners}
                rowKey={({ partner_id }) => partner_id}
                columns={[
                  { key: "name", heading: "Partner", cell: PartnerName },
                  { key: "receiver", heading: "Receiver", shownFrom: "medium", cell: EndpointStatus },
                  {
                    key: "budget",
                    heading: "Calls a day",
                    isNumber: true,
                    cell: ({ daily_budget }) => count(daily_budget),
                  },
                  {
                    key: "since",
                    heading: "Since",
                    isNumber: true,
                    shownFrom: "wide",
                    cell: ({ created_at }) => date(created_at),
                  },
                ]}
              />
              <Pager
                page={page}
                one="partner"
                directions={["Before", "After"]}
                onOffset={(to) => replaceQuery(place, { offset: String(to) })}
              />
            </section>
          )
        }
      </Showing>
      <CheckEndpoints />
    </>
  );
}

function PartnerName({ partner_id, name, enabled }: PartnerJson) {
  return (
    <>
      <a class="name" href={addressOf(["partners", partner_id])}>
        <bdi>{name}</bdi>
      </a>
      {!enabled && <span class="chip overdue">Disabled</span>}
    </>
  );
}

export function EndpointStatus({ webhook_url, webhook_paused_at, webhook_failing_since }: PartnerJson) {
  if (webhook_url === null) return <span class="mute">None</span>;
  const state =
    webhook_paused_at !== null
      ? { words: "Paused", chip: "overdue" }
      : webhook_failing_since !== null
        ? { words: "Failing", chip: "due_soon" }
        : { words: "Takes deliveries", chip: "ok" };
  return <span class={`chip ${state.chip}`}>{state.words}</span>;
}

type CreatedPartner = {
  partner_id: string;
  name: string;
  api_key: string;
  client_id: string;
  client_secret: string;
  webhook_secret: string;
};

const credentialsOf = (made: CreatedPartner): Credential[] => [
  { name: "API key", value: made.api_key },
  { name: "Client id", value: made.client_id },
  { name: "Client secret", value: made.client_secret },
  { name: "Webhook secret", value: made.webhook_secret },
];

function NewPartner({
  onMade,
  onCancel,
}: {
  onMade: (partner: CreatedPartner) => void;
  onCancel: () => void;
}) {
  const { api } = useConsole();
  const { isRunning, run } = useAction();
  const id = useId();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(given.get(name)).trim();
    const wanted = {
      name: text("name"),
      ...(text("budget") !== "" && { daily_budget: Number(text("budget")) }),
      ...(text("url") !== "" && { webhook_url: text("url") }),
    };
    const made = await run(() => api.write<CreatedPartner>("POST", "/admin/partners", wanted));
    if (made) onMade(made);
  };
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>New partner</h2>
      <form class="fields" onSubmit={(event) => void submit(event)}>
        <label>
          Company’s name
          <input name="name" required maxLength={500} autoComplete="off" />
        </label>
        <label>
          Calls a day
          <input name="budget" type="number" min={0} step={1} placeholder="The setting’s number" />
        </label>
        <label>
          Webhook address
          <input name="url" type="url" placeholder="https://… or none" autoComplete="off" />
        </label>
        <p class="choices">
          <button type="button" class="outline" onClick={onCancel}>
            Cancel
          </button>
          <button type="submit" aria-busy={isRunning} disabled={isRunning}>
            Make the partner
          </button>
        </p>
      </form>
    </section>
  );
}
