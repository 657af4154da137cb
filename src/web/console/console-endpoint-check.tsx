import { useState } from "preact/hooks";
import type { PartnerPageJson, ProbeJson } from "../../api-schemas/partner-schema.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { formatPageCount } from "../page/page-format.ts";
import { SectionTable } from "../sections/section.tsx";
import { ConfirmDialog } from "../widgets/confirm-dialog.tsx";
import { useAdminAction, useConsole } from "./console-context.ts";
import { ConsoleEndpointVerdict } from "./console-partner-endpoint.tsx";

const CONCURRENCY = 4;

/** Checks the endpoint of every enabled partner, and lists those that do not verify signatures first. */
export function ConsoleEndpointCheck() {
  const { api } = useConsole();
  const { run } = useAdminAction();
  const [results, setResults] = useState<readonly ProbeJson[]>();
  const check = () =>
    run(async () => {
      const checked: ProbeJson[] = [];
      for (let offset = 0; ; offset += 200) {
        const page = await api.read<PartnerPageJson>(`/admin/partners?limit=200&offset=${offset}`);
        const queue = page.partners.filter(({ enabled, webhook_url }) => enabled && webhook_url !== null);
        const worker = async () => {
          for (let partner = queue.shift(); partner; partner = queue.shift()) {
            const path = `/admin/partners/${encodeURIComponent(partner.partner_id)}/webhook-probe`;
            checked.push(await api.write<ProbeJson>("POST", path));
          }
        };
        await Promise.all(Array.from({ length: CONCURRENCY }, worker));
        if (offset + page.partners.length >= page.total || page.partners.length === 0) break;
      }
      setResults(
        checked.sort((a, b) => Number(b.accepts_without_verifying) - Number(a.accepts_without_verifying)),
      );
    });
  return (
    <>
      <p class="choices">
        <ConfirmDialog name="Check all endpoints" title="Check all webhook endpoints?" onConfirm={check}>
          <p>
            Each endpoint receives a webhook.test event with an invalid signature. An endpoint that responds
            with 2xx accepts unauthenticated requests.
          </p>
        </ConfirmDialog>
      </p>
      {results && (
        <section class="card" aria-label="Endpoint checks">
          <p role="status">
            {results.length === 0
              ? "No enabled partner has a webhook endpoint."
              : `${formatPageCount(results.length, "endpoint")} checked; ${formatPageCount(
                  results.filter(({ accepts_without_verifying }) => accepts_without_verifying).length,
                  "does not verify signatures",
                  "do not verify signatures",
                )}.`}
          </p>
          {results.length > 0 && (
            <SectionTable
              caption="Endpoint checks"
              rows={results}
              columns={[
                {
                  heading: "Partner",
                  cell: ({ partner_id, name }) => (
                    <a href={hrefTo(["partners", partner_id])}>
                      <bdi>{name}</bdi>
                    </a>
                  ),
                },
                { heading: "Result", cell: (probe) => <ConsoleEndpointVerdict probe={probe} /> },
                { heading: "Webhook URL", cell: ({ webhook_url }) => <code>{webhook_url}</code> },
              ]}
            />
          )}
        </section>
      )}
    </>
  );
}
