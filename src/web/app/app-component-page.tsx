import type { ApplianceWithComponentsJson } from "../../api-schemas/appliance-schema.ts";
import type {
  ComponentHistoryJson,
  ComponentJson,
  TrendPointJson,
} from "../../api-schemas/component-schema.ts";
import type { ExplainedComponentJson } from "../../api-schemas/score-reason-schema.ts";
import { probabilityText } from "../../domain/wording/us-english-wording.ts";
import type { ApiClient } from "../browser/browser-api-client.ts";
import { readWholeListInBrowser } from "../browser/browser-list-reader.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { useLoad } from "../browser/use-load.ts";
import { ApplianceNames } from "../page/page-appliance-names.ts";
import { COST_BASIS_LABELS, TIER_LABELS } from "../page/page-code-labels.ts";
import { pageExpectedLossUsd } from "../page/page-expected-loss.ts";
import {
  capitalizePageText,
  formatPageCount,
  formatPageMoney,
  pageLikelyFailureText,
} from "../page/page-format.ts";
import { ApplianceRecordBreadcrumbs } from "../records/appliance-record.tsx";
import { EditComponentRecord } from "../records/edit-component.tsx";
import { ServiceEventRecords } from "../records/service-events-section.tsx";
import { ScoreTrendSection } from "../sections/score-trend-section.tsx";
import { SectionScoreReasons } from "../sections/section-score-reasons.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { TierMark } from "../widgets/tier-mark.tsx";
import { readAppApplianceTypes, useApp, useAppTitle } from "./app-context.ts";

/** A component: its failure risk and costs, score history and service history. */
export function AppComponentPage({ id }: { id: string }) {
  const { api } = useApp();
  const loaded = useLoad(id, () => readComponent(api, id));
  useAppTitle(loaded.value?.component.component_name ?? "Component");
  return (
    <LoadedContent loaded={loaded} what="the component" isPage>
      {({ component, why, appliance, points, events, applianceNames }) => (
        <>
          <ApplianceRecordBreadcrumbs appliance={appliance} />
          <header class="heading">
            <div>
              <h1>{component.component_name}</h1>
              <p class="muted">
                <a href={hrefTo(["appliances", appliance.id])}>
                  {applianceNames.typeName(appliance.type_id)}
                </a>
                {" · installed "}
                {component.install_year}
                {component.original && ", the original part"}
                {component.past === "unknown" && ", earlier replacements unknown"}
                {component.override_lifespan !== null &&
                  ` · median life set to ${formatPageCount(component.override_lifespan, "year")}`}
                {appliance.brand !== null && (
                  <>
                    {" · "}
                    <bdi>{appliance.brand}</bdi>
                  </>
                )}
              </p>
            </div>
            <EditComponentRecord component={component} onChanged={loaded.reload} />
          </header>
          <StatusFigures component={component} />
          {why.length > 0 && (
            <section class="card" aria-labelledby="why">
              <h2 id="why">Why this score</h2>
              <SectionScoreReasons reasons={why} />
            </section>
          )}
          <ScoreTrendSection
            component={component}
            points={points}
            events={events}
            applianceNames={applianceNames}
          />
          <section class="card" aria-labelledby="history">
            <h2 id="history">Service history</h2>
            <p class="about">Component and appliance records, newest first.</p>
            <ServiceEventRecords events={events} onChanged={loaded.reload} />
          </section>
        </>
      )}
    </LoadedContent>
  );
}

function StatusFigures({ component }: { component: ComponentJson }) {
  const { risk_tier, risk_score, failure_probability_12m, failure_window_80 } = component;
  return (
    <section class="card" aria-labelledby="status">
      <h2 id="status" class="visually-hidden">
        Status
      </h2>
      <dl class="figures four">
        <div>
          <dt>Tier</dt>
          <dd class={`tier ${risk_tier.toLowerCase()}`}>
            <TierMark tier={risk_tier} /> {TIER_LABELS[risk_tier].name}
          </dd>
          <dd class="small muted">
            risk score {risk_score.toFixed(2)}, {component.confidence.toLowerCase()} confidence
          </dd>
        </div>
        <div>
          <dt>12-month failure probability</dt>
          <dd>{capitalizePageText(probabilityText(failure_probability_12m))}</dd>
          <dd class="small muted">{pageLikelyFailureText(failure_window_80)}</dd>
        </div>
        <div>
          <dt>Planned replacement cost</dt>
          <dd>{formatPageMoney(component.proactive_cost)}</dd>
          <dd class="small muted">
            {formatPageMoney(component.reactive_cost)} after failure;{" "}
            {COST_BASIS_LABELS[component.cost_basis]}
          </dd>
        </div>
        <div>
          <dt>12-month expected loss</dt>
          <dd>{formatPageMoney(Math.round(pageExpectedLossUsd(component)))}</dd>
          <dd class="small muted">probability × cost of failure</dd>
        </div>
      </dl>
    </section>
  );
}

async function readComponent(api: ApiClient, id: string) {
  const of = `/v1/components/${encodeURIComponent(id)}`;
  const history = await api.read<ComponentHistoryJson>(`${of}/history`);
  const [{ why }, appliance, points, types] = await Promise.all([
    api.read<ExplainedComponentJson>(of),
    api.read<ApplianceWithComponentsJson>(
      `/v1/appliances/${encodeURIComponent(history.component.appliance_id)}`,
    ),
    readWholeListInBrowser<"trend", TrendPointJson>(api, `${of}/trend`, "trend"),
    readAppApplianceTypes(api),
  ]);
  const component = appliance.components.find(({ component_id }) => component_id === id)!;
  return {
    component,
    why,
    appliance,
    points,
    events: history.events,
    applianceNames: new ApplianceNames(types, []),
  };
}
