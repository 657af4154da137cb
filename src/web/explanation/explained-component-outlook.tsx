import type { ExplanationJson, ScoreChangeJson } from "../../api-schemas/explanation-schema.ts";
import { ACTION_LABELS, pageCodeLabel, TIER_LABELS } from "../page/page-code-labels.ts";
import {
  formatPageCount,
  formatPageDate,
  formatPageMoney,
  pageLikelyFailureText,
} from "../page/page-format.ts";
import { ReportSection, SectionTable } from "../sections/section.tsx";
import { TierMark } from "../widgets/tier-mark.tsx";
import { explanationPagePercent } from "./explanation-page-numbers.ts";

const SCENARIO_LABELS: Readonly<Record<ScoreChangeJson["change"], string>> = {
  replacement: "Replacement",
  preventive_visit: "Preventive maintenance visit",
  inspection_good: "Inspection, condition Good",
  inspection_poor: "Inspection, condition Poor",
};

type Scenario = Pick<ScoreChangeJson, "confidence" | "note" | "q" | "risk_score" | "risk_tier"> & {
  name: string;
};

/** Compares the score with what it would be after a replacement, a maintenance visit or an inspection. */
export function ExplainedWhatIfScenarios({
  explained: { changes, score, confidence },
}: {
  explained: ExplanationJson;
}) {
  const current: Scenario = { ...score, name: "Current", confidence: confidence.level, note: null };
  const rows = [
    current,
    ...changes.map((change): Scenario => ({ ...change, name: SCENARIO_LABELS[change.change] })),
  ];
  return (
    <ReportSection
      id="what-if"
      title="What-if scenarios"
      about="Each scenario on its own, on the date of the score."
    >
      <SectionTable
        caption="What-if scenarios"
        rows={rows}
        columns={[
          {
            heading: "Scenario",
            cell: ({ name, note }) => (
              <>
                {name}
                {note !== null && <span class="under small muted">{note}</span>}
              </>
            ),
          },
          {
            heading: "Score",
            isNumber: true,
            cell: ({ risk_tier, risk_score }) => (
              <>
                <TierMark tier={risk_tier} /> {risk_score.toFixed(2)}
              </>
            ),
          },
          { heading: "Tier", cell: ({ risk_tier }) => TIER_LABELS[risk_tier].name },
          { heading: "Failure probability", isNumber: true, cell: ({ q }) => explanationPagePercent(q) },
          { heading: "Confidence", cell: ({ confidence }) => pageCodeLabel(confidence.toLowerCase()) },
        ]}
      />
    </ReportSection>
  );
}

/** Shows the confidence in the score, what would raise it, and when failure is expected. */
export function ExplainedConfidence({
  explained: { confidence, projection },
}: {
  explained: ExplanationJson;
}) {
  const { raised_to, raised_by, condition_observed_on, brand_known, service_events } = confidence;
  return (
    <ReportSection
      id="confidence"
      title="Confidence"
      about={`${formatPageCount(service_events, "service event")}. ${
        condition_observed_on === null
          ? "Condition never observed"
          : `Condition observed on ${formatPageDate(condition_observed_on)}`
      }. Brand ${brand_known ? "known" : "unknown"}.`}
    >
      <p>
        {raised_to === null
          ? "This is the highest confidence level."
          : `Required for ${raised_to.toLowerCase()} confidence: ${new Intl.ListFormat("en-US").format(raised_by)}.`}{" "}
        Failure {pageLikelyFailureText(projection.failure_window_80)}, with a probability of 80%, allowing for
        uncertainty in the expected life. The probability of failure takes the expected life as certain.
      </p>
    </ReportSection>
  );
}

/** Shows the recommended action with the costs that it follows from. */
export function ExplainedRecommendedAction({ explained: { decision } }: { explained: ExplanationJson }) {
  const {
    action,
    reason,
    replace_on,
    unit,
    proactive_cost,
    reactive_cost,
    cost_of_waiting_a_year: netCost,
  } = decision;
  const isByAge = replace_on !== null;
  return (
    <ReportSection
      id="decision"
      title="Recommended action"
      about={`${ACTION_LABELS[action]}. ${reason}${isByAge ? ` Due ${formatPageDate(replace_on)}.` : ""}`}
    >
      <dl class="facts">
        {unit !== null && (
          <div>
            <dt>Whole appliance</dt>
            <dd>
              {ACTION_LABELS[unit.action]}. {unit.reason} {formatPageMoney(unit.price)} planned,{" "}
              {formatPageMoney(unit.failed_price)} after failure
            </dd>
          </div>
        )}
        <div>
          <dt>{unit === null ? "Replacement cost" : "Replacement cost of the part alone"}</dt>
          <dd>
            {formatPageMoney(proactive_cost)} planned, {formatPageMoney(reactive_cost)} after failure
          </dd>
        </div>
        <div>
          <dt>Long-term cost</dt>
          <dd>
            {formatPageMoney(decision.yearly_cost)} a year
            {isByAge && ` (run to failure: ${formatPageMoney(decision.yearly_cost_run_to_failure)})`}
          </dd>
        </div>
        <div>
          <dt>12-month delay</dt>
          <dd>
            Expected extra cost {formatPageMoney(decision.risked_a_year)} (
            {explanationPagePercent(decision.failure_probability_12m)} ×{" "}
            {formatPageMoney(reactive_cost - proactive_cost)}
            ), less {formatPageMoney(decision.yearly_cost)} deferred ={" "}
            {netCost > 0
              ? `net cost of delay ${formatPageMoney(netCost)}`
              : `net saving from delay ${formatPageMoney(-netCost)}`}
          </dd>
        </div>
      </dl>
    </ReportSection>
  );
}

/** Lists the sources that the sections above cite. */
export function ExplainedCitedSources({ sources }: Pick<ExplanationJson, "sources">) {
  return (
    <ReportSection id="sources" title="Sources">
      <ul class="plain-list small">
        {sources.map(({ token, title, publisher, year, address, strength, second_hand }) => (
          <li>
            <code>{token}</code> {title}. {publisher}
            {year !== null && `, ${year}`}.{strength !== null && ` Evidence grade ${strength}`}
            {second_hand && ", secondary source"}
            {strength !== null && "."} {address !== null && <span class="muted address">{address}</span>}
          </li>
        ))}
      </ul>
    </ReportSection>
  );
}
