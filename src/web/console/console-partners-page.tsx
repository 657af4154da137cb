import { useId, useState } from "preact/hooks";
import type { PartnerJson, PartnerPageJson } from "../../api-schemas/partner-schema.ts";
import { hrefTo, type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { formatPageDate, formatPageWholeNumber } from "../page/page-format.ts";
import { FilterRow, SearchFilter } from "../widgets/filters.tsx";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { PreviousNextButtons } from "../widgets/pager.tsx";
import { VirtualTable } from "../widgets/virtual-table.tsx";
import { useAdminAction, useAdminRead, useConsole, useConsoleTitle } from "./console-context.ts";
import { ConsoleEndpointCheck } from "./console-endpoint-check.tsx";
import { ConsoleNewCredentials, type Credential } from "./console-issued-credentials.tsx";
import { ConsoleHeading } from "./console-shell.tsx";

/** Lists the partners and creates new ones. */
export function ConsolePartnersPage({ route }: { route: Route }) {
  const { api } = useConsole();
  const offset = route.query.get("offset") ?? "0";
  const search = route.query.get("search") ?? "";
  const query = new URLSearchParams({ limit: "100", offset, ...(search && { search }) });
  const loaded = useAdminRead<PartnerPageJson>(`/admin/partners?${query}`);
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedPartner>();
  useConsoleTitle("Partners");
  return (
    <>
      <ConsoleHeading
        title="Partners"
        about="Organizations with API access. Each has its own portfolio, daily call limit and webhook endpoint."
      >
        {api.session.shows_credentials && !isCreating && (
          <button type="button" onClick={() => setCreating(true)}>
            New partner
          </button>
        )}
      </ConsoleHeading>
      {!api.session.shows_credentials && (
        <p class="small muted">
          Partners can reach this address, so the console does not show credentials. To create a partner, run{" "}
          <code>mainstay partner create NAME</code> on the server.
        </p>
      )}
      {isCreating && (
        <NewPartner
          onCancel={() => setCreating(false)}
          onCreated={(partner) => {
            setCreated(partner);
            setCreating(false);
            loaded.reload();
          }}
        />
      )}
      {created && (
        <ConsoleNewCredentials
          title={`Credentials for ${created.name}`}
          credentials={credentialsOf(created)}
          onDone={() => setCreated(undefined)}
        />
      )}
      <FilterRow>
        <SearchFilter
          label="Name or ID"
          value={search}
          onChange={(to) => replaceBrowserUrlQuery(route, { search: to, offset: "" })}
        />
        <p class="result-count">
          <a href={hrefTo(["usage"])}>Usage by partner</a>
        </p>
      </FilterRow>
      <LoadedContent loaded={loaded} what="the partners">
        {(page) =>
          page.total === 0 ? (
            <EmptyState title={search === "" ? "No partners yet" : "No matching partners"}>
              <p>
                {search === "" ? (
                  "A new partner receives an API key, a client ID and secret, and a webhook secret."
                ) : (
                  <a href={hrefTo(["partners"])}>Show all partners</a>
                )}
              </p>
            </EmptyState>
          ) : (
            <section class="card" aria-label="Partners">
              <VirtualTable
                caption="Partners"
                rows={page.partners}
                rowKey={({ partner_id }) => partner_id}
                columns={[
                  { key: "name", heading: "Partner", cell: PartnerName },
                  {
                    key: "endpoint",
                    heading: "Webhook endpoint",
                    shownFrom: "medium",
                    cell: ConsoleEndpointStatus,
                  },
                  {
                    key: "limit",
                    heading: "Daily call limit",
                    isNumber: true,
                    cell: ({ daily_budget }) => formatPageWholeNumber(daily_budget),
                  },
                  {
                    key: "created",
                    heading: "Created",
                    isNumber: true,
                    width: "medium",
                    shownFrom: "wide",
                    cell: ({ created_at }) => formatPageDate(created_at),
                  },
                ]}
              />
              <PreviousNextButtons
                page={page}
                one="partner"
                directions={["Previous", "Next"]}
                onOffset={(to) => replaceBrowserUrlQuery(route, { offset: String(to) })}
              />
            </section>
          )
        }
      </LoadedContent>
      <ConsoleEndpointCheck />
    </>
  );
}

function PartnerName({ partner_id, name, enabled }: PartnerJson) {
  return (
    <>
      <a class="name" href={hrefTo(["partners", partner_id])}>
        <bdi>{name}</bdi>
      </a>
      {!enabled && <span class="chip overdue">Disabled</span>}
    </>
  );
}

/** Shows whether deliveries reach a partner's webhook endpoint. */
export function ConsoleEndpointStatus({
  webhook_url,
  webhook_paused_at,
  webhook_failing_since,
}: PartnerJson) {
  if (webhook_url === null) return <span class="muted">None</span>;
  const state =
    webhook_paused_at !== null
      ? { name: "Paused", chip: "overdue" }
      : webhook_failing_since !== null
        ? { name: "Failing", chip: "due_soon" }
        : { name: "OK", chip: "ok" };
  return <span class={`chip ${state.chip}`}>{state.name}</span>;
}

type CreatedPartner = {
  partner_id: string;
  name: string;
  api_key: string;
  client_id: string;
  client_secret: string;
  webhook_secret: string;
};

const credentialsOf = (partner: CreatedPartner): Credential[] => [
  { name: "API key", value: partner.api_key },
  { name: "Client ID", value: partner.client_id },
  { name: "Client secret", value: partner.client_secret },
  { name: "Webhook secret", value: partner.webhook_secret },
];

function NewPartner({
  onCreated,
  onCancel,
}: {
  onCreated: (partner: CreatedPartner) => void;
  onCancel: () => void;
}) {
  const { api } = useConsole();
  const { isRunning, run } = useAdminAction();
  const id = useId();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name)).trim();
    const partner = {
      name: text("name"),
      ...(text("budget") !== "" && { daily_budget: Number(text("budget")) }),
      ...(text("url") !== "" && { webhook_url: text("url") }),
    };
    const created = await run(() => api.write<CreatedPartner>("POST", "/admin/partners", partner));
    if (created) onCreated(created);
  };
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>New partner</h2>
      <form class="fields" onSubmit={(event) => void submit(event)}>
        <label>
          Company name
          <input name="name" required maxLength={500} autoComplete="off" />
        </label>
        <label>
          Daily API call limit
          <input name="budget" type="number" min={0} step={1} placeholder="Default" />
        </label>
        <label>
          Webhook URL
          <input name="url" type="url" placeholder="https://… (optional)" autoComplete="off" />
        </label>
        <p class="choices">
          <button type="button" class="outline" onClick={onCancel}>
            Cancel
          </button>
          <button type="submit" aria-busy={isRunning} disabled={isRunning}>
            Create partner
          </button>
        </p>
      </form>
    </section>
  );
}
