import { useState } from "preact/hooks";
import type { PartnerPageJson, ProbeJson } from "../../wire/partner.ts";
import { addressOf } from "../browser/place.ts";
import { counted } from "../format.ts";
import { DataTable } from "../sections/section.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { useAction, useConsole } from "./console-context.ts";
import { Verdict } from "./partner-endpoint.tsx";

const AT_ONCE = 4;

/** Probes the receiver of every enabled partner, and shows those that believe anybody first. */
export function CheckEndpoints() {
  const { api } = useConsole();
  const { run } = useAction();
  const [found, setFound] = useState<readonly ProbeJson[]>();
  const probe = () =>
    run(async () => {
      const probed: ProbeJson[] = [];
      for (let offset = 0; ; offset += 200) {
        const page = await api.read<PartnerPageJson>(`/admin/partners?limit=200&offset=${offset}`);
        const left = page.partners.filter(({ enabled, webhook_url }) => enabled && webhook_url !== null);
        const next = async () => {
          for (let one = left.shift(); one; one = left.shift()) {
            const path = `/admin/partners/${encodeURIComponent(one.partner_id)}/webhook-probe`;
            probed.push(await api.write<ProbeJson>("POST", path));
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, next));
        if (offset + page.partners.length >= page.total || page.partners.length === 0) break;
      }
      setFound(
        probed.sort((a, b) => Number(b.accepts_without_verifying) - Number(a.accepts_without_verifying)),
      );
    });
  return (
    <>
      <p class="choices">
        <ConfirmDialog name="Probe every receiver" title="Probe every partner’s receiver?" onConfirm={probe}>
          <p>
            Each gets a webhook.test that is signed wrongly on purpose. One that answers 2xx does not verify,
            and believes anybody who knows its address.
          </p>
        </ConfirmDialog>
      </p>
      {found && (
        <section class="card" aria-label="Receivers, probed">
          <p role="status">
            {found.length === 0
              ? "No enabled partner has a receiver."
              : `${counted(found.length, "receiver")} probed, of which ${counted(
                  found.filter(({ accepts_without_verifying }) => accepts_without_verifying).length,
                  "does not verify",
                  "do not verify",
                )}.`}
          </p>
          {found.length > 0 && (
            <DataTable
              caption="Receivers, probed"
              rows={found}
              columns={[
                {
                  heading: "Partner",
                  cell: ({ partner_id, name }) => (
                    <a href={addressOf(["partners", partner_id])}>
                      <bdi>{name}</bdi>
                    </a>
                  ),
                },
                { heading: "What it did", cell: (one) => <Verdict probe={one} /> },
                { heading: "Receiver", cell: ({ webhook_url }) => <code>{webhook_url}</code> },
              ]}
            />
          )}
        </section>
      )}
    </>
  );
}
