import { useState } from "preact/hooks";
import type { ClaimJson } from "../../api-schemas/claim-schema.ts";
import { currencyCode } from "../../domain/wording/currency-and-unit-wording.ts";
import { readWholeListInBrowser } from "../browser/browser-list-reader.ts";
import { useLoad } from "../browser/use-load.ts";
import { pageCodeLabel } from "../page/page-code-labels.ts";
import { formatPageCount, formatPageDate, formatPageMoney } from "../page/page-format.ts";
import { EmptyState, LoadedContent } from "../widgets/load-states.tsx";
import { RecordChangeWarnings } from "./change-warnings.tsx";
import { type EditField, EditRecordDialog } from "./edit-record.tsx";
import { recordPath, useRecordsApi } from "./page-records-context.ts";
import { VoidRecordButton } from "./void-record.tsx";

/** The insurance claims of a property, and their current effect on its scores. */
export function ClaimRecords({ propertyId }: { propertyId: string }) {
  const records = useRecordsApi();
  const path = `${recordPath("property", propertyId)}/claims`;
  const claims = useLoad(path, () => readWholeListInBrowser<"claims", ClaimJson>(records, path, "claims"));
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const pathOf = (claim: ClaimJson) => `${path}/${encodeURIComponent(claim.id)}`;
  const put = async (claim: ClaimJson, body: object) => {
    const changed = await records.write<{ warnings: string[] }>("PUT", pathOf(claim), body);
    setWarnings(changed.warnings);
    claims.reload();
  };
  return (
    <LoadedContent loaded={claims} what="the claims">
      {(all) =>
        all.length === 0 ? (
          <EmptyState title="No claims">
            <p>Claims reported through the API appear here with their effect on scores.</p>
          </EmptyState>
        ) : (
          <section class="card" aria-labelledby="claims">
            <h2 id="claims">{formatPageCount(all.length, "claim")}</h2>
            <p class="about">
              Claims raise the scores of affected components. The effect fades over five years; only the three
              largest count.
            </p>
            <RecordChangeWarnings warnings={warnings} />
            <ol class="records">
              {all.map((claim) => (
                <li key={claim.id}>
                  <time class="muted" dateTime={claim.date_of_loss}>
                    {formatPageDate(claim.date_of_loss)}
                  </time>
                  <div>
                    <p>
                      <strong>{pageCodeLabel(claim.claim_type)}</strong>,{" "}
                      {pageCodeLabel(claim.status).toLowerCase()}.{" "}
                      {claim.scoring_impact > 1
                        ? `Multiplies failure risk of affected components by ${claim.scoring_impact.toFixed(2)} today.`
                        : "No effect today."}
                      <span class="muted">
                        {" "}
                        <bdi>{[claim.carrier, claim.claim_number].filter(Boolean).join(", ")}</bdi>
                      </span>
                    </p>
                    <p class="small muted">
                      <bdi>{lossRunOf(claim).join(" · ")}</bdi>
                    </p>
                    {claim.description && (
                      <p class="small">
                        <bdi>{claim.description}</bdi>
                      </p>
                    )}
                  </div>
                  <span class="number">
                    {formatPageMoney(claim.amount_paid)}
                    <span class="row-actions">
                      <EditRecordDialog
                        title={`Edit claim of ${formatPageDate(claim.date_of_loss)}`}
                        about="Scores are updated immediately. The audit log has the values before and after."
                        record={claim}
                        fieldsOf={fieldsOf}
                        path={pathOf(claim)}
                        onSave={(change) => put(claim, change)}
                      />
                      <VoidRecordButton
                        title={`Void claim of ${formatPageDate(claim.date_of_loss)}`}
                        about="The claim is kept as voided, leaves this list, and no longer counts. This cannot be undone: record it again if it was correct."
                        onVoid={(body) => put(claim, body)}
                      />
                    </span>
                  </span>
                </li>
              ))}
            </ol>
          </section>
        )
      }
    </LoadedContent>
  );
}

/** Returns what a carrier's loss run says of a claim, as far as it is known. */
function lossRunOf(claim: ClaimJson): string[] {
  const amounts: [string, number | null][] = [
    ["incurred", claim.incurred],
    ["paid", claim.paid],
    ["outstanding", claim.outstanding],
    ["deductible", claim.deductible],
    ["adjustment expenses", claim.alae],
  ];
  const days: [string, string | null][] = [
    ["reported", claim.reported_on],
    ["closed", claim.closed_on],
    ["valued", claim.valued_at],
  ];
  return [
    ...amounts.flatMap(([name, usd]) => (usd === null ? [] : `${name} ${formatPageMoney(usd)}`)),
    ...days.flatMap(([name, day]) => (day === null ? [] : `${name} ${formatPageDate(day)}`)),
    ...(claim.catastrophe_code === null ? [] : [`catastrophe ${claim.catastrophe_code}`]),
  ];
}

const fieldsOf = (claim: ClaimJson): readonly EditField[] => [
  { name: "claim_type", label: "Type of loss", kind: "text", value: claim.claim_type, isRequired: true },
  {
    name: "status",
    label: "Status",
    kind: "choice",
    value: claim.status,
    options: ["open", "closed", "denied"],
    isRequired: true,
  },
  { name: "date_of_loss", label: "Date of loss", kind: "day", value: claim.date_of_loss, isRequired: true },
  {
    name: "amount",
    label: `Amount paid (${currencyCode()})`,
    kind: "number",
    value: claim.amount_paid,
    isRequired: true,
  },
  { name: "claim_number", label: "Claim number", kind: "text", value: claim.claim_number },
  { name: "carrier", label: "Carrier", kind: "text", value: claim.carrier },
  { name: "paid", label: `Paid to date (${currencyCode()})`, kind: "number", value: claim.paid },
  { name: "outstanding", label: `Outstanding (${currencyCode()})`, kind: "number", value: claim.outstanding },
  { name: "valued_at", label: "Valued at", kind: "day", value: claim.valued_at },
  { name: "deductible", label: `Deductible (${currencyCode()})`, kind: "number", value: claim.deductible },
  { name: "alae", label: `Adjustment expenses (${currencyCode()})`, kind: "number", value: claim.alae },
  { name: "catastrophe_code", label: "Catastrophe code", kind: "text", value: claim.catastrophe_code },
  { name: "reported_on", label: "Reported on", kind: "day", value: claim.reported_on },
  { name: "closed_on", label: "Closed on", kind: "day", value: claim.closed_on },
  { name: "description", label: "Description", kind: "long", value: claim.description },
];
