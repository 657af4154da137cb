import type { ConditionJson } from "../../api-schemas/figures-schema.ts";
import type { PlanSummaryJson } from "../../api-schemas/plan-summary-schema.ts";
import { areaUnitWording } from "../../domain/wording/currency-and-unit-wording.ts";
import { percentLength } from "../charts/bar.tsx";
import {
  capitalizePageText,
  formatPageCount,
  formatPageMoney,
  formatPageWholeNumber,
} from "../page/page-format.ts";
import { DefinitionButton } from "../widgets/term-definition.tsx";
import { pageSectionDueNowCountText, sectionDueAmountTexts } from "./plan-section.tsx";
import { ReportSection } from "./section.tsx";
import { useSectionUnitWord } from "./section-unit-word.ts";

/** The scores of each grade. */
export const GRADES = [
  { name: "A", from: 90, to: 100 },
  { name: "B", from: 80, to: 90 },
  { name: "C", from: 70, to: 80 },
  { name: "D", from: 60, to: 70 },
  { name: "F", from: 0, to: 60 },
] as const;

const RATINGS: Readonly<Record<string, { name: string; tone: string }>> = {
  GOOD: { name: "Good condition", tone: "good" },
  FAIR: { name: "Fair condition", tone: "warning" },
  FAIL: { name: "Failing condition", tone: "critical" },
};

/** The three figures that answer what to do, by when and for how much. */
type Headline = {
  plan: Pick<PlanSummaryJson, "as_of" | "due_now" | "level_deposit" | "years">;
  hazards: number;
};

/** The condition of the property in one sentence: grade, what to replace now, and what waiting costs. */
export function ConditionSectionHeadline(props: {
  condition: ConditionJson;
  headline: Headline | undefined;
}) {
  const { condition, headline } = props;
  if (condition.components_assessed === 0 || condition.grade === null) return <NoAssessment />;
  const rating = RATINGS[condition.rating ?? ""] ?? { name: "Condition", tone: "" };
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
          <p class="headline">
            <strong>{rating.name}.</strong> {headline && pageSectionDueNowHeadline(headline)}
          </p>
          <p class="score small muted">{condition.condition_score} out of 100</p>
        </div>
        <GradeScale score={condition.condition_score ?? 0} grade={condition.grade} tone={rating.tone} />
      </div>
      {headline && <ConditionSectionFigures plan={headline.plan} />}
    </section>
  );
}

/**
 * `34 components should be replaced ($164,920): $91,347 immediately and $73,573 by Nov 2027. Delaying a year is expected to cost
 * $33,600 more.`
 */
export function pageSectionDueNowHeadline({ plan, hazards }: Headline): string {
  const due = plan.due_now;
  const delayUsd = due.cost_of_waiting_a_year;
  const amounts = sectionDueAmountTexts(plan);
  const total = amounts.length > 1 ? ` (${formatPageMoney(Math.round(due.cost))})` : "";
  const sentences = [
    due.unit_count + due.component_count === 0
      ? "Nothing has to be replaced now."
      : `${capitalizePageText(pageSectionDueNowCountText(due))} should be replaced${amounts.length === 0 ? " now" : `${total}: ${amounts.join(" and ")}`}.`,
    delayUsd >= 1 && `Delaying a year is expected to cost ${formatPageMoney(Math.round(delayUsd))} more.`,
    hazards > 0 &&
      `${formatPageCount(hazards, "known hazard")} ${hazards === 1 ? "requires" : "require"} action at once.`,
  ];
  return sentences.filter((sentence) => sentence !== false).join(" ");
}

/** The cost of the work due now, the cost of waiting a year and the yearly reserve, as the API answers them. */
export function ConditionSectionFigures({ plan }: Pick<Headline, "plan">) {
  const { cost, cost_of_waiting_a_year } = plan.due_now;
  const word = useSectionUnitWord();
  const { per_year, per_unit_per_year, per_1000_sqft_per_year } = plan.level_deposit["50"].noise;
  return (
    <dl class="figures">
      <div>
        <dt>
          Replacements due <DefinitionButton term="replacementsDue" />
        </dt>
        <dd>{formatPageMoney(Math.round(cost))}</dd>
        <dd class="small muted">{sectionDueAmountTexts(plan).join(", ")}</dd>
      </div>
      <div>
        <dt>
          Cost of waiting a year <DefinitionButton term="costOfWaiting" />
        </dt>
        <dd>{formatPageMoney(Math.round(cost_of_waiting_a_year))}</dd>
        <dd class="small muted">expected, for these replacements</dd>
      </div>
      <div>
        <dt>
          Yearly reserve <DefinitionButton term="yearlyReserve" />
        </dt>
        <dd>{formatPageMoney(Math.ceil(per_year))}</dd>
        <dd class="small muted">
          besides these, for{" "}
          {plan.years === 1 ? "the next year" : `the next ${formatPageWholeNumber(plan.years)} years`}
          {per_unit_per_year !== null && `, ${formatPageMoney(Math.ceil(per_unit_per_year))} per ${word}`}
          {per_1000_sqft_per_year !== null &&
            `, ${formatPageMoney(Math.ceil(per_1000_sqft_per_year))} per 1,000 ${areaUnitWording()}`}
        </dd>
      </div>
    </dl>
  );
}

function NoAssessment() {
  return (
    <ReportSection id="condition" title="No assessment yet">
      <p class="empty">
        No equipment has been added to this property. Add appliances to get a condition score.
      </p>
    </ReportSection>
  );
}

function GradeScale({ score, grade, tone }: { score: number; grade: string; tone: string }) {
  // Drawn last, the border of the property's grade covers those of its neighbors.
  const inOrder = [
    ...GRADES.filter(({ name }) => name !== grade),
    ...GRADES.filter(({ name }) => name === grade),
  ];
  return (
    <svg
      class="grade-scale"
      width="100%"
      height="48"
      role="img"
      aria-label={`Score ${score} out of 100, grade ${grade}`}
    >
      {inOrder.map(({ name, from, to }) => (
        <g class={name === grade ? `on ${tone}` : undefined}>
          <rect x={percentLength(from / 100)} y="10" width={percentLength((to - from) / 100)} height="22" />
          <text x={percentLength((from + to) / 200)} y="25" text-anchor="middle">
            {name}
          </text>
          {from > 0 && (
            <text class="threshold" x={percentLength(from / 100)} y="45" text-anchor="middle">
              {from}
            </text>
          )}
        </g>
      ))}
      <svg x={percentLength(score / 100)} overflow="visible">
        <path d="M-5 0h10l-5 7z" />
      </svg>
    </svg>
  );
}
