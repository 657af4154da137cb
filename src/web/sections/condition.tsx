import type { RiskTier } from "../../domain/scoring/types.ts";
import { forEachInSteps, type Steps } from "../../domain/steps.ts";
import type { ComponentJson } from "../../wire/component.ts";
import type { ConditionJson, ReserveJson } from "../../wire/figures.ts";
import { percent } from "../charts/bar.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import { count, counted, money } from "../format.ts";
import { TIER_LABELS, TIERS } from "../labels.ts";
import { type CsvLink, Section, TableDetails } from "./section.tsx";

/** The lowest score of each grade, worst grade first. */
const GRADES = [
  ["F", 0],
  ["D", 60],
  ["C", 70],
  ["B", 80],
  ["A", 90],
] as const;

const RATINGS: Readonly<Record<string, { name: string; tone: string }>> = {
  GOOD: { name: "Good condition", tone: "good" },
  FAIR: { name: "Fair condition", tone: "warning" },
  FAIL: { name: "Failing condition", tone: "critical" },
};

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
export function* componentTotalsInSteps(components: readonly Costs[]): Steps<ComponentTotals> {
  const noTotals = (): TierTotals => ({ count: 0, plannedUsd: 0, afterFailureUsd: 0 });
  const tiers = { CRITICAL: noTotals(), WARNING: noTotals(), GOOD: noTotals() };
  const confidences = { HIGH: 0, MEDIUM: 0, LOW: 0 };
  const appliances = new Set<string>();
  yield* forEachInSteps(components, (one) => {
    const tier = tiers[one.risk_tier];
    tier.count++;
    tier.plannedUsd += one.proactive_cost;
    tier.afterFailureUsd += one.reactive_cost;
    confidences[one.confidence]++;
    appliances.add(one.appliance_id);
  });
  return { components: components.length, appliances: appliances.size, tiers, confidences };
}

/** The condition of the property: score, grade and rating, the data behind them, and three key figures. */
export function Condition(props: {
  condition: ConditionJson;
  totals: ComponentTotals;
  reserve: ReserveJson;
  csv?: CsvLink;
}) {
  const { condition, totals, reserve, csv } = props;
  if (condition.components_assessed === 0 || condition.grade === null) return <NoAssessment />;
  const rating = RATINGS[condition.rating ?? ""] ?? { name: "Condition", tone: "" };
  const { CRITICAL: critical } = totals.tiers;
  const perUnit = reserve.reserves["12_month"].per_unit_per_month;
  return (
    <section class="card condition" id="condition" aria-labelledby="condition-title">
      <h2 id="condition-title" class="visually-hidden">
        Condition
      </h2>
      <div class="verdict">
        <p class={`grade ${rating.tone}`}>
          <span class="visually-hidden">Grade </span>
          {condition.grade}
        </p>
        <div>
          <p class="score">
            <strong>{condition.condition_score}</strong> out of 100
          </p>
          <p>
            <strong>{rating.name}.</strong>{" "}
            {condition.critical > 0 &&
              `${counted(condition.critical, "component")} ${condition.critical === 1 ? "is" : "are"} critical.`}
          </p>
        </div>
        <GradeScale score={condition.condition_score ?? 0} grade={condition.grade} />
      </div>
      <dl class="figures">
        <div>
          <dt>Critical components</dt>
          <dd>{count(condition.critical)}</dd>
          <dd class="small muted">
            of {count(condition.components_assessed)}; {count(condition.warning)} more in warning
          </dd>
        </div>
        <div>
          <dt>Planned cost (critical)</dt>
          <dd>{money(critical.plannedUsd)}</dd>
          <dd class="small muted">
            {critical.count === 0
              ? "no critical components"
              : `vs. ${money(critical.afterFailureUsd)} after failure`}
          </dd>
        </div>
        <div>
          <dt>Reserve contribution</dt>
          <dd>{money(perUnit)}</dd>
          <dd class="small muted">per unit per month, next 12 months</dd>
        </div>
      </dl>
      <DataConfidence totals={totals} />
      <TableDetails
        summary="How the score is calculated"
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
          { heading: "Components", isNumber: true, cell: ({ of }) => count(of.count) },
          { heading: "Planned cost", isNumber: true, cell: ({ of }) => money(of.plannedUsd) },
          {
            heading: "Cost after failure",
            isNumber: true,
            cell: ({ of }) => money(of.afterFailureUsd),
          },
        ]}
        note={condition.methodology}
      />
    </section>
  );
}

function NoAssessment() {
  return (
    <Section id="condition" title="No assessment yet">
      <p class="empty">
        No equipment has been added to this property. Add appliances to get a condition score.
      </p>
    </Section>
  );
}

/** The amount and confidence of the data behind the score, so that an estimate is not taken for a survey. */
function DataConfidence({ totals }: { totals: ComponentTotals }) {
  const { HIGH: high, MEDIUM: medium, LOW: low } = totals.confidences;
  return (
    <p class="data-confidence small muted">
      Based on {counted(totals.components, "component")} in {counted(totals.appliances, "appliance")}. Data
      confidence: {count(high)} high, {count(medium)} medium, {count(low)} low.
    </p>
  );
}

function GradeScale({ score, grade }: { score: number; grade: string }) {
  return (
    <svg
      class="grade-scale"
      width="100%"
      height="34"
      role="img"
      aria-label={`Score ${score} out of 100, grade ${grade}`}
    >
      {GRADES.map(([name, from], at) => {
        const to = GRADES[at + 1]?.[1] ?? 100;
        return (
          <g class={name === grade ? "on" : undefined}>
            <rect x={percent(from / 100)} y="10" width={percent((to - from) / 100)} height="22" />
            <text x={percent((from + to) / 200)} y="25" text-anchor="middle">
              {name}
            </text>
          </g>
        );
      })}
      <svg x={percent(score / 100)} overflow="visible">
        <path d="M-5 0h10l-5 7z" />
      </svg>
    </svg>
  );
}
