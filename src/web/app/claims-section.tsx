import type { ClaimJson } from "../../wire/claim.ts";
import { EmptyState, LoadedContent } from "../browser/load-states.tsx";
import { useLoad } from "../browser/use-load.ts";
import { counted, date, money } from "../format.ts";
import { codeLabel } from "../labels.ts";
import { readAll, useApp } from "./app-context.ts";

/** The insurance claims of a property, and their current effect on its scores. */
export function ClaimsOfProperty({ propertyId }: { propertyId: string }) {
  const { api } = useApp();
  const path = `/v1/property/${encodeURIComponent(propertyId)}/claims`;
  const claims = useLoad(path, () => readAll<"claims", ClaimJson>(api, path, "claims"));
  return (
    <LoadedContent loaded={claims} what="the claims">
      {(all) =>
        all.length === 0 ? (
          <EmptyState title="No claims">
            <p>Claims reported through the API appear here with their effect on scores.</p>
          </EmptyState>
        ) : (
          <section class="card" aria-labelledby="claims">
            <h2 id="claims">{counted(all.length, "claim")}</h2>
            <p class="about">
              Claims raise the scores of affected components. The effect fades over five years; only the three
              largest count.
            </p>
            <ol class="records">
              {all.map((claim) => (
                <li key={claim.id}>
                  <time class="muted" dateTime={claim.date_of_loss}>
                    {date(claim.date_of_loss)}
                  </time>
                  <div>
                    <p>
                      <strong>{codeLabel(claim.claim_type)}</strong>, {codeLabel(claim.status).toLowerCase()}.{" "}
                      {claim.scoring_impact > 1
                        ? `Multiplies failure risk of affected components by ${claim.scoring_impact.toFixed(2)} today.`
                        : "No effect today."}
                      <span class="muted">
                        {" "}
                        <bdi>{[claim.carrier, claim.claim_number].filter(Boolean).join(", ")}</bdi>
                      </span>
                    </p>
                    {claim.description && (
                      <p class="small">
                        <bdi>{claim.description}</bdi>
                      </p>
                    )}
                  </div>
                  <span class="number">{claim.amount_paid === null ? "" : money(claim.amount_paid)}</span>
                </li>
              ))}
            </ol>
          </section>
        )
      }
    </LoadedContent>
  );
}
