import type { AssumptionsJson } from "../../api-schemas/assumptions-schema.ts";
import type { ComponentJson } from "../../api-schemas/component-schema.ts";
import type { ConditionJson } from "../../api-schemas/figures-schema.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import { forEachInSteps, type Steps } from "../../domain/steps/computation-steps.ts";
import { pageAssumptionSentences } from "../page/page-assumption-sentences.ts";
import { TIER_LABELS, TIERS } from "../page/page-code-labels.ts";
import { formatPageCount, formatPageMoney, formatPageWholeNumber } from "../page/page-format.ts";
import { PageTierCosts, type PageUnitPrices } from "../page/page-tier-costs.ts";
import { PlanTermDefinitions } from "../widgets/term-definition.tsx";
import { TierMark } from "../widgets/tier-mark.tsx";
import { CollapsedSectionTable, ReportSection, type SectionCsvLink } from "./section.tsx";

type Costs = Pick<
  ComponentJson,
  "risk_tier" | "confidence" | "appliance_id" | "proactive_cost" | "reactive_cost"
>;

type TierTotals = { count: number; plannedUsd: number; afterFailureUsd: number };

/** The numbers of a property's components: in total, by tier and by confidence, and of their appliances. */
type ComponentTotals = {
  components: number;
  appliances: number;
  tiers: Readonly<Record<RiskTier, TierTotals>>;
  confidences: Readonly<Record<ComponentJson["confidence"], number>>;
};

/** Counts the components in steps, for properties with many. */
export function* pageComponentTotals(
  components: readonly Costs[],
  prices: PageUnitPrices,
): Steps<ComponentTotals> {
  const costs = new PageTierCosts(prices);
  const counts = { CRITICAL: 0, WARNING: 0, GOOD: 0 };
  const confidences = { HIGH: 0, MEDIUM: 0, LOW: 0 };
  const appliances = new Set<string>();
  yield* forEachInSteps(components, (one) => {
    counts[one.risk_tier]++;
    costs.add(one);
    confidences[one.confidence]++;
    appliances.add(one.appliance_id);
  });
  yield;
  const { CRITICAL, WARNING, GOOD } = costs.tiers;
  const tiers = {
    CRITICAL: { count: counts.CRITICAL, ...CRITICAL },
    WARNING: { count: counts.WARNING, ...WARNING },
    GOOD: { count: counts.GOOD, ...GOOD },
  };
  return { components: components.length, appliances: appliances.size, tiers, confidences };
}

/** The basis of the figures: data and its confidence, assumptions, how the score is calculated, and definitions. */
export function MethodologySection(props: {
  totals: ComponentTotals;
  assumptions: AssumptionsJson;
  condition: Pick<ConditionJson, "methodology" | "fci">;
  csv?: SectionCsvLink;
}) {
  const { totals, assumptions, condition, csv } = props;
  const { HIGH: high, MEDIUM: medium, LOW: low } = totals.confidences;
  return (
    <ReportSection id="method" title="Method and limits">
      <p class="data-confidence small muted">
        Based on {formatPageCount(totals.components, "component")} in{" "}
        {formatPageCount(totals.appliances, "appliance")}. Data confidence: {formatPageWholeNumber(high)}{" "}
        high, {formatPageWholeNumber(medium)} medium, {formatPageWholeNumber(low)} low.
      </p>
      <p class="small muted">{pageAssumptionSentences(assumptions).join(" ")}</p>
      <p class="small muted">{facilityConditionText(condition.fci)}</p>
      <CollapsedSectionTable
        summary="How the condition score is calculated"
        csv={csv}
        rows={TIERS.map((tier) => ({ tier, of: totals.tiers[tier] }))}
        columns={[
          {
            heading: "Tier",
            cell: ({ tier }) => (
              <>
                <TierMark tier={tier} /> {TIER_LABELS[tier].name}
              </>
            ),
          },
          { heading: "Components", isNumber: true, cell: ({ of }) => formatPageWholeNumber(of.count) },
          { heading: "Planned cost", isNumber: true, cell: ({ of }) => formatPageMoney(of.plannedUsd) },
          {
            heading: "Cost after failure",
            isNumber: true,
            cell: ({ of }) => formatPageMoney(of.afterFailureUsd),
          },
        ]}
        note={condition.methodology}
      />
      <details class="table-details">
        <summary>Definitions</summary>
        <PlanTermDefinitions />
      </details>
    </ReportSection>
  );
}

const VALUE_BASIS_LABELS: Readonly<Record<ConditionJson["fci"]["basis"], string>> = {
  replacement_value: "its insured or rebuilding value",
  area: "estimated from its area",
  equipment: "estimated from its equipment",
};

/** `Facility condition index (FCI): 3.1%, $14,500 due now of a replacement value of $465,000, … High is bad.` */
function facilityConditionText({ value, due_now, replacement_value, basis }: ConditionJson["fci"]): string {
  if (value === null) return "Facility condition index (FCI): unknown, without a replacement value.";
  return (
    `Facility condition index (FCI): ${(value * 100).toFixed(1)}%, ${formatPageMoney(Math.round(due_now))} due now of a replacement ` +
    `value of ${formatPageMoney(Math.round(replacement_value))}, ${VALUE_BASIS_LABELS[basis]}. A high value means a poor condition.`
  );
}
