import { useState } from "preact/hooks";
import type { DeliverySignatureJson, FullDeliveryJson } from "../../api-schemas/delivery-schema.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { formatPageWholeNumber } from "../page/page-format.ts";
import { ReportSection, SectionTable } from "../sections/section.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { InstantWithLocalTime } from "../widgets/local-date-time.tsx";
import { useAdminAction, useAdminRead, useConsole, useConsoleTitle } from "./console-context.ts";
import { ConsoleDeliveryStatus } from "./console-deliveries-page.tsx";
import { ConsoleJsonWithIdLinks } from "./console-id-links.tsx";
import { ConsoleHeading } from "./console-shell.tsx";

/** Shows a delivery with its attempts, its payload and its signature headers. */
export function ConsoleDeliveryPage({ id }: { id: string }) {
  const { api } = useConsole();
  const path = `/admin/webhook-deliveries/${encodeURIComponent(id)}`;
  const loaded = useAdminRead<FullDeliveryJson>(path);
  const { isRunning, run } = useAdminAction();
  useConsoleTitle("Delivery");
  const resend = async () => {
    await run(() => api.write("POST", `${path}/resend`), "Queued for redelivery (same ID and payload).");
    loaded.reload();
  };
  return (
    <>
      <p class="breadcrumbs small">
        <a href={hrefTo(["deliveries"])}>Deliveries</a>
      </p>
      <LoadedContent loaded={loaded} what="the delivery" isPage>
        {(delivery) => (
          <>
            <ConsoleHeading
              title={delivery.event}
              about={
                <>
                  <code>{delivery.id}</code> <ConsoleDeliveryStatus status={delivery.status} />
                </>
              }
            >
              <div class="choices">
                <button type="button" class="outline" aria-busy={loaded.isLoading} onClick={loaded.reload}>
                  Refresh
                </button>
                {delivery.status !== "pending" && (
                  <button
                    type="button"
                    aria-busy={isRunning}
                    disabled={isRunning}
                    onClick={() => void resend()}
                  >
                    Resend
                  </button>
                )}
              </div>
            </ConsoleHeading>
            <ReportSection id="attempts" title="Attempts" about={<Times delivery={delivery} />}>
              {delivery.attempts.length > 0 && (
                <SectionTable
                  caption="Attempts"
                  rows={delivery.attempts}
                  columns={[
                    {
                      heading: "Started",
                      cell: (attempt) => <InstantWithLocalTime at={attempt.started_at} />,
                    },
                    {
                      heading: "Attempt",
                      isNumber: true,
                      cell: (attempt) => formatPageWholeNumber(attempt.attempt),
                    },
                    {
                      heading: "Duration",
                      isNumber: true,
                      cell: (attempt) => `${formatPageWholeNumber(attempt.duration_ms)} ms`,
                    },
                    { heading: "Outcome", cell: (attempt) => attempt.error ?? `HTTP ${attempt.status_code}` },
                    { heading: "IP address", cell: (attempt) => attempt.address ?? "—" },
                    { heading: "Response", cell: (attempt) => <code>{attempt.response_head}</code> },
                  ]}
                />
              )}
            </ReportSection>
            <ReportSection id="payload" title="Payload">
              <ConsoleJsonWithIdLinks value={delivery.payload} />
            </ReportSection>
            <Signature path={path} />
          </>
        )}
      </LoadedContent>
    </>
  );
}

function Times({ delivery }: { delivery: FullDeliveryJson }) {
  const { partner_id, created_at, finished_at, next_attempt_at, request_id } = delivery;
  return (
    <>
      <a href={hrefTo(["partners", partner_id])}>Show partner</a> · Created{" "}
      <InstantWithLocalTime at={created_at} />
      {finished_at !== null && (
        <>
          {" · Finished "}
          <InstantWithLocalTime at={finished_at} />
        </>
      )}
      {next_attempt_at !== null && (
        <>
          {" · Next attempt "}
          <InstantWithLocalTime at={next_attempt_at} />
        </>
      )}
      {request_id !== null && ` · Request ID ${request_id}`}
    </>
  );
}

/** Loads the headers only on request, because the server has to decrypt the secret to sign them. */
function Signature({ path }: { path: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <ReportSection
      id="signature"
      title="Signature headers"
      about="Headers for an attempt sent now. The signature includes a timestamp, so it changes with each attempt."
    >
      {isOpen ? (
        <Headers path={path} />
      ) : (
        <p class="choices">
          <button type="button" class="outline" onClick={() => setOpen(true)}>
            Show headers
          </button>
        </p>
      )}
    </ReportSection>
  );
}

function Headers({ path }: { path: string }) {
  const loaded = useAdminRead<DeliverySignatureJson>(`${path}/signature`);
  return (
    <LoadedContent loaded={loaded} what="the headers">
      {({ headers }) => (
        <dl class="facts">
          {Object.entries(headers).map(([name, value]) => (
            <div>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </LoadedContent>
  );
}
