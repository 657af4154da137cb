import type { LoggedErrorJson } from "../../wire/logged-error.ts";
import { Showing } from "../browser/states.tsx";
import { counted, moment } from "../format.ts";
import { DataTable, Section } from "../sections/section.tsx";
import { useRead } from "./console-context.ts";

const REFRESHED_S = 30;

/** What the server has logged as an error since it was started. */
export function RecentErrors() {
  const loaded = useRead<{ server: string; errors: LoggedErrorJson[] }>("/admin/errors", REFRESHED_S);
  return (
    <Showing loaded={loaded} what="the errors">
      {({ server, errors }) => (
        <Section
          id="errors"
          title="Recent errors"
          about={
            errors.length === 0
              ? `None was logged since the server at ${server} was started.`
              : `${counted(errors.length, "error")} since the server at ${server} was started, the newest first; the log has more of each.`
          }
        >
          {errors.length > 0 && (
            <DataTable
              caption="Recent errors"
              rows={errors}
              columns={[
                { heading: "When", cell: ({ at }) => <span class="one-line">{moment(at)}</span> },
                {
                  heading: "What",
                  cell: ({ message, reason }) => (
                    <span class="roomy">
                      {message}
                      {reason !== null && <span class="under small mute">{reason}</span>}
                    </span>
                  ),
                },
                {
                  heading: "Request",
                  cell: ({ request_id }) => (request_id === null ? "—" : <code>{request_id}</code>),
                },
              ]}
            />
          )}
        </Section>
      )}
    </Showing>
  );
}
