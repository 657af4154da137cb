import type { LoggedErrorJson } from "../../api-schemas/error-log-schema.ts";
import { formatPageCount } from "../page/page-format.ts";
import { ReportSection, SectionTable } from "../sections/section.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { useAdminRead } from "./console-context.ts";

const REFRESH_S = 30;

/** Lists the errors that the server logged since it started. */
export function ConsoleRecentErrors() {
  const loaded = useAdminRead<{ server: string; errors: LoggedErrorJson[] }>("/admin/errors", REFRESH_S);
  return (
    <LoadedContent loaded={loaded} what="the errors">
      {({ server, errors }) => (
        <ReportSection
          id="errors"
          title="Recent errors"
          about={
            errors.length === 0
              ? "No errors since the server started."
              : `${formatPageCount(errors.length, "error")} since ${server} started, newest first. See the log for details.`
          }
        >
          {errors.length > 0 && (
            <SectionTable
              caption="Recent errors"
              rows={errors}
              columns={[
                { heading: "Time", cell: ({ at }) => <InstantWithLocalTime at={at} /> },
                {
                  heading: "Error",
                  cell: ({ message, reason }) => (
                    <span class="roomy">
                      {message}
                      {reason !== null && <span class="under small muted">{reason}</span>}
                    </span>
                  ),
                },
                {
                  heading: "Request ID",
                  cell: ({ request_id }) => (request_id === null ? "—" : <code>{request_id}</code>),
                },
              ]}
            />
          )}
        </ReportSection>
      )}
    </LoadedContent>
  );
}
