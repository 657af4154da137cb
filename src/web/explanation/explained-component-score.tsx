import { scaleLinear } from "d3-scale";
import type { ExplanationJson } from "../../api-schemas/explanation-schema.ts";
import { percentLength as length } from "../charts/bar.tsx";
import { TIER_LABELS } from "../page/page-code-labels.ts";
import { formatPageWholeNumber } from "../page/page-format.ts";
import { ReportSection } from "../sections/section.tsx";
import { TierMark } from "../widgets/tier-mark.tsx";
import {
  explanationPageNumber,
  explanationPagePercent,
  explanationPageYears,
} from "./explanation-page-numbers.ts";

/** Shows how age, evidence and sensor alarms make up the hazard, and how the score follows from it. */
export function ExplainedScoreBreakdown({ explained }: { explained: ExplanationJson }) {
  const { score } = explained;
  return (
    <ReportSection
      id="score"
      title="Score breakdown"
      about={
        <>
          {formatPageWholeNumber(score.period_days)}-day hazard
          {score.period_days < score.usual_period_days &&
            ` (${explanationPagePercent(score.share_of_life)} of the effective lifespan of ${explanationPageYears(score.effective_lifespan_years)})`}{" "}
          = baseline (age) × evidence + active sensor alarms.
        </>
      }
    >
      <ol class="steps">
        {stepsOf(explained).map((step) => (
          <Step step={step} max={highestOf(explained)} />
        ))}
      </ol>
      <p>
        Probability of failure within {formatPageWholeNumber(score.period_days)} days: 1 − exp(−
        {explanationPageNumber(score.cumulative_hazard)}) = {explanationPagePercent(score.q)}; within{" "}
        {formatPageWholeNumber(score.period_days * score.periods)} days:{" "}
        {explanationPagePercent(score.cumulative_risk)}. The latter is the score:{" "}
        <strong>
          <TierMark tier={score.risk_tier} /> {score.risk_score.toFixed(2)}
        </strong>
        . {TIER_LABELS.WARNING.name} starts at {score.warning_from}, {TIER_LABELS.CRITICAL.name.toLowerCase()}{" "}
        at {score.critical_from}.
      </p>
      <Limits explained={explained} />
    </ReportSection>
  );
}

type HazardStep = {
  name: string;
  about: string;
  /** The ends of the bar, as hazards. */
  from: number;
  to: number;
  kind: "age" | "worse" | "better" | "sum";
  value: string;
};

function stepsOf({ score, hazard, age }: ExplanationJson): HazardStep[] {
  const { hazard_by_age: ofAge, acute_share, cumulative_hazard: sum } = score;
  const withEvidence = ofAge * hazard.hazard_ratio;
  const acute = hazard.acute_hazard * acute_share;
  const change = withEvidence - ofAge;
  return [
    {
      name: "Baseline (age)",
      about: `effective age ${explanationPageYears(age.effective_age_years)}`,
      from: 0,
      to: ofAge,
      kind: "age",
      value: explanationPageNumber(ofAge),
    },
    {
      name: "Evidence",
      about:
        hazard.hazard_ratio === 1
          ? "no effect"
          : hazard.hazard_ratio > 1
            ? "raises the risk"
            : "lowers the risk",
      from: ofAge,
      to: withEvidence,
      kind: change < 0 ? "better" : "worse",
      value: `× ${explanationPageNumber(hazard.hazard_ratio)}`,
    },
    {
      name: "Active sensor alarms",
      about: acute > 0 ? "added regardless of age" : "none",
      from: withEvidence,
      to: withEvidence + acute,
      kind: "worse",
      value: `+ ${explanationPageNumber(acute)}`,
    },
    {
      name: "Total hazard",
      about: `within ${formatPageWholeNumber(score.period_days)} days`,
      from: 0,
      to: sum,
      kind: "sum",
      value: `= ${explanationPageNumber(sum)}`,
    },
  ];
}

const highestOf = (explained: ExplanationJson) =>
  Math.max(...stepsOf(explained).flatMap(({ from, to }) => [from, to]), Number.MIN_VALUE);

function Step({ step, max }: { step: HazardStep; max: number }) {
  const { name, about, from, to, kind, value } = step;
  const x = scaleLinear([0, max], [0, 1]);
  const [left, right] = [Math.min(from, to), Math.max(from, to)];
  return (
    <li>
      <span>
        {name} <span class="under small muted">{about}</span>
      </span>
      <svg class="step" width="100%" height="20" aria-hidden="true">
        {right > left ? (
          <rect
            class={`fill ${kind}`}
            x={length(x(left))}
            width={length(x(right) - x(left))}
            y="4"
            height="12"
            rx="2"
          />
        ) : (
          <line class="zero" x1={length(x(to))} x2={length(x(to))} y1="3" y2="17" />
        )}
      </svg>
      <strong class="number">{value}</strong>
    </li>
  );
}

/** Lists the limits of the model that changed a value. */
function Limits({ explained }: { explained: ExplanationJson }) {
  const { hazard, age, rate, score } = explained;
  const limits = [
    hazard.cascades < hazard.cascades_product &&
      `Related components: × ${explanationPageNumber(hazard.cascades_product)}, limited to × ${explanationPageNumber(hazard.cascades)}.`,
    hazard.hazard_ratio !== hazard.product &&
      `Evidence: × ${explanationPageNumber(hazard.product)}, limited to × ${explanationPageNumber(hazard.hazard_ratio)} (range ${hazard.lowest} to ${hazard.highest}).`,
    age.prior_unlimited > age.prior + 1e-12 &&
      `Failure probability by this age: ${explanationPagePercent(age.prior_unlimited)}, limited to ${explanationPagePercent(age.highest_prior)}.`,
    rate.environment_product < rate.lowest_life_factor &&
      `Environment: reduces life to ${explanationPagePercent(rate.environment_product)}, limited to ${explanationPagePercent(rate.lowest_life_factor)}.`,
    score.cumulative_risk > score.highest && `Scores are capped at ${score.highest}.`,
  ].filter((limit) => limit !== false);
  if (limits.length === 0) return <p class="small muted">No model limits were applied.</p>;
  return (
    <>
      <h3>Model limits applied</h3>
      <ul class="plain-list">
        {limits.map((limit) => (
          <li>{limit}</li>
        ))}
      </ul>
    </>
  );
}
