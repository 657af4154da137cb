import { evidenceText } from "./explained-evidence-text.ts";
import {
  amount,
  block,
  days,
  type Explained,
  line,
  number,
  percent,
  spaced,
  years,
} from "./explained-lines.ts";
import { fittedTable, wrapped } from "./fitted-table.ts";

/* An explanation as it is read in a terminal: each step with the numbers that it multiplies, and where they are from. */

export function explanationText(explained: Explained, width: number): string {
  return [
    heading(explained, width),
    lifeText(explained, width),
    rateText(explained, width),
    ageText(explained, width),
    evidenceText(explained, width),
    scoreText(explained, width),
    knownText(explained, width),
    changesText(explained, width),
    decisionText(explained, width),
    sourcesText(explained, width),
  ].join("\n\n");
}

function heading({ component, definition, score, shown, as_of, model_version }: Explained, width: number) {
  const make = component.appliance_brand === null ? "" : `, ${component.appliance_brand}`;
  const isOther = shown.risk_score !== score.risk_score;
  return [
    wrapped(
      `${component.component_name} (${definition.appliance}${make}), ${component.property_name}`,
      width,
    ),
    wrapped(
      `${component.component_id}, ${component.component_def_id}; as of ${as_of}, model ${model_version}`,
      width,
    ),
    "",
    wrapped(
      `Score ${score.risk_score.toFixed(2)}, ${score.risk_tier}: a risk of ${percent(score.q)} of failing within ` +
        `${days(score.period_days)}, given that it works today.`,
      width,
    ),
    ...(isOther
      ? [
          wrapped(
            `Partners are shown ${shown.risk_score.toFixed(2)}, ${shown.risk_tier}: the model has changed since. ` +
              "The next snapshot scores anew.",
            width,
          ),
        ]
      : []),
  ].join("\n");
}

const from = ({ source, kind }: { source: string; kind: string }) => `${source}, ${kind}`;

function lifeText({ life, definition, model_source }: Explained, width: number): string {
  const isCalibrated = life.kind_factor !== 1 || life.frailty !== 1;
  return block("How long it lives", width, [
    line(
      "Median life",
      years(life.median_life_years),
      life.overridden ? "the component's own, override_lifespan" : from(definition.median_life_years),
    ),
    line(`Make: ${life.brand_tier}`, `× ${number(life.brand_factor)}`, from(model_source)),
    isCalibrated && line("Its kind", `× ${number(life.kind_factor)}`, "calibrated on this operator's record"),
    isCalibrated &&
      line(
        "Its appliance",
        `× ${number(life.frailty_factor)}`,
        `calibrated: frailty ${number(life.frailty)} on the hazard`,
      ),
    line("Median life here", `= ${years(life.calibrated_median_years)}`, "of normal use"),
    line("Weibull shape β", number(life.weibull_shape), from(definition.weibull_shape)),
    line("Weibull scale η", years(life.weibull_scale_years), "median / (ln 2)^(1/β)"),
  ]);
}

function rateText({ rate, definition, model_source, score }: Explained, width: number): string {
  const isHeld = rate.environment_product < rate.lowest_life_factor;
  return block("How fast it ages", width, [
    definition.wear === "use"
      ? line(
          `Use ${number(rate.usage_intensity)}`,
          number(rate.usage_factor),
          `use^${rate.usage_exponent}; ${from(model_source)}`,
        )
      : line("Use", number(rate.usage_factor), "it ages with time alone"),
    ...rate.environment.map((one) =>
      line(
        spaced(one.factor),
        `/ ${number(one.life_factor)}`,
        `1 − ${number(one.sensitivity)} · ${number(one.value)}; the state's value: ${rate.source}`,
      ),
    ),
    isHeld &&
      line(
        "Surroundings, held",
        `/ ${number(rate.life_factor)}`,
        `their product ${number(rate.environment_product)} counts as no less`,
      ),
    line("Rate", `= ${number(rate.years_per_year)}`, "years of normal use in a calendar year"),
    line("Effective lifespan", years(score.effective_lifespan_years), "calendar years to an even chance"),
  ]);
}

const REASONS: Readonly<Record<Explained["age"]["reason"], string>> = {
  replacement: "its last Replacement on record",
  installation: "1 July of its install year",
  unknown_past: "1 July of its install year",
};

function ageText({ age, rate, model_source }: Explained, width: number): string {
  const past = age.unknown_past;
  const isHeld = age.prior_unlimited > age.prior + 1e-12;
  return block("How old it is", width, [
    line("Born", age.born_on, REASONS[age.reason]),
    line("Calendar age", years(age.age_years), ""),
    past && line("Its record begins", past.records_since, "what came before it is not known"),
    past && line("Nominal age then", years(past.nominal_age_years), "of normal use, were it the original"),
    past &&
      line(
        "The original, then",
        percent(past.probability_original_then),
        "exp(−(nominal age / η)^β); else renewed at an unknown time (renewal theory)",
      ),
    past &&
      line(
        "The original, today",
        percent(past.probability_original_now),
        "after what it has lived through since",
      ),
    line(
      past ? "Aged since" : "Aged",
      years((rate.years_per_year * age.counted_days) / 365.25),
      `${age.counted_days.toLocaleString("en-US")} days since ${age.counted_from} at the rate`,
    ),
    ...age.restorations.map((one) =>
      line(
        `${one.event_type} ${one.date}`,
        `− ${years(one.removed_years)}`,
        `${percent(one.share)} of ${days(one.accrued_days)}; ${from(model_source)}`,
      ),
    ),
    age.restorations.length > 0 && line("Virtual age", `= ${years(age.virtual_age_years)}`, "Kijima type I"),
    isHeld &&
      line("Prior, unlimited", percent(age.prior_unlimited), `counts as no more than ${age.highest_prior}`),
    line("Prior", percent(age.prior), "probability of having failed by now, from age alone"),
    line("Effective age", years(age.effective_age_years), "the age of normal use that has this prior"),
  ]);
}

function scoreText({ score, hazard }: Explained, width: number): string {
  const isAcute = hazard.acute_hazard > 0;
  return block("From hazard to score", width, [
    line(
      "Looks ahead",
      days(score.period_days),
      score.period_days < score.usual_period_days
        ? `${percent(score.share_of_life)} of its effective lifespan`
        : "a year",
    ),
    line("Hazard of age", number(score.hazard_by_age), "((V + r·Δ)/η)^β − (V/η)^β"),
    line("Hazard ratio θ", `× ${number(hazard.hazard_ratio)}`, "from the evidence"),
    isAcute &&
      line(
        "Acute hazard Λ",
        `+ ${number(hazard.acute_hazard * score.acute_share)}`,
        "from sensors, whatever the age",
      ),
    line("Cumulative hazard", `= ${number(score.cumulative_hazard)}`, ""),
    line("q", percent(score.q), "1 − exp(−cumulative hazard): failing within that time"),
    line("Within five such", percent(score.cumulative_risk), `1 − (1 − q)^${score.periods}`),
    line(
      "Score",
      score.risk_score.toFixed(2),
      `${score.risk_tier}: WARNING from ${score.warning_from}, CRITICAL from ${score.critical_from}; rounded, at most ` +
        score.highest,
    ),
  ]);
}

function knownText({ confidence, projection }: Explained, width: number): string {
  const { raised_to, raised_by } = confidence;
  return block("How sure it is, and when it is expected to fail", width, [
    line(
      "Confidence",
      confidence.level,
      `${confidence.service_events} service ${confidence.service_events === 1 ? "event" : "events"}; condition ` +
        `${confidence.condition_observed_on === null ? "never observed" : `observed on ${confidence.condition_observed_on}`}; ` +
        `make ${confidence.brand_known ? "known" : "not known"}`,
    ),
    raised_to !== null && line(`Raised to ${raised_to} by`, "", raised_by.join("; ")),
    line(
      "Expected to fail",
      String(projection.projected_failure_year),
      `an even chance by ${projection.projected_failure_on}`,
    ),
    line(
      "Between",
      projection.earliest === projection.latest
        ? String(projection.earliest)
        : `${projection.earliest}–${projection.latest}`,
      `± ${percent(projection.range_share)} of its effective lifespan; ${projection.confidence_pct} %`,
    ),
  ]);
}

const CHANGES: Readonly<Record<Explained["changes"][number]["change"], string>> = {
  replacement: "A Replacement",
  preventive_visit: "A preventive visit",
  inspection_good: "An inspection that finds it good",
  inspection_poor: "An inspection that finds it poor",
};

function changesText({ changes, score, confidence }: Explained, width: number): string {
  const rows = changes.map((one) => [
    CHANGES[one.change],
    one.risk_score.toFixed(2),
    one.risk_tier,
    percent(one.q),
    one.confidence,
  ]);
  const now = ["As it is", score.risk_score.toFixed(2), score.risk_tier, percent(score.q), confidence.level];
  const notes = changes.flatMap(({ note }) => (note === null ? [] : [wrapped(note, width, "  ")]));
  const table = fittedTable(
    [
      { heading: "If today", shrinks: true },
      { heading: "Score", align: "right" },
      { heading: "Tier" },
      { heading: "Risk", align: "right" },
      { heading: "Confidence" },
    ],
    [now, ...rows],
    width - 2,
  );
  return ["What would change it", ...table.split("\n").map((row) => `  ${row}`), ...notes].join("\n");
}

function decisionText({ decision }: Explained, width: number): string {
  const isByAge = decision.optimal_age_years !== null;
  const what = {
    replace_now: "replace now",
    replace_at_age: "replace when due",
    run_to_failure: "once failed",
  };
  return block("What to do about it", width, [
    line(
      "Policy",
      what[decision.policy],
      isByAge
        ? `${amount(decision.yearly_cost)} a year in the long run; run to failure ${amount(decision.yearly_cost_run_to_failure)}`
        : `replacing by age saves less than 5 % of ${amount(decision.yearly_cost_run_to_failure)} a year`,
    ),
    isByAge && line("Best age of a new one", years(decision.optimal_age_years!), "in calendar years"),
    isByAge && line("What evidence makes of it", `× ${number(decision.age_factor!)}`, "θ^(−1/(β − 1))"),
    isByAge &&
      line(
        "Effective age, calendar",
        `− ${years(decision.effective_calendar_age_years)}`,
        "effective age / rate",
      ),
    isByAge &&
      line("Due in", `= ${years(decision.due_in_years!)}`, `on ${decision.replace_on}; never before now`),
    line(
      "Risked by waiting a year",
      amount(decision.risked_a_year),
      `${percent(decision.failure_probability_12m)} of ${amount(decision.reactive_cost)} − ${amount(decision.proactive_cost)}`,
    ),
    line("A year of a well kept one", `− ${amount(decision.yearly_cost)}`, "the policy's yearly cost"),
    line(
      "Cost of waiting a year",
      `= ${amount(decision.cost_of_waiting_a_year)}`,
      decision.cost_of_waiting_a_year > 0
        ? "waiting costs more than it saves"
        : "waiting is the better choice",
    ),
  ]);
}

function sourcesText({ sources }: Explained, width: number): string {
  const items = sources.map(({ token, title, publisher, year, address, strength, second_hand }) =>
    wrapped(
      [
        `${token}: ${title}. ${publisher}${year === null ? "" : `, ${year}`}.`,
        address,
        strength && `Strength ${strength}${second_hand ? ", second-hand" : ""}.`,
      ]
        .filter(Boolean)
        .join(" "),
      width,
      "  - ",
    ),
  );
  return ["Sources", ...items].join("\n");
}
