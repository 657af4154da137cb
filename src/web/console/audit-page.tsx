import type { AdministratorPageJson } from "../../wire/administrator.ts";
import type { AuditEntryJson, AuditPageJson } from "../../wire/audit.ts";
import { EmptyState, LoadedContent } from "../browser/load-states.tsx";
import { hrefTo, type Route, replaceQuery } from "../browser/route.ts";
import { dateTime } from "../format.ts";
import { useRead, useTitle } from "./console-context.ts";
import { IdLink, WithLinks } from "./id-link.tsx";
import { Pager } from "./pager.tsx";
import { Heading } from "./shell.tsx";

/** Lists the administrative changes with their time and actor. */
export function AuditPage({ route }: { route: Route }) {
  const subject = route.query.get("subject") ?? "";
  const offset = route.query.get("offset") ?? "0";
  const query = new URLSearchParams({ offset, ...(subject && { subject }) });
  const loaded = useRead<AuditPageJson>(`/admin/audit?${query}`);
  const people = useRead<AdministratorPageJson>("/admin/administrators?limit=200");
  const names = new Map(people.value?.administrators.map(({ admin_id, name }) => [admin_id, name]));
  useTitle("Audit log");
  return (
    <>
      <Heading
        title="Audit log"
        about={
          subject === "" ? (
            "All changes made by administrators or on the command line, newest first. This log is append-only."
          ) : (
            <>
              Changes to <code>{subject}</code>. <a href={hrefTo(["audit"])}>Show all</a>
            </>
          )
        }
      />
      <LoadedContent loaded={loaded} what="the audit log">
        {(page) =>
          page.total === 0 ? (
            <EmptyState title="No changes" />
          ) : (
            <section class="card" aria-label="Changes">
              <ul class="changes">
                {page.entries.map((entry) => (
                  <Change key={entry.seq} entry={entry} actorName={names.get(entry.actor) ?? entry.actor} />
                ))}
              </ul>
              <Pager
                page={page}
                one="change"
                onOffset={(to) => replaceQuery(route, { offset: String(to) })}
              />
            </section>
          )
        }
      </LoadedContent>
    </>
  );
}

function Change({ entry, actorName }: { entry: AuditEntryJson; actorName: string }) {
  const { at, action, actor, subject, detail } = entry;
  const details = Object.entries(detail).map(
    ([name, value]) =>
      `${name.replaceAll("_", " ")}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return (
    <li>
      <span class="when muted">{dateTime(at)}</span>
      <span class="actor" title={actor}>
        {actorName}
      </span>
      <strong class="action">{action}</strong>
      <span class="how small">
        <IdLink id={subject} />
        {details.length > 0 && (
          <span class="muted">
            {" "}
            <WithLinks text={details.join("; ")} />
          </span>
        )}
      </span>
    </li>
  );
}
