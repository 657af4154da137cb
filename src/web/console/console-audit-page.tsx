import { useState } from "preact/hooks";
import type { AdministratorPageJson } from "../../api-schemas/administrator-schema.ts";
import type { AuditEntryJson, AuditPageJson } from "../../api-schemas/audit-schema.ts";
import { AUDIT_ACTIONS } from "../../domain/wording/audit-action-wording.ts";
import { CSV_TYPE } from "../browser/browser-csv-file.ts";
import { downloadFile } from "../browser/browser-download.ts";
import { hrefTo, type Route, replaceBrowserUrlQuery } from "../browser/browser-route.ts";
import { pageAuditValueText } from "../page/page-audit-changes.ts";
import { formatPageWholeNumber } from "../page/page-format.ts";
import { FilterRow, SelectFilter } from "../widgets/filters.tsx";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { PreviousNextButtons } from "../widgets/pager.tsx";
import { fetchConsoleAuditCsv, MOST_IN_FILE } from "./console-audit-csv.ts";
import { useAdminAction, useAdminRead, useConsole, useConsoleTitle } from "./console-context.ts";
import { ConsoleTextWithIdLinks } from "./console-id-links.tsx";
import { ConsolePartnerField } from "./console-partner-field.tsx";
import { ConsolePeriodFilter, useConsolePeriodBounds } from "./console-period-filter.tsx";
import { ConsoleHeading } from "./console-shell.tsx";

const PATH = "/admin/audit";
const FILTERS = ["subject", "actor", "action", "partner_id"] as const;

/** Lists the administrative changes in sentences, with their time and details. */
export function ConsoleAuditPage({ route }: { route: Route }) {
  const of = (name: string) => route.query.get(name) ?? "";
  const { bounds } = useConsolePeriodBounds(route);
  const filters = FILTERS.map((name) => [name, of(name)] as const).filter(([, value]) => value !== "");
  const query = new URLSearchParams([...filters.map((one) => [...one]), ...Object.entries(bounds)]);
  const offset = of("offset") || "0";
  const loaded = useAdminRead<AuditPageJson>(`${PATH}?${query}&offset=${offset}`);
  const people = useAdminRead<AdministratorPageJson>("/admin/administrators?limit=200");
  const set = (changes: Record<string, string>) => replaceBrowserUrlQuery(route, { offset: "", ...changes });
  const actors = (people.value?.administrators ?? []).map(({ admin_id, name }) => [admin_id, name] as const);
  const actor = of("actor");
  const isListed = actor === "" || actors.some(([id]) => id === actor);
  useConsoleTitle("Audit log");
  return (
    <>
      <ConsoleHeading
        title="Audit log"
        about={
          of("subject") === "" ? (
            "Changes by administrators, partners and commands, newest first. This log is append-only."
          ) : (
            <>
              Changes to <code>{of("subject")}</code>. <a href={hrefTo(["audit"])}>Show all</a>
            </>
          )
        }
      />
      <FilterRow>
        <SelectFilter
          label="Administrator"
          value={actor}
          choices={isListed ? actors : [...actors, [actor, actor]]}
          onChange={(chosen) => set({ actor: chosen })}
        />
        <SelectFilter
          label="Action"
          value={of("action")}
          choices={AUDIT_ACTIONS.map((action) => [action, action])}
          onChange={(action) => set({ action })}
        />
        <ConsolePartnerField
          label="Partner"
          value={of("partner_id")}
          onChange={(partner_id) => set({ partner_id })}
        />
        <ConsolePeriodFilter route={route} onChange={set} />
        {loaded.value && <DownloadLog filters={query} total={loaded.value.total} />}
      </FilterRow>
      <LoadedContent loaded={loaded} what="the audit log">
        {(page) =>
          page.total === 0 ? (
            <EmptyState title={query.size === 0 ? "No changes" : "No matching changes"} />
          ) : (
            <section class="card" aria-label="Changes">
              <ul class="changes">
                {page.entries.map((entry) => (
                  <Change key={entry.seq} entry={entry} />
                ))}
              </ul>
              <PreviousNextButtons
                page={page}
                one="change"
                onOffset={(to) => replaceBrowserUrlQuery(route, { offset: String(to) })}
              />
            </section>
          )
        }
      </LoadedContent>
    </>
  );
}

function Change({ entry }: { entry: AuditEntryJson }) {
  const { at, action, actor, actor_name, subject, detail } = entry;
  return (
    <li>
      <span class="when muted">
        <InstantWithLocalTime at={at} />
      </span>
      <div>
        <a class="name" title={actor} href={hrefTo(["audit"], { actor })}>
          <bdi>{actor_name}</bdi>
        </a>{" "}
        <Sentence entry={entry} />
        <details class="small">
          <summary>
            <code>{action}</code>
          </summary>
          <dl class="facts">
            <div>
              <dt>Subject</dt>
              <dd>
                <ConsoleTextWithIdLinks text={subject} />
              </dd>
            </div>
            {Object.entries(detail).map(([name, value]) => (
              <div key={name}>
                <dt>{name.replaceAll("_", " ")}</dt>
                <dd>
                  <ConsoleTextWithIdLinks text={pageAuditValueText(value)} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      </div>
    </li>
  );
}

/** The sentence, with the partner's name and IDs as links. */
function Sentence({ entry: { sentence, partner_id, partner_name } }: { entry: AuditEntryJson }) {
  const at = partner_name === null ? -1 : sentence.lastIndexOf(partner_name);
  if (partner_id === null || partner_name === null || at < 0)
    return <ConsoleTextWithIdLinks text={sentence} />;
  return (
    <>
      <ConsoleTextWithIdLinks text={sentence.slice(0, at)} />
      <a href={hrefTo(["partners", partner_id])}>
        <bdi>{partner_name}</bdi>
      </a>
      <ConsoleTextWithIdLinks text={sentence.slice(at + partner_name.length)} />
    </>
  );
}

/** Downloads the entries that match the filters, newest first. */
function DownloadLog({ filters, total }: { filters: URLSearchParams; total: number }) {
  const { api } = useConsole();
  const { isRunning, run } = useAdminAction();
  const [read, setRead] = useState(0);
  const most = Math.min(total, MOST_IN_FILE);
  const download = () =>
    run(async () => {
      const text = await fetchConsoleAuditCsv(
        filters,
        {
          page: (query) => api.read<AuditPageJson>(`${PATH}?${query}`),
          file: async (query) => (await api.readFile(`${PATH}?${query}`)).text(),
        },
        setRead,
      );
      downloadFile("audit.csv", new Blob([text], { type: CSV_TYPE }));
    });
  return (
    <button
      type="button"
      class="outline"
      aria-busy={isRunning}
      disabled={isRunning || total === 0}
      onClick={download}
    >
      {isRunning
        ? `Loading: ${formatPageWholeNumber(read)} of ${formatPageWholeNumber(most)}`
        : `Download CSV (${most < total ? `newest ${formatPageWholeNumber(most)}` : formatPageWholeNumber(total)})`}
    </button>
  );
}
