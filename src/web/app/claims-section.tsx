import { useLoaded } from "../browser/loaded.ts";
import { Empty, Showing } from "../browser/states.tsx";
import { counted, date, money } from "../format.ts";
import { DataTable } from "../sections/section.tsx";
import { sentence } from "../words.ts";
import { readAll, useApp } from "./app-context.ts";
import type { ClaimForm } from "./forms.ts";

/** The insurance claims of a property, and what each weighs in its scores today. */
export function ClaimsOfProperty({ propertyId }: { propertyId: string }) {
  const { api } = useApp();
  const path = `/v1/property/${encodeURIComponent(propertyId)}/claims`;
  const claims = useLoaded(path, () => readAll<"claims", ClaimForm>(api, path, "claims"));
  return (
    <Showing loaded={claims} what="the claims">
      {(all) =>
        all.length === 0 ? (
          <Empty title="No claim on record">
            <p>Claims that are reported through the API appear here, with what they weigh in the scores.</p>
          </Empty>
        ) : (
          <section class="card" aria-labelledby="claims">
            <h2 id="claims">{counted(all.length, "claim")}</h2>
            <p class="about">
              A claim raises the scores of what it touched; the effect fades over five years, and the three
              strongest count.
            </p>
            <DataTable
              caption="Claims"
              rows={all}
              columns={[
                { heading: "Claim", cell: (one) => sentence(one.claim_type) },
                { heading: "Date of loss", isNumber: true, cell: (one) => date(one.date_of_loss) },
                {
                  heading: "Paid",
                  isNumber: true,
                  cell: (one) => (one.amount_paid === null ? "–" : money(one.amount_paid)),
                },
                { heading: "Status", cell: (one) => sentence(one.status) },
                {
                  heading: "Effect today",
                  isNumber: true,
                  cell: (one) => (one.scoring_impact > 1 ? `× ${one.scoring_impact.toFixed(2)}` : "none"),
                },
                {
                  heading: "Carrier",
                  cell: (one) => (
                    <bdi>{[one.carrier, one.claim_number].filter(Boolean).join(", ") || "–"}</bdi>
                  ),
                },
                { heading: "Description", cell: (one) => <bdi>{one.description ?? "–"}</bdi> },
              ]}
            />
          </section>
        )
      }
    </Showing>
  );
}
