import {
  type ExplainedScore,
  formatTerminalAmount,
  formatTerminalDays,
  formatTerminalNumber,
  formatTerminalPercent,
  formatTerminalYears,
  terminalBlock,
  terminalExplainedLine,
  terminalSentenceCase,
} from "./terminal-block-text.ts";
import { terminalCostsText } from "./terminal-costs-text.ts";
import { terminalEvidenceText } from "./terminal-evidence-text.ts";
import { type OutputWidths, terminalTable, wrapTerminalText } from "./terminal-table.ts";

/* An explanation for the terminal: each step of the calculation with its numbers and their sources. */

/** Returns the explanation of a score as text for a terminal, in sections. */
export function terminalExplanationText(explained: ExplainedScore, widths: OutputWidths): string {
  const { columns: width } = widths;
  return [
    heading(explained, width),
    lifeText(explained, width),
    rateText(explained, width),
    ageText(explained, width),
    terminalEvidenceText(explained, widths),
    scoreText(explained, width),
    knownText(explained, width),
    changesText(explained, widths),
    terminalCostsText(explained, width),
    decisionText(explained, width),
    sourcesText(explained, width),
  ].join("\n\n");
}

function heading(
  { component, definition, score, shown, as_of, model_version }: ExplainedScore,
  width: number,
) {
  const make = component.appliance_brand === null ? "" : `, ${component.appliance_brand}`;
  const isOther = shown.risk_score !== score.risk_score;
  return [
    wrapTerminalText(
      `${component.component_name} (${definition.appliance}${make}), ${component.property_name}`,
      width,
    ),
    wrapTerminalText(
      `${component.component_id}, ${component.component_def_id}; as of ${as_of}, model ${model_version}`,
      width,
    ),
    "",
    wrapTerminalText(
      `Score ${score.risk_score.toFixed(2)}, ${score.risk_tier}: ${formatTerminalPercent(score.q)} probability of failure within ` +
        `${formatTerminalDays(score.period_days)}, given that it works today.`,
      width,
    ),
    ...(isOther
      ? [
          wrapTerminalText(
            `Partners see ${shown.risk_score.toFixed(2)}, ${shown.risk_tier}: the model has changed since the last ` +
              "snapshot. The next snapshot updates the score.",
            width,
          ),
        ]
      : []),
  ].join("\n");
}

const from = ({ source, kind }: { source: string; kind: string }) => `${source}, ${kind}`;

function lifeText({ life, definition, model_source }: ExplainedScore, width: number): string {
  const isCalibrated = life.kind_factor !== 1 || life.frailty !== 1;
  return terminalBlock("Lifetime", width, [
    terminalExplainedLine(
      "Median life",
      formatTerminalYears(life.median_life_years),
      life.overridden ? "override_lifespan of the component" : from(definition.median_life_years),
    ),
    terminalExplainedLine(
      `Brand: ${life.brand_tier}`,
      `× ${formatTerminalNumber(life.brand_factor)}`,
      from(model_source),
    ),
    isCalibrated &&
      terminalExplainedLine(
        "Component type",
        `× ${formatTerminalNumber(life.kind_factor)}`,
        "calibrated to recorded failures",
      ),
    isCalibrated &&
      terminalExplainedLine(
        "Appliance",
        `× ${formatTerminalNumber(life.frailty_factor)}`,
        `calibrated: frailty ${formatTerminalNumber(life.frailty)} on the hazard`,
      ),
    terminalExplainedLine(
      "Adjusted median life",
      `= ${formatTerminalYears(life.calibrated_median_years)}`,
      "of normal use",
    ),
    terminalExplainedLine(
      "Weibull shape β",
      formatTerminalNumber(life.weibull_shape),
      from(definition.weibull_shape),
    ),
    terminalExplainedLine(
      "Weibull scale η",
      formatTerminalYears(life.weibull_scale_years),
      "median / (ln 2)^(1/β)",
    ),
  ]);
}

function rateText({ rate, definition, model_source, score }: ExplainedScore, width: number): string {
  const isLimited = rate.environment_product < rate.lowest_life_factor;
  return terminalBlock("Aging rate", width, [
    definition.wear === "use"
      ? terminalExplainedLine(
          `Use ${formatTerminalNumber(rate.usage_intensity)}`,
          formatTerminalNumber(rate.usage_factor),
          `use^${rate.usage_exponent}; ${from(model_source)}`,
        )
      : terminalExplainedLine("Use", formatTerminalNumber(rate.usage_factor), "ages with time only"),
    ...rate.environment.map((influence) =>
      terminalExplainedLine(
        terminalSentenceCase(influence.factor),
        `/ ${formatTerminalNumber(influence.life_factor)}`,
        `1 − ${formatTerminalNumber(influence.sensitivity)} · ${formatTerminalNumber(influence.value)}; ${rate.environment_basis === "state" ? `the state's value: ${rate.source}` : "a mean: the climate of the place is unknown"}`,
      ),
    ),
    isLimited &&
      terminalExplainedLine(
        "Environment, limited",
        `/ ${formatTerminalNumber(rate.life_factor)}`,
        `product ${formatTerminalNumber(rate.environment_product)} is below the limit`,
      ),
    terminalExplainedLine(
      "Rate",
      `= ${formatTerminalNumber(rate.years_per_year)}`,
      "years of normal use per calendar year",
    ),
    terminalExplainedLine(
      "Effective lifespan",
      formatTerminalYears(score.effective_lifespan_years),
      "calendar years to a 50% probability of failure",
    ),
  ]);
}

const REASONS: Readonly<Record<ExplainedScore["age"]["reason"], string>> = {
  replacement: "last Replacement on record",
  installation: "July 1 of the install year",
  unknown_past: "July 1 of the install year",
};

function ageText({ age, rate, model_source }: ExplainedScore, width: number): string {
  const past = age.unknown_past;
  const isLimited = age.prior_unlimited > age.prior + 1e-12;
  return terminalBlock("Age", width, [
    terminalExplainedLine("In service since", age.born_on, REASONS[age.reason]),
    terminalExplainedLine("Calendar age", formatTerminalYears(age.age_years), ""),
    past && terminalExplainedLine("Records begin", past.records_since, "the history before is unknown"),
    past &&
      terminalExplainedLine(
        "Nominal age then",
        formatTerminalYears(past.nominal_age_years),
        "of normal use, if it is the original",
      ),
    past &&
      terminalExplainedLine(
        "Original unit, then",
        formatTerminalPercent(past.probability_original_then),
        "exp(−(nominal age / η)^β); else replaced at an unknown time (renewal theory)",
      ),
    past &&
      terminalExplainedLine(
        "Original unit, today",
        formatTerminalPercent(past.probability_original_now),
        "given its history since then",
      ),
    terminalExplainedLine(
      past ? "Aged since" : "Aged",
      formatTerminalYears((rate.years_per_year * age.counted_days) / 365.25),
      `${age.counted_days.toLocaleString("en-US")} days since ${age.counted_from} at the rate`,
    ),
    ...age.restorations.map((restoration) =>
      terminalExplainedLine(
        `${restoration.event_type} ${restoration.date}`,
        `− ${formatTerminalYears(restoration.removed_years)}`,
        `${formatTerminalPercent(restoration.share)} of ${formatTerminalDays(restoration.accrued_days)}; ${from(model_source)}`,
      ),
    ),
    age.restorations.length > 0 &&
      terminalExplainedLine(
        "Virtual age",
        `= ${formatTerminalYears(age.virtual_age_years)}`,
        "Kijima type I",
      ),
    isLimited &&
      terminalExplainedLine(
        "Prior, unlimited",
        formatTerminalPercent(age.prior_unlimited),
        `limited to ${age.highest_prior}`,
      ),
    terminalExplainedLine(
      "Prior",
      formatTerminalPercent(age.prior),
      "probability of failure by today, from age alone",
    ),
    terminalExplainedLine(
      "Effective virtual age",
      formatTerminalYears(age.effective_virtual_age_years),
      "age in normal use that gives this prior",
    ),
    terminalExplainedLine(
      "Effective age",
      formatTerminalYears(age.effective_age_years),
      "in calendar years: divided by the rate",
    ),
  ]);
}

function scoreText({ score, hazard }: ExplainedScore, width: number): string {
  const isAcute = hazard.acute_hazard > 0;
  return terminalBlock("Hazard and score", width, [
    terminalExplainedLine(
      "Time horizon",
      formatTerminalDays(score.period_days),
      score.period_days < score.usual_period_days
        ? `${formatTerminalPercent(score.share_of_life)} of the effective lifespan`
        : "a year",
    ),
    terminalExplainedLine(
      "Hazard from age",
      formatTerminalNumber(score.hazard_by_age),
      "((V + r·Δ)/η)^β − (V/η)^β",
    ),
    terminalExplainedLine(
      "Hazard ratio θ",
      `× ${formatTerminalNumber(hazard.hazard_ratio)}`,
      "from the evidence",
    ),
    isAcute &&
      terminalExplainedLine(
        "Acute hazard Λ",
        `+ ${formatTerminalNumber(hazard.acute_hazard * score.acute_share)}`,
        "from sensors, independent of age",
      ),
    terminalExplainedLine("Cumulative hazard", `= ${formatTerminalNumber(score.cumulative_hazard)}`, ""),
    terminalExplainedLine(
      "q",
      formatTerminalPercent(score.q),
      "1 − exp(−cumulative hazard): probability of failure within the horizon",
    ),
    terminalExplainedLine(
      "Over five horizons",
      formatTerminalPercent(score.cumulative_risk),
      `1 − (1 − q)^${score.periods}`,
    ),
    terminalExplainedLine(
      "Score",
      score.risk_score.toFixed(2),
      `${score.risk_tier}: WARNING from ${score.warning_from}, CRITICAL from ${score.critical_from}; rounded, at most ` +
        score.highest,
    ),
  ]);
}

function knownText({ confidence, projection }: ExplainedScore, width: number): string {
  const { raised_to, raised_by } = confidence;
  return terminalBlock("Confidence and projected failure", width, [
    terminalExplainedLine(
      "Confidence",
      confidence.level,
      `${confidence.service_events} service ${confidence.service_events === 1 ? "event" : "events"}; condition ` +
        `${confidence.condition_observed_on === null ? "never observed" : `observed on ${confidence.condition_observed_on}`}; ` +
        `brand ${confidence.brand_known ? "known" : "unknown"}`,
    ),
    raised_to !== null && terminalExplainedLine(`Raised to ${raised_to} by`, "", raised_by.join("; ")),
    terminalExplainedLine(
      "Projected failure",
      String(projection.projected_failure_year),
      `50% probability by ${projection.projected_failure_on}`,
    ),
    terminalExplainedLine(
      "Range",
      projection.earliest === projection.latest
        ? String(projection.earliest)
        : `${projection.earliest}–${projection.latest}`,
      `±${formatTerminalPercent(projection.range_share)} of the effective lifespan; it holds 16 to 31% of failures`,
    ),
    terminalExplainedLine(
      "Likely failure",
      projection.failure_window_80.latest === null
        ? `after ${projection.failure_window_80.earliest}`
        : `${projection.failure_window_80.earliest} to ${projection.failure_window_80.latest}`,
      "80% probability, allowing for uncertainty in the life; q takes it as certain",
    ),
  ]);
}

const CHANGES: Readonly<Record<ExplainedScore["changes"][number]["change"], string>> = {
  replacement: "Replacement",
  preventive_visit: "Preventive visit",
  inspection_good: "Inspection with a good result",
  inspection_poor: "Inspection with a poor result",
};

function changesText(
  { changes, score, confidence }: ExplainedScore,
  { columns, tableWidth }: OutputWidths,
): string {
  const rows = changes.map((change) => [
    CHANGES[change.change],
    change.risk_score.toFixed(2),
    change.risk_tier,
    formatTerminalPercent(change.q),
    change.confidence,
  ]);
  const now = [
    "No change",
    score.risk_score.toFixed(2),
    score.risk_tier,
    formatTerminalPercent(score.q),
    confidence.level,
  ];
  const notes = changes.flatMap(({ note }) => (note === null ? [] : [wrapTerminalText(note, columns, "  ")]));
  const table = terminalTable(
    [
      { heading: "Scenario", shrinks: true },
      { heading: "Score", align: "right" },
      { heading: "Tier" },
      { heading: "Risk", align: "right" },
      { heading: "Confidence" },
    ],
    [now, ...rows],
    tableWidth - 2,
  );
  return ["What-if scenarios", ...table.split("\n").map((row) => `  ${row}`), ...notes].join("\n");
}

function decisionText({ decision }: ExplainedScore, width: number): string {
  const isByAge = decision.optimal_age_years !== null;
  const what = {
    replace_now: "replace now",
    replace_at_age: "replace when due",
    run_to_failure: "run to failure",
    with_unit: "replace with the unit",
  };
  const { unit } = decision;
  return terminalBlock("Recommended action", width, [
    terminalExplainedLine("Action", decision.action.replaceAll("_", " "), decision.reason),
    unit !== null &&
      terminalExplainedLine(
        "Unit",
        unit.replace_on === null ? "until it fails" : `due ${unit.replace_on}`,
        `${unit.reason} ${formatTerminalAmount(unit.price)} planned, ${formatTerminalAmount(unit.failed_price)} after a failure`,
      ),
    terminalExplainedLine(
      "Policy",
      what[decision.policy],
      isByAge
        ? `${formatTerminalAmount(decision.yearly_cost)} a year in the long run; run to failure ${formatTerminalAmount(decision.yearly_cost_run_to_failure)}`
        : `planned replacement saves less than 5% of ${formatTerminalAmount(decision.yearly_cost_run_to_failure)} a year`,
    ),
    isByAge &&
      terminalExplainedLine(
        "Economic replacement age",
        formatTerminalYears(decision.optimal_age_years!),
        "calendar years, for a new component",
      ),
    decision.age_factor !== null &&
      terminalExplainedLine(
        "Adjustment for evidence",
        `× ${formatTerminalNumber(decision.age_factor)}`,
        "θ^(−1/(β − 1))",
      ),
    isByAge &&
      terminalExplainedLine(
        "Effective age",
        `− ${formatTerminalYears(decision.effective_age_years)}`,
        "in calendar years",
      ),
    isByAge &&
      terminalExplainedLine(
        "Due in",
        `= ${formatTerminalYears(decision.due_in_years!)}`,
        `on ${decision.replace_on}; never in the past`,
      ),
    terminalExplainedLine(
      "Risk of a 1-year delay",
      formatTerminalAmount(decision.risked_a_year),
      `${formatTerminalPercent(decision.failure_probability_12m)} of ${formatTerminalAmount(decision.reactive_cost)} − ${formatTerminalAmount(decision.proactive_cost)}`,
    ),
    terminalExplainedLine(
      "Deferred replacement",
      `− ${formatTerminalAmount(decision.yearly_cost)}`,
      "yearly cost of the policy",
    ),
    terminalExplainedLine(
      "Cost of a 1-year delay",
      `= ${formatTerminalAmount(decision.cost_of_waiting_a_year)}`,
      decision.cost_of_waiting_a_year > 0 ? "a delay has a net cost" : "a delay saves money",
    ),
  ]);
}

function sourcesText({ sources }: ExplainedScore, width: number): string {
  const items = sources.map(({ token, title, publisher, year, address, strength, second_hand }) =>
    wrapTerminalText(
      [
        `${token}: ${title}. ${publisher}${year === null ? "" : `, ${year}`}.`,
        address,
        strength && `Evidence grade ${strength}${second_hand ? ", secondary source" : ""}.`,
      ]
        .filter(Boolean)
        .join(" "),
      width,
      "  - ",
    ),
  );
  return ["Sources", ...items].join("\n");
}
