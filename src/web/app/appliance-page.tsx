import { useState } from "preact/hooks";
import type { ApplianceWithComponentsJson } from "../../wire/appliance.ts";
import type { ComponentHistoryJson } from "../../wire/component.ts";
import type { HistoryEventJson } from "../../wire/service-event.ts";
import { type Loaded, useLoaded } from "../browser/loaded.ts";
import { addressOf } from "../browser/place.ts";
import { Showing } from "../browser/states.tsx";
import { counted, date } from "../format.ts";
import { componentColumns } from "../sections/attention.tsx";
import { DataTable } from "../sections/section.tsx";
import { byCostOfWaiting } from "../waiting.ts";
import { Places, sentence } from "../words.ts";
import { readTypes, useApp, useTitle } from "./app-context.ts";
import { Photos } from "./photos-section.tsx";
import { ServiceEvents } from "./service-events.tsx";
import { Trail } from "./trail.tsx";

/** An appliance: its record, its parts, what was done to it, and its photos. */
export function AppliancePage({ id }: { id: string }) {
  const { api } = useApp();
  const loaded = useLoaded(id, async () => {
    const appliance = await api.read<ApplianceWithComponentsJson>(`/v1/appliances/${encodeURIComponent(id)}`);
    return { appliance, types: await readTypes(api) };
  });
  const { value } = loaded;
  useTitle(value ? new Places(value.types, []).typeName(value.appliance.type_id) : "Appliance");
  return (
    <Showing loaded={loaded} what="the appliance" isPage>
      {({ appliance, types }) => {
        const places = new Places(types, []);
        return (
          <>
            <AboveAppliance appliance={appliance} />
            <header class="heading">
              <div>
                <h1>{places.typeName(appliance.type_id)}</h1>
                <p class="mute">
                  <bdi>{factsOf(appliance).join(" · ")}</bdi>
                </p>
              </div>
            </header>
            <section class="card" aria-labelledby="parts">
              <h2 id="parts">{counted(appliance.components.length, "part")}</h2>
              <p class="about">In the order of what waiting a year is expected to cost.</p>
              <DataTable
                caption="Parts"
                rows={byCostOfWaiting(appliance.components)}
                columns={componentColumns(places).filter(({ heading }) => heading !== "Where")}
              />
            </section>
            <History appliance={appliance} />
            <Photos applianceId={appliance.id} />
          </>
        );
      }}
    </Showing>
  );
}

/** The property and the list above an appliance, which its parts name. */
export function AboveAppliance({ appliance }: { appliance: ApplianceWithComponentsJson }) {
  const name = appliance.components[0]?.property_name ?? "Property";
  return (
    <Trail
      links={[
        ["Properties", addressOf(["properties"])],
        [name, addressOf(["properties", appliance.property_id])],
        ["Appliances", addressOf(["properties", appliance.property_id, "equipment"])],
      ]}
    />
  );
}

function factsOf(appliance: ApplianceWithComponentsJson): string[] {
  const { brand, model, serial, install_year, warranty_expiry, brand_tier, usage_intensity } = appliance;
  return [
    [brand, model].filter(Boolean).join(" "),
    `since ${install_year}`,
    serial === null ? "" : `serial ${serial}`,
    brand_tier === null ? "" : `${brand_tier} make`,
    usage_intensity === null || usage_intensity === 1 ? "" : `used ${usage_intensity} times the usual`,
    warranty_expiry === null ? "" : `warranty until ${date(warranty_expiry)}`,
  ].filter(Boolean);
}

/** What was done to the appliance: the API tells it by part, so it is asked for when it is wanted. */
function History({ appliance }: { appliance: ApplianceWithComponentsJson }) {
  const [isWanted, setWanted] = useState(false);
  const calls = appliance.components.length;
  if (calls === 0) return null;
  return (
    <section class="card" aria-labelledby="history">
      <h2 id="history">Service history</h2>
      {isWanted ? (
        <LoadedHistory appliance={appliance} />
      ) : (
        <p class="empty">
          <button type="button" class="outline" onClick={() => setWanted(true)}>
            Show the history: {counted(calls, "call")}
          </button>
        </p>
      )}
    </section>
  );
}

type PartEvent = HistoryEventJson & { of: string };

function LoadedHistory({ appliance }: { appliance: ApplianceWithComponentsJson }) {
  const { api } = useApp();
  const events: Loaded<PartEvent[]> = useLoaded(appliance.id, async () => {
    const histories = await Promise.all(
      appliance.components.map(({ component_id }) =>
        api.read<ComponentHistoryJson>(`/v1/components/${encodeURIComponent(component_id)}/history`),
      ),
    );
    // What was done to the whole appliance is told with each of its parts.
    const byId = new Map<string, PartEvent>();
    for (const { component, events } of histories)
      for (const event of events)
        byId.set(event.id, {
          ...event,
          of: byId.has(event.id) || histories.length === 1 ? "The appliance" : component.component_name,
        });
    return [...byId.values()].sort((a, b) => (a.date < b.date ? 1 : -1));
  });
  return (
    <Showing loaded={events} what="the history">
      {(all) => <ServiceEvents events={all} about={(event) => sentence(event.of)} />}
    </Showing>
  );
}
