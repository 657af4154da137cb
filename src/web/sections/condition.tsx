import type { ComponentJson } from "../../wire/component.ts";
import type { ConditionJson, ReserveJson } from "../../wire/figures.ts";
import { percent } from "../charts/bar.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import { count, counted, money } from "../format.ts";
import { TIER_WORDS, TIERS } from "../words.ts";
import { type Csv, Numbers, Section } from "./section.tsx";

/** Where each grade begins on the scale of 100, the worst first. */
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
  FAIL: { name: "Poor condition", tone: "critical" },
};

type Costs = Pick<
  ComponentJson,
  "risk_tier" | "confidence" | "appliance_id" | "proactive_cost" | "reactive_cost"
>;

/** How the property stands: its score with the grade, what that rests on, and the three figures to act on. */
export function Condition(props: {
  condition: ConditionJson;
  components: readonly Costs[];
  reserve: ReserveJson;
  csv?: Csv;
}) {
  const { condition, components, reserve, csv } = props;
  if (condition.components_assessed === 0 || condition.grade === null) return <NothingAssessed />;
  const rating = RATINGS[condition.rating ?? ""] ?? { name: "Condition", tone: "" };
  const critical = components.filter(({ risk_tier }) => risk_tier === "CRITICAL");
  const now = sum(critical, "proactive_cost");
  const later = sum(critical, "reactive_cost");
  const perUnit = reserve.reserves["12_month"].per_unit_per_month;
  return (
    <section class="card condition" id="condition" aria-labelledby="condition-title">
      <h2 id="condition-title" class="heard">
        Condition
      </h2>
      <div class="verdict">
        <p class={`grade ${rating.tone}`}>
          <span class="heard">Grade </span>
          {condition.grade}
        </p>
        <div>
          <p class="score">
            <strong>{condition.condition_score}</strong> of 100
          </p>
          <p>
            <strong>{rating.name}</strong>
            {condition.critical > 0
              ? `, with ${counted(condition.critical, "part")} that should not wait`
              : ""}
            .
          </p>
        </div>
        <GradeScale score={condition.condition_score ?? 0} grade={condition.grade} />
      </div>
      <dl class="figures">
        <div>
          <dt>Act now</dt>
          <dd>{counted(condition.critical, "part")}</dd>
          <dd class="small mute">
            of {count(condition.components_assessed)}; {count(condition.warning)} more to plan for
          </dd>
        </div>
        <div>
          <dt>Cost to act</dt>
          <dd>{money(now)}</dd>
          <dd class="small mute">
            {critical.length === 0 ? "nothing is critical" : `against ${money(later)} if they fail first`}
          </dd>
        </div>
        <div>
          <dt>Reserve</dt>
          <dd>{money(perUnit)}</dd>
          <dd class="small mute">a month and unit, next 12 months</dd>
        </div>
      </dl>
      <RestsOn components={components} />
      <Numbers
        summary="How the score comes about"
        csv={csv}
        rows={TIERS.map((tier) => ({ tier, parts: components.filter((one) => one.risk_tier === tier) }))}
        columns={[
          {
            heading: "Tier",
            cell: ({ tier }) => (
              <>
                <TierMark tier={tier} /> {TIER_WORDS[tier].name}
              </>
            ),
          },
          { heading: "Parts", isNumber: true, cell: ({ parts }) => count(parts.length) },
          { heading: "Planned", isNumber: true, cell: ({ parts }) => money(sum(parts, "proactive_cost")) },
          {
            heading: "After failure",
            isNumber: true,
            cell: ({ parts }) => money(sum(parts, "reactive_cost")),
          },
        ]}
        note={condition.methodology}
      />
    </section>
  );
}

function NothingAssessed() {
  return (
    <Section id="condition" title="Nothing assessed">
      <p class="empty">
        No equipment is on record for this property, so nothing can be said of its condition. Once appliances
        are registered, their parts are scored at once.
      </p>
    </Section>
  );
}

/** What the score rests on, so that nobody takes a guess for a survey. */
function RestsOn({ components }: { components: readonly Costs[] }) {
  const appliances = new Set(components.map((one) => one.appliance_id)).size;
  const sure = (confidence: string) => components.filter((one) => one.confidence === confidence).length;
  return (
    <p class="rests small mute">
      Rests on {counted(components.length, "part")} of {counted(appliances, "appliance")}:{" "}
      {count(sure("HIGH"))} scored with high confidence, {count(sure("MEDIUM"))} with medium and{" "}
      {count(sure("LOW"))} with low, for want of records.
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
      aria-label={`${score} on a scale of 100, grade ${grade}`}
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

function sum(components: readonly Costs[], field: "proactive_cost" | "reactive_cost"): number {
  return components.reduce((total, component) => total + component[field], 0);
}
