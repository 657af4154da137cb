import { addressOf, type Place, replaceQuery } from "../browser/place.ts";
import { Empty, Showing } from "../browser/states.tsx";
import { moment } from "../format.ts";
import { DataTable } from "../sections/section.tsx";
import { useRead, useTitle } from "./console-context.ts";
import type { AdministratorPageForm, AuditPageForm } from "./forms.ts";
import { Pager } from "./pager.tsx";
import { Heading } from "./shell.tsx";

/** What was changed, when, and by whom. */
export function AuditPage({ place }: { place: Place }) {
  const subject = place.query.get("subject") ?? "";
  const offset = place.query.get("offset") ?? "0";
  const query = new URLSearchParams({ offset, ...(subject && { subject }) });
  const loaded = useRead<AuditPageForm>(`/admin/audit?${query}`);
  const people = useRead<AdministratorPageForm>("/admin/administrators?limit=200");
  const names = new Map(people.value?.administrators.map(({ admin_id, name }) => [admin_id, name]));
  useTitle("Audit");
  return (
    <>
      <Heading
        title="Audit"
        about={
          subject === "" ? (
            "Every change by an administrator or on the command line, the newest first. Nothing in it can be changed."
          ) : (
            <>
              Changes to <code>{subject}</code>. <a href={addressOf(["audit"])}>Show all</a>
            </>
          )
        }
      />
      <Showing loaded={loaded} what="the audit">
        {(page) =>
          page.total === 0 ? (
            <Empty title="Nothing was changed" />
          ) : (
            <section class="card audit" aria-label="Changes">
              <DataTable
                caption="Changes"
                rows={page.entries}
                columns={[
                  { heading: "When", cell: ({ at }) => moment(at) },
                  {
                    heading: "Who",
                    cell: ({ actor }) => <span title={actor}>{names.get(actor) ?? actor}</span>,
                  },
                  { heading: "What", cell: ({ action }) => action },
                  {
                    heading: "To",
                    cell: ({ subject }) =>
                      subject.startsWith("PARTNER_") ? (
                        <a href={addressOf(["partners", subject])}>
                          <code>{subject}</code>
                        </a>
                      ) : (
                        <code>{subject}</code>
                      ),
                  },
                  { heading: "How", cell: ({ detail }) => <Detail detail={detail} /> },
                ]}
              />
              <Pager
                page={page}
                one="change"
                onOffset={(to) => replaceQuery(place, { offset: String(to) })}
              />
            </section>
          )
        }
      </Showing>
    </>
  );
}

function Detail({ detail }: { detail: Readonly<Record<string, unknown>> }) {
  const told = Object.entries(detail).map(
    ([name, value]) =>
      `${name.replaceAll("_", " ")}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return <span class="small">{told.join("; ")}</span>;
}
