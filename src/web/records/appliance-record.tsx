import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ApplianceWithComponentsJson } from "../../api-schemas/appliance-schema.ts";
import type { ComponentHistoryJson } from "../../api-schemas/component-schema.ts";
import type { HistoryEventJson } from "../../api-schemas/service-event-schema.ts";
import { hrefTo } from "../browser/browser-route.ts";
import { type LoadState, useLoad } from "../browser/use-load.ts";
import { ApplianceNames } from "../page/page-appliance-names.ts";
import { pageCodeLabel } from "../page/page-code-labels.ts";
import { sortPageRowsByExpectedLoss } from "../page/page-expected-loss.ts";
import { formatPageCount, formatPageDate, formatPageWholeNumber } from "../page/page-format.ts";
import { pageSectionComponentColumns } from "../sections/component-table.tsx";
import { KnownHazardsSection, pageSectionHazardGroups } from "../sections/hazards-section.tsx";
import { SectionTable } from "../sections/section.tsx";
import { Breadcrumbs } from "../widgets/breadcrumbs.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { ApplianceRecordActions } from "./appliance-actions.tsx";
import {
  pageRecordApplianceTypes,
  recordPath,
  useRecordsApi,
  useRecordTitle,
} from "./page-records-context.ts";
import { ServiceEventRecords } from "./service-events-section.tsx";

type Props = { id: string; children?: (appliance: ApplianceWithComponentsJson) => ComponentChildren };

/** An appliance: its record, components and service history. The children follow these. */
export function ApplianceRecordDetails({ id, children }: Props) {
  const records = useRecordsApi();
  const loaded = useLoad(id, async () => ({
    appliance: await records.read<ApplianceWithComponentsJson>(recordPath("appliances", id)),
    types: await pageRecordApplianceTypes(records),
  }));
  const { value } = loaded;
  useRecordTitle(value ? new ApplianceNames(value.types, []).typeName(value.appliance.type_id) : "Appliance");
  return (
    <LoadedContent loaded={loaded} what="the appliance" isPage>
      {({ appliance, types }) => {
        const applianceNames = new ApplianceNames(types, []);
        return (
          <>
            <ApplianceRecordBreadcrumbs appliance={appliance} />
            <header class="heading">
              <div>
                <h1>{applianceNames.typeName(appliance.type_id)}</h1>
                <p class="muted">
                  <bdi>{factsOf(appliance, applianceNames).join(" · ")}</bdi>
                </p>
              </div>
              <ApplianceRecordActions
                appliance={appliance}
                type={types.find(({ type_id }) => type_id === appliance.type_id)!}
                types={types}
                onChanged={loaded.reload}
              />
            </header>
            {appliance.components.length > 0 && appliance.flags.length > 0 && (
              <KnownHazardsSection
                groups={pageSectionHazardGroups(appliance.components)}
                applianceNames={applianceNames}
              />
            )}
            <section class="card" aria-labelledby="components">
              <h2 id="components">{formatPageCount(appliance.components.length, "component")}</h2>
              <p class="about">Ranked by expected loss in the next 12 months.</p>
              <SectionTable
                caption="Components"
                rows={sortPageRowsByExpectedLoss(appliance.components)}
                columns={pageSectionComponentColumns(applianceNames).filter(
                  ({ heading }) => heading !== "Location",
                )}
              />
            </section>
            <History appliance={appliance} />
            {children?.(appliance)}
          </>
        );
      }}
    </LoadedContent>
  );
}

/** The breadcrumbs of an appliance. Its components have the name of the property. */
export function ApplianceRecordBreadcrumbs({ appliance }: { appliance: ApplianceWithComponentsJson }) {
  const { home } = useRecordsApi();
  const name = appliance.components[0]?.property_name ?? "Property";
  return (
    <Breadcrumbs
      links={[
        home,
        [name, hrefTo(["properties", appliance.property_id])],
        ["Appliances", hrefTo(["properties", appliance.property_id, "equipment"])],
      ]}
    />
  );
}

function factsOf(appliance: ApplianceWithComponentsJson, applianceNames: ApplianceNames): string[] {
  const {
    brand,
    model,
    serial,
    size,
    install_year,
    install_year_basis,
    warranty_expiry,
    brand_tier,
    usage_intensity,
  } = appliance;
  return [
    [brand, model].filter(Boolean).join(" "),
    install_year_basis === "year_built"
      ? `as old as the building (${install_year})`
      : `installed ${install_year}`,
    size === null
      ? ""
      : `${formatPageWholeNumber(size)} ${applianceNames.sizeUnitOf(appliance.type_id) ?? ""}`.trim(),
    serial === null ? "" : `serial ${serial}`,
    brand_tier === null ? "" : `${brand_tier} brand`,
    usage_intensity === null || usage_intensity === 1 ? "" : `${usage_intensity}× typical use`,
    warranty_expiry === null ? "" : `warranty until ${formatPageDate(warranty_expiry)}`,
  ].filter(Boolean);
}

/** The service history, loaded on demand: the API has it by component, so that it takes a call for each. */
function History({ appliance }: { appliance: ApplianceWithComponentsJson }) {
  const [isShown, setShown] = useState(false);
  const cost = useRecordsApi().useApiCallCost()(appliance.components.length);
  if (appliance.components.length === 0) return null;
  return (
    <section class="card" aria-labelledby="history">
      <h2 id="history">Service history</h2>
      {isShown ? (
        <LoadedHistory appliance={appliance} />
      ) : (
        <p class="empty">
          <button type="button" class="outline" onClick={() => setShown(true)}>
            {cost ? `Show service history (${cost})` : "Show service history"}
          </button>
        </p>
      )}
    </section>
  );
}

type ApplianceEvent = HistoryEventJson & { of: string };

function LoadedHistory({ appliance }: { appliance: ApplianceWithComponentsJson }) {
  const records = useRecordsApi();
  const events: LoadState<ApplianceEvent[]> = useLoad(appliance.id, async () => {
    const histories = await Promise.all(
      appliance.components.map(({ component_id }) =>
        records.read<ComponentHistoryJson>(`${recordPath("components", component_id)}/history`),
      ),
    );
    // An event of the whole appliance is in the history of each of its components.
    const byId = new Map<string, ApplianceEvent>();
    for (const { component, events } of histories)
      for (const event of events)
        byId.set(event.id, {
          ...event,
          of: byId.has(event.id) || histories.length === 1 ? "whole appliance" : component.component_name,
        });
    return [...byId.values()].sort((a, b) => (a.date < b.date ? 1 : -1));
  });
  return (
    <LoadedContent loaded={events} what="the service history">
      {(all) => (
        <ServiceEventRecords
          events={all}
          about={(event) => pageCodeLabel(event.of)}
          onChanged={events.reload}
        />
      )}
    </LoadedContent>
  );
}
