import { scaleLinear } from "d3-scale";
import type { ExplanationJson } from "../../wire/explanation.ts";
import { percent as length } from "../charts/bar.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import { count, odds } from "../format.ts";
import { Section } from "../sections/section.tsx";
import { TIER_WORDS } from "../words.ts";
import { formatNumber, formatPercent, formatYears } from "./precise-format.ts";

/** From age by evidence and sensors to the hazard, and from that to the score. */
export function ScoreBreakdown({ explained }: { explained: ExplanationJson }) {
  const { score } = explained;
  return (
    <Section
      id="score"
      title="What the score is made of"
      about={
        <>
          The hazard that it fails within {count(score.period_days)} days
          {score.period_days < score.usual_period_days &&
            `, ${formatPercent(score.share_of_life)} of its effective lifespan of ${formatYears(score.effective_lifespan_years)}`}
          : of its age alone, multiplied by what the evidence says, and added to what sensors report.
        </>
      }
    >
      <ol class="steps">
        {stepsOf(explained).map((step) => (
          <Step step={step} most={mostOf(explained)} />
        ))}
      </ol>
      <p>
        A hazard of {formatNumber(score.cumulative_hazard)} is a chance of {odds(score.q)} within{" "}
        {count(score.period_days)} days, 1 − exp(−{formatNumber(score.cumulative_hazard)}) ={" "}
        {formatPercent(score.q)}, and within {score.periods} times as long{" "}
        {formatPercent(score.cumulative_risk)}. That is the score:{" "}
        <strong>
          <TierMark tier={score.risk_tier} /> {score.risk_score.toFixed(2)}
        </strong>
        . {TIER_WORDS.WARNING.name} begins at {score.warning_from}, {TIER_WORDS.CRITICAL.name.toLowerCase()}{" "}
        at {score.critical_from}.
      </p>
      <Limits explained={explained} />
    </Section>
  );
}

type HazardStep = {
  name: string;
  about: string;
  /** Drawn from here to there. */
  from: number;
  to: number;
  kind: "age" | "worse" | "better" | "sum";
  said: string;
};

function stepsOf({ score, hazard, age }: ExplanationJson): HazardStep[] {
  const { hazard_by_age: ofAge, acute_share, cumulative_hazard: sum } = score;
  const withEvidence = ofAge * hazard.hazard_ratio;
  const acute = hazard.acute_hazard * acute_share;
  const change = withEvidence - ofAge;
  return [
    {
      name: "Age alone",
      about: `an effective age of ${formatYears(age.effective_age_years)}`,
      from: 0,
      to: ofAge,
      kind: "age",
      said: formatNumber(ofAge),
    },
    {
      name: "Evidence",
      about:
        hazard.hazard_ratio === 1
          ? "says nothing either way"
          : hazard.hazard_ratio > 1
            ? "makes it more likely to fail"
            : "makes it less likely to fail",
      from: ofAge,
      to: withEvidence,
      kind: change < 0 ? "better" : "worse",
      said: `× ${formatNumber(hazard.hazard_ratio)}`,
    },
    {
      name: "Acute hazards",
      about: acute > 0 ? "sensors report it, whatever the age" : "no sensor reports any",
      from: withEvidence,
      to: withEvidence + acute,
      kind: "worse",
      said: `+ ${formatNumber(acute)}`,
    },
    { name: "Hazard", about: "of all that", from: 0, to: sum, kind: "sum", said: `= ${formatNumber(sum)}` },
  ];
}

const mostOf = (explained: ExplanationJson) =>
  Math.max(...stepsOf(explained).flatMap(({ from, to }) => [from, to]), Number.MIN_VALUE);

function Step({ step, most }: { step: HazardStep; most: number }) {
  const { name, about, from, to, kind, said } = step;
  const x = scaleLinear([0, most], [0, 1]);
  const [left, right] = [Math.min(from, to), Math.max(from, to)];
  return (
    <li>
      <span>
        {name} <span class="under small mute">{about}</span>
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
          <line class="nothing-added" x1={length(x(to))} x2={length(x(to))} y1="3" y2="17" />
        )}
      </svg>
      <strong class="number">{said}</strong>
    </li>
  );
}

/** Where a limit of the model holds back what the numbers would say. */
function Limits({ explained }: { explained: ExplanationJson }) {
  const { hazard, age, rate, score } = explained;
  const held = [
    hazard.cascades < hazard.cascades_product &&
      `What other components do to it comes to × ${formatNumber(hazard.cascades_product)}, and counts as × ${formatNumber(hazard.cascades)}.`,
    hazard.hazard_ratio !== hazard.product &&
      `The evidence comes to × ${formatNumber(hazard.product)}, and counts as × ${formatNumber(hazard.hazard_ratio)}: never less than ${hazard.lowest}, never more than ${hazard.highest}.`,
    age.prior_unlimited > age.prior + 1e-12 &&
      `By its age it would have failed with ${formatPercent(age.prior_unlimited)}; age alone says ${formatPercent(age.highest_prior)} at most.`,
    rate.environment_product < rate.lowest_life_factor &&
      `Its surroundings shorten its life to ${formatPercent(rate.environment_product)}, and count as ${formatPercent(rate.lowest_life_factor)}.`,
    score.cumulative_risk > score.highest && `A score is ${score.highest} at most: nothing is certain.`,
  ].filter((one) => one !== false);
  if (held.length === 0) return <p class="small mute">No limit of the model was reached.</p>;
  return (
    <>
      <h3>Limits that were reached</h3>
      <ul class="plain-list">
        {held.map((one) => (
          <li>{one}</li>
        ))}
      </ul>
    </>
  );
}
