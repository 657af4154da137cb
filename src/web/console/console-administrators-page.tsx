import type { AdministratorPageJson } from "../../api-schemas/administrator-schema.ts";
import { hrefTo, type Route } from "../browser/browser-route.ts";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { useAdminRead, useConsoleTitle } from "./console-context.ts";
import { ConsolePagedTable } from "./console-paged-table.tsx";
import { ConsoleHeading } from "./console-shell.tsx";

/** Lists who may sign in to the console, with a link to what each has changed. */
export function ConsoleAdministratorsPage({ route }: { route: Route }) {
  const loaded = useAdminRead<AdministratorPageJson>(
    `/admin/administrators?${new URLSearchParams({ offset: route.query.get("offset") ?? "0" })}`,
  );
  useConsoleTitle("Administrators");
  return (
    <>
      <ConsoleHeading
        title="Administrators"
        about={
          <>
            These administrators can sign in. To add or remove one, run{" "}
            <code>mainstay admin create NAME</code> or <code>mainstay admin revoke ID</code> on the server.
          </>
        }
      />
      <LoadedContent loaded={loaded} what="the administrators">
        {(page) =>
          page.total === 0 ? (
            <EmptyState title="No administrators" />
          ) : (
            <ConsolePagedTable
              caption="Administrators"
              page={page}
              rows={page.administrators}
              rowKey={({ admin_id }) => admin_id}
              one="administrator"
              route={route}
              columns={[
                {
                  key: "name",
                  heading: "Name",
                  cell: ({ admin_id, name }) => (
                    <>
                      <bdi class="name">{name}</bdi>
                      <code class="under small muted">{admin_id}</code>
                    </>
                  ),
                },
                {
                  key: "status",
                  heading: "Status",
                  width: "medium",
                  cell: ({ revoked_at }) => (
                    <span class={`chip ${revoked_at === null ? "ok" : "overdue"}`}>
                      {revoked_at === null ? "Active" : "Revoked"}
                    </span>
                  ),
                },
                {
                  key: "created",
                  heading: "Created",
                  shownFrom: "wide",
                  cell: ({ created_at }) => <InstantWithLocalTime at={created_at} />,
                },
                {
                  key: "changes",
                  heading: "Log",
                  width: "narrow",
                  cell: ({ admin_id, name }) => (
                    <a href={hrefTo(["audit"], { actor: admin_id })} aria-label={`Show changes by ${name}`}>
                      Show
                    </a>
                  ),
                },
              ]}
            />
          )
        }
      </LoadedContent>
    </>
  );
}
