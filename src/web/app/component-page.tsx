import type { ApplianceWithComponentsJson } from "../../wire/appliance.ts";
import type { ComponentHistoryJson, ComponentJson, TrendPointJson } from "../../wire/component.ts";
import type { ApiClient } from "../browser/api-client.ts";
import { useLoaded } from "../browser/loaded.ts";
import { addressOf } from "../browser/place.ts";
import { Showing } from "../browser/states.tsx";
import { TierMark } from "../charts/tier-mark.tsx";
import { money, odds, years } from "../format.ts";
import { Trend } from "../sections/trend.tsx";
import { costOfWaiting } from "../waiting.ts";
import { Places, TIER_WORDS } from "../words.ts";
import { readAll, readTypes, useApp, useTitle } from "./app-context.ts";
import { AboveAppliance } from "./appliance-page.tsx";
import { ServiceEvents } from "./service-events.tsx";

/** A part: how likely it fails and what that costs, how its score has moved, and what was done to it. */
export function ComponentPage({ id }: { id: string }) {
  const { api } = useApp();
  const loaded = useLoaded(id, () => readComponent(api, id));
  useTitle(loaded.value?.component.component_name ?? "Part");
  return (
    <Showing loaded={loaded} what="the part" isPage>
      {({ component, appliance, points, events, places }) => (
        <>
          <AboveAppliance appliance={appliance} />
          <header class="heading">
            <div>
              <h1>{component.component_name}</h1>
              <p class="mute">
                <a href={addressOf(["appliances", appliance.id])}>{places.typeName(appliance.type_id)}</a>
                {" · "}
                {component.install_year}
                {appliance.brand !== null && (
                  <>
                    {" · "}
                    <bdi>{appliance.brand}</bdi>
                  </>
                )}
              </p>
            </div>
          </header>
          <Standing component={component} />
          <Trend component={component} points={points} events={events} places={places} />
          <section class="card" aria-labelledby="history">
            <h2 id="history">Service history</h2>
            <p class="about">Of the part and of the appliance as a whole, the newest first.</p>
            <ServiceEvents events={events} />
          </section>
        </>
      )}
    </Showing>
  );
}

function Standing({ component }: { component: ComponentJson }) {
  const { risk_tier, risk_score, failure_probability_12m, projected_failure_range } = component;
  return (
    <section class="card" aria-labelledby="standing">
      <h2 id="standing" class="heard">
        How it stands
      </h2>
      <dl class="figures four">
        <div>
          <dt>Tier</dt>
          <dd class={`tier ${risk_tier.toLowerCase()}`}>
            <TierMark tier={risk_tier} /> {TIER_WORDS[risk_tier].name}
          </dd>
          <dd class="small mute">
            score {risk_score.toFixed(2)}, {component.confidence.toLowerCase()} confidence
          </dd>
        </div>
        <div>
          <dt>In the coming year</dt>
          <dd>{odds(failure_probability_12m)}</dd>
          <dd class="small mute">to fail; expected {years(projected_failure_range)}</dd>
        </div>
        <div>
          <dt>To replace now</dt>
          <dd>{money(component.proactive_cost)}</dd>
          <dd class="small mute">{money(component.reactive_cost)} once it has failed</dd>
        </div>
        <div>
          <dt>At risk in a year</dt>
          <dd>{money(Math.round(costOfWaiting(component)))}</dd>
          <dd class="small mute">the chance times the price</dd>
        </div>
      </dl>
    </section>
  );
}

async function readComponent(api: ApiClient, id: string) {
  const of = `/v1/components/${encodeURIComponent(id)}`;
  const history = await api.read<ComponentHistoryJson>(`${of}/history`);
  const [appliance, points, types] = await Promise.all([
    api.read<ApplianceWithComponentsJson>(
      `/v1/appliances/${encodeURIComponent(history.component.appliance_id)}`,
    ),
    readAll<"trend", TrendPointJson>(api, `${of}/trend`, "trend"),
    readTypes(api),
  ]);
  const component = appliance.components.find(({ component_id }) => component_id === id)!;
  return { component, appliance, points, events: history.events, places: new Places(types, []) };
}
