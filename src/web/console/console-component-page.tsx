import type { ExplanationJson } from "../../api-schemas/explanation-schema.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { ExplainedAge, ExplainedLife } from "../explanation/explained-component-age.tsx";
import { ExplainedScoreEvidence } from "../explanation/explained-component-evidence.tsx";
import {
  ExplainedCitedSources,
  ExplainedConfidence,
  ExplainedRecommendedAction,
  ExplainedWhatIfScenarios,
} from "../explanation/explained-component-outlook.tsx";
import { ExplainedScoreBreakdown } from "../explanation/explained-component-score.tsx";
import { explanationPagePercent } from "../explanation/explanation-page-numbers.ts";
import { TIER_LABELS } from "../page/page-code-labels.ts";
import { capitalizePageText, formatPageDate, pageFailureWindowText } from "../page/page-format.ts";
import { LoadedContent } from "../widgets/load-states.tsx";
import { TierMark } from "../widgets/tier-mark.tsx";
import { ConsoleComponentCorrections } from "./console-component-corrections.tsx";
import { useAdminRead, useConsoleTitle } from "./console-context.ts";
import { ConsoleHeading } from "./console-shell.tsx";

/** Explains a component's score: its calculation, the evidence and what-if scenarios. */
export function ConsoleComponentPage({ id }: { id: string }) {
  const loaded = useAdminRead<ExplanationJson>(`/admin/components/${encodeURIComponent(id)}/explanation`);
  useConsoleTitle(loaded.value?.component.component_name ?? "Component");
  return (
    <>
      <p class="breadcrumbs small">
        <a href={hrefTo(["components"])}>Components</a>
      </p>
      <LoadedContent loaded={loaded} what="the explanation" isPage>
        {(explained) => (
          <>
            <ComponentHeading explained={explained} />
            <ScoreSummary explained={explained} />
            <ExplainedScoreBreakdown explained={explained} />
            <ExplainedScoreEvidence explained={explained} />
            <ExplainedAge explained={explained} />
            <ExplainedLife explained={explained} />
            <ExplainedWhatIfScenarios explained={explained} />
            <ExplainedConfidence explained={explained} />
            <ExplainedRecommendedAction explained={explained} />
            <ConsoleComponentCorrections id={id} onChanged={loaded.reload} />
            <ExplainedCitedSources sources={explained.sources} />
          </>
        )}
      </LoadedContent>
    </>
  );
}

function ComponentHeading({ explained: { component, definition } }: { explained: ExplanationJson }) {
  const { component_id, component_name, appliance_id, appliance_brand, property_id, property_name } =
    component;
  return (
    <ConsoleHeading
      title={component_name}
      about={
        <>
          {definition.appliance}
          {appliance_brand !== null && (
            <>
              , <bdi>{appliance_brand}</bdi>
            </>
          )}
          , in{" "}
          <a href={hrefTo(["properties", property_id])}>
            <bdi>{property_name}</bdi>
          </a>
          . <code>{component_id}</code> of{" "}
          <a href={hrefTo(["appliances", appliance_id])}>
            <code>{appliance_id}</code>
          </a>
        </>
      }
    />
  );
}

function ScoreSummary({ explained }: { explained: ExplanationJson }) {
  const { score, shown, confidence, projection, as_of, model_version } = explained;
  const isOutdated = shown.risk_score !== score.risk_score;
  return (
    <section class="card" aria-labelledby="status">
      <h2 id="status" class="visually-hidden">
        Status
      </h2>
      <dl class="figures four">
        <div>
          <dt>Score</dt>
          <dd>
            <TierMark tier={score.risk_tier} /> {score.risk_score.toFixed(2)}
          </dd>
          <dd class="small muted">
            {TIER_LABELS[score.risk_tier].name}: {TIER_LABELS[score.risk_tier].meaning}
          </dd>
        </div>
        <div>
          <dt>12-month failure probability</dt>
          <dd>{explanationPagePercent(score.failure_probability_12m)}</dd>
          <dd class="small muted">if it works today</dd>
        </div>
        <div>
          <dt>Likely failure</dt>
          <dd>{capitalizePageText(pageFailureWindowText(projection.failure_window_80))}</dd>
          <dd class="small muted">
            with a probability of 80%; 50% by {formatPageDate(projection.projected_failure_on)}
          </dd>
        </div>
        <div>
          <dt>Confidence</dt>
          <dd>{confidence.level.charAt(0) + confidence.level.slice(1).toLowerCase()}</dd>
          <dd class="small muted">
            as of {formatPageDate(as_of)}, model {model_version}
          </dd>
        </div>
      </dl>
      {isOutdated && (
        <p role="alert">
          Partners see {shown.risk_score.toFixed(2)} ({TIER_LABELS[shown.risk_tier].name}), calculated before
          the model was changed. The next snapshot updates it.
        </p>
      )}
    </section>
  );
}
