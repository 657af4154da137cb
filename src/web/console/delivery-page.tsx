import { useState } from "preact/hooks";
import type { DeliverySignatureJson, FullDeliveryJson } from "../../wire/delivery.ts";
import { addressOf } from "../browser/place.ts";
import { Showing } from "../browser/states.tsx";
import { count, moment } from "../format.ts";
import { DataTable, Section } from "../sections/section.tsx";
import { useAction, useConsole, useRead, useTitle } from "./console-context.ts";
import { Status } from "./deliveries-page.tsx";
import { Json } from "./id-link.tsx";
import { Heading } from "./shell.tsx";

/** A delivery: what it sends, how it was signed, and what became of every attempt. */
export function DeliveryPage({ id }: { id: string }) {
  const { api } = useConsole();
  const path = `/admin/webhook-deliveries/${encodeURIComponent(id)}`;
  const loaded = useRead<FullDeliveryJson>(path);
  const { isRunning, run } = useAction();
  useTitle("Delivery");
  const resend = async () => {
    await run(() => api.write("POST", `${path}/resend`), "It is sent again, with the same id and bytes.");
    loaded.again();
  };
  return (
    <>
      <p class="trail small">
        <a href={addressOf(["deliveries"])}>Deliveries</a>
      </p>
      <Showing loaded={loaded} what="the delivery" isPage>
        {(delivery) => (
          <>
            <Heading
              title={delivery.event}
              about={
                <>
                  <code>{delivery.id}</code> <Status status={delivery.status} />
                </>
              }
            >
              <div class="choices">
                <button type="button" class="outline" aria-busy={loaded.isLoading} onClick={loaded.again}>
                  Look again
                </button>
                {delivery.status !== "pending" && (
                  <button
                    type="button"
                    aria-busy={isRunning}
                    disabled={isRunning}
                    onClick={() => void resend()}
                  >
                    Send again
                  </button>
                )}
              </div>
            </Heading>
            <Section id="attempts" title="Attempts" about={<Times delivery={delivery} />}>
              {delivery.attempts.length > 0 && (
                <DataTable
                  caption="Attempts"
                  rows={delivery.attempts}
                  columns={[
                    { heading: "Attempt", cell: (one) => count(one.attempt) },
                    { heading: "Begun", cell: (one) => moment(one.started_at) },
                    { heading: "Took", isNumber: true, cell: (one) => `${count(one.duration_ms)} ms` },
                    { heading: "Outcome", cell: (one) => one.error ?? `Answered ${one.status_code}` },
                    { heading: "From", cell: (one) => one.address ?? "—" },
                    { heading: "Answer", cell: (one) => <code>{one.response_head}</code> },
                  ]}
                />
              )}
            </Section>
            <Section id="payload" title="What it sends">
              <Json value={delivery.payload} />
            </Section>
            <Signature path={path} />
          </>
        )}
      </Showing>
    </>
  );
}

function Times({ delivery }: { delivery: FullDeliveryJson }) {
  const { partner_id, created_at, finished_at, next_attempt_at, request_id } = delivery;
  return (
    <>
      Of <a href={addressOf(["partners", partner_id])}>this partner</a>, made {moment(created_at)}
      {finished_at !== null && `, finished ${moment(finished_at)}`}
      {next_attempt_at !== null && `, tried next ${moment(next_attempt_at)}`}
      {request_id !== null && `, by request ${request_id}`}.
    </>
  );
}

/** Asked for only when it is wanted: the secret is opened for it. */
function Signature({ path }: { path: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      id="signature"
      title="How it is signed"
      about="The headers that an attempt would be sent with now. Each attempt signs its own moment."
    >
      {isOpen ? (
        <Headers path={path} />
      ) : (
        <p class="choices">
          <button type="button" class="outline" onClick={() => setOpen(true)}>
            Show the headers
          </button>
        </p>
      )}
    </Section>
  );
}

function Headers({ path }: { path: string }) {
  const loaded = useRead<DeliverySignatureJson>(`${path}/signature`);
  return (
    <Showing loaded={loaded} what="the headers">
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
    </Showing>
  );
}
